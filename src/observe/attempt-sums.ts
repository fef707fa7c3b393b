/**
 * Sums up how attempts end: by minute, provider, key and model. It moves no money, so it is written in batches; a process that
 * is killed loses the last seconds.
 */

import { type EndedAttempt, outcomeOf, outputMsOf } from '../relay/attempts/ended-attempt.ts';
import { type Bins, binOf, writeBins } from '../store/analytics/durations.ts';
import type { AttemptEnd, AttemptHealthStore, AttemptMinute } from '../store/health/attempt-health-store.ts';

const minuteMs = 60_000;
const flushEveryMs = 2_000;
/** Callers may name models: beyond this many keys and models a provider's attempts are counted without their model. */
const seriesMax = 2_000;
/** What may wait for a database that is unavailable. */
const waitingMax = 20_000;

interface AttemptSumsOptions {
  readonly store: Pick<AttemptHealthStore, 'put' | 'forgetKey'>;
  onFault(error: unknown): void;
}

/** One minute of a series. */
class MinuteSum {
  readonly #series: Series;
  readonly startMs: number;
  #attempts = 0;
  #failed = 0;
  #outputTokens = 0;
  #outputMs = 0;
  readonly #firstTokens: Bins = new Map();
  readonly #totals: Bins = new Map();

  constructor(series: Series, startMs: number) {
    this.#series = series;
    this.startMs = startMs;
  }

  add(ended: EndedAttempt): void {
    const { firstTokenMs, totalMs, outputTokens } = ended;
    const outcome = outcomeOf(ended);
    this.#attempts++;
    if (outcome === 'failed') this.#failed++;
    // How quickly a provider refuses says nothing about how quickly it serves.
    if (outcome !== 'served' || totalMs === undefined) return;
    count(this.#totals, totalMs);
    if (firstTokenMs === undefined) return;
    count(this.#firstTokens, firstTokenMs);
    const outputMs = outputMsOf(ended);
    if (outputTokens === undefined || outputMs === undefined) return;
    this.#outputTokens += outputTokens;
    this.#outputMs += outputMs;
  }

  row(): AttemptMinute {
    const { provider, keyId, model } = this.#series.end;
    return {
      startMs: this.startMs,
      provider,
      keyId,
      model,
      attempts: this.#attempts,
      failed: this.#failed,
      outputTokens: this.#outputTokens,
      outputMs: this.#outputMs,
      firstTokens: writeBins(this.#firstTokens),
      totals: writeBins(this.#totals),
    };
  }
}

/** One key and one model of a provider. */
interface Series {
  minute: MinuteSum | undefined;
  /** Its times of the last attempt and of the last that served are beside it: they change with every attempt. */
  end: AttemptEnd;
  atMs: number;
  servedAtMs: number;
}

export class AttemptSums {
  readonly #options: AttemptSumsOptions;
  readonly #byName = new Map<string, Map<string, Map<string, Series>>>();
  #size = 0;
  #latestMs = 0;
  readonly #minutes = new Set<MinuteSum>();
  readonly #ends = new Set<Series>();
  /** Removals of rows that are in flight. */
  readonly #forgetting = new Set<Promise<void>>();
  #flushing: Promise<void> | undefined;
  #timer: Timer | undefined;

  constructor(options: AttemptSumsOptions) {
    this.#options = options;
  }

  add(ended: EndedAttempt): void {
    const startMs = ended.atMs - (ended.atMs % minuteMs);
    const series = this.#seriesOf(ended);
    this.#latestMs = Math.max(this.#latestMs, ended.atMs);
    // A minute that is over is never continued, also where the clock was set back: its row is written as a whole.
    if (series.minute === undefined || series.minute.startMs < startMs) series.minute = new MinuteSum(series, startMs);
    series.minute.add(ended);
    endAfter(series, ended);
    if (this.#minutes.size < waitingMax) this.#minutes.add(series.minute);
    this.#ends.add(series);
  }

  /** Names are looked up one by one: a joined one would be a new string for each attempt. */
  #seriesOf({ provider, keyId, model }: Pick<EndedAttempt, 'provider' | 'keyId' | 'model'>): Series {
    const known = this.#byName.get(provider)?.get(keyId)?.get(model);
    if (known !== undefined) return known;
    if (this.#size >= seriesMax && model !== '') return this.#seriesOf({ provider, keyId, model: '' });
    const made: Series = { minute: undefined, end: { ...noEnd, provider, keyId, model }, atMs: 0, servedAtMs: 0 };
    const ofProvider = this.#byName.get(provider) ?? new Map<string, Map<string, Series>>();
    const ofKey = ofProvider.get(keyId) ?? new Map<string, Series>();
    this.#byName.set(provider, ofProvider.set(keyId, ofKey.set(model, made)));
    this.#size++;
    return made;
  }

  /** Another key has this id now: how attempts with the old one ended says nothing about it. */
  forgetKey(provider: string, keyId: string): void {
    for (const series of this.#byName.get(provider)?.get(keyId)?.values() ?? []) {
      const { model } = series.end;
      series.end = { ...noEnd, provider, keyId, model };
      series.atMs = 0;
      series.servedAtMs = 0;
      this.#ends.delete(series);
    }
    const forgetting = this.#options.store
      .forgetKey(provider, keyId)
      .catch((error: unknown) => this.#options.onFault(error))
      .finally(() => this.#forgetting.delete(forgetting));
    this.#forgetting.add(forgetting);
  }

  /** Forgets what is written: the next attempts make their series again. */
  #forgetWritten(): void {
    if (this.#size < seriesMax) return;
    for (const [provider, ofProvider] of this.#byName) {
      for (const [keyId, ofKey] of ofProvider) {
        for (const [model, series] of ofKey) {
          const waits = this.#ends.has(series) || (series.minute !== undefined && this.#minutes.has(series.minute));
          // The minute that runs must stay: its row is replaced as a whole.
          const runs = series.minute !== undefined && this.#latestMs - series.minute.startMs < 2 * minuteMs;
          if (waits || runs || !ofKey.delete(model)) continue;
          this.#size--;
        }
        if (ofKey.size === 0) ofProvider.delete(keyId);
      }
      if (ofProvider.size === 0) this.#byName.delete(provider);
    }
  }

  /** Writes what has ended so far; one writing at a time. */
  async flush(): Promise<void> {
    await this.#flushing?.catch(() => undefined);
    this.#flushing ??= this.#write().finally(() => {
      this.#flushing = undefined;
    });
    await this.#flushing;
  }

  async #write(): Promise<void> {
    // On another connection they could remove what is written here about the new key.
    await Promise.all(this.#forgetting);
    const minutes = [...this.#minutes];
    const ends = [...this.#ends];
    if (minutes.length + ends.length === 0) return;
    this.#minutes.clear();
    this.#ends.clear();
    try {
      await this.#options.store.put(
        minutes.map((minute) => minute.row()),
        ends.map(({ end, atMs, servedAtMs }) => ({ ...end, atMs, servedAtMs })),
      );
      this.#forgetWritten();
    } catch (error) {
      for (const minute of minutes) this.#minutes.add(minute);
      for (const end of ends) this.#ends.add(end);
      throw error;
    }
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.flush().catch((error: unknown) => this.#options.onFault(error));
    }, flushEveryMs);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush().catch((error: unknown) => this.#options.onFault(error));
  }
}

function count(bins: Bins, durationMs: number): void {
  const bin = binOf(durationMs);
  bins.set(bin, (bins.get(bin) ?? 0) + 1);
}

const noEnd = {
  ...{ atMs: 0, servedAtMs: 0, rejectedAtMs: 0, forbiddenAtMs: 0, failedAtMs: 0 },
  ...{ requestId: '', code: '', message: '' },
} as const;

/** The account or the key was refused, whatever was asked for. */
const rejecting: ReadonlySet<string> = new Set(['key-dead', 'key-refused']);

function endAfter(series: Series, ended: EndedAttempt): void {
  const { verdict, atMs, error } = ended;
  const { end } = series;
  const outcome = outcomeOf(ended);
  series.atMs = atMs;
  if (outcome === 'served') series.servedAtMs = atMs;
  if (outcome !== 'failed') return;
  const { provider, keyId, model } = end;
  series.end = {
    ...{ provider, keyId, model, atMs, servedAtMs: series.servedAtMs, failedAtMs: atMs },
    rejectedAtMs: rejecting.has(verdict) ? atMs : end.rejectedAtMs,
    forbiddenAtMs: verdict === 'forbidden' ? atMs : end.forbiddenAtMs,
    requestId: error?.requestId ?? '',
    code: error?.code ?? verdict,
    message: error?.message ?? '',
    ...(error?.status !== undefined && { status: error.status }),
  };
}
