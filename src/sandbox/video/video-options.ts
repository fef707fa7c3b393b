/** Checks the options of a video request. Sizes and lengths above the sandbox's limits are reduced to them. */

import type { Tree } from '../../conversation/json-tree.ts';
import { checkedWhole, checkText, invalid, isPresent, missing } from '../../operations/field-checks.ts';
import { hashText } from '../images/raster/random.ts';
import type { Thumbnail } from '../images/thumbnail.ts';
import { type VideoPlan, videoLimits } from './video-plan.ts';

const fpsByDefault = 24;
const secondsByDefault = 4;
const shortSideByDefault = 360;
const ratioByDefault = 16 / 9;
/** Values above these are refused as mistakes. */
const sideAskedMax = 16_384;
const fpsAskedMax = 240;
const secondsAskedMax = 3_600;
const promptCharactersMax = 32_000;
const imageCharactersMax = 48 * 1_024 * 1_024;

interface VideoOptions {
  readonly prompt: string;
  readonly negativePrompt: string;
  readonly seed: number;
  readonly width: number | undefined;
  readonly height: number | undefined;
  readonly ratio: number | undefined;
  readonly fps: number;
  readonly seconds: number;
  /** As data: URLs. */
  readonly image: string | undefined;
  readonly lastFrame: string | undefined;
}

export function readVideoOptions(tree: Tree): VideoOptions {
  const prompt = promptOf(tree);
  checkText(tree, 'negative_prompt');
  if (isPresent(tree['video']))
    throw invalid('video', 'is not supported by the sandbox: it makes videos and edits none');
  checkedWhole(tree, 'n', 1);
  return {
    prompt,
    negativePrompt: typeof tree['negative_prompt'] === 'string' ? tree['negative_prompt'] : '',
    seed: checkedWhole(tree, 'seed', Number.MAX_SAFE_INTEGER, 0) ?? hashText(prompt),
    width: checkedWhole(tree, 'width', sideAskedMax),
    height: checkedWhole(tree, 'height', sideAskedMax),
    ratio: ratioOf(tree),
    fps: Math.min(videoLimits.fpsMax, checkedWhole(tree, 'fps', fpsAskedMax) ?? fpsByDefault),
    seconds: Math.min(videoLimits.secondsMax, secondsOf(tree)),
    image: imageOf(firstImage(tree), 'image'),
    lastFrame: imageOf(tree['last_frame'], 'last_frame'),
  };
}

function promptOf({ prompt }: Tree): string {
  if (!isPresent(prompt)) throw missing('prompt', 'Say what is to be seen.');
  if (typeof prompt !== 'string' || prompt.trim() === '') throw invalid('prompt', 'must be a string with words in it');
  if (prompt.length > promptCharactersMax) throw invalid('prompt', `may have ${promptCharactersMax} characters`);
  return prompt;
}

function ratioOf({ aspect_ratio: asked }: Tree): number | undefined {
  if (!isPresent(asked)) return undefined;
  const [, width, height] = typeof asked === 'string' ? (/^(\d{1,4}):(\d{1,4})$/.exec(asked) ?? []) : [];
  const ratio = Number(width) / Number(height);
  if (Number.isFinite(ratio) && ratio > 0) return ratio;
  throw invalid('aspect_ratio', 'must be two whole numbers such as "16:9"');
}

function secondsOf({ duration }: Tree): number {
  if (!isPresent(duration)) return secondsByDefault;
  if (typeof duration === 'number' && duration > 0 && duration <= secondsAskedMax) return duration;
  throw invalid('duration', `must be a number of seconds above 0 and up to ${secondsAskedMax}`);
}

function firstImage({ image, images }: Tree): unknown {
  if (!isPresent(images)) return image;
  if (!Array.isArray(images)) throw invalid('images', 'must be a list');
  if (images.length > 1 || (images.length === 1 && isPresent(image))) {
    throw invalid('images', 'may hold one image: the first frame');
  }
  return images[0] ?? image;
}

function imageOf(value: unknown, param: string): string | undefined {
  if (!isPresent(value)) return undefined;
  if (typeof value !== 'string' || value === '') throw invalid(param, 'must be an image as a data: URL');
  if (value.length > imageCharactersMax) throw invalid(param, `may have ${imageCharactersMax} characters`);
  return value;
}

/** The plan of a request and its thumbnails. */
export function planOf(options: VideoOptions, first: Thumbnail | undefined, last: Thumbnail | undefined): VideoPlan {
  return {
    prompt: cut(options.prompt, videoLimits.promptBytesMax),
    negativePrompt: cut(options.negativePrompt, videoLimits.negativePromptBytesMax),
    seed: options.seed,
    ...sizeOf(options, first ?? last),
    fps: options.fps,
    frames: Math.max(1, Math.round(options.seconds * options.fps)),
    first: first?.file ?? new Uint8Array(0),
    last: last?.file ?? new Uint8Array(0),
  };
}

/** Whole characters only, without control characters. */
function cut(text: string, bytesMax: number): string {
  const plain = text.toWellFormed().replace(/\p{Cc}+/gu, ' ');
  const { read } = new TextEncoder().encodeInto(plain, new Uint8Array(bytesMax));
  return plain.slice(0, read);
}

/** The size asked for, else the aspect ratio asked for, else that of the first image. */
function sizeOf(
  { width, height, ratio: asked }: Pick<VideoOptions, 'width' | 'height' | 'ratio'>,
  image: { readonly width: number; readonly height: number } | undefined,
): { readonly width: number; readonly height: number } {
  const ratio = asked ?? (image === undefined ? ratioByDefault : image.width / image.height);
  if (width !== undefined) return allowed(width, height ?? width / ratio);
  if (height !== undefined) return allowed(height * ratio, height);
  return ratio > 1
    ? allowed(shortSideByDefault * ratio, shortSideByDefault)
    : allowed(shortSideByDefault, shortSideByDefault / ratio);
}

/** The encoder needs even sides. */
function allowed(width: number, height: number): { readonly width: number; readonly height: number } {
  const { longSideMax, shortSideMax, sideMin } = videoLimits;
  const shrink = Math.min(1, longSideMax / Math.max(width, height), shortSideMax / Math.min(width, height));
  const side = (length: number): number => Math.max(sideMin, 2 * Math.round((length * shrink) / 2));
  return { width: side(width), height: side(height) };
}
