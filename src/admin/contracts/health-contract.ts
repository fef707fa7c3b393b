/** One state and one set of figures for providers, keys and targets: the same wherever they are shown. */

/**
 * From the worst to the best; then what has no traffic, and what is switched off.
 * `key-rejected`: the provider refused the key, and nothing was served with it since. `model-missing`: the provider said that
 * it does not have the model, and nothing was served since. `circuit-open`: skipped after failures.
 * `probing`: a single request decides whether the circuit closes. `rate-limited`: cooling down. `degraded`: too many attempts failed.
 */
export const healthStates = [
  'key-rejected',
  'model-missing',
  'circuit-open',
  'probing',
  'rate-limited',
  'degraded',
  'healthy',
  'no-data',
  'disabled',
] as const;
export type HealthStateName = (typeof healthStates)[number];

/** The last attempt that failed; its message has at most 1 KB and no secrets. */
export interface LastErrorView {
  readonly at: string;
  /** The provider's HTTP status, where it sent one. */
  readonly status?: number;
  readonly code: string;
  readonly message: string;
  readonly model: string;
  readonly keyId: string;
  /** Absent where no request of its own led to it. */
  readonly requestId?: string;
}

export interface PercentilesView {
  readonly p50: number;
  readonly p95: number;
}

/** Attempts of the last hour, all replicas together. Durations are those of attempts that served. */
export interface HealthFiguresView {
  readonly attempts: number;
  /** Those that failed by the provider's fault. */
  readonly failed: number;
  /** From 0 to 1; absent without attempts. */
  readonly errorRate?: number;
  /** Of streamed replies, from the start of the attempt. */
  readonly firstTokenMs?: PercentilesView;
  readonly totalMs?: PercentilesView;
  /** Of streamed replies, after the first token. */
  readonly tokensPerSecond?: number;
  /** Also from before the last hour. */
  readonly lastError?: LastErrorView;
}

interface StateView {
  readonly state: HealthStateName;
  /** When it may be called again; absent where it may be now, and where that is not known. */
  readonly readyInMs?: number;
}

export interface TargetHealthView extends HealthFiguresView, StateView {
  readonly provider: string;
  readonly model: string;
  readonly inFlight: number;
  /** Parameters that the provider refused recently, and when; absent where there are none. */
  readonly learned?: readonly { readonly what: string; readonly atMs: number }[];
}

/** The health of one key of a provider; never the key itself. */
export interface KeyHealthView extends HealthFiguresView, StateView {
  readonly provider: string;
  readonly keyId: string;
  /** Those it cools down for, where it may still be used for others. */
  readonly models?: readonly string[];
}

export interface ProviderHealthView extends HealthFiguresView {
  readonly provider: string;
  /** The worst of its keys and targets. */
  readonly state: HealthStateName;
  readonly inFlight: number;
  /** The last hour by minutes, oldest first. */
  readonly minutes: readonly { readonly attempts: number; readonly failed: number }[];
}

/** `GET /console/api/health`. */
export interface HealthView {
  readonly providers: readonly ProviderHealthView[];
  /** Those that were called, or cannot be. */
  readonly targets: readonly TargetHealthView[];
  readonly keys: readonly KeyHealthView[];
}

/** What the page of a model shows of each of its targets; members see the state and the time to the first token only. */
export type ShownTargetHealth = StateView &
  Partial<Omit<HealthFiguresView, 'firstTokenMs'>> & {
    readonly firstTokenMs?: Pick<PercentilesView, 'p50'> & Partial<PercentilesView>;
  };
