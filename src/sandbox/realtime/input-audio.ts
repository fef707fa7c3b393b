/** The input audio buffer. Only the length of the audio and of its speech is kept. */

import { type AudioFormat, rateOf } from './protocol/audio-format.ts';
import { ProtocolFault } from './protocol/faults.ts';
import type { TurnDetection } from './protocol/settings.ts';
import { type SpeechChange, SpeechDetector } from './speech-detector.ts';

export interface AudioLengths {
  readonly seconds: number;
  /** Without silence before, after and between. */
  readonly speechSeconds: number;
}

export type TurnChange =
  | { readonly kind: 'started'; readonly atMs: number }
  | { readonly kind: 'stopped'; readonly atMs: number; readonly lengths: AudioLengths };

/** How much audio may wait uncommitted, in bytes of the client's format. */
export const waitingBytesMax = 15 * 1024 * 1024;
const turnSecondsMin = 0.1;

/** The detection where the client has set none. */
const defaultDetection = { threshold: 0.5, prefixPaddingMs: 300, silenceMs: 500 };

export class InputAudio {
  readonly #rateHz: number;
  readonly #bytesPerSample: number;
  readonly #detects: boolean;
  readonly #prefixSamples: number;
  readonly #detector: SpeechDetector;
  /** The session time of the detector's first sample. */
  readonly #offsetMs: number;
  #samples = 0;
  #turnFrom = 0;
  /** Where the client commits turns itself, one turn may have several parts of speech. */
  #speechSeconds = 0;

  constructor(format: AudioFormat, detection: TurnDetection | undefined, offsetMs: number) {
    const request = detection ?? defaultDetection;
    this.#rateHz = rateOf(format);
    this.#bytesPerSample = format === 'audio/pcm' ? 2 : 1;
    this.#detects = detection !== undefined;
    this.#prefixSamples = (request.prefixPaddingMs * this.#rateHz) / 1_000;
    this.#detector = new SpeechDetector({ rateHz: this.#rateHz, ...request });
    this.#offsetMs = offsetMs;
  }

  /** The session time of the last sample. */
  get elapsedMs(): number {
    return this.#offsetMs + (this.#samples * 1_000) / this.#rateHz;
  }

  get speaking(): boolean {
    return this.#detects && this.#detector.speaking;
  }

  /** Throws where the buffer would become too large. */
  checkRoom(samples: number): void {
    if ((this.#waitingSamples + samples) * this.#bytesPerSample <= waitingBytesMax) return;
    const message = `More than ${waitingBytesMax} bytes of audio would wait. Commit or clear them first.`;
    throw new ProtocolFault('input_audio_buffer_full', message, 'audio');
  }

  append(samples: Int16Array): TurnChange[] {
    this.#samples += samples.length;
    const changes = this.#detector.add(samples);
    if (this.#detects) return changes.map((change) => this.#turnChange(change));
    for (const change of changes) if (change.kind === 'stopped') this.#speechSeconds += change.speechSeconds;
    return [];
  }

  commit(): AudioLengths {
    const seconds = this.#waitingSamples / this.#rateHz;
    if (seconds < turnSecondsMin) {
      const message =
        `The buffer is too small: at least ${turnSecondsMin * 1_000} ms of audio are needed, ` +
        `and ${(seconds * 1_000).toFixed(0)} ms wait.`;
      throw new ProtocolFault('input_audio_buffer_commit_empty', message);
    }
    const speechSeconds = this.#speechSeconds + this.#detector.speechSeconds;
    this.clear();
    return { seconds, speechSeconds };
  }

  clear(): void {
    this.#turnFrom = this.#samples;
    this.#speechSeconds = 0;
    this.#detector.reset();
  }

  /** Before speech begins, turn detection needs no more than the padding. */
  get #waitingSamples(): number {
    const waiting = this.#samples - this.#turnFrom;
    return this.#detects && !this.#detector.speaking ? Math.min(waiting, this.#prefixSamples) : waiting;
  }

  #turnChange(change: SpeechChange): TurnChange {
    const sample = (change.atMs * this.#rateHz) / 1_000;
    if (change.kind === 'started') {
      this.#turnFrom = Math.max(this.#turnFrom, sample);
      return { kind: 'started', atMs: Math.round(this.#offsetMs + (this.#turnFrom * 1_000) / this.#rateHz) };
    }
    const seconds = (sample - this.#turnFrom) / this.#rateHz;
    this.#turnFrom = sample;
    const lengths = { seconds, speechSeconds: change.speechSeconds };
    return { kind: 'stopped', atMs: Math.round(this.#offsetMs + change.atMs), lengths };
  }
}
