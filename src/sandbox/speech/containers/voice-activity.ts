/** Finds when audio is not silent: levels of 10 ms frames against a threshold between the file's own silence and its own loudness. */

import type { Interval } from './audio-facts.ts';

const framesPerSecond = 100;
/** 50 dB below full scale: anything quieter is not speech. */
const audibleLevel = 0.003;
const aboveNoise = 3;
const belowLoud = 0.25;
/** Only a pause of this length separates two intervals. */
const pauseSecondsMin = 0.15;
/** Anything shorter is a click. */
const intervalSecondsMin = 0.03;

export class LoudnessMeter {
  readonly #frameValues: number;
  readonly #frameSeconds: number;
  #levels = new Float32Array(6_000);
  #frames = 0;
  #count = 0;
  #sum = 0;
  #squares = 0;

  constructor(sampleRateHz: number, channels: number) {
    const frameSamples = Math.max(1, Math.round(sampleRateHz / framesPerSecond));
    this.#frameValues = frameSamples * channels;
    this.#frameSeconds = frameSamples / sampleRateHz;
  }

  /** One value between -1 and 1, the channels in turn. */
  add(value: number): void {
    this.#sum += value;
    this.#squares += value * value;
    if (++this.#count === this.#frameValues) this.#closeFrame();
  }

  intervals(): Interval[] {
    if (this.#count * 2 > this.#frameValues) this.#closeFrame();
    return findIntervals(this.#levels.subarray(0, this.#frames), this.#frameSeconds);
  }

  /** The standard deviation rather than the power: a constant offset is silent. */
  #closeFrame(): void {
    const mean = this.#sum / this.#count;
    const level = Math.sqrt(Math.max(0, this.#squares / this.#count - mean * mean));
    if (this.#frames === this.#levels.length) {
      const grown = new Float32Array(this.#levels.length * 2);
      grown.set(this.#levels);
      this.#levels = grown;
    }
    this.#levels[this.#frames++] = Number.isFinite(level) ? level : 0;
    this.#count = 0;
    this.#sum = 0;
    this.#squares = 0;
  }
}

function findIntervals(levels: Float32Array, frameSeconds: number): Interval[] {
  const threshold = thresholdOf(levels);
  const pauseFrames = Math.round(pauseSecondsMin / frameSeconds);
  const intervalFrames = Math.round(intervalSecondsMin / frameSeconds);
  const runs: { from: number; to: number }[] = [];
  for (let at = 0; at < levels.length; at++) {
    if ((levels[at] ?? 0) < threshold) continue;
    const last = runs.at(-1);
    if (last !== undefined && at - last.to < pauseFrames) last.to = at + 1;
    else runs.push({ from: at, to: at + 1 });
  }
  return runs
    .filter(({ from, to }) => to - from >= intervalFrames)
    .map(({ from, to }) => ({ startSeconds: from * frameSeconds, endSeconds: to * frameSeconds }));
}

/** Above the background, but never so high that a file without pauses counts as silent. */
function thresholdOf(levels: Float32Array): number {
  const audible = levels.filter((level) => level >= audibleLevel).sort();
  const loud = audible[Math.floor(audible.length * 0.95)];
  if (loud === undefined) return Number.POSITIVE_INFINITY;
  const background = levels.slice().sort()[Math.floor(levels.length * 0.1)] ?? 0;
  return Math.max(audibleLevel, Math.min(background * aboveNoise, loud * belowLoud));
}
