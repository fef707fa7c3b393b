/** Checks what a request asks of its video once, at the boundary; what is larger than the sandbox draws is drawn as large as it can be. */

import type { Tree } from '../../conversation/json-tree.ts';
import { checkedWhole, checkText, invalid, isPresent, missing } from '../../operations/field-checks.ts';
import { hashText } from '../pictures/raster/random.ts';
import { type FilmPlan, filmLimits, type SmallPicture } from './film.ts';

const fpsByDefault = 24;
const secondsByDefault = 4;
const shortSideByDefault = 360;
const ratioByDefault = 16 / 9;
/** Asking for more than these is a mistake, not a wish. */
const sideAskedMax = 16_384;
const fpsAskedMax = 240;
const secondsAskedMax = 3_600;
const promptCharactersMax = 32_000;
const pictureCharactersMax = 48 * 1_024 * 1_024;

export interface FilmWishes {
  readonly prompt: string;
  readonly negativePrompt: string;
  readonly seed: number;
  readonly width: number | undefined;
  readonly height: number | undefined;
  readonly ratio: number | undefined;
  readonly fps: number;
  readonly seconds: number;
  /** Pictures as addresses that hold them. */
  readonly image: string | undefined;
  readonly lastFrame: string | undefined;
}

export function readFilmWishes(tree: Tree): FilmWishes {
  const prompt = promptOf(tree);
  checkText(tree, 'negative_prompt');
  if (isPresent(tree['video'])) throw invalid('video', 'is not taken by the sandbox: it makes videos and changes none');
  checkedWhole(tree, 'n', 1);
  return {
    prompt,
    negativePrompt: typeof tree['negative_prompt'] === 'string' ? tree['negative_prompt'] : '',
    seed: checkedWhole(tree, 'seed', Number.MAX_SAFE_INTEGER, 0) ?? hashText(prompt),
    width: checkedWhole(tree, 'width', sideAskedMax),
    height: checkedWhole(tree, 'height', sideAskedMax),
    ratio: ratioOf(tree),
    fps: Math.min(filmLimits.fpsMax, checkedWhole(tree, 'fps', fpsAskedMax) ?? fpsByDefault),
    seconds: Math.min(filmLimits.secondsMax, secondsOf(tree)),
    image: pictureOf(firstImage(tree), 'image'),
    lastFrame: pictureOf(tree['last_frame'], 'last_frame'),
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
    throw invalid('images', 'may hold one picture: the sandbox begins with it');
  }
  return images[0] ?? image;
}

function pictureOf(value: unknown, param: string): string | undefined {
  if (!isPresent(value)) return undefined;
  if (typeof value !== 'string' || value === '') throw invalid(param, 'must be a picture as a data: address');
  if (value.length > pictureCharactersMax) throw invalid(param, `may have ${pictureCharactersMax} characters`);
  return value;
}

/** A request and its pictures as the film that is made of them. */
export function planOf(wishes: FilmWishes, first: SmallPicture | undefined, last: SmallPicture | undefined): FilmPlan {
  return {
    prompt: cut(wishes.prompt, filmLimits.promptBytesMax),
    negativePrompt: cut(wishes.negativePrompt, filmLimits.negativePromptBytesMax),
    seed: wishes.seed,
    ...sizeOf(wishes, first ?? last),
    fps: wishes.fps,
    frames: Math.max(1, Math.round(wishes.seconds * wishes.fps)),
    first: first?.file ?? new Uint8Array(0),
    last: last?.file ?? new Uint8Array(0),
  };
}

/** Whole characters only, and none that a line of text does not have. */
function cut(text: string, bytesMax: number): string {
  const plain = text.toWellFormed().replace(/\p{Cc}+/gu, ' ');
  const { read } = new TextEncoder().encodeInto(plain, new Uint8Array(bytesMax));
  return plain.slice(0, read);
}

/** What is said counts first, then the shape that is said, then that of the picture it begins with. */
export function sizeOf(
  { width, height, ratio: said }: Pick<FilmWishes, 'width' | 'height' | 'ratio'>,
  picture: { readonly width: number; readonly height: number } | undefined,
): { readonly width: number; readonly height: number } {
  const ratio = said ?? (picture === undefined ? ratioByDefault : picture.width / picture.height);
  if (width !== undefined) return allowed(width, height ?? width / ratio);
  if (height !== undefined) return allowed(height * ratio, height);
  return ratio > 1
    ? allowed(shortSideByDefault * ratio, shortSideByDefault)
    : allowed(shortSideByDefault, shortSideByDefault / ratio);
}

/** The encoder wants even sides. */
function allowed(width: number, height: number): { readonly width: number; readonly height: number } {
  const { longSideMax, shortSideMax, sideMin } = filmLimits;
  const shrink = Math.min(1, longSideMax / Math.max(width, height), shortSideMax / Math.min(width, height));
  const side = (length: number): number => Math.max(sideMin, 2 * Math.round((length * shrink) / 2));
  return { width: side(width), height: side(height) };
}
