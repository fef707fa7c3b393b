/** Simulated time: events in order of their time, processors that do work one piece after another, and seeded chance. */

export class Clock {
  nowMs = 0;
  #heap: { atMs: number; order: number; run: () => void }[] = [];
  #order = 0;

  after(delayMs: number, run: () => void): void {
    const heap = this.#heap;
    const event = { atMs: this.nowMs + delayMs, order: this.#order++, run };
    let at = heap.length;
    heap.push(event);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || isBefore(above, event)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = event;
  }

  /** Runs events until this time, or until there are none. */
  runUntil(endMs: number): void {
    for (let next = this.#heap[0]; next !== undefined && next.atMs <= endMs; next = this.#heap[0]) {
      this.#removeFirst();
      this.nowMs = next.atMs;
      next.run();
    }
    if (Number.isFinite(endMs)) this.nowMs = endMs;
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      let below = heap[child];
      const right = heap[child + 1];
      if (below === undefined) break;
      if (right !== undefined && isBefore(right, below)) {
        child += 1;
        below = right;
      }
      if (isBefore(last, below)) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = last;
  }
}

interface Ordered {
  readonly atMs: number;
  readonly order: number;
}

const isBefore = (left: Ordered, right: Ordered): boolean =>
  left.atMs < right.atMs || (left.atMs === right.atMs && left.order < right.order);

/** First in, first out, without moving what waits. */
export class Line<Item> {
  #items: Item[] = [];
  #first = 0;

  get length(): number {
    return this.#items.length - this.#first;
  }

  add(item: Item): void {
    this.#items.push(item);
  }

  take(): Item | undefined {
    const item = this.#items[this.#first];
    if (item === undefined) return undefined;
    this.#first += 1;
    if (this.#first > 1_024 && this.#first * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
    return item;
  }

  remove(item: Item): void {
    this.#items = this.#items.slice(this.#first).filter((one) => one !== item);
    this.#first = 0;
  }
}

interface Work {
  leftMs: number;
  readonly then: () => void;
}

/** Long work gives way to others after this long, as with a kernel's scheduler. */
const sliceMs = 1;

/** The cores of a machine: as much work at once as there are cores, the rest in order. */
export class Cores {
  busyMs = 0;
  readonly #clock: Clock;
  readonly #waiting = new Line<Work>();
  #free: number;

  constructor(clock: Clock, count: number) {
    this.#clock = clock;
    this.#free = count;
  }

  run(costMs: number, then: () => void): void {
    this.#waiting.add({ leftMs: costMs, then });
    this.#start();
  }

  #start(): void {
    while (this.#free > 0) {
      const work = this.#waiting.take();
      if (work === undefined) return;
      this.#free -= 1;
      const nowMs = Math.min(work.leftMs, sliceMs);
      this.busyMs += nowMs;
      this.#clock.after(nowMs, () => {
        this.#free += 1;
        work.leftMs -= nowMs;
        if (work.leftMs > 1e-9) this.#waiting.add(work);
        else work.then();
        this.#start();
      });
    }
  }
}

/** One thread: its work is done in order, on a core that others may use too. */
export class Thread {
  busyMs = 0;
  readonly #cores: Cores;
  readonly #waiting = new Line<Work>();
  #isBusy = false;

  constructor(cores: Cores) {
    this.#cores = cores;
  }

  run(costMs: number, then: () => void): void {
    this.#waiting.add({ leftMs: costMs, then });
    if (!this.#isBusy) this.#next();
  }

  #next(): void {
    const work = this.#waiting.take();
    this.#isBusy = work !== undefined;
    if (work === undefined) return;
    this.busyMs += work.leftMs;
    this.#cores.run(work.leftMs, () => {
      work.then();
      this.#next();
    });
  }
}

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
