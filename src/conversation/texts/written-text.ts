/** What a model wrote, kept only as far as an estimate of its tokens needs it: a stream may be longer than memory. */

const sampleCharactersMax = 32_768;
const piecesPerFlattening = 256;

export class WrittenText {
  #sample = '';
  #pieces = 0;
  /** All characters, those beyond the sample included. */
  characters = 0;

  add(text: string): void {
    if (text === '') return;
    this.characters += text.length;
    if (this.#sample.length >= sampleCharactersMax) return;
    this.#sample += text;
    // Joined strings are ropes until they are flattened, and a rope of small pieces takes many times its text.
    this.#pieces += 1;
    if (this.#pieces % piecesPerFlattening === 0) this.#sample.charCodeAt(0);
  }

  /** The beginning of the text, or all of it. */
  get sample(): string {
    return this.#sample;
  }

  /** How many times the sample fits into the whole. */
  get scale(): number {
    return this.#sample === '' ? 1 : this.characters / this.#sample.length;
  }
}
