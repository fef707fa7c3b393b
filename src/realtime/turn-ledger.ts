/**
 * The ledger of one live conversation. Each response that may run has a row with its bound reserved before the frame that can start
 * it is passed on: one for each request of the client, and spare ones for what a provider that takes audio may start by itself.
 * None is kept while a session is idle: other requests of the token need what it would reserve.
 */

import { GatewayError } from '../conversation/gateway-error.ts';
import { type Usage, unknownUsage } from '../conversation/usage.ts';
import type { SessionFacts } from '../formats/openai-realtime/server-events.ts';
import type { OutputLimit } from '../formats/openai-realtime/settings.ts';
import type { RequestError } from '../ledger/ledger.ts';
import type { Target } from '../routing/catalogue.ts';
import type { VerdictKind } from '../upstream/faults/verdict.ts';
import type { CheckedFrame } from './client-checks.ts';
import { Estimates, filled, outputTokensLikely, tokensOf } from './estimates.ts';
import type { LedgerGiven } from './ledger-given.ts';
import type { LiveCaller, LiveParts } from './live-parts.ts';
import { type BegunResponse, type CostlyFrame, Reservations } from './reservations.ts';
import { ResponseBounds } from './response-bounds.ts';
import { TranscriptLedger } from './transcripts/transcript-ledger.ts';
import { liveLane, recordRefusal, rowOf, Turn, type TurnBounds } from './turn.ts';
import { TurnLimits } from './turn-limits.ts';

interface TurnClosing {
  readonly usage: Usage;
  readonly estimated: boolean;
  readonly status: number;
  readonly code: string;
}

/** Of one model: more than any burst of audio leads to. */
const sparesMax = 1_000;
const nothingWritten = { usage: unknownUsage, estimated: false } as const;
/** Assumed where the model's context is unknown. */
const contextTokensAssumed = 32_000;

export class TurnLedger {
  readonly #parts: LiveParts;
  readonly #given: LedgerGiven;
  readonly #estimates = new Estimates();
  readonly #allowed = new ResponseBounds();
  readonly #reserved = new Reservations();
  readonly #limits: TurnLimits;
  readonly transcripts: TranscriptLedger;
  readonly #running = new Map<string, Turn>();
  #caller: LiveCaller['caller'];
  #target: Target | undefined;
  #keyId = '';
  #opening: Promise<void> | undefined;
  /** Turns that are being settled or released. */
  #ending = 0;
  #rows = 0;
  #over = false;
  /** A provider was tried and did not open the connection. */
  #tried = false;
  #waiting: (() => void)[] = [];
  #bytesIn = 0;
  #bytesOut = 0;

  constructor(parts: LiveParts, given: LedgerGiven) {
    this.#parts = parts;
    this.#given = given;
    this.#caller = given.who.caller;
    this.#limits = new TurnLimits(parts.limiter);
    this.transcripts = new TranscriptLedger(parts, {
      estimates: this.#estimates,
      transcribes: given.transcribes === true,
      target: () => this.#target,
      newTurn: () => this.#newTurn(this.#parts.newRequestId(), 1),
      bounds: () => this.#bounds(0),
      giveBack: (turn) => this.#giveBack(turn),
      changed: () => this.#wakeAll(),
    });
  }

  /** Is a response running, or asked for and expected to begin? */
  get expectsReply(): boolean {
    return this.#running.size > 0 || this.#reserved.asks.some(({ doubtful }) => doubtful === undefined);
  }

  /** May a reservation that was refused find room later, because something ends before? */
  get mayFreeMoney(): boolean {
    return this.expectsReply || this.#ending > 0 || this.transcripts.isDue;
  }

  get runningIds(): readonly string[] {
    return [...this.#running.keys()];
  }

  /** Counts the handshake as a request. Throws where a limit denies it. */
  async enter(): Promise<void> {
    await this.#limits.enterHandshake(this.#caller, this.#given.requestId);
  }

  /** Written before a provider is tried for a connection, once for each that is tried. */
  async openFirst(target: Target, keyId: string, ordinal: number): Promise<void> {
    const loading = this.#parts.pricesReady();
    if (loading !== undefined) await loading;
    this.#target = target;
    this.#keyId = keyId;
    const turn = this.#newTurn(this.#given.requestId, ordinal);
    await turn.open(this.#bounds('inf'));
    this.#reserved.addSpare(turn);
    this.#limits.handTo(turn);
  }

  /** The provider that was asked did not open the connection. */
  async releaseFirst(verdict: VerdictKind, failure: RequestError): Promise<void> {
    this.#tried = true;
    await this.#reserved.anySpare()?.release(verdict, failure);
  }

  /** No connection came about: a row at no cost says why. */
  refuse(error: unknown, attempts: number): void {
    this.#over = true;
    this.#limits.leave(0);
    const { requestId, model, who, startedAtMs } = this.#given;
    const given = { requestId, model, who, caller: this.#caller, target: this.#target, ordinal: attempts };
    const row = { ...rowOf(this.#parts, given, startedAtMs), way: this.#tried ? liveLane : undefined };
    recordRefusal(this.#parts, row, error);
  }

  /** The conversation continues with another model of the same provider. */
  retarget(target: Target): void {
    this.#target = target;
  }

  /** Is everything reserved that the frame may start? */
  covers(frame: CostlyFrame): boolean {
    return this.#lacks(frame) === undefined && (this.#over || !this.transcripts.lacks(frame));
  }

  /** Opens what is missing. Throws where the token may have no further response. */
  async prepare(frame: CostlyFrame): Promise<void> {
    for (let limit = this.#lacks(frame); limit !== undefined; limit = this.#lacks(frame)) {
      this.#opening ??= this.#openSpare(limit, frame.starts).finally(() => {
        this.#opening = undefined;
      });
      await this.#opening;
    }
    if (!this.#over) await this.transcripts.prepare(frame);
  }

  #lacks(frame: CostlyFrame): OutputLimit | undefined {
    return this.#over ? undefined : this.#reserved.lacks(frame, this.#allowed, this.#target, this.#parts.nowMs());
  }

  /** The provider may start a response at any time from now on, and nothing is reserved for it. */
  get lacksSpare(): boolean {
    return !this.#over && this.#allowed.startsWhenIdle && this.#reserved.spares.length === 0;
  }

  async #openSpare(limit: OutputLimit, starts: CostlyFrame['starts']): Promise<void> {
    this.#caller = await this.#given.who.readmit();
    for (const turn of this.#reserved.dropSpares(this.#target, sparesMax)) this.#giveBack(turn);
    const turn = this.#newTurn(this.#parts.newRequestId(), 1);
    if (!this.#limits.hasSlot) await this.#limits.enter(turn, this.#estimates.inputTokens);
    else if (starts === 'response') await this.#limits.count(turn, this.#estimates.inputTokens + outputTokensLikely);
    try {
      await turn.open(this.#bounds(limit));
    } catch (error) {
      if (this.#limits.holds(turn)) this.#limits.leave(0);
      throw error;
    }
    if (this.#over) this.#giveBack(turn);
    else this.#reserved.addSpare(turn);
  }

  #giveBack(turn: Turn): void {
    if (this.#limits.holds(turn)) this.#limits.leave(0);
    void this.#ended(turn.release('unused'));
  }

  async #ended(ending: Promise<void>): Promise<void> {
    this.#ending++;
    await ending.catch((cause: unknown) => this.#parts.warn('A response could not be settled.', { cause }));
    this.#ending--;
    this.#wakeAll();
  }

  /** Resolves when a response has ended, or is not expected any more. */
  untilChange(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #wakeAll(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** The client's frame goes to the provider now. */
  sent(frame: Omit<CheckedFrame, 'target'>): void {
    const { starts, audioBytes, outputLimit, detectsTurns, text } = frame;
    this.#bytesIn += text.length;
    this.#estimates.sent({ characters: text.length, audioBytes });
    this.transcripts.sent(frame);
    const nowMs = this.#parts.nowMs();
    if (starts === 'audio') this.#allowed.sent(audioBytes, nowMs);
    if (starts !== 'response') this.#allowed.named(outputLimit, detectsTurns);
    else {
      const turn = this.#reserved.takeSpare(outputLimit ?? this.#allowed.outputLimit, this.#target);
      const { eventId, metadata } = frame;
      const ask = { eventId, metadata, limit: outputLimit, sentAtMs: nowMs, doubtful: undefined };
      if (turn !== undefined) this.#reserved.addAsk({ turn, ...ask });
    }
  }

  delivered(bytes: number): void {
    this.#bytesOut += bytes;
    this.transcripts.answered();
  }

  session(facts: SessionFacts): void {
    this.#allowed.reported(facts);
    this.#estimates.rates(facts);
    this.transcripts.session(facts);
  }

  /** The provider refused something; if it was a request for a response, none will come. */
  refusedByProvider(eventId: string | undefined, ofResponse: boolean): void {
    const turn = this.#reserved.refused(eventId, ofResponse);
    if (turn !== undefined) {
      this.#giveBack(turn);
      void this.#passSlotOn();
    }
    this.#wakeAll();
  }

  created(id: string, begun: BegunResponse): void {
    if (this.#running.has(id)) return;
    let turn = this.#reserved.begin(begun);
    if (turn === undefined) {
      this.#allowed.answered();
      const limit = this.#allowed.outputLimit;
      turn = this.#reserved.takeSpare(limit, this.#target) ?? this.#reserved.anySpare() ?? this.#openLate();
    }
    turn.begin();
    this.#running.set(id, turn);
  }

  /** A response that the provider began by itself, though nothing that it could answer was sent since the last. */
  #openLate(): Turn {
    const turn = this.#newTurn(this.#parts.newRequestId(), 1);
    turn.opened = turn
      .openLate(this.#bounds(this.#allowed.outputLimit))
      .then((admitted) => {
        if (!admitted) this.#given.onRefused(new GatewayError('budget_spent', "The token's budget is spent."));
      })
      .catch((cause: unknown) => this.#parts.warn('A response could not be recorded.', { cause }));
    return turn;
  }

  wrote(responseId: string, { characters = 0, audioBytes = 0 }): void {
    const turn = this.#turnOf(responseId);
    if (turn === undefined) return;
    turn.wrote();
    turn.characters += characters;
    turn.audioBytes += audioBytes;
    turn.checkpoint(this.#estimates.usageOf(turn));
  }

  done(id: string, reported: Usage | undefined, failed: boolean): void {
    const turn = this.#running.get(id);
    if (turn === undefined) return;
    this.#running.delete(id);
    const wroteNothing = turn.characters === 0 && turn.audioBytes === 0;
    const guessed = failed && wroteNothing ? unknownUsage : this.#estimates.usageOf(turn);
    const usage = reported === undefined ? guessed : filled(reported, guessed);
    const estimated = usage !== reported && guessed !== unknownUsage;
    this.#estimates.responded(usage);
    const status = failed ? 502 : 200;
    void this.#settle(turn, { usage, estimated, status, code: failed ? 'upstream_failed' : '' });
  }

  /**
   * Transcribed audio is charged with the next response, or with the end; in a row of its own where transcripts are all that a
   * session makes, or where they come to much of what is reserved.
   */
  transcribed(usage: Usage | undefined, seconds: number | undefined, alone: boolean): void {
    if (this.#target === undefined) return;
    const turn = this.transcripts.transcribed(usage, seconds) ?? this.#spareToCharge(alone);
    this.#wakeAll();
    if (turn !== undefined) void this.#settle(turn, { ...nothingWritten, status: 200, code: '' });
  }

  #spareToCharge(alone: boolean): Turn | undefined {
    const owedNano = this.transcripts.owed?.costNano ?? 0n;
    const reserveNano = this.#reserved.spares[0]?.reserveNano ?? 0n;
    return alone || (reserveNano > 0n && owedNano * 2n > reserveNano) ? this.#reserved.anySpare() : undefined;
  }

  /** Releases reservations for audio that led to no response, and stops waiting for requests without an answer. */
  tick(nowMs: number): void {
    this.transcripts.trim();
    const { headTimeoutMs } = this.#parts.clocks;
    for (const ask of this.#reserved.asks) {
      if (ask.doubtful !== undefined || !(nowMs - ask.sentAtMs > headTimeoutMs)) continue;
      ask.doubtful = 'late';
      this.#wakeAll();
    }
    const most = Math.max(1, this.#allowed.turnsDue(nowMs));
    if (this.#reserved.spares.length <= most) return;
    for (const turn of this.#reserved.dropSpares(this.#target, most)) this.#giveBack(turn);
  }

  /** The conversation is over. What runs is charged by an estimate that says so, what was only reserved is released. */
  async finish(status: number, code: string): Promise<void> {
    if (this.#over) return;
    const held = this.transcripts.end();
    this.#over = true;
    await this.#opening?.catch(() => undefined);
    const endings: Promise<void>[] = [];
    for (const turn of this.#running.values()) {
      const usage = this.#estimates.usageOf(turn);
      endings.push(this.#settle(turn, { usage, estimated: true, status, code }));
    }
    this.#running.clear();
    this.#wakeAll();
    const { asks, spares } = this.#reserved.takeAll();
    for (const { turn, doubtful } of asks) {
      if (doubtful === 'perhaps refused') endings.push(turn.release('unused'));
      else endings.push(this.#settle(turn, { ...this.#estimates.unseen(code), status, code }));
    }
    for (const turn of [...held, ...spares]) {
      // A session without a response still gets a row.
      const isSeen = this.transcripts.owed === undefined && (this.#rows > 0 || held.includes(turn));
      endings.push(isSeen ? turn.release('unused') : this.#settle(turn, { ...nothingWritten, status, code }));
    }
    if (this.transcripts.owed !== undefined) endings.push(this.#chargeOwed(status, code));
    this.#limits.leave(0);
    await Promise.all(endings);
  }

  /** Audio that was transcribed after the last response. */
  async #chargeOwed(status: number, code: string): Promise<void> {
    const turn = this.#newTurn(this.#parts.newRequestId(), 1);
    await turn.openLate(this.#bounds(0));
    await this.#settle(turn, { ...nothingWritten, status, code });
  }

  #settle(turn: Turn, end: TurnClosing): Promise<void> {
    this.#rows++;
    const extra = this.transcripts.take();
    if (!this.#over) this.transcripts.trim();
    const bytesIn = this.#bytesIn;
    const bytesOut = this.#bytesOut;
    this.#bytesIn = 0;
    this.#bytesOut = 0;
    const tokens = tokensOf(end.usage) + (extra === undefined ? 0 : tokensOf(extra.usage));
    if (this.#limits.holds(turn)) this.#limits.leave(tokens);
    else void this.#limits.count(turn, tokens).catch((error: unknown) => this.#refused(error));
    if (!this.#over) void this.#passSlotOn();
    const estimated = end.estimated || extra?.estimated === true;
    return this.#ended(turn.settle({ ...end, estimated, extra, bytesIn, bytesOut }));
  }

  async #passSlotOn(): Promise<void> {
    const waiting = [...this.#running.values(), ...this.#reserved.spares];
    const next = waiting.find((turn) => !this.#limits.isCounted(turn));
    if (next === undefined || this.#limits.hasSlot) return;
    try {
      await this.#limits.enter(next, this.#estimates.inputTokens);
      if (this.#over) this.#limits.leave(0);
    } catch (error) {
      this.#refused(error);
    }
  }

  #refused(error: unknown): void {
    if (error instanceof GatewayError) this.#given.onRefused(error);
    else this.#parts.warn('Limits could not be read.', { cause: error });
  }

  #turnOf(responseId: string): Turn | undefined {
    const named = this.#running.get(responseId);
    if (named !== undefined || this.#running.size !== 1) return named;
    const [only] = this.#running.values();
    return only;
  }

  #newTurn(requestId: string, ordinal: number): Turn {
    const target = this.#target;
    if (target === undefined) throw new Error('A turn needs a target.');
    const { model, who, onAbandoned: abandon } = this.#given;
    const caller = this.#caller;
    return new Turn(this.#parts, { requestId, ordinal, caller, model, who, target, keyId: this.#keyId, abandon });
  }

  #bounds(outputLimit: OutputLimit): TurnBounds {
    const contextTokens = (this.#target && this.#parts.contextTokensOf(this.#target)) ?? contextTokensAssumed;
    return { contextTokens, outputLimit, inputTokensLikely: this.#estimates.inputTokens };
  }
}
