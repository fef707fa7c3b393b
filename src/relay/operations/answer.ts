/** Brings an operation's reply back: whole and rewritten where it must be, or as the bytes and events that it comes in. */

import type { EncodeAudio } from '../../audio/encode-audio.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Converted, Loss } from '../../conversation/parts.ts';
import { WrittenText } from '../../conversation/texts/written-text.ts';
import { unknownUsage } from '../../conversation/usage.ts';
import { type Reply, WholeReply } from '../../http/reply.ts';
import type { ImageReply, MakeImageRequest } from '../../operations/images.ts';
import { isEncoded, type SpeakReply, type SpeakRequest } from '../../operations/speak.ts';
import type { OperationTypes } from '../../operations/types.ts';
import type { OperationName, ReplyMaking, WireReply } from '../../operations/wire.ts';
import { AttemptFailure } from '../../upstream/faults/verdict.ts';
import type { UpstreamReply } from '../../upstream/transport.ts';
import type { Attempt } from '../attempts/attempt.ts';
import { notAReply, readOrFail, unreadableReply } from '../attempts/unreadable-reply.ts';
import type { RelayParts } from '../relay-parts.ts';
import { replyHeaders, setCostHeaders } from '../replies/reply-headers.ts';
import { EventReply } from './event-reply.ts';
import { inlineImages, type MediaParts } from './fetch-media.ts';
import type { OperationDelivery, OperationLane } from './operation-lane.ts';
import { pollResult } from './poll-result.ts';
import { RawReply } from './raw-reply.ts';
import { readWire } from './read-wire.ts';

interface KeptAt {
  readonly url: string;
  /** Never rejects. */
  readonly kept: Promise<boolean>;
}

export interface OperationReplyParts {
  /** Keeps a result for a while and says where the caller finds it, and whether it could be kept. */
  keepResult(tokenId: string, data: string, mediaType: string): KeptAt;
  readonly egress: MediaParts['egress'];
  /** Writes samples in a format that their provider does not write. */
  readonly encodeAudio: EncodeAudio;
}

type Parts = RelayParts & OperationReplyParts;

export async function answerOperation<Name extends OperationName>(
  parts: Parts,
  attempt: Attempt<OperationLane<Name>>,
  upstream: UpstreamReply,
): Promise<Reply> {
  const { lane } = attempt;
  const contentType = upstream.header('content-type') ?? '';
  const { asked, wire } = lane;
  if (contentType.startsWith('text/event-stream')) return new EventReply(parts, attempt, upstream).begin();
  if (wire.passesBytes?.(contentType, asked.request) === true) {
    const rewriting = lane.forwards ? undefined : asked.client.rewriting?.(asked.request, making(parts));
    return new RawReply(parts, attempt, upstream, rewriting).begin();
  }
  const reply = await wholeOf(parts, attempt, upstream);
  const delivery = await deliver(parts, attempt, upstream, reply);
  const costNano = await settle(parts, attempt, delivery);
  return finish(attempt, delivery, costNano);
}

function making(parts: Parts): ReplyMaking {
  return { nowMs: parts.wallMs(), newId: parts.newId };
}

/** A URL in the reply works when the caller reads it; what could not be kept is in the reply itself. */
export async function writeKept<Name extends OperationName>(
  parts: Parts,
  { lane, call }: Attempt<OperationLane<Name>>,
  { value, losses }: Converted<OperationTypes[Name]['reply']>,
): Promise<OperationDelivery> {
  const keeping: Promise<boolean>[] = [];
  const keep = (data: string, mediaType: string): string => {
    const { url, kept } = parts.keepResult(call.caller.tokenId, data, mediaType);
    keeping.push(kept);
    return url;
  };
  const delivery = lane.write(value, losses, { ...making(parts), keep });
  if (keeping.length === 0) return delivery;
  return (await Promise.all(keeping)).every(Boolean) ? delivery : lane.write(value, losses, making(parts));
}

/** Waits for the work where the provider only accepted it. */
async function wholeOf<Name extends OperationName>(
  parts: Parts,
  attempt: Attempt<OperationLane<Name>>,
  upstream: UpstreamReply,
): Promise<WireReply> {
  const contentType = upstream.header('content-type') ?? '';
  const first = await readWire(parts, upstream, contentType, attempt.lane.url, parts.replyRoom);
  return pollResult(parts, attempt, first);
}

/** The neutral reply; results behind URLs are not fetched yet. */
export async function takeReply<Name extends OperationName>(
  parts: Parts,
  attempt: Attempt<OperationLane<Name>>,
  upstream: UpstreamReply,
): Promise<Converted<OperationTypes[Name]['reply']>> {
  const reply = await wholeOf(parts, attempt, upstream);
  return read(parts, attempt, upstream, reply);
}

async function deliver<Name extends OperationName>(
  parts: Parts,
  attempt: Attempt<OperationLane<Name>>,
  upstream: UpstreamReply,
  reply: WireReply,
): Promise<OperationDelivery> {
  const { lane } = attempt;
  const passing = lane.asItCame(reply);
  if (passing !== undefined) return passing;
  const taken = await withFetchedImages(parts, attempt, read(parts, attempt, upstream, reply));
  try {
    return await writeKept(parts, attempt, await withEncodedAudio(parts, attempt, taken));
  } catch (cause) {
    throw cause instanceof GatewayError ? cause : unreadableReply(attempt, cause);
  }
}

/** What cannot be read is a failed reply; a readable refusal keeps its message. */
function read<Name extends OperationName>(
  parts: Parts,
  attempt: Attempt<OperationLane<Name>>,
  upstream: UpstreamReply,
  reply: WireReply,
): Converted<OperationTypes[Name]['reply']> {
  try {
    return readOrFail(attempt, () => attempt.lane.read(reply, making(parts)));
  } catch (cause) {
    throw cause instanceof AttemptFailure ? cause : notAReply(parts, attempt, upstream, { bytes: reply.bytes, cause });
  }
}

/** Images that the caller wants in the reply and the provider gave as URLs. */
export async function withFetchedImages<Name extends OperationName>(
  { egress }: Parts,
  { lane, signal }: Attempt<OperationLane<Name>>,
  taken: Converted<OperationTypes[Name]['reply']>,
): Promise<Converted<OperationTypes[Name]['reply']>> {
  const { operation } = lane.wire;
  if (operation !== 'make-image' && operation !== 'edit-image') return taken;
  const { reply, losses } = await inlineImages(
    egress,
    taken.value as ImageReply,
    lane.asked.request as MakeImageRequest,
    signal,
  );
  return { value: reply, losses: [...taken.losses, ...losses] };
}

/** Audio that the provider gave as raw samples and the caller wants encoded. */
async function withEncodedAudio<Name extends OperationName>(
  { encodeAudio }: Parts,
  { lane }: Attempt<OperationLane<Name>>,
  taken: Converted<OperationTypes[Name]['reply']>,
): Promise<Converted<OperationTypes[Name]['reply']>> {
  if (lane.wire.operation !== 'speak') return taken;
  const { samples, ...reply } = taken.value as SpeakReply;
  const { format } = lane.asked.request as SpeakRequest;
  if (samples === undefined || !isEncoded(format)) return taken;
  return { value: { ...reply, bytes: await encodeAudio(samples, format) }, losses: taken.losses };
}

async function settle<Name extends OperationName>(
  parts: Parts,
  attempt: Attempt<OperationLane<Name>>,
  { consumption, reply, losses }: OperationDelivery,
): Promise<bigint> {
  return await attempt.settle({
    status: 200,
    code: '',
    usage: unknownUsage,
    units: consumption,
    written: new WrittenText(),
    firstEventMs: parts.nowMs() - attempt.call.startedAtMs,
    bytesOut: reply.body.length,
    losses,
    served: true,
  });
}

function finish(attempt: Attempt, { reply, losses }: OperationDelivery, costNano: bigint): Reply | Promise<Reply> {
  return respond(attempt, reply.contentType, reply.body, losses, costNano);
}

export function respond(
  attempt: Attempt,
  contentType: string,
  body: string | Uint8Array<ArrayBuffer>,
  losses: readonly Loss[],
  costNano: bigint,
): Reply | Promise<Reply> {
  const headers = replyHeaders(attempt, contentType, losses);
  setCostHeaders(headers, attempt, costNano);
  const { claim } = attempt.call;
  const answer = (): Reply => new WholeReply(body, headers);
  if (claim === undefined) return answer();
  claim.add(typeof body === 'string' ? new TextEncoder().encode(body) : body);
  return claim.finish(headers).then(answer, answer);
}
