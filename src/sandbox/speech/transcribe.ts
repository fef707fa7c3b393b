/** `sandbox-transcribe`: reports when a file is not silent, and its words only where the file's comment holds them. */

import type { TranscribeRequest, Transcript, TranscriptSegment, TranscriptWord } from '../../operations/transcribe.ts';
import type { AudioFacts, Interval } from './containers/audio-facts.ts';
import { unreadable } from './containers/unreadable.ts';
import { type PlacedText, placeText } from './place-words.ts';
import { createSpeechThread } from './speech-thread.ts';

const languageByDefault = 'english';
const audioMark = '[audio]';

export type TranscriptOptions = Pick<TranscribeRequest, 'language' | 'translate' | 'format' | 'granularities'>;

interface Transcriber {
  /** Copies the bytes. */
  transcribe(bytes: Uint8Array, options: TranscriptOptions): Promise<Transcript>;
  stop(): void;
}

export function createTranscriber(): Transcriber {
  const thread = createSpeechThread();
  return {
    stop: () => thread.stop(),
    async transcribe(bytes, options) {
      const copy = new Uint8Array(bytes);
      const { facts } = await thread.run({ task: 'read', bytes: copy }, { transfer: [copy.buffer] });
      if (facts === undefined) throw unreadable('The sandbox could not read the file.');
      return transcriptOf(facts, options);
    },
  };
}

export function transcriptOf(facts: AudioFacts, options: TranscriptOptions): Transcript {
  const { text, segments, words } = facts.comment === undefined ? withoutWords(facts) : withWords(facts.comment, facts);
  const { granularities, format } = options;
  const wantsSegments = format !== 'verbose_json' || granularities.length === 0 || granularities.includes('segment');
  return {
    text,
    language: options.translate ? languageByDefault : (options.language ?? languageByDefault),
    durationSeconds: facts.durationSeconds,
    ...(wantsSegments ? { segments: segments.map((segment) => roundedTimes(segment)) } : {}),
    ...(granularities.includes('word') ? { words: words.map((word) => roundedTimes(word)) } : {}),
    consumption: { seconds: facts.durationSeconds },
  };
}

interface TimedText extends PlacedText {
  readonly text: string;
}

/** Where no interval is known the words fill the file. */
function withWords(comment: string, { intervals, durationSeconds }: AudioFacts): TimedText {
  const whole: Interval = { startSeconds: 0, endSeconds: durationSeconds };
  const known = intervals !== undefined && intervals.length > 0;
  const placed = placeText(comment, known ? intervals : [whole]);
  if (known) return { text: comment, ...placed };
  return { text: comment, segments: [{ ...whole, text: comment }], words: placed.words };
}

function withoutWords({ container, intervals, durationSeconds }: AudioFacts): TimedText {
  const length = `${durationSeconds.toFixed(1)} seconds`;
  if (intervals === undefined) {
    const text = `The sandbox finds ${length} of ${container} audio, but does not understand words.`;
    return { text, segments: [{ startSeconds: 0, endSeconds: durationSeconds, text: audioMark }], words: [] };
  }
  if (intervals.length === 0) return { text: `The sandbox finds ${length} of silence.`, segments: [], words: [] };
  const audibleSeconds = intervals.reduce((sum, { startSeconds, endSeconds }) => sum + endSeconds - startSeconds, 0);
  const count = intervals.length === 1 ? 'one segment' : `${intervals.length} segments`;
  const audio = `${audibleSeconds.toFixed(1)} seconds of audio in ${count}`;
  return {
    text: `The sandbox finds ${audio} within ${length}, but does not understand words.`,
    segments: intervals.map((interval) => ({ ...interval, text: audioMark })),
    words: [],
  };
}

/** To hundredths of a second, which is the resolution of the levels. */
function roundedTimes<Timed extends TranscriptSegment | TranscriptWord>(timed: Timed): Timed {
  const round = (seconds: number): number => Math.round(seconds * 100) / 100;
  return { ...timed, startSeconds: round(timed.startSeconds), endSeconds: round(timed.endSeconds) };
}
