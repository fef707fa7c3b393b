/** Counts of durations as the text of a cell: many cells are summed at once, and a map of each would take ten times the memory. */

import { addDurations, addWrittenBins, type Bins, writeBins } from '../durations.ts';

/** A text that has grown by so much more than its half is written again. */
const slackCharacters = 256;

export const binsOfDurations = (durations: string): string => {
  const bins: Bins = new Map();
  addDurations(bins, durations);
  return writeBins(bins);
};

export class WrittenBins {
  #text = '';
  #compactAt = slackCharacters;

  /** Two texts of bins are added by writing one behind the other. */
  add(written: string): void {
    if (written === '') return;
    this.#text = this.#text === '' ? written : `${this.#text} ${written}`;
    if (this.#text.length > this.#compactAt) this.text();
  }

  /** Takes away what was added before. */
  without(written: string): void {
    const bins = binsIn(this.#text);
    for (const [bin, count] of binsIn(written)) {
      const left = (bins.get(bin) ?? 0) - count;
      if (left === 0) bins.delete(bin);
      else bins.set(bin, left);
    }
    this.#text = writeBins(bins);
  }

  /** Each bin once. */
  text(): string {
    this.#text = writeBins(binsIn(this.#text));
    this.#compactAt = 2 * this.#text.length + slackCharacters;
    return this.#text;
  }
}

function binsIn(text: string): Bins {
  const bins: Bins = new Map();
  addWrittenBins(bins, text);
  return bins;
}
