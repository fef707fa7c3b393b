/** OpenAI images API: replies and events. https://platform.openai.com/docs/api-reference/images (read 2026-11-16) */

import { z } from 'zod';
import { weirError } from '../openai-errors.ts';
import type { StreamedEvent } from '../oracle.ts';

const count = z.int().nonnegative();
const text = z.string();
/** Large files are not decoded to be checked: the alphabet and the padding are enough. */
const base64 = text.regex(/^[A-Za-z0-9+/]+={0,2}$/);

const inputDetails = z.strictObject({
  image_tokens: count,
  text_tokens: count,
  cached_tokens: count.optional(),
  cached_tokens_details: z.strictObject({ image_tokens: count.optional(), text_tokens: count.optional() }).optional(),
});
const counted = {
  input_tokens: count,
  input_tokens_details: inputDetails,
  output_tokens: count,
  output_tokens_details: z.strictObject({ image_tokens: count, text_tokens: count }).optional(),
  total_tokens: count,
};
const usage = z
  .strictObject(counted)
  .refine((all) => all.total_tokens === all.input_tokens + all.output_tokens, 'the total is the sum');

const size = text.regex(/^\d+x\d+$/);
const quality = z.enum(['low', 'medium', 'high', 'xhigh', 'max']);
const image = z
  .strictObject({ b64_json: base64.optional(), url: text.optional(), revised_prompt: text.optional() })
  .refine(({ b64_json: data, url }) => (data === undefined) !== (url === undefined), 'an image is data or a URL');

export const imagesReply = z.strictObject({
  created: count,
  data: z.array(image).min(1),
  background: z.enum(['transparent', 'opaque']).optional(),
  output_format: z.enum(['png', 'webp', 'jpeg', 'gif', 'svg']).optional(),
  quality: quality.optional(),
  size: size.optional(),
  safety_identifier: text.nullish(),
  usage: usage.optional(),
});

const about = {
  background: z.enum(['transparent', 'opaque', 'auto']),
  created_at: count,
  output_format: z.enum(['png', 'webp', 'jpeg']),
  quality: z.enum([...quality.options, 'auto']),
  size: z.union([size, z.literal('auto')]),
};
const ofImage = { b64_json: base64, ...about };

const eventsOf = <Family extends string>(family: Family) =>
  z.union([
    z.strictObject({ type: z.literal(`${family}.partial_image`), ...ofImage, partial_image_index: count }),
    z.strictObject({ type: z.literal(`${family}.completed`), ...ofImage, usage, safety_identifier: text.nullish() }),
    // Weir: an image that it could not fetch is named by its URL.
    z.strictObject({ type: z.literal(`${family}.completed`), ...about, url: text, usage }),
    weirError,
  ]);

export const generationEvent = eventsOf('image_generation');
export const editEvent = eventsOf('image_edit');

/** Partial images count up from 0 for each image, and each event is named by its type; a completed image comes last. */
export function orderFault(events: readonly StreamedEvent[], complete: boolean): string | undefined {
  let last = '';
  let partials = 0;
  for (const { name, data } of events) {
    if (data === '[DONE]') return '[DONE] is not part of this stream';
    const event = data as { readonly type?: string; readonly partial_image_index?: number; readonly error?: unknown };
    if (last === 'error') return 'an event after the error';
    last = event.error === undefined ? (event.type ?? '').replace(/^.*\./, '') : 'error';
    if (event.error === undefined && name !== event.type) return `the event ${event.type} is named ${name}`;
    if (last === 'partial_image') {
      if (event.partial_image_index !== partials) return `partial image ${event.partial_image_index} after ${partials}`;
      partials += 1;
    } else partials = 0;
  }
  return complete && last !== 'completed' && last !== 'error' ? 'ends without a completed image' : undefined;
}
