/** The reply that making and editing share on the wire of the official libraries: read from a provider, written for a caller. */

import { countOf, defined, isObject } from '../../conversation/json-tree.ts';
import { LossList } from '../../conversation/loss-list.ts';
import type { Converted } from '../../conversation/parts.ts';
import type { Usage } from '../../conversation/usage.ts';
import type { Consumption } from '../consumption.ts';
import type { ImageReply, MadeImage, MakeImageRequest } from '../images.ts';
import type { ReplyMaking, WireReply, WrittenReply } from '../wire.ts';
import { mediaTypeOf, sourceOf } from './inline-images.ts';

/**
 * Values that the reply's fields may have; the answer to `auto` is one of these, never `auto` itself. The published schema closes
 * all four lists, and readers made from it refuse a reply with any other value, though newer libraries know more: so those are
 * left out.
 */
export const replyValues = {
  size: new Set(['1024x1024', '1024x1536', '1536x1024']),
  quality: new Set(['low', 'medium', 'high']),
  background: new Set(['transparent', 'opaque']),
  outputFormat: new Set(['png', 'jpeg', 'webp']),
} as const satisfies Record<string, ReadonlySet<string>>;

const readFields: ReadonlySet<string> = new Set([
  ...['created', 'data', 'usage', 'size', 'quality', 'background', 'output_format'],
]);

export function writeReply(reply: ImageReply, request: MakeImageRequest, making: ReplyMaking): WrittenReply {
  const said = (name: keyof typeof replyValues): string | undefined => {
    const value = reply[name];
    return value !== undefined && replyValues[name].has(value) ? value : undefined;
  };
  const tree = {
    created: Math.floor(reply.createdAtMs / 1_000),
    data: reply.images.map((image) => writeImage(image, request, making)),
    ...defined('background', said('background')),
    ...defined('output_format', said('outputFormat')),
    ...defined('quality', said('quality')),
    ...defined('size', said('size')),
    ...defined('usage', writeUsage(reply.consumption.tokens)),
  };
  return { contentType: 'application/json', body: JSON.stringify(tree) };
}

/** An image that cannot be handed over as requested stays as it is: an image in the wrong form is better than none. */
function writeImage(image: MadeImage, request: MakeImageRequest, making: ReplyMaking): object {
  const { source } = image;
  const revised = defined('revised_prompt', image.revisedPrompt);
  if (source.kind === 'url') return { url: source.url, ...revised };
  if (request.handOver === 'url' && making.keep !== undefined) {
    return { url: making.keep(source.data, source.mediaType), ...revised };
  }
  return { b64_json: source.data, ...revised };
}

/** The URLs of images that the caller wants in the reply itself. Events carry nothing else. */
export function needsFetching(reply: ImageReply, request: MakeImageRequest): readonly string[] {
  if (request.handOver !== 'base64' && !request.stream) return [];
  return reply.images.flatMap(({ source }) => (source.kind === 'url' ? [source.url] : []));
}

/** Undefined where nothing is known: a reply without usage is honest, one with invented zeros is not. */
export function writeUsage(usage: Usage | undefined): object | undefined {
  const { input, output } = usage ?? { input: {}, output: {} };
  if (input.total === undefined && output.total === undefined) return undefined;
  const [read, made] = [input.total ?? 0, output.total ?? 0];
  const images = Math.min(read, input.image ?? 0);
  const drawn = output.image === undefined ? undefined : Math.min(made, output.image);
  return {
    input_tokens: read,
    input_tokens_details: { image_tokens: images, text_tokens: read - images },
    output_tokens: made,
    ...(drawn !== undefined && { output_tokens_details: { image_tokens: drawn, text_tokens: made - drawn } }),
    total_tokens: read + made,
  };
}

function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const [read, made] = [countOf(value['input_tokens']), countOf(value['output_tokens'])];
  if (read === undefined && made === undefined) return undefined;
  const detail = (details: unknown, name: string): number | undefined =>
    isObject(details) ? countOf(details[name]) : undefined;
  const details = value['output_tokens_details'];
  const given = value['input_tokens_details'];
  const text = detail(details, 'text_tokens');
  // Without details everything that was made is image.
  const image = detail(details, 'image_tokens') ?? (made === undefined ? undefined : Math.max(0, made - (text ?? 0)));
  const cached = isObject(given) ? given['cached_tokens_details'] : undefined;
  return {
    input: {
      total: read,
      image: detail(given, 'image_tokens'),
      ...defined('cacheRead', detail(given, 'cached_tokens')),
      ...defined('cachedImage', detail(cached, 'image_tokens')),
    },
    output: { total: made, image, text },
  };
}

export function readReply(reply: WireReply, request: MakeImageRequest, making: ReplyMaking): Converted<ImageReply> {
  const { tree } = reply;
  if (!isObject(tree) || !Array.isArray(tree['data']) || tree['data'].length === 0) {
    throw new SyntaxError('The reply holds no images.');
  }
  const losses = new LossList();
  for (const name of Object.keys(tree)) {
    if (!readFields.has(name) && tree[name] !== null) losses.add(name, 'has no neutral name');
  }
  const word = (name: string): string | undefined => {
    const value = tree[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const format = word('output_format') ?? request.outputFormat ?? 'png';
  const created = countOf(tree['created']);
  const value: ImageReply = {
    createdAtMs: created === undefined || created === 0 ? making.nowMs : created * 1_000,
    images: tree['data'].map((image: unknown) => readImage(image, `image/${format}`)),
    ...defined('size', word('size')),
    ...defined('quality', word('quality')),
    ...defined('background', word('background')),
    ...defined('outputFormat', word('output_format')),
    consumption: measure(tree),
  };
  return { value, losses: losses.all };
}

function readImage(image: unknown, mediaType: string): MadeImage {
  if (!isObject(image)) throw new SyntaxError('An image of the reply is no object.');
  const { b64_json: data, url, revised_prompt: revised } = image;
  const revisedPrompt = defined('revisedPrompt', typeof revised === 'string' && revised !== '' ? revised : undefined);
  if (typeof data === 'string' && data !== '') {
    return { source: { kind: 'base64', data, mediaType: mediaTypeOf(data, mediaType) }, ...revisedPrompt };
  }
  if (typeof url === 'string' && url !== '') return { source: sourceOf(url), ...revisedPrompt };
  throw new SyntaxError('An image of the reply has neither data nor an address.');
}

/** A whole reply, or the event that completes one image of a stream. */
export function measure(reply: unknown): Consumption {
  if (!isObject(reply)) return {};
  const tokens = readUsage(reply['usage']);
  const { data, type } = reply;
  const completed = typeof type === 'string' && /^image_(generation|edit)\.completed$/.test(type);
  const images = Array.isArray(data) ? data.length : completed ? 1 : undefined;
  return { ...defined('images', images), ...defined('tokens', tokens), ...kindOf(reply) };
}

/** What was made, where the reply says all of it. */
function kindOf({ quality, size }: Readonly<Record<string, unknown>>): Consumption {
  const named = (word: unknown): word is string => typeof word === 'string' && word !== '' && word !== 'auto';
  return named(quality) && named(size) ? { imageKind: `${quality}/${size}` } : {};
}

/** Does a provider's reply hand the images over as the caller asked? One that came whole is no stream. */
export function suits(reply: unknown, request: MakeImageRequest): boolean {
  if (request.stream || !isObject(reply) || !Array.isArray(reply['data']) || reply['data'].length === 0) return false;
  if (request.handOver === undefined) return true;
  const field = request.handOver === 'url' ? 'url' : 'b64_json';
  return reply['data'].every((image: unknown) => isObject(image) && typeof image[field] === 'string');
}
