/** Reads one period slice by slice: first what its users and tags cost, then its sums, of which only the most expensive names are kept. */

import type { Driver } from '../../sql/driver.ts';
import type { Grain } from '../../usage/usage-grains.ts';
import { usersPerPeriodMax } from '../cell-views.ts';
import { NameTally, setKeeper } from './kept-names.ts';
import { PeriodCells } from './period-cells.ts';
import { marksOf, readSlice, type Slice, tallySlice } from './period-slices.ts';
import type { SliceSize } from './slice-size.ts';
import type { SummedPeriod } from './write-cells.ts';

interface KnownSlice {
  readonly slice: Slice;
  readonly hasUsers: boolean;
  readonly hasTags: boolean;
}

interface Kept {
  readonly users: readonly string[];
  readonly set: (tags: string) => string;
}

export class PeriodReader {
  readonly #driver: Driver;
  readonly #size: SliceSize;
  readonly #grain: Grain;
  readonly #startMs: number;
  readonly #cells = new PeriodCells();
  readonly #users = new NameTally();
  readonly #tags = new NameTally();
  readonly #slices: KnownSlice[] = [];
  #marks: readonly string[] | undefined;
  #kept: Kept | undefined;
  #summed = 0;

  constructor(driver: Driver, grain: Grain, startMs: number, size: SliceSize) {
    this.#driver = driver;
    this.#grain = grain;
    this.#startMs = startMs;
    this.#size = size;
  }

  /** Reads the next slice. The period, once all are read; undefined before. After an error the same slice is read again. */
  async next(): Promise<SummedPeriod | undefined> {
    this.#marks ??= await this.#driver.run(marksOf, this.#grain, this.#startMs);
    if (!this.#isTallied()) {
      await this.#tally();
      // What is one slice is read at once.
      if (!this.#isTallied() || this.#slices.length > 1) return undefined;
    }
    await this.#sum();
    if (this.#summed < this.#slices.length) return undefined;
    return { grain: this.#grain, startMs: this.#startMs, cells: this.#cells, marks: this.#marks };
  }

  get #endMs(): number {
    return this.#startMs + this.#grain;
  }

  #isTallied(): boolean {
    return this.#slices.at(-1)?.slice.toMs === this.#endMs;
  }

  async #tally(): Promise<void> {
    const { toMs: fromMs, toId: fromId } = this.#slices.at(-1)?.slice ?? { toMs: this.#startMs, toId: '' };
    const place = [this.#grain, fromMs, fromId, this.#endMs, this.#size.rows] as const;
    const { slice, users, tags } = await this.#size.watched(this.#driver.run(tallySlice, ...place));
    this.#users.add(users);
    this.#tags.add(tags);
    this.#slices.push({ slice, hasUsers: users.length > 0, hasTags: tags.length > 0 });
  }

  async #sum(): Promise<void> {
    const known = this.#slices[this.#summed];
    if (known === undefined) return;
    this.#kept ??= { users: [...this.#users.largest(usersPerPeriodMax)], set: setKeeper(this.#tags) };
    const { slice, hasUsers, hasTags } = known;
    const read = this.#driver.run(readSlice, this.#grain, slice, hasUsers ? this.#kept.users : [], hasTags);
    const summed = await this.#size.measured(read);
    this.#summed += 1;
    await this.#cells.add(summed, this.#kept.set);
  }
}
