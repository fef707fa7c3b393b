/** Figures of attempts: sums of several keys and models as one. */

import { addWrittenBins, type Bins, percentile } from '../../store/analytics/durations.ts';
import type { AttemptEnd, AttemptSum } from '../../store/health/attempt-health-store.ts';
import type { HealthFiguresView, LastErrorView, PercentilesView } from '../contracts/health-contract.ts';

/** Some of the attempts: those of a provider, a key or a target. */
export class AttemptFigures {
  attempts = 0;
  failed = 0;
  #outputTokens = 0;
  #outputMs = 0;
  readonly #firstTokens: Bins = new Map();
  readonly #totals: Bins = new Map();
  #lastFailed: AttemptEnd | undefined;
  /** Times of day; 0 where it never happened. */
  servedAtMs = 0;
  rejectedAtMs = 0;
  forbiddenAtMs = 0;
  /** When the provider last said that it does not have the model. */
  missingAtMs = 0;

  addSum(sum: AttemptSum): void {
    this.attempts += sum.attempts;
    this.failed += sum.failed;
    this.#outputTokens += sum.outputTokens;
    this.#outputMs += sum.outputMs;
    addWrittenBins(this.#firstTokens, sum.firstTokens);
    addWrittenBins(this.#totals, sum.totals);
  }

  addEnd(end: AttemptEnd): void {
    this.servedAtMs = Math.max(this.servedAtMs, end.servedAtMs);
    this.rejectedAtMs = Math.max(this.rejectedAtMs, end.rejectedAtMs);
    this.forbiddenAtMs = Math.max(this.forbiddenAtMs, end.forbiddenAtMs);
    if (isMissing(end)) this.missingAtMs = Math.max(this.missingAtMs, end.failedAtMs);
    if (end.failedAtMs > (this.#lastFailed?.failedAtMs ?? 0)) this.#lastFailed = end;
  }

  addAll(other: AttemptFigures): void {
    this.attempts += other.attempts;
    this.failed += other.failed;
    this.#outputTokens += other.#outputTokens;
    this.#outputMs += other.#outputMs;
    for (const [bin, count] of other.#firstTokens) addBin(this.#firstTokens, bin, count);
    for (const [bin, count] of other.#totals) addBin(this.#totals, bin, count);
    if (other.#lastFailed !== undefined) this.addEnd(other.#lastFailed);
  }

  get errorRate(): number | undefined {
    return this.attempts === 0 ? undefined : this.failed / this.attempts;
  }

  view(): HealthFiguresView {
    const { attempts, failed, errorRate } = this;
    const firstTokenMs = percentilesOf(this.#firstTokens);
    const totalMs = percentilesOf(this.#totals);
    const perSecond = this.#outputMs === 0 ? undefined : (this.#outputTokens * 1_000) / this.#outputMs;
    return {
      attempts,
      failed,
      ...(errorRate !== undefined && { errorRate }),
      ...(firstTokenMs && { firstTokenMs }),
      ...(totalMs && { totalMs }),
      ...(perSecond !== undefined && { tokensPerSecond: Math.round(perSecond * 10) / 10 }),
      ...(this.#lastFailed && { lastError: errorOf(this.#lastFailed) }),
    };
  }
}

/** Of failures in which the provider refused the request, the others are those of keys that may not use the model. */
function isMissing({ code, failedAtMs, forbiddenAtMs }: AttemptEnd): boolean {
  return code === 'upstream_refused' && failedAtMs > forbiddenAtMs;
}

function addBin(bins: Bins, bin: number, count: number): void {
  bins.set(bin, (bins.get(bin) ?? 0) + count);
}

function percentilesOf(bins: Bins): PercentilesView | undefined {
  const p50 = percentile(bins, 0.5);
  const p95 = percentile(bins, 0.95);
  return p50 === undefined || p95 === undefined ? undefined : { p50, p95 };
}

function errorOf({ failedAtMs, status, code, message, model, keyId, requestId }: AttemptEnd): LastErrorView {
  return {
    at: new Date(failedAtMs).toISOString(),
    ...(status !== undefined && { status }),
    code,
    message,
    model,
    keyId,
    ...(requestId !== '' && { requestId }),
  };
}
