/** What judging a whole reply and a held stream have in common. */

import type { GatewayError } from '../../conversation/gateway-error.ts';
import type { ReadContext } from '../../formats/codec.ts';
import { AttemptFailure } from '../../upstream/faults/verdict.ts';
import type { ConversationCall } from '../admission/call.ts';
import type { Attempt } from '../attempts/attempt.ts';
import type { Trail } from '../attempts/try-candidates.ts';
import type { RelayParts } from '../relay-parts.ts';
import type { OpenGate } from './gate.ts';

export interface Judging {
  readonly gate: OpenGate;
  readonly call: ConversationCall;
  /** Told when the money is settled: what is refused after that has its row already. */
  readonly trail: Trail;
}

/** Nobody else is asked: another model's answer to the same request would be paid for as well. */
export async function withheld({ claim }: ConversationCall, error: GatewayError): Promise<AttemptFailure> {
  // The money is settled: a key that could not be marked must not make anybody try again.
  await claim?.spend().catch(() => undefined);
  return new AttemptFailure({ kind: 'limit', error, retryAfterMs: undefined });
}

/** Replies are judged in the client's own format: what it would see is what counts. */
export function readContext(parts: RelayParts, { call, target }: Attempt): ReadContext {
  const origin = { format: call.format.name, provider: target.provider.name, model: target.model };
  return { origin, nowMs: parts.wallMs(), newId: parts.newId };
}
