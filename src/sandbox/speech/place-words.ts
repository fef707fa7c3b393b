/** Assigns times to a known text: sentences end at pauses, words get time by their length. */

import type { TranscriptSegment, TranscriptWord } from '../../operations/transcribe.ts';
import type { Interval } from './containers/audio-facts.ts';
import { splitSentences } from './sentences.ts';

export interface PlacedText {
  readonly segments: readonly TranscriptSegment[];
  readonly words: readonly TranscriptWord[];
}

/** How far the end of a sentence may move to reach a pause: a share of the shorter neighbor, plus some seconds. */
const driftShare = 0.35;
const driftSeconds = 0.3;
/** A nearer pause wins over one that is longer by this much per second of distance. */
const distanceWorth = 0.5;

/** The time in which the audio is not silent, without the pauses. */
class SoundingTime {
  readonly #intervals: readonly Interval[];
  /** Sounding seconds before each interval, and at the end. */
  readonly before: readonly number[];

  constructor(intervals: readonly Interval[]) {
    this.#intervals = intervals;
    const before = [0];
    for (const { startSeconds, endSeconds } of intervals) before.push((before.at(-1) ?? 0) + endSeconds - startSeconds);
    this.before = before;
  }

  get total(): number {
    return this.before.at(-1) ?? 0;
  }

  /** At a pause a start lies after it and an end before it. */
  clock(sounding: number, side: 'start' | 'end'): number {
    const tiny = 1e-9;
    const index = this.#intervalAt(side === 'start' ? sounding + tiny : sounding - tiny);
    const interval = this.#intervals[index];
    if (interval === undefined) return 0;
    const inside = Math.max(0, sounding - (this.before[index] ?? 0));
    return Math.min(interval.endSeconds, interval.startSeconds + inside);
  }

  /** The last interval that begins at that time or before it, by binary search: a long file has thousands. */
  #intervalAt(sounding: number): number {
    let low = 0;
    let high = this.#intervals.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.before[middle] ?? 0) <= sounding) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The best pause near a moment, long and close, as the moment at which it begins. */
  pauseNear(moment: number, drift: number, after: number): number | undefined {
    let best: number | undefined;
    let bestWorth = Number.NEGATIVE_INFINITY;
    for (let index = this.#intervalAt(moment - drift); index < this.#intervals.length; index++) {
      const at = this.before[index] ?? 0;
      if (at > moment + drift) break;
      const distance = Math.abs(at - moment);
      if (index === 0 || at <= after || distance > drift) continue;
      const pause = (this.#intervals[index]?.startSeconds ?? 0) - (this.#intervals[index - 1]?.endSeconds ?? 0);
      const worth = pause - distance * distanceWorth;
      if (worth <= bestWorth) continue;
      bestWorth = worth;
      best = at;
    }
    return best;
  }
}

export function placeText(text: string, intervals: readonly Interval[]): PlacedText {
  const time = new SoundingTime(intervals);
  const sentences = splitSentences(text);
  const bounds = sentenceBounds(sentences.map(weightOf), time);
  const segments: TranscriptSegment[] = [];
  const words: TranscriptWord[] = [];
  for (const [index, sentence] of sentences.entries()) {
    const from = bounds[index] ?? 0;
    const to = bounds[index + 1] ?? time.total;
    segments.push({ startSeconds: time.clock(from, 'start'), endSeconds: time.clock(to, 'end'), text: sentence });
    words.push(...placeWords(sentence, from, to, time));
  }
  return { segments, words };
}

/** A word takes time by its letters, and some to begin. */
function weightOf(text: string): number {
  return text.length + 1;
}

function sentenceBounds(weights: readonly number[], time: SoundingTime): number[] {
  const perWeight =
    time.total /
    Math.max(
      1,
      weights.reduce((sum, weight) => sum + weight, 0),
    );
  const bounds = [0];
  let expected = 0;
  for (const [index, weight] of weights.slice(0, -1).entries()) {
    expected += weight * perWeight;
    const shorter = Math.min(weight, weights[index + 1] ?? weight) * perWeight;
    const previous = bounds.at(-1) ?? 0;
    const pause = time.pauseNear(expected, shorter * driftShare + driftSeconds, previous);
    bounds.push(Math.max(previous, pause ?? expected));
  }
  return [...bounds, time.total];
}

function placeWords(sentence: string, from: number, to: number, time: SoundingTime): TranscriptWord[] {
  const words = sentence.split(/\s+/).filter((word) => word !== '');
  const total = words.reduce((sum, word) => sum + weightOf(word), 0);
  let passed = 0;
  return words.map((word) => {
    const start = from + ((to - from) * passed) / total;
    passed += weightOf(word);
    const end = from + ((to - from) * passed) / total;
    return { word, startSeconds: time.clock(start, 'start'), endSeconds: time.clock(end, 'end') };
  });
}
