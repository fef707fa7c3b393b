/** What the relay reports of a request to tracing. Without telemetry there is no trace, and each step costs one comparison. */

import type { Caller } from '../../access/caller.ts';
import type { Usage } from '../../conversation/usage.ts';
import type { UsageRow } from '../../ledger/ledger.ts';
import type { Target } from '../../routing/catalogue.ts';
import type { BoundedText } from '../contents/bounded-text.ts';
import type { Lane } from '../lanes/lane.ts';
import type { EndedAttempt } from './ended-attempt.ts';

/** What tracing needs to know of a call. */
export interface TracedCall {
  readonly requestId: string;
  readonly endpoint: string;
  readonly caller: Pick<Caller, 'tokenId' | 'tokenName'>;
  readonly facts: { readonly model: string; readonly stream: boolean };
  /** By the monotonic clock. */
  readonly startedAtMs: number;
}

export interface RequestTracing {
  /** `excluded` are targets that cannot serve the request, with the reason. */
  begin(
    call: TracedCall,
    headers: Pick<Headers, 'get'>,
    targets: readonly Target[],
    excluded: readonly { readonly target: Target; readonly why: string }[],
  ): RequestTrace;
  /** A request that was refused before any provider was chosen. */
  refused(row: UsageRow, headers: Pick<Headers, 'get'> | undefined): void;
}

export interface RequestTrace {
  /** The candidate that is tried next, before anything is sent to it. */
  chose(target: Target): void;
  /** Nothing was sent to the target, because its formats cannot express the request. */
  skipped(target: Target, why: string): void;
  /** `startedAtMs` is by the monotonic clock. */
  beginAttempt(attempt: TracedAttempt, keyId: string, startedAtMs: number): AttemptTrace;
  /** The request's row, whatever its outcome. */
  ended(row: UsageRow): void;
  /** The provider accepted work that continues after the reply. */
  handedOver(attempt: TracedAttempt): void;
  /** Both sides as Weir stores them; called only where it stores them, and after the end. */
  contents(request: BoundedText, reply: BoundedText): void;
}

export interface TracedAttempt {
  readonly target: Target;
  readonly lane: Lane;
  readonly ordinal: number;
}

export interface AttemptTrace {
  /** What the provider gets beside its own headers; undefined where the operator does not want that. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** What its reply used, reported or estimated; called before its end. */
  used(usage: Usage): void;
  /** `status` is that of the provider's reply, absent where none came. */
  ended(ended: EndedAttempt, status: number | undefined, charge: AttemptCharge): void;
}

export interface AttemptCharge {
  readonly costNano: bigint;
  readonly estimated: boolean;
  /** Of the price; empty where there is none, and absent where nothing was charged for. */
  readonly priceVersion: string | undefined;
}
