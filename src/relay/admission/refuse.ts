/** Refuses a request after admission: the slot is released, the idempotency key may be used again, and a row without cost says why. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import { tokensIn, unknownUsage } from '../../conversation/usage.ts';
import { refusalError } from '../attempts/request-error.ts';
import type { Trail } from '../attempts/try-candidates.ts';
import { laneText } from '../lanes/lane.ts';
import type { RelayParts } from '../relay-parts.ts';
import type { Call } from './call.ts';
import { observationOf } from './observation.ts';

export async function refuse(parts: RelayParts, call: Call, trail: Trail, error: unknown): Promise<void> {
  if (trail.settled === true) return;
  call.admission.leave(trail.before === undefined ? 0 : (tokensIn(trail.before.usage) ?? 0));
  recordRefusal(parts, call, trail, error);
  await (trail.before === undefined ? call.claim?.forget() : call.claim?.spend());
}

function recordRefusal(parts: RelayParts, call: Call, trail: Trail, error: unknown): void {
  const refused = error instanceof GatewayError ? error : undefined;
  const totalMs = Math.round(parts.nowMs() - call.startedAtMs);
  // A target that nothing was sent to has no part in the refusal.
  const called = trail.attempts > 0 ? trail.target : undefined;
  const row = {
    requestId: call.requestId,
    atMs: parts.wallMs() - totalMs,
    tokenId: call.caller.tokenId,
    endpoint: call.endpoint,
    model: call.facts.model,
    provider: called?.provider.name ?? '',
    upstreamModel: called?.model ?? '',
    stream: call.facts.stream,
    attempts: (trail.attemptsBefore ?? 0) + trail.attempts,
    status: refused?.status ?? 500,
    code: refused?.code ?? 'internal_error',
    usage: trail.before?.usage ?? unknownUsage,
    costNano: trail.before?.costNano ?? 0n,
    estimated: trail.before?.estimated ?? false,
    priceVersion: trail.before?.priceVersion ?? '',
    totalMs,
    bytesIn: call.bytesIn,
    bytesOut: 0,
    units: trail.before?.units,
    way: trail.lane && laneText(trail.lane, call.format.name),
    endUser: call.endUser,
    tags: call.tags,
  };
  parts.ledger.record(row);
  parts.ledger.recordError(refusalError(row, error, parts.wallMs()));
  parts.observe(observationOf(row, unknownUsage));
  call.trace?.ended(row);
}
