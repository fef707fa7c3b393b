/**
 * The money of one live conversation. A response can begin by the client's word or, while sound is sent, by the provider's own
 * judgement; so before anything that may lead to one is sent on, the next response's row is written and its bound reserved.
 * One is kept ready at most, and none while a session is idle: other requests of the token need what it would hold.
 */

import type { Admission } from '../access/limits.ts';
import { GatewayError } from '../conversation/gateway-error.ts';
import { type Usage, unknownUsage } from '../conversation/usage.ts';
import type { SessionFacts } from '../formats/openai-realtime/server-events.ts';
import { costOf, unitCostOf } from '../ledger/cost.ts';
import { addUsage } from '../operations/splittings.ts';
import type { Target } from '../routing/catalogue.ts';
import type { VerdictKind } from '../upstream/verdict.ts';
import { Estimates } from './estimates.ts';
import type { LiveCaller, LiveParts } from './live-parts.ts';
import { type Aside, liveWay, observeRow, rowOf, Turn, type TurnBounds } from './turn.ts';

export interface LedgerGiven {
  readonly who: LiveCaller;
  /** As the caller named it. */
  readonly model: string;
  /** The handshake's; the first response goes by it. */
  readonly requestId: string;
  readonly startedAtMs: number;
  /** The token may do no more: a limit, or a budget that a response of the provider's own accord went beyond. */
  onRefused(error: GatewayError): void;
  onAbandoned(error: GatewayError): void;
}

/** Assumed where nobody knows the model's context. */
const contextTokensAssumed = 32_000;
/** The most that the protocol lets a response be, where the session sets no bound of its own. */
const outputTokensAssumed = 4_096;

export class TurnLedger {
  readonly #parts: LiveParts;
  readonly #given: LedgerGiven;
  readonly #estimates = new Estimates();
  #caller: LiveCaller['caller'];
  #target: Target | undefined;
  #keyId = '';
  #ready: Turn | undefined;
  readonly #running = new Map<string, Turn>();
  #preparing: Promise<void> | undefined;
  /** One session takes one of the token's slots at a time, however its responses overlap. */
  #slot: { readonly turn: Turn | undefined; readonly admission: Admission } | undefined;
  #facts: SessionFacts = {};
  #aside: Aside | undefined;
  #asked = false;
  #rows = 0;
  #over = false;
  /** A provider was asked for a connection and did not open it. */
  #tried = false;
  #idle: (() => void)[] = [];
  #bytesIn = 0;
  #bytesOut = 0;

  constructor(parts: LiveParts, given: LedgerGiven) {
    this.#parts = parts;
    this.#given = given;
    this.#caller = given.who.caller;
  }

  /** Is a response under way, or asked for and not begun yet? */
  get expectsReply(): boolean {
    return this.#running.size > 0 || (this.#asked && this.#ready !== undefined);
  }

  get hasRunning(): boolean {
    return this.#running.size > 0;
  }

  get hasReady(): boolean {
    return this.#ready !== undefined;
  }

  get runningIds(): readonly string[] {
    return [...this.#running.keys()];
  }

  /** Counts the handshake as a request. Throws where a limit denies it. */
  async enter(): Promise<void> {
    const { requestId } = this.#given;
    const admission = await this.#parts.limiter.enter(this.#caller, 0, requestId);
    this.#slot = { turn: undefined, admission };
  }

  /** Written before a provider is asked for a connection, once for each that is asked. */
  async openFirst(target: Target, keyId: string, ordinal: number): Promise<void> {
    const loading = this.#parts.pricesReady();
    if (loading !== undefined) await loading;
    this.#target = target;
    this.#keyId = keyId;
    const turn = this.#newTurn(this.#given.requestId, ordinal);
    await turn.open(this.#bounds());
    this.#ready = turn;
    if (this.#slot !== undefined) this.#slot = { ...this.#slot, turn };
  }

  /** The provider that was asked did not open the connection. */
  async releaseFirst(verdict: VerdictKind): Promise<void> {
    const turn = this.#ready;
    this.#ready = undefined;
    this.#tried = true;
    await turn?.release(verdict);
  }

  /** No connection came about: a row at no cost says why. */
  refuse(error: unknown, attempts: number): void {
    this.#over = true;
    this.#leave(0);
    const { requestId, model, startedAtMs } = this.#given;
    const refused = error instanceof GatewayError ? error : undefined;
    const row = {
      ...rowOf(
        this.#parts,
        { requestId, model, caller: this.#caller, target: this.#target, ordinal: attempts },
        startedAtMs,
      ),
      status: refused?.status ?? 500,
      code: refused?.code ?? 'internal_error',
      way: this.#tried ? liveWay : undefined,
    };
    this.#parts.ledger.record(row);
    observeRow(this.#parts, row);
  }

  /** The conversation goes on with another model of the same provider. */
  retarget(target: Target): void {
    this.#target = target;
  }

  /** Makes sure that a response may begin. Throws where the token may have no further one. */
  prepare(): Promise<void> {
    if (this.#ready !== undefined || this.#over) return Promise.resolve();
    this.#preparing ??= this.#openNext().finally(() => {
      this.#preparing = undefined;
    });
    return this.#preparing;
  }

  async #openNext(): Promise<void> {
    this.#caller = await this.#given.who.readmit();
    const turn = this.#newTurn(this.#parts.newRequestId(), 1);
    if (this.#slot === undefined) await this.#enterFor(turn);
    try {
      await turn.open(this.#bounds());
    } catch (error) {
      if (this.#slot?.turn === turn) this.#leave(0);
      throw error;
    }
    if (!this.#over) {
      this.#ready = turn;
      return;
    }
    if (this.#slot?.turn === turn) this.#leave(0);
    await turn.release('unused');
  }

  /** Resolves when no response runs any more. */
  untilIdle(): Promise<void> {
    if (this.#running.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #wakeAll(): void {
    for (const wake of this.#idle.splice(0)) wake();
  }

  /** The client's frame went to the provider. */
  sent(given: { readonly characters: number; readonly soundBytes: number; readonly asksForReply: boolean }): void {
    this.#bytesIn += given.characters;
    this.#estimates.sent(given);
    if (given.asksForReply) this.#asked = true;
  }

  told(bytes: number): void {
    this.#bytesOut += bytes;
  }

  session(facts: SessionFacts): void {
    this.#facts = { ...this.#facts, ...facts };
    this.#estimates.rates(this.#facts);
  }

  /** The provider said no to something; if it was the request for a reply, none will come. */
  refusedByProvider(): void {
    this.#asked = false;
  }

  created(id: string): void {
    this.#asked = false;
    if (this.#running.has(id)) return;
    const turn = this.#ready ?? this.#openLate();
    this.#ready = undefined;
    turn.begin();
    this.#running.set(id, turn);
  }

  /** A response beside another one, or one that the provider began though nothing was sent since the last. */
  #openLate(): Turn {
    const turn = this.#newTurn(this.#parts.newRequestId(), 1);
    turn.opened = turn
      .openLate(this.#bounds())
      .then((admitted) => {
        if (!admitted) this.#given.onRefused(spent());
      })
      .catch((cause: unknown) => this.#parts.warn('A response could not be recorded.', { cause }));
    return turn;
  }

  wrote(responseId: string, { characters = 0, soundBytes = 0 }): void {
    const turn = this.#turnOf(responseId);
    if (turn === undefined) return;
    turn.wrote();
    turn.characters += characters;
    turn.soundBytes += soundBytes;
    turn.checkpoint(this.#estimates.usageOf(turn));
  }

  done(id: string, reported: Usage | undefined, failed: boolean): void {
    const turn = this.#running.get(id);
    if (turn === undefined) return;
    this.#running.delete(id);
    const wroteNothing = turn.characters === 0 && turn.soundBytes === 0;
    const guessed = failed && wroteNothing ? unknownUsage : this.#estimates.usageOf(turn);
    const usage = reported === undefined ? guessed : filled(reported, guessed);
    const estimated = usage !== reported && guessed !== unknownUsage;
    this.#estimates.responded(usage);
    const status = failed ? 502 : 200;
    this.#settle(turn, { usage, estimated, status, code: failed ? 'upstream_failed' : '' });
    if (this.#running.size === 0) this.#wakeAll();
  }

  /**
   * What was heard is written down by another model, at that model's price where it has one. It is charged with the next
   * response, or with the end; where transcripts are all that a session makes, each is a request of its own.
   */
  transcribed(usage: Usage | undefined, seconds: number | undefined, alone: boolean): void {
    const price = this.#transcriptionPrice();
    if (price === undefined || (usage === undefined && seconds === undefined)) return;
    const costNano = costOf(price, usage ?? unknownUsage) + unitCostOf(price, { seconds });
    const before = this.#aside;
    this.#aside = {
      usage: before === undefined ? (usage ?? unknownUsage) : addUsage(before.usage, usage ?? unknownUsage),
      costNano: costNano + (before?.costNano ?? 0n),
    };
    if (!alone || this.#ready === undefined) return;
    const turn = this.#ready;
    this.#ready = undefined;
    this.#settle(turn, { usage: unknownUsage, estimated: false, status: 200, code: '' });
  }

  #transcriptionPrice() {
    const target = this.#target;
    if (target === undefined) return undefined;
    const model = this.#facts.transcriptionModel;
    const own =
      model === undefined ? undefined : this.#parts.catalogue.resolve(`${target.provider.name}/${model}`)?.[0];
    return (own && this.#parts.priceOf(own)) ?? this.#parts.priceOf(target);
  }

  /** The conversation is over. What runs is charged by an estimate that says so, what was only held is given back. */
  async finish(status: number, code: string): Promise<void> {
    if (this.#over) return;
    this.#over = true;
    await this.#preparing?.catch(() => undefined);
    const endings: Promise<void>[] = [];
    for (const turn of this.#running.values()) {
      const usage = this.#estimates.usageOf(turn);
      endings.push(this.#settle(turn, { usage, estimated: true, status, code }));
    }
    this.#running.clear();
    this.#wakeAll();
    const ready = this.#ready;
    this.#ready = undefined;
    if (ready !== undefined) {
      // A session that came to nothing is seen all the same.
      const isSeen = this.#rows > 0 && this.#aside === undefined;
      if (isSeen) endings.push(ready.release('unused'));
      else endings.push(this.#settle(ready, { usage: unknownUsage, estimated: false, status, code }));
    }
    this.#leave(0);
    await Promise.all(endings);
  }

  #settle(
    turn: Turn,
    end: { readonly usage: Usage; readonly estimated: boolean; readonly status: number; readonly code: string },
  ): Promise<void> {
    this.#rows++;
    const aside = this.#aside;
    const bytesIn = this.#bytesIn;
    const bytesOut = this.#bytesOut;
    this.#aside = undefined;
    this.#bytesIn = 0;
    this.#bytesOut = 0;
    const tokens = tokensOf(end.usage) + (aside === undefined ? 0 : tokensOf(aside.usage));
    if (this.#slot?.turn === turn) this.#leave(tokens);
    else void this.#count(turn, tokens);
    if (!this.#over) void this.#passSlotOn();
    return turn
      .settle({ ...end, aside, bytesIn, bytesOut })
      .catch((cause: unknown) => this.#parts.warn('A response could not be settled.', { cause }));
  }

  #leave(tokens: number): void {
    this.#slot?.admission.leave(tokens);
    this.#slot = undefined;
  }

  /** A response that had no slot of its own still counts against the token's minute. */
  async #count(turn: Turn, tokens: number): Promise<void> {
    try {
      (await this.#parts.limiter.enter(this.#caller, 0, turn.given.requestId)).leave(tokens);
    } catch (error) {
      this.#refused(error);
    }
  }

  async #passSlotOn(): Promise<void> {
    const [running] = this.#running.values();
    const next = running ?? this.#ready;
    if (next === undefined || this.#slot !== undefined) return;
    try {
      await this.#enterFor(next);
    } catch (error) {
      this.#refused(error);
    }
  }

  async #enterFor(turn: Turn): Promise<void> {
    const admission = await this.#parts.limiter.enter(this.#caller, this.#estimates.inputTokens, turn.given.requestId);
    if (this.#slot !== undefined || this.#over) admission.leave(0);
    else this.#slot = { turn, admission };
  }

  #refused(error: unknown): void {
    if (error instanceof GatewayError) this.#given.onRefused(error);
    else this.#parts.warn('Limits could not be asked.', { cause: error });
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
    const { model, onAbandoned } = this.#given;
    return new Turn(this.#parts, {
      requestId,
      ordinal,
      caller: this.#caller,
      model,
      target,
      keyId: this.#keyId,
      abandon: onAbandoned,
    });
  }

  #bounds(): TurnBounds {
    const context = this.#target && this.#parts.contextTokensOf(this.#target);
    return {
      inputTokensMax: context ?? contextTokensAssumed,
      outputTokensMax: this.#facts.outputTokensMax ?? outputTokensAssumed,
      inputTokensLikely: this.#estimates.inputTokens,
    };
  }
}

function tokensOf({ input, output }: Usage): number {
  return (input.total ?? 0) + (output.total ?? 0);
}

/** A provider that says only one side leaves the other to the estimate. */
function filled(reported: Usage, guessed: Usage): Usage {
  if (reported.input.total !== undefined && reported.output.total !== undefined) return reported;
  return {
    input: reported.input.total === undefined ? guessed.input : reported.input,
    output: reported.output.total === undefined ? guessed.output : reported.output,
  };
}

function spent(): GatewayError {
  return new GatewayError('budget_spent', "The token's budget is spent.");
}
