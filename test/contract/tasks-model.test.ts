/** Random operations on tasks beside a model: after each both answer the same, and in the end both hold the same. */

import { expect } from 'bun:test';
import type { BudgetScope, OpeningVerdict } from '../../src/ledger/ledger.ts';
import type { Store } from '../../src/store/store.ts';
import type { Task } from '../../src/tasks/task.ts';
import { needing } from '../harness/needs.ts';
import { Random } from '../harness/random.ts';
import { sized } from '../harness/size.ts';
import { checkMoney, engines, type StorePlace } from '../harness/store-places.ts';
import { type ModelTask, TaskModel } from '../harness/task-model.ts';
import { aBeginning, aClosing, aGuess, anEnd, aStep } from '../harness/task-records.ts';

const providers = ['a', 'b', 'c'];
const tokens = ['one', 'two'];
const leaseMs = 60_000;

/** What a caller can see of a model's task. */
const shown = ({ dueAtMs: _, leased: _leased, ends: _ends, ...task }: ModelTask): Task => task;
const scopeOf = ({ admitted, ...rest }: OpeningVerdict & { scope?: string }) => (admitted ? undefined : rest.scope);

/** Their order is not that of their names. */
const scopeNames = ['team:t#day', 'org:org#total', 'token:x', 'person:a#requests', 'org:org#tokens'] as const;
const scopeUnits = ['usd', 'usd', 'usd', 'requests', 'tokens'] as const;
const limitsMost = [120_000n, 360_000n, 600_000n, 240n, 30_000n];

const scopeAt = (index: number, limit: bigint): BudgetScope => ({
  scope: scopeNames[index] ?? '',
  unit: scopeUnits[index] ?? 'usd',
  limit,
  windowStartMs: index === 0 ? 86_400_000 : 0,
});

class Play {
  readonly random: Random;
  readonly store: Store;
  readonly model = new TaskModel();
  readonly ends = new Map<string, number>();
  now: number;
  serial = 0;
  limits = limitsMost.map((most) => most / 3n);

  constructor(store: Store, seed: number, startMs: number) {
    this.store = store;
    this.random = new Random(seed);
    this.now = startMs;
  }

  scopes(): BudgetScope[] {
    return this.random.some(
      this.limits.map((limit, index) => scopeAt(index, limit)),
      0.7,
    );
  }

  money() {
    const { random } = this;
    return { scopes: this.scopes(), reserveNano: BigInt(random.int(0, 6_000)), reserveTokens: random.int(0, 300) };
  }

  /** Any task, or the name of one that is gone. */
  pick(): { id: string; task: ModelTask | undefined } {
    const all = [...this.model.tasks.values()];
    if (all.length === 0 || this.random.chance(0.03)) return { id: 'gone', task: undefined };
    const task = this.random.pick(all);
    return { id: task.id, task };
  }

  /** Mostly the right one. */
  version(task: ModelTask | undefined): number {
    return (task?.version ?? 1) - (this.random.chance(0.15) ? 1 : 0);
  }

  closing(task: ModelTask | undefined, costNano: bigint, estimated = false) {
    const named = task ?? { attemptId: 'gone', requestId: 'gone', tokenId: 'one' };
    // Once in a while an attempt that the task no longer has.
    const attemptId = this.random.chance(0.03) ? 'another' : named.attemptId;
    const tokens = this.random.chance(0.5) ? this.random.int(0, 400) : undefined;
    const verdict = this.random.chance(0.3) ? 'refused' : '';
    return aClosing({ task: { ...named, attemptId } }, costNano, { estimated, atMs: this.now, tokens, verdict });
  }

  async create(): Promise<void> {
    const { random, now } = this;
    const given = {
      tokenId: random.pick(tokens),
      provider: random.pick(providers),
      createdAtMs: now,
      dueAtMs: now + random.int(0, 30_000),
    };
    const { task, opening } = aBeginning(given, this.money());
    const openMax = random.int(5, 40);
    const expected = this.model.create(opening, task, openMax);
    expect(scopeOf(await this.store.tasks.create(opening, task, openMax))).toBe(expected);
  }

  async move(): Promise<void> {
    const { id, task } = this.pick();
    this.serial += 1;
    const attemptId = `moved-${this.serial}`;
    const { opening, task: sample } = aBeginning({ provider: this.random.pick(providers) }, this.money());
    const to = { attemptId, provider: opening.provider, keyId: 'k2', upstreamModel: 'm2', terms: sample.terms };
    const closing = { ...this.closing(task, 0n), row: undefined };
    const next = { ...opening, attemptId, requestId: task?.requestId ?? 'gone' };
    const expected = this.model.move(id, closing, next, to);
    expect(scopeOf(await this.store.tasks.move(id, closing, next, to))).toBe(expected);
  }

  async discard(): Promise<void> {
    const { id, task } = this.pick();
    const closing = this.closing(task, 0n);
    this.model.discard(id, closing);
    await this.store.tasks.discard(id, closing);
  }

  async claim(): Promise<void> {
    const provider = this.random.pick(providers);
    const limit = this.random.int(1, 5);
    const expected = this.model.claim(provider, this.now, leaseMs, limit).map(shown);
    const taken = await this.store.tasks.claim(provider, this.now, leaseMs, limit);
    const byId = (a: Task, b: Task) => (a.id < b.id ? -1 : 1);
    expect(taken.toSorted(byId)).toEqual(expected.toSorted(byId));
  }

  async step(): Promise<void> {
    const { id, task } = this.pick();
    const { random } = this;
    const step = aStep({
      state: random.pick(['queued', 'in_progress']),
      percent: random.int(0, 100),
      ticket: random.chance() ? { id: random.token() } : undefined,
      faults: random.int(0, 3),
      dueAtMs: this.now + random.int(0, 30_000),
    });
    const version = this.version(task);
    expect(await this.store.tasks.step(id, version, step)).toBe(this.model.step(id, version, step));
  }

  async renew(): Promise<void> {
    const { id, task } = this.pick();
    const dueAtMs = this.now + this.random.int(0, 90_000);
    const version = this.version(task);
    expect(await this.store.tasks.renew(id, version, dueAtMs)).toBe(this.model.renew(id, version, dueAtMs));
  }

  async end(): Promise<void> {
    const { id, task } = this.pick();
    const guesses = this.random.chance(0.4);
    const atMs = this.now;
    const end = guesses ? aGuess({ atMs, dueAtMs: atMs + 40_000 }) : anEnd({ atMs, expiresAtMs: atMs + 90_000 });
    const closing = this.closing(task, BigInt(this.random.int(0, 5_000)), guesses);
    const version = this.version(task);
    const ended = await this.store.tasks.end(id, version, end, closing, undefined);
    expect(ended).toBe(this.model.end(id, version, end, closing));
    if (ended) this.ends.set(id, (this.ends.get(id) ?? 0) + 1);
  }

  async correct(): Promise<void> {
    const { id, task } = this.pick();
    const end = anEnd({ atMs: this.now, expiresAtMs: this.now + 90_000 });
    const closing = this.closing(task, BigInt(this.random.int(0, 9_000)));
    const version = this.version(task);
    const corrected = await this.store.tasks.correct(id, version, end, closing, undefined);
    expect(corrected).toBe(this.model.correct(id, version, end, closing));
  }

  async settleGuess(): Promise<void> {
    const { id, task } = this.pick();
    const version = this.version(task);
    expect(await this.store.tasks.settleGuess(id, version)).toBe(this.model.settleGuess(id, version));
  }

  async hasten(): Promise<void> {
    const { id } = this.pick();
    expect(await this.store.tasks.hasten(id, this.now)).toBe(this.model.hasten(id, this.now));
  }

  async remove(): Promise<void> {
    const { id } = this.pick();
    const tokenId = this.random.pick(tokens);
    expect(await this.store.tasks.remove(tokenId, id, this.now)).toBe(this.model.remove(tokenId, id, this.now));
  }

  async clearAway(): Promise<void> {
    const limit = this.random.int(1, 4);
    const gone = await this.store.tasks.expire(this.now, limit);
    expect(gone.map(({ id }) => id).toSorted()).toEqual(this.model.expire(this.now, limit).toSorted());
    const before = this.now - 200_000;
    expect(await this.store.tasks.forget(before, limit)).toBe(this.model.forget(before, limit));
  }

  async look(): Promise<void> {
    const { id, task } = this.pick();
    expect(await this.store.tasks.find(id)).toEqual(task && shown(task));
    const seen = task?.deletedAtMs === undefined ? task : undefined;
    expect(await this.store.tasks.get(task?.tokenId ?? 'one', id)).toEqual(seen && shown(seen));
    const due = new Set<string>();
    for (const { dueAtMs, provider } of this.model.tasks.values()) {
      if (dueAtMs !== undefined && dueAtMs <= this.now) due.add(provider);
    }
    expect((await this.store.tasks.dueProviders(this.now)).toSorted()).toEqual([...due].toSorted());
    expect(await this.store.tasks.openCount()).toBe(this.model.open().length);
  }

  async elapse(): Promise<void> {
    this.now += this.random.int(0, 20_000);
    if (!this.random.chance(0.1)) return;
    const index = this.random.int(0, limitsMost.length - 1);
    this.limits[index] = BigInt(this.random.int(0, Number(limitsMost[index])));
  }

  async compare(): Promise<void> {
    for (const task of this.model.tasks.values()) expect(await this.store.tasks.find(task.id)).toEqual(shown(task));
    for (const [index, limit] of this.limits.entries()) {
      const scope = scopeAt(index, limit);
      const { spentNano, heldNano } = await this.store.budgets.read(scope.scope, scope.windowStartMs);
      expect({ scope, spent: spentNano, held: heldNano }).toEqual({ scope, ...this.model.balance(scope) });
    }
  }
}

/** How often each is done among 100. */
const moves = [
  [20, 'create'],
  [6, 'move'],
  [3, 'discard'],
  [12, 'claim'],
  [20, 'step'],
  [3, 'renew'],
  [11, 'end'],
  [6, 'correct'],
  [2, 'settleGuess'],
  [3, 'hasten'],
  [2, 'remove'],
  [3, 'clearAway'],
  [3, 'look'],
  [6, 'elapse'],
] as const;
const deck = moves.flatMap(([often, name]) => Array.from({ length: often }, () => name));

async function play(place: StorePlace, seed: number, operations: number): Promise<void> {
  const startMs = 200 * 86_400_000;
  let game: Play | undefined;
  const store = await place.open(() => game?.now ?? startMs);
  await store.instances.register();
  game = new Play(store, seed, startMs);
  for (let done = 0; done < operations; done += 1) {
    await game[game.random.pick(deck)]();
    if (done % 500 === 0) await game.compare();
  }
  await game.compare();
  expect((await checkMoney(place)).differing).toEqual([]);
  expect(game.ends.size).toBeGreaterThan(operations / 40);
  expect([...game.ends.values()].every((times) => times === 1)).toBe(true);
  const rows = await place.query('SELECT request_id, cost_nano FROM usage_rows');
  expect(new Map(rows.map(([id, cost]) => [String(id), cost as bigint]))).toEqual(game.model.charged);
}

const sizes = { sqlite: sized(2_000, 6_000), postgres: sized(1_000, 2_500) };

for (const engine of engines) {
  const { test } = needing(engine.name);
  test(`${sizes[engine.name]} random operations on tasks leave what the model has on ${engine.name}`, async () => {
    const place = await engine.place();
    try {
      await play(place, 20_270_105, sizes[engine.name]);
    } finally {
      await place.dispose();
    }
  }, 300_000);
}
