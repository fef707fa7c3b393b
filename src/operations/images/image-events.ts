/** Pictures that come while they are made, as the events that the official libraries read. */

import type { EditImageRequest, ImageEvent, ImageReply, MakeImageRequest } from '../images.ts';
import type { ReplyMaking } from '../wire.ts';
import { writeUsage } from './images-reply.ts';

/** The type of these events has no way to leave usage out, and libraries read it unguarded. */
const nothingReported = {
  input_tokens: 0,
  input_tokens_details: { image_tokens: 0, text_tokens: 0 },
  output_tokens: 0,
  total_tokens: 0,
};

/** Which of the two families of events a request is answered with shows in whether it brought pictures. */
export function streamEvents(
  event: ImageEvent,
  request: MakeImageRequest | EditImageRequest,
  making: ReplyMaking,
): string {
  const family = 'images' in request ? 'image_edit' : 'image_generation';
  if (event.type === 'partial') {
    const about = aboutPicture(undefined, request, making.nowMs);
    const body = { b64_json: event.data, ...about, partial_image_index: event.index };
    return eventText(`${family}.partial_image`, body);
  }
  const { reply } = event;
  const about = aboutPicture(reply, request, reply.createdAtMs);
  const usage = writeUsage(reply.consumption.tokens) ?? nothingReported;
  // One event completes one picture; the usage of all of them is told once, so that whoever adds it up is right.
  return reply.images
    .flatMap(({ source }) => (source.kind === 'base64' ? [source.data] : []))
    .map((data, index, all) =>
      eventText(`${family}.completed`, {
        b64_json: data,
        ...about,
        usage: index === all.length - 1 ? usage : nothingReported,
      }),
    )
    .join('');
}

function aboutPicture(reply: ImageReply | undefined, request: MakeImageRequest, atMs: number): object {
  const one = (value: string | undefined, known: readonly string[], otherwise: string): string =>
    value !== undefined && known.includes(value) ? value : otherwise;
  const qualities = ['low', 'medium', 'high', 'xhigh', 'max', 'auto'];
  const formats = ['png', 'webp', 'jpeg'];
  const size = reply?.size ?? request.size ?? 'auto';
  return {
    created_at: Math.floor(atMs / 1_000),
    size: /^\d+x\d+$/.test(size) ? size : 'auto',
    quality: one(reply?.quality ?? request.quality, qualities, 'auto'),
    background: one(reply?.background ?? request.background, ['transparent', 'opaque', 'auto'], 'auto'),
    output_format: one(reply?.outputFormat ?? formatOf(reply) ?? request.outputFormat, formats, 'png'),
  };
}

function formatOf(reply: ImageReply | undefined): string | undefined {
  const source = reply?.images[0]?.source;
  return source?.kind === 'base64' ? source.mediaType.replace('image/', '') : undefined;
}

function eventText(type: string, body: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...body })}\n\n`;
}
