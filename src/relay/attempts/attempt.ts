/** One attempt at one target: recorded before it is sent, abandoned by its clocks, and closed in the ledger exactly once. */

import type { Caller } from '../../access/caller.ts';
import type { TokenUse } from '../../access/token-watch.ts';
import type { GatewayError } from '../../conversation/gateway-error.ts';
import { type Usage, unknownUsage } from '../../conversation/usage.ts';
import { WrittenText } from '../../conversation/written-text.ts';
import { conversationUnits, costOf, guessesCost, unitCostOf } from '../../ledger/cost.ts';
import type { AttemptClosing, AttemptOpening, OpeningVerdict, UsageRow } from '../../ledger/ledger.ts';
import { chargingPrice } from '../../ledger/unpriced.ts';
import { brokenUse, completeUse, type Use } from '../../ledger/use.ts';
import type { Consumption } from '../../operations/consumption.ts';
import { addUsage } from '../../operations/splittings.ts';
import type { Price } from '../../prices/price.ts';
import type { Target } from '../../routing/catalogue.ts';
import type { ProviderKey } from '../../settings/config.ts';
import { Cancellation } from '../../upstream/cancellation.ts';
import { AttemptFailure, type Verdict, type VerdictKind, verdictOfThrow } from '../../upstream/faults/verdict.ts';
import type { UpstreamReply } from '../../upstream/transport.ts';
import type { Call } from '../admission/call.ts';
import { observationOf } from '../admission/observation.ts';
import { budgetScopesOf } from '../cost-bounds/budget-scopes.ts';
import { boundsAt, type PriceBounds } from '../cost-bounds/price-bounds.ts';
import { estimatedUsage, isExact } from '../cost-bounds/usage-estimate.ts';
import type { Lane } from '../lanes/lane.ts';
import type { RelayParts } from '../relay-parts.ts';
import { clientEnds, clientLeft, leftEnd, overdue } from './abort-reasons.ts';
import { tellHealth } from './attempt-health.ts';
import { type Before, type Ending, withExchange } from './attempt-outcome.ts';
import { attemptRow } from './attempt-row.ts';
import type { Candidate } from './candidate-walk.ts';
import type { Running } from './running-attempts.ts';

const bytesPerToken = 4;

export class Attempt<Kind extends Lane = Lane> implements Running, TokenUse {
  readonly #parts: RelayParts;
  readonly call: Call;
  readonly target: Target;
  readonly key: ProviderKey;
  readonly #candidate: Candidate;
  readonly lane: Kind;
  /** How many attempts this request has made, this one included. */
  readonly ordinal: number;
  readonly #price: Price | undefined;
  readonly #id: string;
  readonly signal = new Cancellation();
  readonly #startedAtMs: number;
  /** Present once its head is here. */
  #reply: UpstreamReply | undefined;
  #awaitedBytes: number | undefined;
  #awaitedAtMs = 0;
  #eventArrived = false;
  #keptOpen = false;
  #leftAtMs: number | undefined;
  #closed = false;
  /** The target's health knows how it went. */
  #told = false;
  #row: UsageRow | undefined;

  constructor(parts: RelayParts, call: Call, candidate: Candidate, lane: Kind, ordinal: number) {
    const { target, key } = candidate;
    this.#parts = parts;
    this.call = call;
    this.#candidate = candidate;
    this.target = target;
    this.key = key;
    this.lane = lane;
    this.ordinal = ordinal;
    this.#price = parts.priceOf(target);
    this.#id = `${call.requestId}.${ordinal}`;
    this.#startedAtMs = parts.nowMs();
  }

  /** Reserves the bound and marks the dispatch in one commit; the verdict says whether the budget had room. */
  open(): OpeningVerdict | Promise<OpeningVerdict> {
    const { caller, requestId, facts } = this.call;
    const { ledger, priceTables } = this.#parts;
    const atMs = this.#parts.wallMs();
    const scopes = budgetScopesOf(caller, this.target, this.#price, priceTables, atMs, facts.most);
    const bounds = this.#bounds();
    if (scopes.length > 0) bounds.mustHold(this.target);
    const opening: AttemptOpening = {
      attemptId: this.#id,
      requestId,
      tokenId: caller.tokenId,
      scopes,
      // What no budget limits need not be held.
      reserveNano: scopes.length === 0 ? 0n : bounds.mostNano(),
      estimateNano: bounds.likelyNano(),
      provider: this.target.provider.name,
      model: this.target.model,
      keyId: this.key.id,
      atMs,
    };
    return ledger.openNow(opening) ?? ledger.open(opening);
  }

  /** Starts the clocks; from now on the ticker looks after the attempt. */
  begin(): void {
    this.#parts.running.add(this);
    this.target.health.begin();
  }

  headArrived(reply: UpstreamReply): void {
    this.#reply = reply;
  }

  /** The first real event, or the whole of a reply that comes whole. */
  eventArrived(): void {
    this.#eventArrived = true;
    this.target.health.answered(this.#candidate.targetTurn);
  }

  /** Ends the exchange with the provider at once; whoever waits for it gets the verdict. */
  abandon(verdict: Verdict): void {
    if (!this.signal.aborted) this.signal.abort(new AttemptFailure(verdict));
  }

  /** An attempt that is seen through in any case does not end with its token. */
  get use(): TokenUse | undefined {
    return this.call.runsToEnd === true ? undefined : this;
  }

  /** What the reply's head says of a model that ends; nothing for all others. */
  get endingHeaders(): Readonly<Record<string, string>> | undefined {
    return this.#parts.retirementOf(this.target)?.headers;
  }

  get caller(): Caller {
    return this.call.caller;
  }

  endUse(error: GatewayError): void {
    this.abandon({ kind: 'limit', error, retryAfterMs: undefined });
  }

  /** Is the client known to have left? */
  get left(): boolean {
    return this.#leftAtMs !== undefined;
  }

  /**
   * The client left. True where the provider is read on for a while, so that what it says was used can be charged; what did not
   * begin to leave, and what there is no room for, ends at once.
   */
  leave(): boolean {
    if (this.#leftAtMs !== undefined) return !this.signal.aborted;
    this.#leftAtMs = this.#parts.nowMs();
    if (this.signal.sent && !this.signal.aborted && this.#parts.running.readOns.begin(this)) return true;
    this.stopReading();
    return false;
  }

  stopReading(): void {
    this.abandon(clientLeft());
  }

  tick(nowMs: number): void {
    const { clocks } = this.#parts;
    // Asked for here and not at the start: most whole replies are sent before the ticker comes round.
    if (!this.#keptOpen) {
      this.#keptOpen = true;
      this.call.keepOpen();
    }
    if (this.#leftAtMs === undefined && this.call.hasLeft()) this.leave();
    if (this.#leftAtMs !== undefined && nowMs - this.#leftAtMs > clocks.readOnMs) {
      this.stopReading();
      return;
    }
    const verdict = overdue(clocks, this.target, {
      elapsedMs: nowMs - this.#startedAtMs,
      hasHead: this.#reply !== undefined,
      hasEvent: this.#eventArrived,
      isStuck: this.#isStuck(nowMs),
    });
    if (verdict !== undefined) this.abandon(verdict);
  }

  /** Does a body that is waited for whole not grow any more? A stream has a clock of its own. */
  #isStuck(nowMs: number): boolean {
    const awaited = this.#reply?.awaitedBytes;
    if (awaited === undefined || awaited !== this.#awaitedBytes) {
      this.#awaitedBytes = awaited;
      this.#awaitedAtMs = nowMs;
    }
    return awaited !== undefined && nowMs - this.#awaitedAtMs > this.#parts.clocks.idleTimeoutMs;
  }

  /** The reason for which the exchange ended: our own abort where there was one, else what was thrown. */
  verdictOf(thrown: unknown): Verdict {
    const reason: unknown = this.signal.aborted ? this.signal.reason : thrown;
    return verdictOfThrow(reason, this.target.provider.name);
  }

  /**
   * The same, for the search for another candidate: a head with nothing behind it is no answer, so somebody else may be asked for
   * what can be asked for twice.
   */
  finalVerdictOf(thrown: unknown): Verdict {
    const verdict = this.verdictOf(thrown);
    if (verdict.kind !== 'uncertain' || this.#reply === undefined || !this.call.repeatable) return verdict;
    return thrown instanceof AttemptFailure && thrown.status !== undefined
      ? verdict
      : { ...verdict, kind: 'target-down' };
  }

  /** Writes what a running stream has cost so far, so that a crash can charge it. */
  checkpoint(writtenCharacters: number): void {
    if (this.#closed || this.#price === undefined || this.#price.output.nanoPerMillion === 0n) return;
    // What is no conversation costs what was asked for, whatever of it has been written so far.
    if (this.call.facts.most !== undefined) return;
    const output = Math.ceil(writtenCharacters / bytesPerToken);
    const usage: Usage = { input: { total: this.#inputEstimate() }, output: { total: output } };
    this.#parts.ledger.checkpoint(this.#id, costOf(this.#price, usage));
  }

  /** Somebody else ends it, perhaps in another process: the clocks stop, the money stays held. */
  handOver(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#leave('');
    this.#tellHealth('');
  }

  /** A failed attempt that another one follows: it cost nothing and needs no usage row of its own. */
  release(verdict: VerdictKind): Promise<void> | undefined {
    // What it means for the target and the key is learnt by whoever asks the next one.
    this.#told = true;
    return this.#close(0n, false, undefined, verdict);
  }

  /** Did the client end it, and not the provider, after the request had begun to leave? Providers bill that. */
  endedByClient({ kind, error }: Verdict): boolean {
    if (kind !== 'limit' || !this.signal.sent || !clientEnds.has(error.code)) return false;
    const status = this.#reply?.status ?? 200;
    return status >= 200 && status <= 299;
  }

  /** The client ended it before the provider said anything that could be charged: the likely cost, the full one of what is sold by the piece. */
  async settleLeft(end: Pick<Ending, 'status' | 'code'>, told: Pick<Ending, 'before' | 'firstEventMs' | 'bytesOut'>) {
    const { usage, units, costNano } = this.#bounds().leftUse(this.call.repeatable);
    const ending = { ...told, ...end, usage, units, written: nothingWritten, served: false };
    await this.#charge(ending, usage, true, costNano);
  }

  /** Settles by what was reported, or by an estimate that says so; writes the request's usage row in the same commit. */
  settle(given: Ending): bigint | Promise<bigint> {
    // A whole reply that came after its client had left.
    const late = this.#leftAtMs !== undefined && given.code === '';
    const ending = late ? { ...given, ...leftEnd, usageIsFinal: given.usageIsFinal ?? true } : given;
    if (ending.units !== undefined) {
      const complete = (ending.usageIsFinal ?? ending.code === '') ? completeUse : brokenUse;
      const { used, estimated } = ending.served ? this.#use(ending.units, complete) : nothingUsed;
      return this.#charge({ ...ending, units: used }, used.tokens ?? unknownUsage, estimated);
    }
    if (isExact(ending)) return this.#chargeReply(ending, ending.usage, false);
    if (this.call.facts.runsOn === true) return this.#chargeReply(ending, this.#bounds().mostUsage, true);
    if (!ending.served) return this.#charge(ending, unknownUsage, false);
    const { sample, scale } = ending.written;
    return this.#parts.countTokens(sample).then((tokens) => {
      const usage = estimatedUsage(ending.usage, this.#inputEstimate(), Math.round(tokens * scale));
      return this.#chargeReply(ending, usage, true);
    });
  }

  /** A conversation may cost more than its tokens: searches, and a fee for the request. */
  #chargeReply(ending: Ending, usage: Usage, estimated: boolean): bigint | Promise<bigint> {
    const units = conversationUnits(this.#price, usage);
    const all = units === undefined ? ending : { ...ending, units };
    return this.#charge(all, usage, estimated || guessesCost(this.#price, usage));
  }

  #use(reported: Consumption, complete: typeof brokenUse = completeUse): Use {
    if (this.#price === undefined) return { used: reported, estimated: false };
    return complete(this.#price, reported, this.call.facts.most ?? {});
  }

  /** The request's usage row, once it is settled. */
  get row(): UsageRow | undefined {
    return this.#row;
  }

  #charge(
    ending: Ending,
    usage: Usage,
    estimated: boolean,
    costNano = this.#costOf(usage, ending.units),
  ): bigint | Promise<bigint> {
    const price = chargingPrice(this.#price, costNano, this.call.facts.most);
    const { before } = ending;
    const inAll = costNano + (before?.costNano ?? 0n);
    const row = attemptRow(this.#parts, this, price, ending, {
      usage: before === undefined ? usage : addUsage(before.usage, usage),
      costNano: inAll,
      estimated: estimated || before?.estimated === true,
    });
    this.#row = row;
    const observed = observationOf(row, usage, costNano);
    this.call.admission.leave(observed.inputTokens + observed.outputTokens);
    this.#parts.observe(observed);
    this.#tellHealth(ending.code, ending.firstEventMs);
    return this.#close(costNano, estimated, row, this.#outcomeOf(ending.code))?.then(() => costNano) ?? costNano;
  }

  /** The trail's word for it. A reply that nobody broke off was held back by Weir itself. */
  #outcomeOf(code: string): VerdictKind | '' {
    if (code === '') return '';
    return this.signal.aborted ? this.verdictOf(undefined).kind : 'limit';
  }

  #costOf(usage: Usage, units: Consumption | undefined): bigint {
    if (this.#price === undefined) return 0n;
    const tokens = costOf(this.#price, usage);
    return units === undefined ? tokens : tokens + unitCostOf(this.#price, units);
  }

  /** One of several exchanges for the same request: charged now, told of by the row that the last one writes. */
  settlePart(
    reported: Consumption,
    before: Before | undefined,
  ): { readonly sum: Before; readonly done: Promise<void> | undefined } {
    const { used, estimated } = this.#use(reported);
    const usage = used.tokens ?? unknownUsage;
    const costNano = this.#costOf(usage, used);
    const price = chargingPrice(this.#price, costNano, this.call.facts.most);
    const units = { ...used, tokens: undefined };
    const sum = withExchange(before, { usage, units, costNano, estimated, priceVersion: price?.version ?? '' });
    this.#tellHealth('');
    return { sum, done: this.#close(costNano, estimated, undefined) };
  }

  #bounds(): PriceBounds {
    return boundsAt(this.#parts, this.target, this.#price, this.call.facts);
  }

  #inputEstimate(): number {
    return this.#bounds().inputLikely;
  }

  /** Nothing where it is durable already, which is the rule; a promise where the database has to be waited for. */
  #close(
    costNano: bigint,
    estimated: boolean,
    row: UsageRow | undefined,
    verdict: VerdictKind | '' = '',
  ): Promise<void> | undefined {
    if (this.#closed) return undefined;
    this.#closed = true;
    this.#leave(verdict);
    const { ledger } = this.#parts;
    const closing: AttemptClosing = {
      attemptId: this.#id,
      costNano,
      estimated,
      atMs: this.#parts.wallMs(),
      row,
      verdict,
    };
    return ledger.closeNow(closing) ? undefined : ledger.close(closing);
  }

  /** The clocks stop, and the target is no longer at work for it. */
  #leave(verdict: VerdictKind | ''): void {
    this.#parts.running.delete(this);
    if (this.#leftAtMs !== undefined) this.#parts.running.readOns.end(this);
    this.target.health.end();
    this.#parts.attempted(this.target.provider.name, verdict === '' ? 'served' : verdict);
  }

  /** A reply that came to its end speaks for its target and its key, one that broke off on their side against it. */
  #tellHealth(code: string, firstEventMs?: number): void {
    if (this.#told) return;
    this.#told = true;
    tellHealth(this.#parts, this.#candidate, code, firstEventMs);
  }
}

const nothingWritten = new WrittenText();
const nothingUsed: Use = { used: {}, estimated: false };
