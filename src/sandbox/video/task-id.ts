/** A task's id that holds the whole task: after a restart, or in another process, whoever is asked can still answer for it. */

import { Buffer } from 'node:buffer';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { type FilmPlan, filmLimits } from './film.ts';

/** What becomes of it: the film at once, the film late, or nothing. */
export type TaskEnding = 'film' | 'late-film' | 'failure';

export interface SandboxTask {
  /** Tells it from others with the same wishes. */
  readonly name: string;
  readonly ending: TaskEnding;
  readonly createdAtMs: number;
  readonly plan: FilmPlan;
}

const prefix = 'sandbox-video_';
const idCharactersMax = 8_000;
const packedBytesMax = 16_384;
const checksumBytes = 6;
const endings: readonly TaskEnding[] = ['film', 'late-film', 'failure'];

export function writeTaskId({ name, ending, createdAtMs, plan }: SandboxTask): string {
  const { prompt, negativePrompt, seed, width, height, fps, frames, first, last } = plan;
  const picture = (file: Uint8Array): string => Buffer.from(file).toString('base64');
  const words = [prompt, negativePrompt, seed, width, height, fps, frames, picture(first), picture(last)];
  const packed = deflateRawSync(JSON.stringify([name, endings.indexOf(ending), createdAtMs, ...words]), { level: 9 });
  return prefix + Buffer.concat([checksumOf(packed), packed]).toString('base64url');
}

/** Undefined where it is no id, or a damaged one. */
export function readTaskId(id: string): SandboxTask | undefined {
  if (!id.startsWith(prefix) || id.length > idCharactersMax) return undefined;
  const bytes = Buffer.from(id.slice(prefix.length), 'base64url');
  const packed = bytes.subarray(checksumBytes);
  if (!checksumOf(packed).equals(bytes.subarray(0, checksumBytes))) return undefined;
  let fields: unknown;
  try {
    fields = JSON.parse(inflateRawSync(packed, { maxOutputLength: packedBytesMax }).toString());
  } catch {
    return undefined;
  }
  return Array.isArray(fields) ? taskOf(fields) : undefined;
}

/** Keeps damage out, not people: an id is a secret of its task already. */
function checksumOf(packed: Uint8Array): Buffer {
  return new Bun.CryptoHasher('sha256')
    .update('weir sandbox video ')
    .update(packed)
    .digest()
    .subarray(0, checksumBytes);
}

/** Whatever an id says stays within the limits that hold for requests. */
function taskOf(fields: readonly unknown[]): SandboxTask | undefined {
  const [name, ending, createdAtMs, prompt, negativePrompt, seed, width, height, fps, frames, first, last] = fields;
  const { longSideMax, sideMin, fpsMax, framesMax, promptBytesMax, negativePromptBytesMax, pictureBytesMax } =
    filmLimits;
  const known = typeof ending === 'number' ? endings[ending] : undefined;
  const picture = pictureFrom(pictureBytesMax);
  const [begins, ends] = [picture(first), picture(last)];
  if (
    known === undefined ||
    begins === undefined ||
    ends === undefined ||
    !isText(name, 100) ||
    !isWhole(createdAtMs, 0, Number.MAX_SAFE_INTEGER) ||
    !isText(prompt, promptBytesMax) ||
    !isText(negativePrompt, negativePromptBytesMax) ||
    !isWhole(seed, 0, Number.MAX_SAFE_INTEGER) ||
    !isWhole(width, sideMin, longSideMax) ||
    !isWhole(height, sideMin, longSideMax) ||
    !isWhole(fps, 1, fpsMax) ||
    !isWhole(frames, 1, framesMax)
  ) {
    return undefined;
  }
  const plan = { prompt, negativePrompt, seed, width, height, fps, frames, first: begins, last: ends };
  return { name, ending: known, createdAtMs, plan };
}

function pictureFrom(bytesMax: number): (value: unknown) => Uint8Array<ArrayBuffer> | undefined {
  return (value) => {
    if (typeof value !== 'string') return undefined;
    const file = new Uint8Array(Buffer.from(value, 'base64'));
    return file.length <= bytesMax ? file : undefined;
  };
}

function isText(value: unknown, lengthMax: number): value is string {
  return typeof value === 'string' && value.length <= lengthMax;
}

function isWhole(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most;
}
