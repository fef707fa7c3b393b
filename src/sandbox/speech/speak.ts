/** `sandbox-speak`: synthesizes a text sentence by sentence, as a file whose comment holds the text. */

import { type WrittenFormat, writtenFormats } from '../../audio/encoders.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { type SpeechFormat, speechMediaTypes } from '../../operations/speak.ts';
import { splitForSpeech } from './sentences.ts';
import type { SayTask } from './speech-tasks.ts';
import { createSpeechThread, type SpeechThread } from './speech-thread.ts';
import { findVoice } from './voices.ts';

const speedMin = 0.25;
const speedMax = 4;

export interface SpeechRequest {
  readonly text: string;
  readonly voice: string;
  readonly format: SpeechFormat;
  readonly speed?: number | undefined;
}

interface Speech {
  readonly mediaType: string;
  /** Pieces of one file, made as they are read; none is empty. Returning early ends the work. */
  readonly pieces: AsyncGenerator<Uint8Array<ArrayBuffer>, void, void>;
  /** The length of the audio made so far. */
  seconds(): number;
}

export interface Speaker {
  /** Rejects what it cannot do before any byte exists. */
  speak(request: SpeechRequest): Promise<Speech>;
  stop(): void;
}

export function createSpeaker(): Speaker {
  const thread = createSpeechThread();
  let nextJob = 0;
  return {
    stop: () => thread.stop(),
    async speak({ text, voice, format, speed = 1 }) {
      const plan = {
        format: writtenFormat(format),
        // A zero would end the comment early, and a lone surrogate is no character.
        comment: text.replaceAll('\0', '').toWellFormed(),
        voice: findVoice(voice),
        speed: checkedSpeed(speed),
      };
      await thread.run({ task: 'prepare', format: plan.format });
      let seconds = 0;
      const pieces = speakPieces(thread, { ...plan, job: nextJob++ }, (more) => {
        seconds += more;
      });
      return { mediaType: speechMediaTypes[format], pieces, seconds: () => Math.round(seconds * 1e6) / 1e6 };
    },
  };
}

/** One thread speaks for the whole process. */
export const speaker = createSpeaker();

type Plan = Pick<SayTask, 'job' | 'format' | 'comment' | 'voice' | 'speed'>;

async function* speakPieces(
  thread: SpeechThread,
  plan: Plan,
  onSpoken: (seconds: number) => void,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
  const hold = thread.hold();
  const texts = splitForSpeech(plan.comment);
  let finished = false;
  try {
    for (const [index, text] of texts.entries()) {
      const last = index === texts.length - 1;
      const { bytes, seconds = 0 } = await hold.run({ task: 'say', ...plan, text, last });
      finished = last;
      onSpoken(seconds);
      if (bytes !== undefined && bytes.length > 0) yield bytes;
    }
  } finally {
    if (!finished) hold.run({ task: 'drop', job: plan.job }).catch(() => undefined);
    hold.release();
  }
}

function writtenFormat(format: SpeechFormat): WrittenFormat {
  const written = writtenFormats.find((known) => known === format);
  if (written !== undefined) return written;
  throw new GatewayError('field_invalid', `The sandbox writes ${writtenFormats.join(', ')}, but not ${format}.`, {
    param: 'response_format',
  });
}

function checkedSpeed(speed: number): number {
  if (speed >= speedMin && speed <= speedMax) return speed;
  throw new GatewayError('field_invalid', `The speed must be between ${speedMin} and ${speedMax}.`, { param: 'speed' });
}
