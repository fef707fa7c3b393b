/** The JSON of an explanation, which a caller gets instead of a reply. */

import type { LimitLeft } from '../../access/limits.ts';
import type { Loss } from '../../conversation/parts.ts';
import type { PriceSource } from '../../prices/price-source.ts';
import type { Strategy } from '../../routing/strategy-names.ts';
import type { LaneKind } from '../lanes/lane.ts';

export interface Explanation {
  readonly object: 'weir.explanation';
  /** As the caller named it, or as Weir chose it where the caller named none. */
  readonly model: string;
  readonly operation: string;
  readonly strategy: Strategy;
  /** Chance ordered equals: another request may find them in another order. */
  readonly drawn: boolean;
  /** What keeps the request with one target, where anything decided that. */
  readonly affinity: { readonly kind: 'session' | 'prefix' | null; readonly key: string | null };
  /** In the order in which they are tried; those that are not ready are skipped until they are. */
  readonly candidates: readonly ExplainedCandidate[];
  readonly excluded: readonly ExplainedExclusion[];
  /** Only those that the token has. */
  readonly limits: ExplainedLimits;
}

/** `probing`: its breaker lets a single request through; the next one, where `ready_in_ms` is 0. */
export type CandidateState = 'ready' | 'cooling' | 'open' | 'probing';

export interface ExplainedCandidate {
  readonly provider: string;
  /** The name that the model has there. */
  readonly model: string;
  readonly tier: number;
  readonly weight: number;
  readonly region: string | null;
  readonly state: CandidateState;
  /** Null where it is unknown: a probe is running, or there is no key. */
  readonly ready_in_ms: number | null;
  readonly keys_ready: number;
  readonly keys: number;
  readonly in_flight: number;
  readonly lane: LaneKind;
  /** The provider's format or wire. */
  readonly format: string;
  readonly losses: readonly Loss[];
  /** Parameters that the provider refused recently; requests are written without them. Absent where there are none. */
  readonly learned?: readonly { readonly what: string; readonly at: string }[];
  /** The most that the request can cost there; null where no price says it. */
  readonly price_bound_usd: string | null;
  readonly price_version: string | null;
  /** Where the price comes from; `guess` is another provider's price of the same model, or an incomplete one. */
  readonly price_source: PriceSource;
  /** What is known of the model there; it decides what is sent. Of conversations only. */
  readonly profile: readonly ExplainedFact[];
}

export interface ExplainedFact {
  /** As `profiles` in `weir.yaml` spell it. */
  readonly field: string;
  readonly value: unknown;
  /** The family, the preset, the provider's list, the price table, the operator, or a refusal and its time. */
  readonly from: string;
}

export interface ExplainedExclusion {
  readonly provider: string;
  readonly model: string;
  readonly why: string;
  /** Present where it was found out while the request was written for it: the error that the attempt would give. */
  readonly code?: string;
}

export interface ExplainedLimits {
  readonly requests_per_minute?: LimitLeft;
  readonly tokens_per_minute?: LimitLeft;
  readonly concurrency?: LimitLeft;
  readonly budget?: {
    readonly limit_usd: string;
    readonly spent_usd: string;
    readonly held_usd: string;
    readonly period: string;
  };
  /** Of all levels but the token's own budget. */
  readonly budgets?: readonly ExplainedBudget[];
}

/** Dollars, requests or tokens, as digits. */
export interface ExplainedBudget {
  readonly level: string;
  readonly name: string;
  readonly id: string;
  readonly unit: string;
  readonly limit: string;
  readonly spent: string;
  readonly held: string;
  readonly period: string;
  readonly models?: readonly string[];
}
