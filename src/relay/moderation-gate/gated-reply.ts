/** What moderating a whole reply and a held stream have in common. */

import type { GatewayError } from '../../conversation/gateway-error.ts';
import type { ReadContext } from '../../formats/codec.ts';
import { AttemptFailure } from '../../upstream/faults/verdict.ts';
import type { ConversationCall } from '../admission/call.ts';
import type { Attempt } from '../attempts/attempt.ts';
import type { Trail } from '../attempts/try-candidates.ts';
import type { RelayParts } from '../relay-parts.ts';
import type { OpenGate } from './gate.ts';

export interface GatedReply {
  readonly gate: OpenGate;
  readonly call: ConversationCall;
  /** Marked when the cost is settled: a refusal after that has its row already. */
  readonly trail: Trail;
}

/** No fallback: another model's answer to the same request would be paid for as well. */
export async function withheld({ claim }: ConversationCall, error: GatewayError): Promise<AttemptFailure> {
  // The cost is settled: a failure to mark the key must not cause a retry.
  await claim?.spend().catch(() => undefined);
  return new AttemptFailure({ kind: 'limit', error, retryAfterMs: undefined });
}

/** Replies are moderated as the client would see them, in its own format. */
export function readContext(parts: RelayParts, { call, target }: Attempt): ReadContext {
  const origin = { format: call.format.name, provider: target.provider.name, model: target.model };
  return { origin, nowMs: parts.wallMs(), newId: parts.newId };
}
