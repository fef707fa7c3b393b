/** Estimates the usage of a response from its frames: for a connection that ends before the provider reported it. */

import { type Usage, unknownUsage } from '../conversation/usage.ts';
import type { SessionFacts } from '../formats/openai-realtime/server-events.ts';
import { ReceivedAudio } from './transcripts/received-audio.ts';

/** Money for transcripts is held for so much audio at a time. */
const transcriptStepSeconds = 15;
const charactersPerToken = 4;
const inputTokensPerSecond = 10;
const outputTokensPerSecond = 20;
/** 16 bits at 24 kHz, the protocol's own default. */
const defaultBytesPerSecond = 48_000;

/** The assumed output of a response whose start was not seen. */
export const outputTokensLikely = 500;

export class Estimates {
  #inputRate = defaultBytesPerSecond;
  #outputRate = defaultBytesPerSecond;
  #sentCharacters = 0;
  #sentAudioBytes = 0;
  readonly received = new ReceivedAudio();
  /** The conversation up to the last response, as the provider counted it. */
  #heldTokens = 0;

  rates({ inputBytesPerSecond, outputBytesPerSecond }: SessionFacts): void {
    this.#inputRate = inputBytesPerSecond ?? this.#inputRate;
    this.#outputRate = outputBytesPerSecond ?? this.#outputRate;
  }

  /** Of a frame with audio only the audio counts. */
  sent({ characters, audioBytes }: { readonly characters: number; readonly audioBytes: number }): void {
    if (audioBytes === 0) this.#sentCharacters += characters;
    this.#sentAudioBytes += audioBytes;
    this.received.append(audioBytes);
  }

  responded({ input, output }: Usage): void {
    if (input.total === undefined) return;
    this.#heldTokens = input.total + (output.total ?? 0);
    this.#sentCharacters = 0;
    this.#sentAudioBytes = 0;
  }

  /** Of the transcript of so much audio. */
  transcriptOf(bytes: number): { readonly seconds: number; readonly usage: Usage } {
    const seconds = bytes / this.#inputRate;
    const audio = Math.ceil(seconds * inputTokensPerSecond);
    return { seconds, usage: { input: { total: audio, audio }, output: { total: audio } } };
  }

  get transcriptStep(): { readonly seconds: number; readonly usage: Usage } {
    return this.transcriptOf(transcriptStepSeconds * this.#inputRate);
  }

  get inputTokens(): number {
    return this.#heldTokens + Math.ceil(this.#sentCharacters / charactersPerToken) + this.#audioTokens;
  }

  get #audioTokens(): number {
    return Math.ceil((this.#sentAudioBytes / this.#inputRate) * inputTokensPerSecond);
  }

  usageOf({ characters, audioBytes }: { readonly characters: number; readonly audioBytes: number }): Usage {
    const audio = Math.ceil((audioBytes / this.#outputRate) * outputTokensPerSecond);
    const text = Math.ceil(characters / charactersPerToken);
    return {
      input: { total: this.inputTokens, audio: this.#audioTokens },
      output: { total: text + audio, text, audio },
    };
  }

  /** Asked for and not seen to begin: a provider that failed is not paid, one that was left may have worked. */
  unseen(code: string): { readonly usage: Usage; readonly estimated: boolean } {
    if (code === 'upstream_failed') return { usage: unknownUsage, estimated: false };
    const { input } = this.usageOf({ characters: 0, audioBytes: 0 });
    return { usage: { input, output: { total: outputTokensLikely } }, estimated: true };
  }
}

export function tokensOf({ input, output }: Usage): number {
  return (input.total ?? 0) + (output.total ?? 0);
}

/** Where a provider reports only one side, the other is estimated. */
export function filled(reported: Usage, guessed: Usage): Usage {
  if (reported.input.total !== undefined && reported.output.total !== undefined) return reported;
  return {
    input: reported.input.total === undefined ? guessed.input : reported.input,
    output: reported.output.total === undefined ? guessed.output : reported.output,
  };
}
