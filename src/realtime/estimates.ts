/** What a response probably used, from the frames alone: for when a side dies before the provider has said it. */

import type { Usage } from '../conversation/usage.ts';
import type { SessionFacts } from '../formats/openai-realtime/server-events.ts';

const charactersPerToken = 4;
const inputTokensPerSecond = 10;
const outputTokensPerSecond = 20;
/** 16 bits at 24 kHz, the protocol's own default. */
const defaultBytesPerSecond = 48_000;

export class Estimates {
  #inputRate = defaultBytesPerSecond;
  #outputRate = defaultBytesPerSecond;
  #sentCharacters = 0;
  #sentSoundBytes = 0;
  /** The conversation up to the last response, as the provider counted it. */
  #heldTokens = 0;

  rates({ inputBytesPerSecond, outputBytesPerSecond }: SessionFacts): void {
    this.#inputRate = inputBytesPerSecond ?? this.#inputRate;
    this.#outputRate = outputBytesPerSecond ?? this.#outputRate;
  }

  /** Of a frame with sound only the sound counts. */
  sent({ characters, soundBytes }: { readonly characters: number; readonly soundBytes: number }): void {
    if (soundBytes > 0) this.#sentSoundBytes += soundBytes;
    else this.#sentCharacters += characters;
  }

  responded({ input, output }: Usage): void {
    if (input.total === undefined) return;
    this.#heldTokens = input.total + (output.total ?? 0);
    this.#sentCharacters = 0;
    this.#sentSoundBytes = 0;
  }

  get inputTokens(): number {
    return this.#heldTokens + Math.ceil(this.#sentCharacters / charactersPerToken) + this.#soundTokens;
  }

  get #soundTokens(): number {
    return Math.ceil((this.#sentSoundBytes / this.#inputRate) * inputTokensPerSecond);
  }

  usageOf({ characters, soundBytes }: { readonly characters: number; readonly soundBytes: number }): Usage {
    const sound = Math.ceil((soundBytes / this.#outputRate) * outputTokensPerSecond);
    const text = Math.ceil(characters / charactersPerToken);
    return {
      input: { total: this.inputTokens, audio: this.#soundTokens },
      output: { total: text + sound, text, audio: sound },
    };
  }
}
