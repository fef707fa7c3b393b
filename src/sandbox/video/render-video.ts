/** Renders a video with h264-mp4-encoder. Runs in the video thread only: it takes a processor for a second or more. */

import type { H264MP4Encoder } from 'h264-mp4-encoder';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { readImageFile } from '../images/image-files.ts';
import type { Bitmap } from '../images/raster/bitmap.ts';
import { fitInto } from '../images/raster/resize.ts';
import { framesOf } from './frames.ts';
import { tidyMp4 } from './mp4-file.ts';
import type { VideoPlan } from './video-plan.ts';

/** The encoder's fastest setting: the slower ones make drawn scenes no smaller. */
const fastest = 10;
const quantization = 26;
const progressEveryMs = 50;

const faultEvents = ['uncaughtException', 'unhandledRejection'];

let videosMade = 0;

export async function renderVideo(
  plan: VideoPlan,
  progress: (percent: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  const draw = framesOf(plan, { first: await imageOf(plan.first, plan), last: await imageOf(plan.last, plan) });
  const encoder = await newEncoder(plan);
  let nextProgressMs = performance.now() + progressEveryMs;
  for (let frame = 0; frame < plan.frames; frame += 1) {
    encoder.addFrameRgba(draw(frame));
    if (performance.now() < nextProgressMs) continue;
    progress(Math.floor(((frame + 1) / plan.frames) * 100));
    nextProgressMs = performance.now() + progressEveryMs;
  }
  encoder.finalize();
  // The encoder reuses its memory, so the file is copied.
  const file = tidyMp4(new Uint8Array(encoder.FS.readFile(encoder.outputFilename)));
  encoder.FS.unlink(encoder.outputFilename);
  encoder.delete();
  return file;
}

async function imageOf(file: Uint8Array<ArrayBuffer>, plan: VideoPlan): Promise<Bitmap | undefined> {
  return file.length === 0 ? undefined : fitInto(await readImageFile(file, 'image'), plan);
}

async function newEncoder({ width, height, fps }: VideoPlan): Promise<H264MP4Encoder> {
  const encoder = await loadEncoder();
  videosMade += 1;
  encoder.outputFilename = `video-${videosMade}.mp4`;
  encoder.width = width;
  encoder.height = height;
  encoder.frameRate = fps;
  encoder.speed = fastest;
  encoder.quantizationParameter = quantization;
  // One key frame per second, for seeking.
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
    // The package handles every unhandled fault of the process and ends the program; its handlers are removed.
    for (const event of faultEvents) {
      for (const listener of process.listeners(event)) if (!before.has(listener)) process.off(event, listener);
    }
  }
}
