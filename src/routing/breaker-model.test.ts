/** Random schedules against a model that knows every request by name: whatever the order of ends, only a probe closes what is open, and there is one at a time. */

import { expect, test } from 'bun:test';
import { sized } from '../../test/harness/size.ts';
import { Breaker, type BreakerRules, type Turn } from './breaker.ts';

const rules: BreakerRules = {
  windowMs: 1_000,
  failuresMin: 3,
  failureShare: 0.5,
  failuresInRow: 6,
  openMs: 100,
  openMsMax: 400,
};
const sliceMs = rules.windowMs / 10;

interface Asked {
  readonly turn: Turn;
  /** Spans are separated by probes; undefined for a request that began while the breaker was open. */
  readonly span: number | undefined;
}

/** Keeps every end that counts and looks through all of them, where the breaker keeps sums. */
class Model {
  untilMs = 0;
  ownMs = 0;
  probe: Asked | undefined;
  span = 0;
  #openings = 0;
  #ends: { readonly slice: number; readonly good: boolean }[] = [];
  #inRow = 0;

  admits(nowMs: number): boolean {
    return this.untilMs === 0 || (nowMs >= this.untilMs && this.probe === undefined);
  }

  enter(turn: Turn, nowMs: number): Asked {
    if (this.untilMs === 0) return { turn, span: this.span };
    if (!this.admits(nowMs)) return { turn, span: undefined };
    this.probe = { turn, span: ++this.span };
    return this.probe;
  }

  end(asked: Asked, how: 'succeeded' | 'failed' | 'trip' | 'answered' | 'abandoned', nowMs: number): void {
    const isProbe = asked === this.probe;
    if (this.untilMs !== 0) {
      if (!isProbe) return;
      if (how === 'succeeded' || how === 'answered') this.#close();
      else if (how === 'abandoned') this.probe = undefined;
      else this.#open(nowMs);
      return;
    }
    if (asked.span !== this.span || how === 'abandoned' || how === 'answered') return;
    if (how === 'trip') {
      this.#open(nowMs);
      return;
    }
    const slice = Math.floor(nowMs / sliceMs);
    this.#ends = [...this.#ends.filter((end) => end.slice > slice - 10), { slice, good: how === 'succeeded' }];
    this.#inRow = how === 'succeeded' ? 0 : this.#inRow + 1;
    const bad = this.#ends.filter(({ good }) => !good).length;
    const isMost = bad >= rules.failuresMin && bad >= rules.failureShare * this.#ends.length;
    if (how === 'failed' && (isMost || this.#inRow >= rules.failuresInRow)) this.#open(nowMs);
  }

  openUntil(untilMs: number): void {
    if (untilMs <= this.untilMs) return;
    this.untilMs = untilMs;
    this.probe = undefined;
  }

  takeBack(nowMs: number): void {
    if (this.untilMs === 0) return;
    if (this.ownMs <= nowMs) this.#close();
    else this.untilMs = this.ownMs;
  }

  #open(nowMs: number): void {
    this.untilMs = this.ownMs = nowMs + Math.min(rules.openMsMax, rules.openMs * 2 ** this.#openings++);
    this.probe = undefined;
  }

  #close(): void {
    this.untilMs = this.ownMs = this.#openings = this.#inRow = 0;
    this.probe = undefined;
    this.#ends = [];
  }
}

/** Small and the same everywhere, so that a schedule that fails can be run again. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const ends = ['succeeded', 'succeeded', 'failed', 'failed', 'failed', 'trip', 'abandoned', 'answered'] as const;

function run(seed: number): void {
  const random = randomOf(seed);
  const breaker = new Breaker(rules);
  const model = new Model();
  const inFlight: Asked[] = [];
  let nowMs = 0;
  const happened: string[] = [];
  for (let step = 0; step < 300; step++) {
    nowMs += random() < 0.5 ? 0 : Math.floor(random() * 120);
    const kind = random();
    const probe = model.probe;
    const wasOpen = model.untilMs !== 0;
    if (kind < 0.5) inFlight.push(model.enter(breaker.enter(nowMs), nowMs));
    else if (kind < 0.92 && inFlight.length > 0) {
      const [asked] = inFlight.splice(Math.floor(random() * inFlight.length), 1) as [Asked];
      const how = ends[Math.floor(random() * ends.length)] ?? 'failed';
      if (how === 'answered') inFlight.push(asked);
      happened.push(`${nowMs} ${how} ${asked.turn}`);
      breaker[how](asked.turn, nowMs);
      model.end(asked, how, nowMs);
      if (wasOpen && breaker.openUntilMs === 0) expect([seed, asked === probe]).toEqual([seed, true]);
    } else if (kind < 0.96) {
      const untilMs = nowMs + Math.floor(random() * 500);
      breaker.openUntil(untilMs);
      model.openUntil(untilMs);
    } else {
      breaker.takeBack(nowMs);
      model.takeBack(nowMs);
    }
    const shown = [breaker.openUntilMs, breaker.ownUntilMs, breaker.admits(nowMs)];
    const wanted = [model.untilMs, model.ownMs, model.admits(nowMs)];
    expect({ seed, step, shown, happened: happened.slice(-8) }).toEqual({
      seed,
      step,
      shown: wanted,
      happened: happened.slice(-8),
    });
  }
}

const schedules = sized(150, 600);

test(`${schedules} schedules of 300 steps end as the model says`, () => {
  for (let seed = 1; seed <= schedules; seed++) run(seed);
});
