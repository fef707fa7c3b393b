/** Replies that come in one piece: read whole, taken through the lane, settled, and only then sent. */

import { utf8Text } from '../../conversation/texts/utf8-text.ts';
import { WrittenText } from '../../conversation/texts/written-text.ts';
import { arrivedNow } from '../../http/arrived-now.ts';
import { type Reply, WholeReply } from '../../http/reply.ts';
import { ReplyTooLargeError, type UpstreamReply } from '../../upstream/transport.ts';
import type { Attempt } from '../attempts/attempt.ts';
import { notAReply } from '../attempts/unreadable-reply.ts';
import type { ConversationLane, Delivery } from '../lanes/lane.ts';
import { keepWhole } from '../memory/keep-reply.ts';
import type { RelayParts } from '../relay-parts.ts';
import { followWhole } from './follow-reply.ts';
import { jsonReply, replyHeaders, setCostHeaders } from './reply-headers.ts';

/** Usage, and what else follows the content of a reply. */
export const tailBytes = 65_536;

export function answerWhole(
  parts: RelayParts,
  attempt: Attempt<ConversationLane>,
  upstream: UpstreamReply,
): Reply | Promise<Reply> {
  const arriving = upstream.whole(parts.limits.replyBytesMax, tailBytes, parts.replyRoom);
  // A small reply mostly arrives together with its head.
  const bytes = arrivedNow(arriving);
  if (bytes === undefined) {
    return arriving.then(
      (late) => answerWith(parts, attempt, upstream, late),
      (thrown) => readEnd(attempt, thrown),
    );
  }
  return answerWith(parts, attempt, upstream, bytes);
}

/** A reply that is too large is charged by what it says at its end, where it was read so far. */
export function readEnd(attempt: Attempt<ConversationLane>, thrown: unknown): never {
  const tail = thrown instanceof ReplyTooLargeError ? thrown.tail : undefined;
  const usage = tail && attempt.lane.usageAtEnd(utf8Text(tail));
  if (usage !== undefined) attempt.reads({ usage, usageIsFinal: true, written: new WrittenText() });
  throw thrown;
}

function answerWith(
  parts: RelayParts,
  attempt: Attempt<ConversationLane>,
  upstream: UpstreamReply,
  bytes: Uint8Array<ArrayBuffer>,
): Reply | Promise<Reply> {
  const reply = deliver(parts, attempt, upstream, bytes);
  const following = followWhole(attempt, reply);
  if (following !== undefined) {
    return Promise.all([following, keepWhole(parts, attempt, reply)]).then(() => finish(attempt, reply, 0n));
  }
  const settling = attempt.settle({
    status: 200,
    code: '',
    usage: reply.usage,
    written: reply.written,
    firstEventMs: parts.nowMs() - attempt.call.startedAtMs,
    bytesOut: reply.bytes.length,
    losses: reply.losses,
    served: true,
  });
  const keeping = keepWhole(parts, attempt, reply);
  if (keeping !== undefined) {
    return Promise.all([settling, keeping]).then(([costNano]) => finish(attempt, reply, costNano));
  }
  if (settling instanceof Promise) return settling.then((costNano) => finish(attempt, reply, costNano));
  return finish(attempt, reply, settling);
}

export function finish(
  attempt: Attempt<ConversationLane>,
  { bytes, losses }: Delivery,
  costNano: bigint,
): Reply | Promise<Reply> {
  const { claim } = attempt.call;
  // It was read as JSON, whatever the provider's content type; browsers and libraries trust the header.
  if (claim === undefined) return jsonReply(attempt, bytes, losses, costNano);
  const headers = replyHeaders(attempt, 'application/json', losses);
  setCostHeaders(headers, attempt, costNano);
  claim.add(bytes);
  // The cost is settled: a failure to mark the key must not cause a retry.
  const answer = (): Reply => new WholeReply(bytes, headers);
  return claim.finish(headers).then(answer, answer);
}

export function deliver(
  parts: RelayParts,
  attempt: Attempt<ConversationLane>,
  upstream: UpstreamReply,
  bytes: Uint8Array<ArrayBuffer>,
): Delivery {
  try {
    return attempt.lane.whole(bytes);
  } catch (cause) {
    throw notAReply(parts, attempt, upstream, { bytes, cause });
  }
}
