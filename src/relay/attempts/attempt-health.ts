/** Reports the end of an attempt to the health of its target and key. */

import type { RelayParts } from '../relay-parts.ts';
import type { Candidate } from './candidate-walk.ts';

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
