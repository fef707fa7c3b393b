/** Encodes samples as MP3 or FLAC on a worker thread, for providers that return samples only: a minute of MP3 takes a second. */

import type { Samples } from '../operations/audio/wave-file.ts';
import type { EncodedFormat } from '../operations/speak.ts';
import { WorkerThread } from './worker-thread.ts';

export type EncodeAudio = (samples: Samples, format: EncodedFormat) => Promise<Uint8Array<ArrayBuffer>>;

/** Samples of 16 bits and one channel, to be encoded as one file. */
export interface EncodeTask extends Samples {
  readonly format: EncodedFormat;
}

/** A worker's file lies beside this one; in the executable its path starts at the root. */
function workerUrl(): string {
  const path = Bun.isStandaloneExecutable ? './audio/encode-worker.ts' : './encode-worker.ts';
  return new URL(path, import.meta.url).href;
}

/** The thread starts with the first file and ends when idle. */
export function createAudioEncoder(): EncodeAudio {
  const thread = new WorkerThread<EncodeTask, Uint8Array<ArrayBuffer>>({
    name: 'the audio encoder',
    workerUrl: workerUrl(),
  });
  return ({ bytes, samplesPerSecond }, format) => thread.run({ bytes, samplesPerSecond, format });
}
