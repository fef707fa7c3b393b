/** `sandbox-transcribe`: says when a file sounds, and the words only where the file itself carries them. */

import type { TranscribeRequest, Transcript, TranscriptSegment, TranscriptWord } from '../../operations/transcribe.ts';
import type { SoundFacts, Stretch } from './containers/sound-facts.ts';
import { unreadable } from './containers/unreadable.ts';
import { type PlacedText, placeText } from './place-words.ts';
import { createSoundThread } from './sound-thread.ts';

const languageByDefault = 'english';
const soundMark = '[sound]';

export type HeardRequest = Pick<TranscribeRequest, 'language' | 'translate' | 'format' | 'granularities'>;

export interface Transcriber {
  /** The bytes stay the caller's. */
  transcribe(bytes: Uint8Array, request: HeardRequest): Promise<Transcript>;
  stop(): void;
}

export function createTranscriber(): Transcriber {
  const thread = createSoundThread();
  return {
    stop: () => thread.stop(),
    async transcribe(bytes, request) {
      const claim = thread.claim();
      try {
        const copy = new Uint8Array(bytes);
        const { facts } = await claim.ask({ task: 'hear', bytes: copy }, [copy.buffer]);
        if (facts === undefined) throw unreadable('The sandbox could not read the file.');
        return writeDown(facts, request);
      } finally {
        claim.release();
      }
    },
  };
}

export function writeDown(facts: SoundFacts, request: HeardRequest): Transcript {
  const { text, segments, words } = facts.comment === undefined ? wordless(facts) : worded(facts.comment, facts);
  const { granularities, format } = request;
  const wantsSegments = format !== 'verbose_json' || granularities.length === 0 || granularities.includes('segment');
  return {
    text,
    language: request.translate ? languageByDefault : (request.language ?? languageByDefault),
    durationSeconds: facts.durationSeconds,
    ...(wantsSegments ? { segments: segments.map((segment) => onTheHundredth(segment)) } : {}),
    ...(granularities.includes('word') ? { words: words.map((word) => onTheHundredth(word)) } : {}),
    consumption: { seconds: facts.durationSeconds },
  };
}

interface WrittenDown extends PlacedText {
  readonly text: string;
}

/** Where no stretch is known the words fill the file. */
function worded(comment: string, { stretches, durationSeconds }: SoundFacts): WrittenDown {
  const whole: Stretch = { startSeconds: 0, endSeconds: durationSeconds };
  const known = stretches !== undefined && stretches.length > 0;
  const placed = placeText(comment, known ? stretches : [whole]);
  if (known) return { text: comment, ...placed };
  return { text: comment, segments: [{ ...whole, text: comment }], words: placed.words };
}

function wordless({ container, stretches, durationSeconds }: SoundFacts): WrittenDown {
  const length = `${durationSeconds.toFixed(1)} seconds`;
  if (stretches === undefined) {
    const text = `The sandbox hears ${length} of ${container} sound, but does not understand words.`;
    return { text, segments: [{ startSeconds: 0, endSeconds: durationSeconds, text: soundMark }], words: [] };
  }
  if (stretches.length === 0) return { text: `The sandbox hears ${length} of silence.`, segments: [], words: [] };
  const sounding = stretches.reduce((sum, { startSeconds, endSeconds }) => sum + endSeconds - startSeconds, 0);
  const count = stretches.length === 1 ? 'one stretch' : `${stretches.length} stretches`;
  const heard = `${sounding.toFixed(1)} seconds of sound in ${count}`;
  return {
    text: `The sandbox hears ${heard} within ${length}, but does not understand words.`,
    segments: stretches.map((stretch) => ({ ...stretch, text: soundMark })),
    words: [],
  };
}

/** Loudness is measured in hundredths of a second; more digits would claim more. */
function onTheHundredth<Timed extends TranscriptSegment | TranscriptWord>(timed: Timed): Timed {
  const round = (seconds: number): number => Math.round(seconds * 100) / 100;
  return { ...timed, startSeconds: round(timed.startSeconds), endSeconds: round(timed.endSeconds) };
}
