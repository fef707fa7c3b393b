/** `sandbox-speak`: a text becomes real speech, sentence by sentence, in a file whose comment holds the text. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import { type SpeechFormat, speechMediaTypes } from '../../operations/speak.ts';
import { splitForSpeech } from './sentences.ts';
import { type SayTask, type WrittenFormat, writtenFormats } from './sound-messages.ts';
import { createSoundThread, type ThreadClaim } from './sound-thread.ts';
import { findVoice } from './voices.ts';

export const speedMin = 0.25;
export const speedMax = 4;

export interface SpokenRequest {
  readonly text: string;
  readonly voice: string;
  readonly format: SpeechFormat;
  readonly speed?: number | undefined;
}

export interface Speech {
  readonly mediaType: string;
  /** Pieces of one file, made as they are asked for; none is empty. Leaving early ends the work. */
  readonly pieces: AsyncGenerator<Uint8Array<ArrayBuffer>, void, void>;
  /** Of sound made so far; the whole once the pieces have ended. */
  seconds(): number;
}

export interface Speaker {
  /** Rejects what it cannot do before any byte exists. */
  speak(request: SpokenRequest): Promise<Speech>;
  stop(): void;
}

export function createSpeaker(): Speaker {
  const thread = createSoundThread();
  let nextJob = 0;
  return {
    stop: () => thread.stop(),
    async speak({ text, voice, format, speed = 1 }) {
      const plan = {
        format: writtenFormat(format),
        // A zero would end the comment early, and half a character is none.
        comment: text.replaceAll('\0', '').toWellFormed(),
        voice: findVoice(voice),
        speed: checkedSpeed(speed),
      };
      await using preparing = claimUntilLeft(thread.claim());
      await preparing.claim.ask({ task: 'prepare', format: plan.format });
      let seconds = 0;
      const pieces = speakPieces(
        () => thread.claim(),
        { ...plan, job: nextJob++ },
        (more) => {
          seconds += more;
        },
      );
      return { mediaType: speechMediaTypes[format], pieces, seconds: () => Math.round(seconds * 1e6) / 1e6 };
    },
  };
}

function claimUntilLeft(claim: ThreadClaim): { readonly claim: ThreadClaim; [Symbol.asyncDispose](): Promise<void> } {
  return { claim, [Symbol.asyncDispose]: async () => claim.release() };
}

type Plan = Pick<SayTask, 'job' | 'format' | 'comment' | 'voice' | 'speed'>;

async function* speakPieces(
  claimThread: () => ThreadClaim,
  plan: Plan,
  spoken: (seconds: number) => void,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
  const claim = claimThread();
  const texts = splitForSpeech(plan.comment);
  let finished = false;
  try {
    for (const [index, text] of texts.entries()) {
      const last = index === texts.length - 1;
      const { bytes, seconds = 0 } = await claim.ask({ task: 'say', ...plan, text, last });
      finished = last;
      spoken(seconds);
      if (bytes !== undefined && bytes.length > 0) yield bytes;
    }
  } finally {
    if (!finished) claim.tell({ task: 'drop', job: plan.job });
    claim.release();
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
