/** The fields of a video order in both APIs: checked, bounded for the ledger, and read into neutral fields. */

import { defined, type Tree } from '../../conversation/json-tree.ts';
import { LossList } from '../../conversation/loss-list.ts';
import type { Converted } from '../../conversation/parts.ts';
import type { Consumption } from '../consumption.ts';
import { invalid, missing } from '../field-checks.ts';
import type { MakeVideoRequest } from '../video.ts';
import { amountOf, type OrderFields, objectIn, textOf, wholeOf } from './order-fields.ts';
import { checkMedia, isWebAddress, type MediaNames, readMedia } from './order-media.ts';

export const promptCharactersMax = 32_000;
const secondsMax = 600;
const edgePixelsMin = 16;
const edgePixelsMax = 8_192;
const fpsMax = 240;
const videosMax = 10;
const callbackCharactersMax = 2_000;
const metadataEntriesMax = 16;
const metadataKeyCharactersMax = 64;
const metadataValueCharactersMax = 512;
const wordCharactersMax = 256;

/** What limits and money need to know of an order before it runs. */
export interface VideoOrderFacts {
  /** Absent where the caller leaves the choice to Weir. */
  readonly model: string | undefined;
  /** Without the length where the caller names none: it is the provider's then, and `videoMost` takes it. */
  readonly most: Consumption;
}

/** An order that was read: what is to be made, what got lost, and what is not sent to the provider. */
export interface VideoOrder extends Converted<MakeVideoRequest> {
  /** The caller's own metadata. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** The caller's URL for the event at the end. */
  readonly callbackUrl?: string;
}

const ownNames: ReadonlySet<string> = new Set([
  ...['model', 'prompt', 'last_frame', 'video', 'duration', 'seconds', 'size', 'width', 'height', 'aspect_ratio'],
  ...['fps', 'seed', 'n', 'negative_prompt', 'callback_url', 'metadata'],
]);

/** Anything else could be a key that only looks like a provider's name, and would never be used. */
const providerName = /^[a-z0-9][a-z0-9_.-]{0,63}$/i;

/** Throws a GatewayError that names the field at fault. */
export function checkOrder(fields: OrderFields, names: MediaNames): VideoOrderFacts {
  const model = modelOf(fields);
  const media = checkMedia(fields, names);
  checkPrompt(fields, media);
  const seconds = secondsOf(fields);
  pixelsOf(fields);
  aspectRatioOf(fields);
  wholeOf(fields, 'fps', 1, fpsMax);
  seedOf(fields);
  const count = countOf(fields);
  textOf(fields, 'negative_prompt', promptCharactersMax);
  callbackOf(fields);
  metadataOf(fields);
  for (const name of unknownNames(fields, names)) objectIn(fields, name);
  return { model, most: { videos: count, ...(seconds !== undefined && { videoSeconds: seconds * count }) } };
}

/** Of a body that was checked. */
export function readOrder(fields: OrderFields, model: string, names: MediaNames): VideoOrder {
  const losses = new LossList();
  const { images, lastFrame, video } = readMedia(fields, names);
  const value: MakeVideoRequest = {
    model,
    prompt: promptOf(fields),
    images,
    ...defined('lastFrame', lastFrame),
    ...defined('video', video),
    ...defined('seconds', secondsOf(fields)),
    ...pixelsOf(fields),
    ...defined('aspectRatio', aspectRatioOf(fields)),
    ...defined('fps', wholeOf(fields, 'fps', 1, fpsMax)),
    ...defined('seed', seedOf(fields)),
    count: countOf(fields),
    ...defined('negativePrompt', negativePromptOf(fields)),
    extras: extrasOf(fields, names, losses),
  };
  return {
    value,
    losses: losses.all,
    ...defined('metadata', metadataOf(fields)),
    ...defined('callbackUrl', callbackOf(fields)),
  };
}

/** The most that an order can use, once it is known which provider makes it. */
export function videoMost(
  request: Pick<MakeVideoRequest, 'seconds' | 'count'>,
  secondsByDefault: number,
): { readonly videoSeconds: number; readonly videos: number } {
  return { videoSeconds: (request.seconds ?? secondsByDefault) * request.count, videos: request.count };
}

function modelOf(fields: OrderFields): string | undefined {
  const model = textOf(fields, 'model', wordCharactersMax);
  if (model === '') throw invalid('model', 'must be a non-empty text');
  return model;
}

function promptOf(fields: OrderFields): string {
  const prompt = textOf(fields, 'prompt', promptCharactersMax) ?? '';
  return prompt.trim() === '' ? '' : prompt;
}

function checkPrompt(fields: OrderFields, media: number): void {
  if (promptOf(fields) !== '' || media > 0) return;
  if (fields.value('prompt') !== undefined) throw invalid('prompt', 'must not be empty');
  throw missing('prompt', 'Say what the video is to show, or send an image or a video.');
}

function negativePromptOf(fields: OrderFields): string | undefined {
  const text = textOf(fields, 'negative_prompt', promptCharactersMax);
  return text === '' ? undefined : text;
}

/** Two names for one thing; both may be given unless they differ. */
function secondsOf(fields: OrderFields): number | undefined {
  const duration = amountOf(fields, 'duration', secondsMax);
  const seconds = amountOf(fields, 'seconds', secondsMax);
  if (duration !== undefined && seconds !== undefined && duration !== seconds) {
    throw invalid('seconds', 'must not differ from `duration`');
  }
  return seconds ?? duration;
}

function pixelsOf(fields: OrderFields): { readonly width?: number; readonly height?: number } {
  const size = sizeOf(fields);
  const width = wholeOf(fields, 'width', edgePixelsMin, edgePixelsMax);
  const height = wholeOf(fields, 'height', edgePixelsMin, edgePixelsMax);
  if (size !== undefined) {
    if (width !== undefined && width !== size.width) throw invalid('width', 'must not differ from `size`');
    if (height !== undefined && height !== size.height) throw invalid('height', 'must not differ from `size`');
    return size;
  }
  if (width === undefined && height === undefined) return {};
  if (width === undefined) throw missing('width', 'Send it beside `height`, or send `size`.');
  if (height === undefined) throw missing('height', 'Send it beside `width`, or send `size`.');
  return { width, height };
}

function sizeOf(fields: OrderFields): { readonly width: number; readonly height: number } | undefined {
  const text = textOf(fields, 'size', wordCharactersMax);
  if (text === undefined || text === 'auto') return undefined;
  const [, first, second] = /^(\d{1,5})x(\d{1,5})$/.exec(text) ?? [];
  const [width, height] = [Number(first), Number(second)];
  const fits = (edge: number): boolean => edge >= edgePixelsMin && edge <= edgePixelsMax;
  if (!fits(width) || !fits(height)) {
    throw invalid('size', `must be like \`1280x720\`, with edges from ${edgePixelsMin} to ${edgePixelsMax}`);
  }
  return { width, height };
}

function aspectRatioOf(fields: OrderFields): string | undefined {
  const text = textOf(fields, 'aspect_ratio', wordCharactersMax);
  if (text === undefined || text === 'auto') return undefined;
  if (!/^[1-9]\d{0,2}:[1-9]\d{0,2}$/.test(text)) throw invalid('aspect_ratio', 'must be like `16:9`');
  return text;
}

/** Several services write −1 for a seed that they are to choose. */
function seedOf(fields: OrderFields): number | undefined {
  const seed = wholeOf(fields, 'seed', -1, Number.MAX_SAFE_INTEGER);
  return seed === -1 ? undefined : seed;
}

function countOf(fields: OrderFields): number {
  return wholeOf(fields, 'n', 1, videosMax) ?? 1;
}

function callbackOf(fields: OrderFields): string | undefined {
  const url = textOf(fields, 'callback_url', callbackCharactersMax);
  if (url !== undefined && !isWebAddress(url)) throw invalid('callback_url', 'must be an http or https address');
  return url;
}

function metadataOf(fields: OrderFields): Readonly<Record<string, string>> | undefined {
  if (fields.value('metadata') === undefined) return undefined;
  const tree = objectIn(fields, 'metadata');
  if (tree === undefined) throw invalid('metadata', 'must be an object');
  const entries = Object.entries(tree);
  if (entries.length > metadataEntriesMax)
    throw invalid('metadata', `must not have more than ${metadataEntriesMax} keys`);
  const texts = entries.map(([key, value]): [string, string] => {
    if (key === '' || key.length > metadataKeyCharactersMax) {
      throw invalid('metadata', `must have keys of 1 to ${metadataKeyCharactersMax} characters`);
    }
    if (typeof value !== 'string' || value.length > metadataValueCharactersMax) {
      throw invalid(`metadata.${key}`, `must be a text of at most ${metadataValueCharactersMax} characters`);
    }
    return [key, value];
  });
  return Object.fromEntries(texts);
}

function unknownNames(fields: OrderFields, names: MediaNames): readonly string[] {
  const isRead = (name: string): boolean =>
    ownNames.has(name) || names.images.includes(name) || names.either.includes(name);
  return fields.names.filter((name) => !isRead(name));
}

function extrasOf(fields: OrderFields, names: MediaNames, losses: LossList): Readonly<Record<string, Tree>> {
  const extras: [string, Tree][] = [];
  for (const name of unknownNames(fields, names)) {
    const tree = providerName.test(name) ? objectIn(fields, name) : undefined;
    if (tree === undefined) losses.add(name, 'is no field that videos are ordered with');
    else extras.push([name, tree]);
  }
  return Object.fromEntries(extras);
}
