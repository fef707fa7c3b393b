/** Images that come while they are made, as the events that the official libraries read. */

import { eventStream } from '../audio/event-data.ts';
import type { EditImageRequest, ImageEvent, ImageReply, MakeImageRequest } from '../images.ts';
import type { ReplyMaking, WrittenReply } from '../wire.ts';
import { replyValues, writeReply, writeUsage } from './images-reply.ts';

/** The type of these events requires usage, and libraries read it unguarded. */
const nothingReported = {
  input_tokens: 0,
  input_tokens_details: { image_tokens: 0, text_tokens: 0 },
  output_tokens: 0,
  total_tokens: 0,
};

/** A reply that came whole, for a caller who may have asked for events. */
export function writeAnswer(reply: ImageReply, request: MakeImageRequest, making: ReplyMaking): WrittenReply {
  if (!request.stream) return writeReply(reply, request, making);
  return { contentType: eventStream, body: streamEvents({ type: 'completed', reply }, request, making) };
}

/** A request that brought images is answered with the events of edits, any other with those of generations. */
export function streamEvents(
  event: ImageEvent,
  request: MakeImageRequest | EditImageRequest,
  making: ReplyMaking,
): string {
  const family = 'images' in request ? 'image_edit' : 'image_generation';
  if (event.type === 'partial') {
    const about = aboutImage(undefined, request, making.nowMs);
    const body = { b64_json: event.data, ...about, partial_image_index: event.index };
    return eventText(`${family}.partial_image`, body);
  }
  const { reply } = event;
  const about = aboutImage(reply, request, reply.createdAtMs);
  const usage = writeUsage(reply.consumption.tokens) ?? nothingReported;
  // One event completes one image; the usage of all of them is reported once, so that a sum over all events is right.
  return reply.images
    .map(({ source }, index, all) =>
      eventText(`${family}.completed`, {
        // An image that could not be fetched is there as a URL or not at all.
        ...(source.kind === 'base64' ? { b64_json: source.data } : { url: source.url }),
        ...about,
        usage: index === all.length - 1 ? usage : nothingReported,
      }),
    )
    .join('');
}

/** Events must fill the fields that a whole reply may leave out, and have `auto` for what the published words do not cover. */
function aboutImage(reply: ImageReply | undefined, request: MakeImageRequest, atMs: number): object {
  const one = (value: string | undefined, known: ReadonlySet<string>, otherwise = 'auto'): string =>
    value !== undefined && known.has(value) ? value : otherwise;
  return {
    created_at: Math.floor(atMs / 1_000),
    size: one(reply?.size ?? request.size, replyValues.size),
    quality: one(reply?.quality ?? request.quality, replyValues.quality),
    background: one(reply?.background ?? request.background, replyValues.background),
    output_format: one(reply?.outputFormat ?? formatOf(reply) ?? request.outputFormat, replyValues.outputFormat, 'png'),
  };
}

function formatOf(reply: ImageReply | undefined): string | undefined {
  const source = reply?.images[0]?.source;
  return source?.kind === 'base64' ? source.mediaType.replace('image/', '') : undefined;
}

function eventText(type: string, body: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...body })}\n\n`;
}
