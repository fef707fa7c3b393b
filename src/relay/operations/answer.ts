/** Brings an operation's reply back: whole and rewritten where it must be, or as the bytes and events that it comes in. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Loss } from '../../conversation/parts.ts';
import { WrittenText } from '../../conversation/written-text.ts';
import { usdText } from '../../ledger/money.ts';
import type { Consumption } from '../../operations/consumption.ts';
import type { OperationName, ReplyMaking, WireReply } from '../../operations/wire.ts';
import type { UpstreamReply } from '../../upstream/transport.ts';
import type { Attempt } from '../attempt.ts';
import type { RelayParts } from '../call.ts';
import { replyHeaders } from '../reply-headers.ts';
import { unreadable } from '../whole-reply.ts';
import { awaitLater } from './await-later.ts';
import { EventReply } from './event-reply.ts';
import type { OperationDelivery, OperationLane } from './operation-lane.ts';
import { RawReply, tokensOf } from './raw-reply.ts';

export interface OperationReplyParts {
  /** Keeps a result for a while and says where the caller finds it. */
  keepResult(data: string, mediaType: string): string;
}

type Parts = RelayParts & OperationReplyParts;

export async function answerOperation<Name extends OperationName>(
  parts: Parts,
  attempt: Attempt<OperationLane<Name>>,
  upstream: UpstreamReply,
): Promise<Response> {
  const { lane, call } = attempt;
  const contentType = upstream.header('content-type') ?? '';
  const { asked, wire } = lane;
  if (contentType.startsWith('text/event-stream')) return new EventReply(parts, attempt, upstream).begin();
  if (wire.passesBytes?.(contentType, asked.request) === true) {
    const rewriting = lane.forwards ? undefined : asked.client.rewriting?.(asked.request, making(parts));
    const units = call.facts.most ?? {};
    return new RawReply(parts, attempt, upstream, units, rewriting).begin();
  }
  const first = await readWire(parts, upstream, contentType, lane.url);
  const reply = await awaitLater(parts, attempt, first);
  const delivery = deliver(parts, attempt, reply);
  const costNano = await settle(parts, attempt, delivery);
  return finish(attempt, delivery, costNano);
}

export function making(parts: Parts): ReplyMaking {
  return { nowMs: parts.wallMs(), newId: parts.newId, keep: parts.keepResult };
}

/** JSON is parsed where the provider says that it is JSON; broken JSON is a broken reply. */
export async function readWire(
  parts: RelayParts,
  upstream: UpstreamReply,
  contentType: string,
  address: string,
): Promise<WireReply> {
  const bytes = await upstream.whole(parts.limits.replyBytesMax);
  if (!contentType.includes('json')) return { contentType, tree: undefined, bytes, address };
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return { contentType, tree: JSON.parse(text), bytes, address };
}

function deliver<Name extends OperationName>(
  parts: Parts,
  attempt: Attempt<OperationLane<Name>>,
  reply: WireReply,
): OperationDelivery {
  try {
    return attempt.lane.deliver(reply, making(parts));
  } catch (cause) {
    throw cause instanceof GatewayError ? cause : unreadable(attempt, cause);
  }
}

async function settle<Name extends OperationName>(
  parts: Parts,
  attempt: Attempt<OperationLane<Name>>,
  { consumption, reply }: OperationDelivery,
): Promise<bigint> {
  return await attempt.settle({
    status: 200,
    code: '',
    usage: tokensOf(reported(consumption, attempt)),
    units: reported(consumption, attempt),
    written: new WrittenText(),
    firstEventMs: parts.nowMs() - attempt.call.startedAtMs,
    bytesOut: reply.body.length,
    served: true,
  });
}

/** Where a provider reports nothing at all, what was asked for stands for what was used. */
export function reported(consumption: Consumption, { call }: Attempt): Consumption {
  const said = Object.values(consumption).some((value) => value !== undefined);
  return said ? consumption : (call.facts.most ?? {});
}

function finish(
  attempt: Attempt,
  { reply, losses }: OperationDelivery,
  costNano: bigint,
): Response | Promise<Response> {
  return respond(attempt, reply.contentType, reply.body, losses, costNano);
}

export function respond(
  attempt: Attempt,
  contentType: string,
  body: string | Uint8Array<ArrayBuffer>,
  losses: readonly Loss[],
  costNano: bigint,
): Response | Promise<Response> {
  const headers = replyHeaders(attempt, contentType, losses);
  headers['x-weir-cost-usd'] = usdText(costNano);
  const { claim } = attempt.call;
  const answer = (): Response => new Response(body, { headers });
  if (claim === undefined) return answer();
  claim.add(typeof body === 'string' ? new TextEncoder().encode(body) : body);
  return claim.finish(headers).then(answer, answer);
}
