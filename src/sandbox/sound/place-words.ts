/** Lays a known text over the stretches of sound it was spoken in: sentences on pauses, words by their length. */

import type { TranscriptSegment, TranscriptWord } from '../../operations/transcribe.ts';
import type { Stretch } from './containers/sound-facts.ts';
import { splitSentences } from './sentences.ts';

export interface PlacedText {
  readonly segments: readonly TranscriptSegment[];
  readonly words: readonly TranscriptWord[];
}

/** A sentence's end may move so far to meet a pause: a part of the shorter neighbour, and a little more. */
const driftShare = 0.35;
const driftSeconds = 0.3;
/** A pause may be so much shorter for each second that it is nearer. */
const distanceWorth = 0.5;

/** Time in which something sounds, without the pauses. */
class SoundingTime {
  readonly #stretches: readonly Stretch[];
  /** Sounding seconds before each stretch, and at the end. */
  readonly before: readonly number[];

  constructor(stretches: readonly Stretch[]) {
    this.#stretches = stretches;
    const before = [0];
    for (const { startSeconds, endSeconds } of stretches) before.push((before.at(-1) ?? 0) + endSeconds - startSeconds);
    this.before = before;
  }

  get total(): number {
    return this.before.at(-1) ?? 0;
  }

  /** At a pause a beginning lies behind it and an end before it. */
  clock(sounding: number, side: 'start' | 'end'): number {
    const tiny = 1e-9;
    const index = this.#stretchAt(side === 'start' ? sounding + tiny : sounding - tiny);
    const stretch = this.#stretches[index];
    if (stretch === undefined) return 0;
    const inside = Math.max(0, sounding - (this.before[index] ?? 0));
    return Math.min(stretch.endSeconds, stretch.startSeconds + inside);
  }

  /** The last stretch that begins at a moment or before it; halving, because a long file has thousands. */
  #stretchAt(sounding: number): number {
    let low = 0;
    let high = this.#stretches.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.before[middle] ?? 0) <= sounding) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The best pause near a moment, long and close, as the moment at which the sound stops for it. */
  pauseNear(moment: number, drift: number, after: number): number | undefined {
    let best: number | undefined;
    let bestWorth = Number.NEGATIVE_INFINITY;
    for (let index = this.#stretchAt(moment - drift); index < this.#stretches.length; index++) {
      const at = this.before[index] ?? 0;
      if (at > moment + drift) break;
      const distance = Math.abs(at - moment);
      if (index === 0 || at <= after || distance > drift) continue;
      const pause = (this.#stretches[index]?.startSeconds ?? 0) - (this.#stretches[index - 1]?.endSeconds ?? 0);
      const worth = pause - distance * distanceWorth;
      if (worth <= bestWorth) continue;
      bestWorth = worth;
      best = at;
    }
    return best;
  }
}

export function placeText(text: string, stretches: readonly Stretch[]): PlacedText {
  const time = new SoundingTime(stretches);
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

/** A word takes as long as its letters, and a little to begin. */
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
