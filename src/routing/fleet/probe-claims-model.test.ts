/**
 * Random schedules of several replicas that share one state: requests, failures, answers that take a while, replicas that
 * die. Whatever the order, there is one probe at a time, only a successful one closes a circuit, and then all are closed.
 */

import { expect, test } from 'bun:test';
import { MemoryFleetState } from '../../../test/harness/memory-fleet-state.ts';
import { scriptedProvider } from '../../../test/harness/scripted-targets.ts';
import { sized } from '../../../test/harness/size.ts';
import { strayTurn, type Turn } from '../breaker.ts';
import { Catalogue } from '../catalogue.ts';
import type { Health } from '../health.ts';
import { KeyRing } from '../keys.ts';
import { type ChangeList, type FleetPart, type FleetReading, FleetView } from './fleet-state.ts';
import { HealthNotices } from './health-notices.ts';
import { healthSource } from './health-source.ts';
import { ProbeClaims } from './probe-claims.ts';

const replicasMax = 4;
const lookEveryMs = 100;
const answerMsMax = 200;
/** A notice that a replica reads may have been removed so long before. */
const staleMs = 2 * (lookEveryMs + answerMsMax);

interface Request {
  readonly turn: Turn;
  readonly isProbe: boolean;
}

class Replica {
  readonly health: Health;
  readonly requests: Request[] = [];
  readonly #view = new FleetView();
  readonly #parts: readonly FleetPart[];
  readonly #state: MemoryFleetState;
  #answer: { readonly atMs: number; readonly reading: FleetReading } | undefined;
  #lookAtMs = 0;
  /** Since when its circuit is not closed. */
  openSinceMs: number | undefined;

  constructor(state: MemoryFleetState) {
    const catalogue = new Catalogue([scriptedProvider({ name: 'up', keys: ['one'] })], []);
    const source = healthSource(catalogue, new KeyRing());
    const claims = new ProbeClaims(source, this.#view, () => {
      this.#lookAtMs = 0;
    });
    catalogue.shareProbes((name) => claims.turnsOf('target', name));
    this.#state = state;
    this.#parts = [new HealthNotices(source), claims];
    this.health = catalogue.home('up', 'm')?.health as Health;
  }

  /** Sends what is due, or takes the answer of what was sent. */
  async exchange(nowMs: number, delayMs: number): Promise<void> {
    if (this.#answer !== undefined) {
      if (nowMs < this.#answer.atMs) return;
      const { reading } = this.#answer;
      this.#answer = undefined;
      this.#view.take(reading, nowMs);
      for (const part of this.#parts) part.incoming(this.#view, nowMs, reading.claimed);
    }
    if (nowMs < this.#lookAtMs) return;
    this.#lookAtMs = nowMs + lookEveryMs;
    const changes: ChangeList = { remove: [], put: [], claim: [] };
    for (const part of this.#parts) part.outgoing(changes, this.#view, nowMs);
    this.#answer = { atMs: nowMs + delayMs, reading: await this.#state.exchange(changes, this.#view.revision) };
  }

  ask(nowMs: number): void {
    if (!this.health.admits(nowMs)) return;
    const isProbe = this.health.breakerState(nowMs) === 'half-open';
    const turn = this.health.enter(nowMs);
    expect(turn).not.toBe(strayTurn);
    this.requests.push({ turn, isProbe });
  }

  get probes(): number {
    return this.requests.filter(({ isProbe }) => isProbe).length;
  }
}

function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

async function run(seed: number): Promise<{ readonly probes: number; readonly deaths: number }> {
  const random = randomOf(seed);
  const below = (most: number): number => Math.floor(random() * most);
  let nowMs = 1_000;
  const state = new MemoryFleetState(() => nowMs);
  const replicas = Array.from({ length: 2 + below(replicasMax - 1) }, () => new Replica(state));
  let succeededAtMs = 0;
  const counts = { probes: 0, deaths: 0 };
  let isWell = false;
  let dies = true;

  const end = (replica: Replica): void => {
    const [request] = replica.requests.splice(below(replica.requests.length), 1);
    if (request === undefined) return;
    const wasClosed = replica.health.breakerState(nowMs) === 'closed';
    if (isWell) replica.health.succeeded(request.turn, nowMs);
    else if (random() < 0.15) replica.health.abandoned(request.turn);
    else replica.health.failed(request.turn, nowMs);
    if (isWell && !wasClosed && replica.health.breakerState(nowMs) === 'closed') {
      expect([seed, request.isProbe]).toEqual([seed, true]);
      succeededAtMs = nowMs;
    }
  };
  const step = async (): Promise<void> => {
    nowMs += below(60);
    const replica = replicas[below(replicas.length)] as Replica;
    const kind = random();
    // A request that may probe does so at once: what is given up is tested by itself.
    for (const each of replicas) if (each.health.breakerState(nowMs) === 'half-open') each.ask(nowMs);
    if (kind < 0.5) replica.ask(nowMs);
    else if (kind < 0.97) end(replica);
    else if (dies) {
      replicas[replicas.indexOf(replica)] = new Replica(state);
      counts.deaths++;
    }
    for (const each of replicas) await each.exchange(nowMs, below(answerMsMax));
    const probes = replicas.reduce((sum, each) => sum + each.probes, 0);
    counts.probes += probes;
    expect([seed, probes <= 1]).toEqual([seed, true]);
    for (const each of replicas) {
      if (each.health.breakerState(nowMs) !== 'closed') each.openSinceMs ??= nowMs;
      else if (each.openSinceMs !== undefined) {
        expect([seed, succeededAtMs > each.openSinceMs - staleMs]).toEqual([seed, true]);
        each.openSinceMs = undefined;
      }
    }
  };

  for (let steps = 0; steps < 400; steps++) {
    if (random() < 0.02) isWell = !isWell;
    await step();
  }
  isWell = true;
  dies = false;
  const isOver = (): boolean => replicas.every(({ health }) => health.breakerState(nowMs) === 'closed');
  // The longest time that a circuit is open, and a lease.
  const untilMs = nowMs + 200_000;
  while (!isOver() && nowMs < untilMs) await step();
  expect([seed, isOver()]).toEqual([seed, true]);
  return counts;
}

const schedules = sized(60, 400);

test(`${schedules} schedules: one probe at a time, closed by a successful one alone, and then at all replicas`, async () => {
  let probes = 0;
  let deaths = 0;
  for (let seed = 1; seed <= schedules; seed++) {
    const counts = await run(seed);
    probes += counts.probes;
    deaths += counts.deaths;
  }
  // The schedules contain what they are about.
  expect(probes).toBeGreaterThan(schedules);
  expect(deaths).toBeGreaterThan(schedules);
});
