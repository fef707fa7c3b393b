/** Values as traffic has them, drawn from a seed: counts around a mean, sizes with a long tail, a few frequent choices. */

import { Random } from '../../test/harness/random.ts';

export class Draws extends Random {
  /** The same text draws the same values. */
  static of(text: string): Draws {
    return new Draws(Bun.hash.crc32(text));
  }

  /** Of the normal distribution (Box and Muller). */
  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
  }

  /** Log-normal: half of them are below the median, and some are many times larger. */
  size(median: number, spread: number, most: number): number {
    return Math.max(1, Math.min(most, Math.round(median * Math.exp(spread * this.normal()))));
  }

  /** How many of something happen that happens so often on average. */
  count(mean: number): number {
    return Math.max(0, Math.round(mean + Math.sqrt(mean) * this.normal()));
  }

  weighted<Item>(choices: readonly (readonly [weight: number, item: Item])[]): Item {
    let left = this.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, item] of choices) {
      left -= weight;
      if (left < 0) return item;
    }
    const last = choices.at(-1);
    if (last === undefined) throw new Error('There is nothing to choose from.');
    return last[1];
  }

  /** From 0 on, the smaller the more frequent. */
  rank(below: number): number {
    return Math.floor(below * this.next() ** 2.5);
  }
}
