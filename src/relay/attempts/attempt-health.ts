/** Reports the end of an attempt to the health of its target and key. */

import type { Target } from '../../routing/catalogue.ts';
import type { Call } from '../admission/call.ts';
import type { RelayParts } from '../relay-parts.ts';
import type { Candidate } from './candidate-walk.ts';
import type { EndedAttempt } from './ended-attempt.ts';

const upstreamCodes: ReadonlySet<string> = new Set(['upstream_failed', 'upstream_timeout', 'provider_unavailable']);

export function reportHealth(
  { keys, nowMs }: Pick<RelayParts, 'keys' | 'nowMs'>,
  { target, key, targetTurn, keyTurn }: Candidate,
  code: string,
  firstEventMs: number | undefined,
): void {
  const { health, provider } = target;
  const now = nowMs();
  if (code === '') {
    health.succeeded(targetTurn, now);
    if (firstEventMs !== undefined) health.measured(firstEventMs, now);
    keys.served(target, key, keyTurn, now);
    return;
  }
  if (upstreamCodes.has(code)) health.failed(targetTurn, now);
  else health.abandoned(targetTurn);
  keys.abandoned(provider, key, keyTurn);
}

/** How quickly a reply of the target is written, reasoning included, by one that came whole and reported its usage. */
export function noteSpeed(
  { target, call }: { readonly target: Target; readonly call: Pick<Call, 'facts'> },
  { verdict, outputTokens, totalMs }: Pick<EndedAttempt, 'verdict' | 'outputTokens' | 'totalMs'>,
): void {
  if (verdict !== '' || outputTokens === undefined || totalMs === undefined || call.facts.most !== undefined) return;
  target.health.wrote(outputTokens / call.facts.candidates, totalMs);
}
