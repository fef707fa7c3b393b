/** A whole reply that must pass the gate: read, moderated, settled in either case, and only then sent. */

import type { Reply } from '../../http/reply.ts';
import type { UpstreamReply } from '../../upstream/transport.ts';
import type { Attempt } from '../attempts/attempt.ts';
import type { ConversationLane } from '../lanes/lane.ts';
import { keepWhole } from '../memory/keep-reply.ts';
import type { RelayParts } from '../relay-parts.ts';
import { deliver, finish, readEnd, tailBytes } from '../replies/whole-reply.ts';
import { type GatedReply, readContext, withheld } from './gated-reply.ts';

export async function answerGated(
  parts: RelayParts,
  attempt: Attempt<ConversationLane>,
  upstream: UpstreamReply,
  { gate, call, trail }: GatedReply,
): Promise<Reply> {
  const arriving = upstream.whole(parts.limits.replyBytesMax, tailBytes, parts.replyRoom);
  const bytes = await arriving.catch((thrown: unknown) => readEnd(attempt, thrown));
  const reply = deliver(parts, attempt, upstream, bytes);
  const firstEventMs = parts.nowMs() - call.startedAtMs;
  const read = () => call.format.codec.readReply(reply.reply, readContext(parts, attempt)).value;
  const refusal = await gate.checkReply(call, read);
  const costNano = await attempt.settle({
    status: refusal?.status ?? 200,
    code: refusal?.code ?? '',
    usage: reply.usage,
    usageIsFinal: true,
    written: reply.written,
    firstEventMs,
    bytesOut: refusal === undefined ? reply.bytes.length : 0,
    losses: reply.losses,
    served: true,
  });
  trail.settled = true;
  if (refusal !== undefined) throw await withheld(call, refusal);
  const keeping = keepWhole(parts, attempt, reply);
  if (keeping !== undefined) await keeping;
  return finish(attempt, reply, costNano);
}
