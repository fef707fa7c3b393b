/** Finds when something sounds: loudness in hundredths of a second, against a threshold between the file's own silence and its own sound. */

import type { Stretch } from './containers/sound-facts.ts';

const framesPerSecond = 100;
/** Fifty decibels below full scale: what is quieter nobody hears as speech. */
const audibleLevel = 0.003;
const aboveNoise = 3;
const belowLoud = 0.25;
/** Words touch; only a longer pause parts two stretches. */
const pauseSecondsMin = 0.15;
/** A click is no sound of its own. */
const soundSecondsMin = 0.03;

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

  stretches(): Stretch[] {
    if (this.#count * 2 > this.#frameValues) this.#closeFrame();
    return findStretches(this.#levels.subarray(0, this.#frames), this.#frameSeconds);
  }

  /** The deviation and not the power: a constant offset makes no sound. */
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

function findStretches(levels: Float32Array, frameSeconds: number): Stretch[] {
  const threshold = thresholdOf(levels);
  const pauseFrames = Math.round(pauseSecondsMin / frameSeconds);
  const soundFrames = Math.round(soundSecondsMin / frameSeconds);
  const runs: { from: number; to: number }[] = [];
  for (let at = 0; at < levels.length; at++) {
    if ((levels[at] ?? 0) < threshold) continue;
    const last = runs.at(-1);
    if (last !== undefined && at - last.to < pauseFrames) last.to = at + 1;
    else runs.push({ from: at, to: at + 1 });
  }
  return runs
    .filter(({ from, to }) => to - from >= soundFrames)
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
