/** A task's id holds the whole task, so that any process can answer for it, also after a restart. */

import { Buffer } from 'node:buffer';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { type VideoPlan, videoLimits } from './video-plan.ts';

/** The video as soon as it is rendered, the video late, or a failure. */
export type TaskOutcome = 'video' | 'late' | 'failure';

export interface SandboxTask {
  /** Distinguishes tasks with equal plans. */
  readonly name: string;
  readonly outcome: TaskOutcome;
  readonly createdAtMs: number;
  readonly plan: VideoPlan;
}

const prefix = 'sandbox-video_';
const idCharactersMax = 8_000;
const packedBytesMax = 16_384;
const checksumBytes = 6;
/** Ids store the index. */
const outcomes: readonly TaskOutcome[] = ['video', 'late', 'failure'];

export function writeTaskId({ name, outcome, createdAtMs, plan }: SandboxTask): string {
  const { prompt, negativePrompt, seed, width, height, fps, frames, first, last } = plan;
  const thumbnail = (file: Uint8Array): string => Buffer.from(file).toString('base64');
  const words = [prompt, negativePrompt, seed, width, height, fps, frames, thumbnail(first), thumbnail(last)];
  const packed = deflateRawSync(JSON.stringify([name, outcomes.indexOf(outcome), createdAtMs, ...words]), { level: 9 });
  return prefix + Buffer.concat([checksumOf(packed), packed]).toString('base64url');
}

/** Undefined for a malformed or damaged id. */
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

/** Detects damage. It is no protection: an id is secret already. */
function checksumOf(packed: Uint8Array): Buffer {
  return new Bun.CryptoHasher('sha256')
    .update('weir sandbox video ')
    .update(packed)
    .digest()
    .subarray(0, checksumBytes);
}

/** An id has to keep the limits that hold for requests. */
function taskOf(fields: readonly unknown[]): SandboxTask | undefined {
  const [name, outcome, createdAtMs, prompt, negativePrompt, seed, width, height, fps, frames, first, last] = fields;
  const { longSideMax, sideMin, fpsMax, framesMax, promptBytesMax, negativePromptBytesMax, thumbnailBytesMax } =
    videoLimits;
  const known = typeof outcome === 'number' ? outcomes[outcome] : undefined;
  const [begins, ends] = [thumbnailOf(first, thumbnailBytesMax), thumbnailOf(last, thumbnailBytesMax)];
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
  return { name, outcome: known, createdAtMs, plan };
}

function thumbnailOf(value: unknown, bytesMax: number): Uint8Array<ArrayBuffer> | undefined {
  if (typeof value !== 'string') return undefined;
  const file = new Uint8Array(Buffer.from(value, 'base64'));
  return file.length <= bytesMax ? file : undefined;
}

function isText(value: unknown, lengthMax: number): value is string {
  return typeof value === 'string' && value.length <= lengthMax;
}

function isWhole(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most;
}
