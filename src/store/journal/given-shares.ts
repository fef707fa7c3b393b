/**
 * The shares of budgets that workers have, as the process that decides on budgets knows them, and what workers recorded that
 * the tables may lack.
 */

import type { Generation } from './fold.ts';

/** Of one worker in one window of a budget. */
interface GivenShare {
  /** What it may still hold without asking. */
  room: bigint;
  /** Attempts that hold some of it: only the worker knows when they end. */
  open: number;
}

interface Unfolded {
  readonly generation: number;
  /** By window. */
  readonly changes: Map<string, bigint>;
}

export class GivenShares {
  /** By window, then by the worker's journal. */
  readonly #windows = new Map<string, Map<number, GivenShare>>();
  /** By journal, the oldest generation first. */
  readonly #unfolded = new Map<number, Unfolded[]>();
  readonly #whenEnded = new Map<number, (() => void)[]>();

  /** What workers may still hold in a window without asking. */
  roomIn(key: string): bigint {
    let room = 0n;
    for (const share of this.#windows.get(key)?.values() ?? []) room += share.room;
    return room;
  }

  /** The journals of the workers that have room in a window, or attempts whose ends they alone know. */
  holders(key: string): readonly number[] {
    return [...(this.#windows.get(key)?.keys() ?? [])];
  }

  give(key: string, journal: number, amount: bigint): void {
    this.#shareOf(key, journal).room += amount;
  }

  used(key: string, journal: number, amount: bigint, opened: number): void {
    const share = this.#shareOf(key, journal);
    share.room -= amount;
    share.open += opened;
    if (share.room === 0n && share.open === 0) this.#remove(key, journal);
  }

  recorded(key: string, { journal, generation }: Generation, change: bigint): void {
    if (change === 0n) return;
    let list = this.#unfolded.get(journal);
    if (list === undefined) {
      list = [];
      this.#unfolded.set(journal, list);
    }
    let last = list.at(-1);
    if (last?.generation !== generation) {
      last = { generation, changes: new Map() };
      list.push(last);
    }
    last.changes.set(key, (last.changes.get(key) ?? 0n) + change);
  }

  /** What tables lack that include these generations, by journal. */
  missingIn(key: string, generations: ReadonlyMap<number, number>): bigint {
    let missing = 0n;
    for (const change of this.#missing(key, generations)) missing += change;
    return missing;
  }

  /** The same, where any of it may be in the tables by the time they are read: what would lower their figures is left out. */
  mostMissingIn(key: string, generations: ReadonlyMap<number, number>): bigint {
    let missing = 0n;
    for (const change of this.#missing(key, generations)) if (change > 0n) missing += change;
    return missing;
  }

  *#missing(key: string, generations: ReadonlyMap<number, number>): Iterable<bigint> {
    for (const [journal, list] of this.#unfolded)
      for (const { generation, changes } of list)
        if (generation > (generations.get(journal) ?? 0)) yield changes.get(key) ?? 0n;
  }

  /** All figures that are read from now on include this generation, and those before it. */
  folded({ journal, generation }: Generation): void {
    const list = this.#unfolded.get(journal);
    while (list?.[0] !== undefined && list[0].generation <= generation) list.shift();
  }

  /** The worker is gone, and all that it recorded is in the tables. */
  ended(journal: number): void {
    for (const key of this.#windows.keys()) this.#remove(key, journal);
    this.#unfolded.delete(journal);
    for (const resolve of this.#whenEnded.get(journal) ?? []) resolve();
    this.#whenEnded.delete(journal);
  }

  /** At once for a worker that has no share, or none anymore. */
  untilEnded(journal: number): Promise<void> {
    if (![...this.#windows.values()].some((shares) => shares.has(journal))) return Promise.resolve();
    return new Promise((resolve) => {
      this.#whenEnded.set(journal, [...(this.#whenEnded.get(journal) ?? []), resolve]);
    });
  }

  #shareOf(key: string, journal: number): GivenShare {
    let window = this.#windows.get(key);
    if (window === undefined) {
      window = new Map();
      this.#windows.set(key, window);
    }
    let share = window.get(journal);
    if (share === undefined) {
      share = { room: 0n, open: 0 };
      window.set(journal, share);
    }
    return share;
  }

  #remove(key: string, journal: number): void {
    const window = this.#windows.get(key);
    window?.delete(journal);
    if (window?.size === 0) this.#windows.delete(key);
  }
}
