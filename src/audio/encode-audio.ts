/** Encodes samples as MP3 or FLAC on a worker thread, for providers that return samples only: a minute of MP3 takes a second. */

import type { Samples } from '../operations/audio/wave-file.ts';
import type { EncodedFormat } from '../operations/speak.ts';
import { threadUrl } from '../program/places.ts';
import { WorkerThread } from './worker-thread.ts';

export type EncodeAudio = (samples: Samples, format: EncodedFormat) => Promise<Uint8Array<ArrayBuffer>>;

/** Samples of 16 bits and one channel, to be encoded as one file. */
export interface EncodeTask extends Samples {
  readonly format: EncodedFormat;
}

/** The thread starts with the first file and ends when idle. */
export function createAudioEncoder(): EncodeAudio {
  const thread = new WorkerThread<EncodeTask, Uint8Array<ArrayBuffer>>({
    name: 'the audio encoder',
    workerUrl: threadUrl('audio/encode-worker.ts'),
  });
  return ({ bytes, samplesPerSecond }, format) => thread.run({ bytes, samplesPerSecond, format });
}
