/** A film from its plan to its file. Runs only in the film thread: it takes a processor for a second or more. */

import type { H264MP4Encoder } from 'h264-mp4-encoder';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { readPictureFile } from '../pictures/picture-files.ts';
import type { Picture } from '../pictures/raster/picture.ts';
import { fitInto } from '../pictures/raster/resize.ts';
import type { FilmPlan } from './film.ts';
import { movingScene } from './moving-scene.ts';
import { tidyMp4 } from './mp4-file.ts';

/** The encoder's quickest way: its slower ones make drawn scenes no smaller. */
const quickest = 10;
const quantization = 26;
/** After so much work the thread looks whether anybody wants something else of it. */
const turnMs = 50;

const faultEvents = ['uncaughtException', 'unhandledRejection'];

let filmsMade = 0;

export interface RenderHooks {
  progress(percent: number): void;
  /** Throws where nobody wants the film any more. */
  check(): void;
}

export async function renderFilm(plan: FilmPlan, hooks: RenderHooks): Promise<Uint8Array<ArrayBuffer>> {
  const draw = movingScene(plan, { first: await pictureOf(plan.first, plan), last: await pictureOf(plan.last, plan) });
  const encoder = await newEncoder(plan);
  let isOpen = true;
  try {
    let turnEndsAtMs = performance.now() + turnMs;
    for (let frame = 0; frame < plan.frames; frame += 1) {
      encoder.addFrameRgba(draw(frame));
      if (performance.now() < turnEndsAtMs) continue;
      hooks.progress(Math.floor(((frame + 1) / plan.frames) * 100));
      await new Promise((resolve) => setImmediate(resolve));
      hooks.check();
      turnEndsAtMs = performance.now() + turnMs;
    }
    isOpen = false;
    encoder.finalize();
    // The encoder's own memory is used again, so the file is copied out of it.
    return tidyMp4(new Uint8Array(encoder.FS.readFile(encoder.outputFilename)));
  } finally {
    forget(encoder, isOpen);
  }
}

async function pictureOf(file: Uint8Array<ArrayBuffer>, plan: FilmPlan): Promise<Picture | undefined> {
  return file.length === 0 ? undefined : fitInto(await readPictureFile(file, 'image'), plan);
}

async function newEncoder({ width, height, fps }: FilmPlan): Promise<H264MP4Encoder> {
  const encoder = await loadEncoder();
  filmsMade += 1;
  encoder.outputFilename = `film-${filmsMade}.mp4`;
  encoder.width = width;
  encoder.height = height;
  encoder.frameRate = fps;
  encoder.speed = quickest;
  encoder.quantizationParameter = quantization;
  // One frame a second stands for itself: that is how finely a player can seek.
  encoder.groupOfPictures = fps;
  encoder.initialize();
  return encoder;
}

async function loadEncoder(): Promise<H264MP4Encoder> {
  const before = new Set(faultEvents.flatMap((event) => process.listeners(event)));
  try {
    const { createH264MP4Encoder } = await import('h264-mp4-encoder');
    return await createH264MP4Encoder();
  } catch (cause) {
    throw new GatewayError(
      'provider_unavailable',
      'The sandbox writes videos with the package h264-mp4-encoder, which cannot be used. Run `npm ci`.',
      { cause },
    );
  } finally {
    // The package would make every unhandled fault of its process its own, and end the program over it.
    for (const event of faultEvents) {
      for (const listener of process.listeners(event)) if (!before.has(listener)) process.off(event, listener);
    }
  }
}

/** All encoders of a thread share one program and one file system in memory: an unfinished one must be finished, or it breaks the others. */
function forget(encoder: H264MP4Encoder, isOpen: boolean): void {
  const { FS: files, outputFilename: name } = encoder;
  try {
    if (isOpen) encoder.finalize();
    encoder.delete();
    files.unlink(name);
  } catch {
    // The program itself broke; what it said first is the error that counts, and the thread ends with it.
  }
}
