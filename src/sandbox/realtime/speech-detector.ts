/** Detects the start and end of speech from the level of the audio, however it is split into messages. */

interface DetectorOptions {
  readonly rateHz: number;
  /** From 0 (a whisper counts as speech) to 1 (only a loud voice does). */
  readonly threshold: number;
  readonly prefixPaddingMs: number;
  readonly silenceMs: number;
}

export type SpeechChange =
  /** The start of speech with its padding, counted from the first sample. */
  | { readonly kind: 'started'; readonly atMs: number }
  /** The end of the silence that ended the speech; that silence does not count as speech. */
  | { readonly kind: 'stopped'; readonly atMs: number; readonly speechSeconds: number };

const frameMs = 10;
/** A click is not speech and does not end a silence. */
const startFrames = 5;
const clickFrames = 3;
/** A shorter pause belongs to the speech. */
const pauseFrames = 15;
/** Shares of full scale: anything quieter is not speech, anything louder is not background. */
const audibleLevel = 0.003;
const backgroundLevelMax = 0.05;
const aboveBackground = 3;
/** The background follows the quietest recent level; it may rise by 1 % per frame. */
const backgroundGrowth = 1.01;
const backgroundRise = 1e-6;

export class SpeechDetector {
  readonly #options: DetectorOptions;
  readonly #frameSamples: number;
  readonly #levelMin: number;
  #count = 0;
  #sum = 0;
  #squares = 0;
  #frames = 0;
  #background = audibleLevel / aboveBackground;
  #speaking = false;
  #loudRun = 0;
  #quietRun = 0;
  #lastLoudFrame = Number.NEGATIVE_INFINITY;
  #speechFrames = 0;

  constructor(options: DetectorOptions) {
    this.#options = options;
    this.#frameSamples = (options.rateHz * frameMs) / 1_000;
    // A threshold of 0.5 is 40 dB below full scale.
    this.#levelMin = Math.max(audibleLevel, 0.04 * options.threshold ** 2);
  }

  get speaking(): boolean {
    return this.#speaking;
  }

  /** Of the current turn, without pauses. */
  get speechSeconds(): number {
    return (this.#speechFrames * frameMs) / 1_000;
  }

  add(samples: Int16Array): SpeechChange[] {
    const changes: SpeechChange[] = [];
    for (const sample of samples) {
      this.#sum += sample;
      this.#squares += sample * sample;
      if (++this.#count < this.#frameSamples) continue;
      const change = this.#closeFrame();
      if (change !== undefined) changes.push(change);
    }
    return changes;
  }

  /** Begins a new turn; the background level is kept. */
  reset(): void {
    this.#speaking = false;
    this.#loudRun = 0;
    this.#quietRun = 0;
    this.#speechFrames = 0;
    this.#lastLoudFrame = Number.NEGATIVE_INFINITY;
  }

  /** The standard deviation rather than the power: a constant offset is silent. */
  #closeFrame(): SpeechChange | undefined {
    const mean = this.#sum / this.#count;
    const level = Math.sqrt(Math.max(0, this.#squares / this.#count - mean * mean)) / 32_768;
    this.#count = 0;
    this.#sum = 0;
    this.#squares = 0;
    this.#frames++;
    this.#background = Math.min(level, this.#background * backgroundGrowth + backgroundRise);
    const threshold = Math.max(this.#levelMin, Math.min(backgroundLevelMax, this.#background * aboveBackground));
    return this.#judge(level >= threshold);
  }

  #judge(loud: boolean): SpeechChange | undefined {
    this.#loudRun = loud ? this.#loudRun + 1 : 0;
    this.#quietRun = this.#loudRun >= clickFrames ? 0 : this.#quietRun + 1;
    if (loud) this.#tally();
    if (!this.#speaking && this.#loudRun >= startFrames) {
      this.#speaking = true;
      this.#speechFrames = this.#loudRun;
      const onsetMs = (this.#frames - this.#loudRun) * frameMs;
      return { kind: 'started', atMs: Math.max(0, onsetMs - this.#options.prefixPaddingMs) };
    }
    if (this.#speaking && this.#quietRun * frameMs >= this.#options.silenceMs) {
      const { speechSeconds } = this;
      this.reset();
      return { kind: 'stopped', atMs: this.#frames * frameMs, speechSeconds };
    }
    return undefined;
  }

  #tally(): void {
    const sinceLoud = this.#frames - this.#lastLoudFrame;
    this.#speechFrames += sinceLoud <= pauseFrames ? sinceLoud : 1;
    this.#lastLoudFrame = this.#frames;
  }
}
