/** The worker of the audio encoder. */

import { join, speechRateHz } from './audio-encoder.ts';
import type { EncodeTask } from './encode-audio.ts';
import { createEncoder } from './encoders.ts';
import { resample } from './resample.ts';
import { serveTasks } from './serve-tasks.ts';

serveTasks<EncodeTask, Uint8Array<ArrayBuffer>>(
  async ({ format, bytes, samplesPerSecond }) => {
    const encoder = await createEncoder(format, '');
    const samples = resample(samplesOf(bytes), samplesPerSecond, speechRateHz);
    return join([encoder.add(samples), encoder.end()]);
  },
  ({ buffer }) => [buffer],
);

/** A copy, because samples of two bytes must begin at an even offset. Half a sample is dropped. */
function samplesOf(bytes: Uint8Array<ArrayBuffer>): Int16Array {
  return new Int16Array(bytes.slice(0, bytes.length & ~1).buffer);
}
