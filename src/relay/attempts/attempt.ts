/** One attempt at one target: recorded before it is sent, aborted by its timeouts, and closed in the ledger exactly once. */

import type { Caller } from '../../access/caller.ts';
import type { TokenUse } from '../../access/token-watch.ts';
import type { GatewayError } from '../../conversation/gateway-error.ts';
import { WrittenText } from '../../conversation/texts/written-text.ts';
import { tokensIn, type Usage, unknownUsage } from '../../conversation/usage.ts';
import { totalCostOf } from '../../ledger/cost.ts';
import type { AttemptClosing, OpeningVerdict, UsageRow } from '../../ledger/ledger.ts';
import { chargingPrice } from '../../ledger/unpriced.ts';
import { billsTokens, brokenUse, completeUse, type Use, unused } from '../../ledger/use.ts';
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
import { budgetRefusal } from '../cost-bounds/budget-refusal.ts';
import { boundsAt, factsWith, type PriceBounds } from '../cost-bounds/price-bounds.ts';
import { type Charge, replyCharge, type Served, useCharge, writtenCost } from '../cost-bounds/reply-charge.ts';
import { isExact } from '../cost-bounds/usage-estimate.ts';
import type { Lane } from '../lanes/lane.ts';
import type { RelayParts } from '../relay-parts.ts';
import { clientEnds, clientLeft, leftEnd, overdue } from './abort-reasons.ts';
import { noteSpeed, reportHealth } from './attempt-health.ts';
import { attemptOpening } from './attempt-opening.ts';
import { type AttemptOutcome, type ClosedPart, type EarlierUse, type Place, withExchange } from './attempt-outcome.ts';
import { attemptRow } from './attempt-row.ts';
import { BodyWatch } from './body-watch.ts';
import type { Candidate } from './candidate-walk.ts';
import { type AttemptMeasures, endedAttempt } from './ended-attempt.ts';
import {
  type EndedUse,
  type EndedWork,
  endedUse,
  isOwed,
  type ReplyProgress,
  unreadBytes,
  unreportedUse,
} from './ended-use.ts';
import { attemptError } from './request-error.ts';
import type { AttemptTrace } from './request-trace.ts';
import type { Running } from './running-attempts.ts';

export class Attempt<Kind extends Lane = Lane> implements Running, TokenUse {
  readonly #parts: RelayParts;
  readonly call: Call;
  readonly target: Target;
  readonly key: ProviderKey;
  readonly #candidate: Candidate;
  readonly lane: Kind;
  /** How many attempts this request has made, this one included. */
  readonly ordinal: number;
  /** What earlier exchanges of the same request used; it is charged already. */
  readonly before: EarlierUse | undefined;
  readonly #price: Price | undefined;
  readonly #served: Served;
  readonly #id: string;
  readonly signal = new Cancellation();
  readonly #startedAtMs: number;
  readonly trace: AttemptTrace | undefined;
  #reply: UpstreamReply | undefined;
  readonly #body = new BodyWatch();
  readonly #known: AttemptMeasures = {};
  #progress: ReplyProgress | undefined;
  #leftAtMs: number | undefined;
  #closed = false;
  /** The outcome was reported to the target's health. */
  #reported = false;
  #row: UsageRow | undefined;

  constructor(parts: RelayParts, call: Call, candidate: Candidate, lane: Kind, { ordinal, before }: Place) {
    const { target, key } = candidate;
    this.#parts = parts;
    this.call = call;
    this.#candidate = candidate;
    this.target = target;
    this.key = key;
    this.lane = lane;
    this.ordinal = ordinal;
    this.before = before;
    this.#price = parts.priceOf(target);
    this.#served = { target, price: this.#price, facts: factsWith(call.facts, lane.restoredBytes) };
    this.#id = `${call.requestId}.${ordinal}`;
    this.#startedAtMs = parts.nowMs();
    this.trace = call.trace?.beginAttempt(this, key.id, this.#startedAtMs);
  }

  /** Reserves the bound and marks the dispatch in one commit; the verdict says whether the budgets had room. */
  open(): OpeningVerdict | Promise<OpeningVerdict> {
    const opening = attemptOpening(this.#parts, {
      attemptId: this.#id,
      keyId: this.key.id,
      call: this.call,
      target: this.target,
      price: this.#price,
      bounds: this.#bounds(),
      isFurtherPart: this.before !== undefined,
    });
    return this.#parts.ledger.openNow(opening) ?? this.#parts.ledger.open(opening);
  }

  /** Why the budget of this scope had no room for it, in numbers. */
  budgetRefusal(scope: string): Promise<GatewayError> {
    return budgetRefusal(this.#parts, this.caller, scope, this.#bounds());
  }

  /** Starts the timeouts, which the ticker checks. */
  begin(): void {
    this.#parts.running.add(this);
    this.target.health.begin();
  }

  headArrived(reply: UpstreamReply): void {
    this.#reply = reply;
  }

  /** The first real event of a stream. */
  eventArrived(): void {
    this.#known.firstEventAtMs ??= this.#parts.nowMs();
    this.target.health.answered(this.#candidate.targetTurn);
  }

  /** Aborts the exchange with the provider; what awaits it gets the verdict. */
  abandon(verdict: Verdict): void {
    if (!this.signal.aborted) this.signal.abort(new AttemptFailure(verdict));
  }

  /** Undefined for an attempt that runs to its end even if its token is revoked. */
  get use(): TokenUse | undefined {
    return this.call.runsToEnd === true ? undefined : this;
  }

  /** Reply headers of a model that will be retired; undefined for all others. */
  get endingHeaders(): Readonly<Record<string, string>> | undefined {
    return this.#parts.retirementOf(this.target)?.headers;
  }

  get caller(): Caller {
    return this.call.caller;
  }

  endUse(error: GatewayError): void {
    this.abandon({ kind: 'limit', error, retryAfterMs: undefined });
  }

  /** Is the client known to have disconnected? */
  get left(): boolean {
    return this.#leftAtMs !== undefined;
  }

  /**
   * The client disconnected. True where the provider is still read for a while, so that its reported usage can be charged; a
   * request that was not sent yet, and one beyond the bound of such attempts, is aborted.
   */
  leave(): boolean {
    if (this.#leftAtMs !== undefined) return !this.signal.aborted;
    if (this.#closed) return false;
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
    if (this.#leftAtMs === undefined && this.call.hasLeft()) this.leave();
    if (this.#leftAtMs !== undefined && nowMs - this.#leftAtMs > clocks.readOnMs) {
      this.stopReading();
      return;
    }
    const verdict = overdue(clocks, this.target, {
      elapsedMs: nowMs - this.#startedAtMs,
      hasHead: this.hasHead,
      hasEvent: this.#known.firstEventAtMs !== undefined,
      isStuck: this.#body.isStuck(this.#reply, nowMs, clocks.idleTimeoutMs),
    });
    if (verdict !== undefined) this.abandon(verdict);
  }

  /** Why the exchange ended: our own abort where there was one, else what was thrown. */
  verdictOf(thrown: unknown): Verdict {
    const reason: unknown = this.signal.aborted ? this.signal.reason : thrown;
    return verdictOfThrow(reason, this.target.provider.name);
  }

  get hasHead(): boolean {
    return this.#reply !== undefined;
  }

  /** Writes what a running stream has cost so far, so that a crash can charge it. */
  checkpoint(writtenCharacters: number): void {
    const written = this.#closed ? undefined : writtenCost(this.#served, writtenCharacters, () => this.#bounds());
    if (written !== undefined) this.#parts.ledger.checkpoint(this.#id, written);
  }

  /** Something else closes it, perhaps another process: the timeouts stop, the reservation stays. */
  handOver(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#leave();
    this.#reportHealth('');
    this.call.trace?.handedOver(this);
  }

  /** A failed attempt that is followed by another: it cost nothing and needs no usage row. */
  release(verdict: Verdict, status: number | undefined): Promise<void> | undefined {
    // The candidate walk records what it means for the target and the key.
    this.#reported = true;
    this.#recordError(verdict, status);
    return this.#close(0n, 0, false, undefined, verdict.kind);
  }

  /** A client that disconnected is no failure of the provider. */
  #recordError(verdict: Verdict, status: number | undefined): void {
    if (clientEnds.has(verdict.error.code)) return;
    const { call, target, key, ordinal: attempt } = this;
    const own = { requestId: call.requestId, attempt, provider: target.provider.name, keyId: key.id };
    this.#known.error = attemptError({ ...own, atMs: this.#parts.wallMs() }, verdict, status);
    this.#parts.ledger.recordError(this.#known.error);
  }

  /** From now on an early end is charged by what was read. */
  reads(progress: ReplyProgress): void {
    this.#progress = progress;
  }

  /** May the provider bill it though it ended so? */
  isOwed(verdict: Verdict): boolean {
    const sent = this.signal.sent && !this.#closed && this.call.freeIfUnknown !== true;
    return isOwed({ sent, status: this.#reply?.status, verdict });
  }

  /** It ended early, and the request with it. */
  async settleEnded(end: Pick<AttemptOutcome, 'status' | 'code' | 'firstEventMs' | 'bytesOut'>): Promise<void> {
    const use = await endedUse(this.#endedWork());
    await this.#chargeUse({ ...end, usage: use.usage, written: new WrittenText(), served: false }, use);
  }

  #chargeUse(ending: AttemptOutcome, { usage, units, costNano, estimated }: EndedUse): bigint | Promise<bigint> {
    const own = { price: this.#price, costNano, tokens: tokensIn(usage) };
    return this.#charge({ ...ending, units }, usage, estimated, own);
  }

  /** It ended early, and another attempt may follow: charged now, and included in the request's row. */
  async settleEndedPart(verdict: Verdict, status: number | undefined): Promise<EarlierUse> {
    const use = await endedUse(this.#endedWork(verdict));
    // The candidate walk records what it means for the target and the key.
    this.#reported = true;
    this.#recordError(verdict, status);
    const { sum, done } = this.#closePart({ ...use, units: use.units ?? {} }, verdict.kind);
    await done;
    return sum;
  }

  #endedWork(verdict = this.verdictOf(undefined)): EndedWork {
    return {
      bounds: this.#bounds(),
      charge: (usage) => replyCharge(this.#parts, this.#served, usage),
      call: this.call,
      isOwed: this.isOwed(verdict),
      progress: this.#progress,
      elapsedMs: this.#parts.nowMs() - this.#startedAtMs,
      tokensPerSecond: this.target.health.tokensPerSecond,
      bytesRead: Math.max(this.#body.bytes, unreadBytes(verdict)),
      countTokens: this.#parts.countTokens,
    };
  }

  /** Settles by what was reported, or by an estimate that says so; writes the request's usage row in the same commit. */
  settle(given: AttemptOutcome): bigint | Promise<bigint> {
    // A whole reply that came after its client disconnected.
    const late = this.#leftAtMs !== undefined && given.code === '';
    const ending = late ? { ...given, ...leftEnd, usageIsFinal: given.usageIsFinal ?? true } : given;
    if (ending.units !== undefined) {
      const complete = (ending.usageIsFinal ?? ending.code === '') ? completeUse : brokenUse;
      const derived = billsTokens(this.#price) ? ending.derived : undefined;
      const { used, estimated } = ending.served ? this.#use({ ...ending.units, ...derived }, complete) : unused;
      const charge = useCharge(this.#parts, this.#served, used);
      const isGuess = estimated || charge.guessed || derived !== undefined;
      return this.#charge({ ...ending, units: used }, used.tokens ?? unknownUsage, isGuess, charge);
    }
    if (isExact(ending)) return this.#chargeExact(ending);
    const use = unreportedUse(this.#endedWork(), ending);
    return use instanceof Promise ? use.then((known) => this.#chargeUse(ending, known)) : this.#chargeUse(ending, use);
  }

  /** A conversation may cost more than its tokens: searches, and a fee for the request. */
  #chargeExact(ending: AttemptOutcome): bigint | Promise<bigint> {
    const charge = replyCharge(this.#parts, this.#served, ending.usage);
    const all = charge.units === undefined ? ending : { ...ending, units: charge.units };
    return this.#charge(all, ending.usage, charge.guessed, charge);
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
    ending: AttemptOutcome,
    usage: Usage,
    estimated: boolean,
    { price: asked, costNano, tokens }: Charge,
  ): bigint | Promise<bigint> {
    const { before } = this;
    const price = chargingPrice(asked, costNano, this.call.facts.most);
    const row = attemptRow(this.#parts, this, price, ending, {
      usage: before === undefined ? usage : addUsage(before.usage, usage),
      costNano: costNano + (before?.costNano ?? 0n),
      estimated: estimated || before?.estimated === true,
    });
    this.#row = row;
    if (!estimated) this.#known.outputTokens = usage.output.total;
    const observed = observationOf(row, usage, costNano);
    this.call.admission.leave(observed.inputTokens + observed.outputTokens);
    this.#parts.observe(observed);
    this.#reportHealth(ending.code, ending.firstEventMs);
    if (ending.code !== '' && this.signal.aborted) this.#recordError(this.verdictOf(undefined), undefined);
    this.trace?.used(usage);
    const closing = this.#close(costNano, tokens, estimated, row, this.#outcomeOf(ending.code));
    this.call.trace?.ended(row);
    return closing?.then(() => row.costNano) ?? row.costNano;
  }

  /** The verdict for the trail. A reply that was not aborted was withheld by Weir. */
  #outcomeOf(code: string): VerdictKind | '' {
    if (code === '') return '';
    return this.signal.aborted ? this.verdictOf(undefined).kind : 'limit';
  }

  /** One of several exchanges for the same request: charged now, included in the row that the last one writes. */
  settlePart(reported: Consumption): ClosedPart {
    const { used, estimated } = this.#use(reported);
    const usage = used.tokens ?? unknownUsage;
    this.#reportHealth('');
    return this.#closePart({ usage, units: used, costNano: totalCostOf(this.#price, usage, used), estimated });
  }

  #closePart(use: Omit<EarlierUse, 'priceVersion'>, verdict: VerdictKind | '' = ''): ClosedPart {
    const { usage, costNano, estimated } = use;
    const priceVersion = chargingPrice(this.#price, costNano, this.call.facts.most)?.version ?? '';
    const sum = withExchange(this.before, { ...use, units: { ...use.units, tokens: undefined }, priceVersion });
    this.trace?.used(usage);
    return { sum, done: this.#close(costNano, tokensIn(usage), estimated, undefined, verdict) };
  }

  #bounds(): PriceBounds {
    return boundsAt(this.#parts, this.target, this.#price, this.#served.facts);
  }

  /** Undefined where it is durable already, which is usual; a promise where the database is awaited. */
  #close(
    costNano: bigint,
    tokens: number | undefined,
    estimated: boolean,
    row: UsageRow | undefined,
    verdict: VerdictKind | '' = '',
  ): Promise<void> | undefined {
    if (this.#closed) return undefined;
    this.#closed = true;
    this.#leave();
    const { ledger, nowMs, wallMs } = this.#parts;
    const atMs = wallMs();
    const ended = endedAttempt(this, this.#known, verdict, { startedAtMs: this.#startedAtMs, nowMs: nowMs(), atMs });
    this.#parts.attempted(ended);
    noteSpeed(this, ended);
    this.trace?.ended(ended, this.#reply?.status, { costNano, estimated, priceVersion: row?.priceVersion });
    const closing: AttemptClosing = { attemptId: this.#id, costNano, tokens, estimated, atMs, row, verdict };
    return ledger.closeNow(closing) ? undefined : ledger.close(closing);
  }

  /** The timeouts stop, and the target has one request less in flight. */
  #leave(): void {
    this.#parts.running.delete(this);
    this.#reply?.leaveRoom?.();
    if (this.#leftAtMs !== undefined) this.#parts.running.readOns.end(this);
    this.target.health.end();
  }

  /** A complete reply counts as a success of target and key, a provider's failure against them. */
  #reportHealth(code: string, firstEventMs?: number): void {
    if (!this.#reported) reportHealth(this.#parts, this.#candidate, code, firstEventMs);
    this.#reported = true;
  }
}
