/** What health and metrics learn of an attempt when it ends: every attempt of a request, also one that another provider followed. */

import type { RequestError } from '../../ledger/ledger.ts';
import type { Target } from '../../routing/catalogue.ts';
import type { ProviderKey } from '../../settings/config.ts';
import { ruleOf, type VerdictKind } from '../../upstream/faults/verdict-rules.ts';

export interface EndedAttempt {
  readonly provider: string;
  readonly model: string;
  readonly keyId: string;
  /** Empty where it served. */
  readonly verdict: VerdictKind | '';
  /** The time of day at which it ended. */
  readonly atMs: number;
  /** From its own start, of a streamed reply; absent where none began. */
  readonly firstTokenMs?: number | undefined;
  /** From its own start; absent where that says nothing about the provider. */
  readonly totalMs?: number | undefined;
  /** As the provider reported them. */
  readonly outputTokens?: number | undefined;
  /** Why it failed. */
  readonly error?: Pick<RequestError, 'requestId' | 'status' | 'code' | 'message'> | undefined;
}

/** What is learned of an attempt while it runs. */
export interface AttemptMeasures {
  /** By the monotonic clock, of a stream. */
  firstEventAtMs?: number;
  outputTokens?: number | undefined;
  error?: RequestError;
}

/** Every field is named: it is made for each attempt, and a spread costs more than the rest of it. */
export function endedAttempt(
  { target, key }: { readonly target: Target; readonly key: ProviderKey },
  { firstEventAtMs, outputTokens, error }: AttemptMeasures,
  verdict: EndedAttempt['verdict'],
  times: { readonly startedAtMs: number; readonly nowMs: number; readonly atMs: number },
): EndedAttempt {
  const { startedAtMs } = times;
  return {
    provider: target.provider.name,
    model: target.model,
    keyId: key.id,
    verdict,
    atMs: times.atMs,
    firstTokenMs: firstEventAtMs === undefined ? undefined : firstEventAtMs - startedAtMs,
    totalMs: times.nowMs - startedAtMs,
    outputTokens,
    error,
  };
}

/** `served`; `failed`: the provider's fault; `other`: the request's or the client's doing. */
type AttemptOutcomeName = 'served' | 'failed' | 'other';

export function outcomeOf({ verdict }: Pick<EndedAttempt, 'verdict'>): AttemptOutcomeName {
  if (verdict === '') return 'served';
  return ruleOf(verdict).fails ? 'failed' : 'other';
}

/** A reply that came in one piece says nothing about how quickly tokens follow each other. */
const outputMsMin = 100;

/** How long tokens followed the first one; undefined where that says nothing. */
export function outputMsOf({ firstTokenMs, totalMs }: Pick<EndedAttempt, 'firstTokenMs' | 'totalMs'>) {
  if (firstTokenMs === undefined || totalMs === undefined || totalMs - firstTokenMs < outputMsMin) return undefined;
  return totalMs - firstTokenMs;
}
