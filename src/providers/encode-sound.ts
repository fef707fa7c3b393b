/** Writes bare samples as the file that was asked for, on the thread that has the encoders: a minute of MP3 takes a second. */

import type { Samples } from '../operations/audio/wave-file.ts';
import type { EncodedFormat } from '../operations/speak.ts';
import { createSoundThread } from '../sandbox/sound/sound-thread.ts';

export type EncodeSound = (samples: Samples, format: EncodedFormat) => Promise<Uint8Array<ArrayBuffer>>;

/** The thread starts with the first sound and ends where none comes. */
export function createSoundWriter(): EncodeSound {
  const thread = createSoundThread();
  return async ({ bytes, samplesPerSecond }, format) => {
    const claim = thread.claim();
    try {
      const { bytes: written } = await claim.ask({ task: 'encode', format, bytes, samplesPerSecond });
      if (written === undefined) throw new Error('The sound thread wrote nothing.');
      return written;
    } finally {
      claim.release();
    }
  };
}
