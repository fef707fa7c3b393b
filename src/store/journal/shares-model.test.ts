/**
 * Shares of budgets against a serial model: workers that open and close attempts with their shares, messages that arrive late but
 * in order, journals that are folded at any time, figures that are read again, and workers that die. Nothing is admitted beyond
 * a limit, and nothing is refused that has room.
 */

import { describe, expect, test } from 'bun:test';
import { Random } from '../../../test/harness/random.ts';
import type { Amounts } from '../attempts/amounts.ts';
import type { ScopeRow } from '../attempts/scope-rows.ts';
import { BudgetMemory } from './budget-memory.ts';
import type { HeldBudgets } from './known-scopes.ts';
import type { ShareGrants, ShareReport } from './share-report.ts';
import { WorkerShares } from './worker-shares.ts';

const usd = (amount: number): Amounts => ({ usd: BigInt(amount), requests: 1n, tokens: 0n });
const later = () => new Promise<void>((resolve) => setImmediate(resolve));

interface Attempt {
  readonly rows: readonly ScopeRow[];
  readonly reserved: number;
  readonly held: HeldBudgets;
}

/** What is spent and held by the records of each journal, in one budget. */
type ByJournal = Map<number, number>;

/** An opening that waits for its decision, with the most that each journal had of its budgets meanwhile. */
interface Waiting {
  readonly rows: readonly ScopeRow[];
  readonly reserved: number;
  readonly most: ReadonlyMap<string, ByJournal>;
}

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, each) => total + each, 0);

interface Journal {
  generation: number;
  /** Changes of windows that the tables lack, by generation. */
  readonly records: { readonly generation: number; readonly scope: string; readonly amount: number }[];
}

/** Tables, the process that decides, and workers. */
class World {
  readonly random: Random;
  /** Spent and held, as the tables have it. */
  readonly tables = new Map<string, number>();
  /** The same as it is, by budget. */
  readonly truth = new Map<string, ByJournal>();
  readonly folded = new Map<number, number>();
  readonly journals = new Map<number, Journal>();
  readonly workers = new Map<number, ModelWorker>();
  readonly wrong: string[] = [];
  readonly waiting = new Set<Waiting>();
  readonly open: { readonly journal: number; readonly attempt: Attempt }[] = [];
  readonly memory: BudgetMemory;
  /** Queries in flight that move budgets in the tables. */
  moving = 0;
  /** Workers that are gone, and their journals not in the tables yet. */
  dying = 0;
  admittedByShares = 0;
  admittedInTables = 0;
  refused = 0;

  constructor(random: Random) {
    this.random = random;
    this.journals.set(1, { generation: 1, records: [] });
    this.memory = new BudgetMemory({
      flush: async () => {
        await this.delay();
        this.fold(1);
      },
      read: async (scope) => {
        await this.delay();
        const read = { spentNano: this.tables.get(scope) ?? 0, heldNano: 0, generations: [...this.folded] };
        await this.delay();
        return read;
      },
      recall: async (journal, windows) => {
        const worker = this.workers.get(journal);
        if (worker === undefined) throw new Error('ended');
        await worker.asked(() => worker.shares.giveBack(windows));
      },
    });
  }

  async delay(): Promise<void> {
    for (let turns = this.random.int(0, 3); turns > 0; turns -= 1) await later();
  }

  record(journal: number, generation: number, rows: readonly ScopeRow[], amount: number): void {
    for (const { scope } of rows) {
      this.journals.get(journal)?.records.push({ generation, scope, amount });
      this.#changed(journal, scope, amount);
    }
  }

  #changed(journal: number, scope: string, amount: number): void {
    const now = (this.#truthOf(scope).get(journal) ?? 0) + amount;
    this.#truthOf(scope).set(journal, now);
    for (const { most } of this.waiting) {
      const own = most.get(scope);
      if (own !== undefined) own.set(journal, Math.max(own.get(journal) ?? 0, now));
    }
  }

  #truthOf(scope: string): ByJournal {
    const known = this.truth.get(scope) ?? new Map();
    this.truth.set(scope, known);
    return known;
  }

  /** All records of earlier generations, and of the one that ends now, are in the tables. */
  fold(journal: number): void {
    const own = this.journals.get(journal);
    if (own === undefined) return;
    for (const { scope, amount } of own.records.splice(0))
      this.tables.set(scope, (this.tables.get(scope) ?? 0) + amount);
    this.folded.set(journal, own.generation);
    own.generation += 1;
  }

  fits(rows: readonly ScopeRow[], reserved: number): boolean {
    return rows.every(({ scope, limit }) => sum(this.#truthOf(scope).values()) + reserved <= Number(limit));
  }

  admitted(rows: readonly ScopeRow[], reserved: number): void {
    if (!this.fits(rows, reserved)) this.wrong.push(`admitted ${reserved} beyond a limit`);
  }

  decide(rows: readonly ScopeRow[], reserved: number): Promise<Attempt | undefined> {
    return this.#judged(rows, reserved, () => this.#decide(rows, reserved));
  }

  /** Whether a refusal is right. */
  async #judged<Result>(
    rows: readonly ScopeRow[],
    reserved: number,
    decide: () => Promise<Result | undefined>,
  ): Promise<Result | undefined> {
    const most = new Map(rows.map(({ scope }) => [scope, new Map(this.#truthOf(scope))]));
    const waiting = { rows, reserved, most };
    this.waiting.add(waiting);
    const admitted = await decide();
    this.waiting.delete(waiting);
    if (admitted !== undefined) return admitted;
    this.refused += 1;
    // What ended elsewhere meanwhile may be known later: then the refusal counts as earlier.
    const mayFill = rows.some(({ scope, limit }) => sum(most.get(scope)?.values() ?? []) + reserved > Number(limit));
    if (!mayFill) this.wrong.push(`refused ${reserved} although it fits`);
    return undefined;
  }

  /** As `JournaledWrites` runs a query that opens an attempt in the tables; nothing ends it here. */
  openInTables(rows: readonly ScopeRow[], reserved: number): Promise<true | undefined> {
    return this.#judged(rows, reserved, () => this.#openInTables(rows, reserved));
  }

  async #openInTables(rows: readonly ScopeRow[], reserved: number): Promise<true | undefined> {
    this.moving += 1;
    await this.memory.recall(rows);
    await Promise.allSettled([...this.workers.values()].map((worker) => worker.asked(() => worker.flush())));
    await this.delay();
    this.fold(1);
    const known = this.memory.besideShares(rows);
    const isDying = this.dying > 0;
    await this.delay();
    const fits = known.every(({ scope, limit }) => (this.tables.get(scope) ?? 0) + reserved <= Number(limit));
    if (fits) {
      this.admitted(rows, reserved);
      for (const { scope } of rows) {
        this.tables.set(scope, (this.tables.get(scope) ?? 0) + reserved);
        this.#changed(0, scope, reserved);
      }
      this.admittedInTables += 1;
    }
    await this.delay();
    this.memory.decided(rows);
    this.memory.forget();
    this.moving -= 1;
    // What a dead worker recorded counts as taken until it is in the tables.
    return fits || isDying ? true : undefined;
  }

  /** As `JournaledWrites` decides. */
  async #decide(rows: readonly ScopeRow[], reserved: number): Promise<Attempt | undefined> {
    for (;;) {
      while (this.moving > 0) await later();
      await this.memory.load(rows);
      if (this.moving > 0) continue;
      let refusing = this.memory.decide(rows, usd(reserved));
      if (typeof refusing === 'string' && this.memory.isShared(rows)) {
        await this.memory.recall(rows);
        refusing = this.moving > 0 ? undefined : this.memory.decide(rows, usd(reserved));
        this.memory.decided(rows);
      }
      if (refusing === undefined) continue;
      if (refusing !== null) return undefined;
      this.admitted(rows, reserved);
      const { generation } = this.journals.get(1) as Journal;
      this.record(1, generation, rows, reserved);
      return { rows, reserved, held: this.memory.hold(rows, usd(reserved), generation) };
    }
  }
}

class ModelWorker {
  readonly #world: World;
  readonly journal: number;
  readonly shares: WorkerShares;
  /** Messages in both directions arrive in order. */
  #toHub: Promise<unknown> = Promise.resolve();
  #toWorker: Promise<unknown> = Promise.resolve();
  #isFolding = false;
  isDead = false;

  constructor(world: World, journal: number) {
    this.#world = world;
    this.journal = journal;
    world.journals.set(journal, { generation: (world.folded.get(journal) ?? 0) + 1, records: [] });
    this.shares = new WorkerShares({
      journal,
      generation: () => this.#own.generation,
      send: (report) => this.#send(report),
    });
  }

  get #own(): Journal {
    return this.#world.journals.get(this.journal) as Journal;
  }

  #send(report: ShareReport): Promise<ShareGrants> {
    const text = JSON.stringify(report);
    const answer = this.#toHub.then(async () => {
      await this.#world.delay();
      return this.isDead ? [] : this.#world.memory.report(JSON.parse(text) as ShareReport, this.#world.moving === 0);
    });
    this.#toHub = answer;
    return this.#down(answer);
  }

  /** An answer arrives behind what was sent before it. */
  #down<Value>(value: Promise<Value>): Promise<Value> {
    const before = this.#toWorker;
    const arrived = value.then(async (given) => {
      await before;
      await this.#world.delay();
      return given;
    });
    this.#toWorker = arrived;
    return arrived;
  }

  /** A call of the process that decides; its answer comes behind the reports that the worker sent before. */
  async asked(work: () => Promise<void>): Promise<void> {
    await this.#down(Promise.resolve());
    if (this.isDead) throw new Error('ended');
    await work();
    await this.#toHub;
    if (this.isDead) throw new Error('ended');
  }

  openByShare(rows: readonly ScopeRow[], reserved: number): Attempt | undefined {
    const world = this.#world;
    if (!this.shares.admits(rows, usd(reserved))) return undefined;
    const { generation } = this.#own;
    world.admitted(rows, reserved);
    const held = this.shares.hold(rows, usd(reserved));
    world.record(this.journal, generation, rows, reserved);
    world.admittedByShares += 1;
    return { rows, reserved, held };
  }

  close({ rows, reserved, held }: Attempt, charged: number): void {
    const { generation } = this.#own;
    this.shares.settle(held, usd(charged));
    this.#world.record(this.journal, generation, rows, charged - reserved);
  }

  /** As its journal hands over what it has, one generation at a time, a moment after the next one began. */
  async fold(): Promise<void> {
    if (this.#isFolding || this.isDead) return;
    this.#isFolding = true;
    const { generation, records } = this.#own;
    this.#own.generation += 1;
    await this.#world.delay();
    this.shares.report();
    await this.#toHub;
    this.#isFolding = false;
    if (this.isDead) return;
    const { tables, folded, memory } = this.#world;
    for (const record of records.splice(0)) {
      if (record.generation > generation) records.push(record);
      else tables.set(record.scope, (tables.get(record.scope) ?? 0) + record.amount);
    }
    folded.set(this.journal, generation);
    memory.folded({ journal: this.journal, generation });
  }

  async flush(): Promise<void> {
    while (!this.isDead && (this.#isFolding || this.#own.records.length > 0)) {
      await this.fold();
      await later();
    }
  }

  async die(): Promise<void> {
    this.isDead = true;
    this.#world.dying += 1;
    this.#world.workers.delete(this.journal);
    this.shares.close();
    await this.#world.delay();
    this.#world.fold(this.journal);
    this.#world.memory.ended(this.journal);
    this.#world.dying -= 1;
  }
}

const scopesOf = (limits: readonly number[]): readonly (readonly ScopeRow[])[] => {
  const row = (scope: string, limit: number, place: number): ScopeRow => ({
    ...{ scope, unit: 'usd', limit, windowStartMs: 0, place },
  });
  const [one = 0, two = 0, all = 0] = limits;
  const shared = row('all', all, 1);
  // Each caller has one list, as requests of one caller have.
  return [
    [row('one', one, 0)],
    [row('two', two, 0), shared].toSorted((a, b) => (a.scope < b.scope ? -1 : 1)),
    [shared],
  ];
};

async function play(seed: number, limits: readonly number[]): Promise<World> {
  const world = new World(new Random(seed));
  const { random } = world;
  const callers = scopesOf(limits);
  let journals = 1;
  const addWorker = (): void => {
    journals += 1;
    world.workers.set(journals, new ModelWorker(world, journals));
  };
  addWorker();
  addWorker();
  const request = async (): Promise<void> => {
    const rows = random.pick(callers);
    const reserved = random.chance(0.1) ? random.int(100, 400) : random.int(0, 20);
    const worker = random.pick([...world.workers.values()]);
    const byShare = worker.openByShare(rows, reserved);
    const attempt = byShare ?? (await world.decide(rows, reserved));
    if (attempt === undefined) return;
    world.open.push({ journal: byShare === undefined ? 1 : worker.journal, attempt });
  };
  const end = (): void => {
    const at = random.int(0, Math.max(0, world.open.length - 1));
    const [ended] = world.open.splice(at, 1);
    if (ended === undefined) return;
    const { journal, attempt } = ended;
    const charged = random.chance(0.5) ? 0 : random.int(0, attempt.reserved);
    const worker = world.workers.get(journal);
    if (worker !== undefined) worker.close(attempt, charged);
    else if (journal === 1) {
      const { generation } = world.journals.get(1) as Journal;
      world.record(1, generation, attempt.rows, charged - attempt.reserved);
      world.memory.settle(attempt.held, usd(charged), generation);
    }
    // Of a worker that died, nothing ends it here: the attempt stays held.
  };
  const running = new Set<Promise<void>>();
  for (let step = 0; step < 600; step += 1) {
    const action = random.int(0, 99);
    if (action < 45) {
      const one = request().finally(() => running.delete(one));
      running.add(one);
    } else if (action < 80) end();
    else if (action < 86) void random.pick([...world.workers.values()]).fold();
    else if (action < 88) world.fold(1);
    else if (action < 94) for (const { shares } of world.workers.values()) shares.report();
    else if (action < 96) world.memory.forget();
    else if (action === 97) {
      const one = world.openInTables(random.pick(callers), random.int(0, 400)).then(() => {
        running.delete(one);
      });
      running.add(one);
    } else if (action === 96) {
      void random.pick([...world.workers.values()]).die();
      addWorker();
    }
    if (random.chance(0.3)) await later();
  }
  await Promise.all(running);
  for (const worker of world.workers.values()) worker.shares.close();
  return world;
}

describe('shares of budgets', () => {
  test.each([
    ['far from their limits', [100_000, 100_000, 100_000]],
    ['near their limits', [500, 700, 900]],
    ['beyond some limits', [60, 5_000, 2_000]],
  ])('%s', async (_name, limits) => {
    let byShares = 0;
    let inTables = 0;
    let refused = 0;
    for (let seed = 1; seed <= 40; seed += 1) {
      const world = await play(seed, limits);
      expect([seed, world.wrong]).toEqual([seed, []]);
      byShares += world.admittedByShares;
      inTables += world.admittedInTables;
      refused += world.refused;
    }
    expect(byShares).toBeGreaterThan(100);
    expect(inTables).toBeGreaterThan(10);
    if (limits[0] !== 100_000) expect(refused).toBeGreaterThan(100);
  });
});
