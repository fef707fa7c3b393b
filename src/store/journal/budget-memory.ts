/**
 * The budgets of a process that serves alone, or for workers: it knows what each has spent and holds, so that an opening is
 * decided at once and needs only the journal. The tables follow with the next fold. Workers have shares of budgets.
 */

import type { Amounts } from '../attempts/amounts.ts';
import type { ScopeRow } from '../attempts/scope-rows.ts';
import { type Money, moneyCell } from '../sql/statement.ts';
import type { Generation } from './fold.ts';
import { GivenShares } from './given-shares.ts';
import { type HeldBudgets, type KnownScope, keyOf, knownScopes } from './known-scopes.ts';
import { firstJournal } from './open-journal.ts';
import { Recalls } from './recalls.ts';
import type { RecalledWindows, ShareGrants, ShareReport } from './share-report.ts';

interface Window {
  /** Spent and held together, in the unit of the budget: all that a decision looks at, beside the shares of workers. */
  used: bigint;
}

interface Loading {
  readonly number: number;
  readonly changes: Change[];
  readonly done: Promise<void>;
}

interface Change {
  readonly amount: bigint;
  /** The generation of the journal that has it. */
  readonly generation: number;
}

export interface ReadWindow {
  readonly spentNano: Money;
  readonly heldNano: Money;
  /** The last generation of each journal that these figures include. */
  readonly generations: readonly (readonly [journal: number, generation: number])[];
}

interface BudgetMemoryParts {
  /** Resolves when the tables have everything that was recorded before. */
  flush(): Promise<void>;
  read(scope: string, windowStartMs: number): Promise<ReadWindow>;
  /** Has a worker give back its shares of these windows, and report what it used of them, before it resolves. */
  recall(journal: number, windows: RecalledWindows): Promise<void>;
}

/** Beyond this many all are read again when they are next needed. */
const windowsMax = 20_000;
/** A worker gets at most this part of what is left of a budget. Near its limit, where that is little, it asks for each opening. */
const shareOfRest = 8n;

export class BudgetMemory {
  readonly #parts: BudgetMemoryParts;
  readonly #shares = new GivenShares();
  readonly #recalls: Recalls;
  /** How many openings wait for shares of a window to be given back: no worker gets one meanwhile. */
  readonly #recalling = new Map<string, number>();
  readonly #windows = new Map<string, Window>();
  /** In the order in which they began. */
  readonly #loading = new Map<string, Loading>();
  #loads = 0;
  /** Generations of workers' journals that were folded while windows were being read, and how many loads had begun by then. */
  #foldedMeanwhile: { readonly of: Generation; readonly loads: number }[] = [];
  /** Grows when something else wrote budgets: what is being read then is read again. */
  #forgotten = 0;

  constructor(parts: BudgetMemoryParts) {
    this.#parts = parts;
    this.#recalls = new Recalls({
      recall: (journal, windows) => parts.recall(journal, windows),
      untilEnded: (journal) => this.#shares.untilEnded(journal),
    });
  }

  /**
   * The scope that has no room, the first of them in the caller's order, or null where all have; undefined where one of them must
   * be loaded first.
   */
  decide(scopes: readonly ScopeRow[], reserved: Amounts): string | null | undefined {
    let refusing: KnownScope | undefined;
    for (const known of knownScopes(scopes)) {
      const window = this.#windows.get(known.key);
      if (window === undefined) return undefined;
      if (window.used + this.#shares.roomIn(known.key) + reserved[known.unit] <= known.limit) continue;
      if (refusing === undefined || known.place < refusing.place) refusing = known;
    }
    return refusing === undefined ? null : refusing.scope;
  }

  /** Called once the opening is recorded in this generation of the journal. */
  hold(rows: readonly ScopeRow[], reserved: Amounts, generation: number): HeldBudgets {
    const scopes = knownScopes(rows);
    for (const { key, unit } of scopes) this.#change(key, reserved[unit], generation);
    return { scopes, reserved };
  }

  /** Called once the closing is recorded in this generation of the journal. */
  settle({ scopes, reserved }: HeldBudgets, charged: Amounts, generation: number): void {
    for (const { key, unit } of scopes) this.#change(key, charged[unit] - reserved[unit], generation);
  }

  /** Whether workers may know of room in one of these budgets that is not known here. */
  isShared(rows: readonly ScopeRow[]): boolean {
    return knownScopes(rows).some(({ key }) => this.#shares.holders(key).length > 0);
  }

  /** Until `decided` is called, which must follow, all that is left of these budgets is known here once this resolves. */
  async recall(rows: readonly ScopeRow[]): Promise<void> {
    const windows = new Map<number, string[]>();
    for (const { key } of knownScopes(rows)) {
      this.#recalling.set(key, (this.#recalling.get(key) ?? 0) + 1);
      for (const journal of this.#shares.holders(key)) windows.set(journal, [...(windows.get(journal) ?? []), key]);
    }
    await Promise.all([...windows].map(([journal, keys]) => this.#recalls.from(journal, keys)));
  }

  /** These budgets as the tables must decide on them: what workers did not give back, or did not fold, is taken. */
  besideShares(rows: readonly ScopeRow[]): readonly ScopeRow[] {
    const folded = new Map(this.#foldedMeanwhile.map(({ of }) => [of.journal, of.generation]));
    const taken = ({ scope, windowStartMs }: ScopeRow): bigint => {
      const key = keyOf(scope, windowStartMs);
      return this.#shares.roomIn(key) + this.#shares.mostMissingIn(key, folded);
    };
    if (rows.every((row) => taken(row) === 0n)) return rows;
    return rows.map((row) => ({ ...row, limit: moneyCell(BigInt(row.limit) - taken(row)) }));
  }

  decided(rows: readonly ScopeRow[]): void {
    for (const { key } of knownScopes(rows)) {
      const waiting = (this.#recalling.get(key) ?? 0) - 1;
      if (waiting > 0) this.#recalling.set(key, waiting);
      else this.#recalling.delete(key);
    }
  }

  /** What a worker used of its shares, and what it gets. */
  report({ journal, generation, rows }: ShareReport, mayGrant: boolean): ShareGrants {
    return rows.map(([scope, windowStartMs, limit, used, change, opened, wanted]) => {
      const key = keyOf(scope, windowStartMs);
      const changed = BigInt(change);
      this.#shares.used(key, journal, BigInt(used), opened);
      this.#shares.recorded(key, { journal, generation }, changed);
      const window = this.#windows.get(key);
      if (window === undefined) return 0;
      window.used += changed;
      const isGiven = mayGrant && !this.#recalling.has(key);
      const grant = isGiven ? this.#grantOf(BigInt(wanted), window, key, BigInt(limit)) : 0n;
      if (grant > 0n) this.#shares.give(key, journal, grant);
      return moneyCell(grant);
    });
  }

  #grantOf(wanted: bigint, { used }: Window, key: string, limit: bigint): bigint {
    const most = (limit - used - this.#shares.roomIn(key)) / shareOfRest;
    if (most >= wanted) return wanted;
    return most * shareOfRest > wanted ? most : 0n;
  }

  /** A generation of a worker's journal is in the tables. */
  folded(of: Generation): void {
    // Figures without it may be on their way.
    if (this.#loading.size === 0) this.#shares.folded(of);
    else this.#foldedMeanwhile.push({ of, loads: this.#loads });
  }

  /** What was folded before the oldest load began is in all figures that are on their way. */
  #loaded(key: string): void {
    this.#loading.delete(key);
    if (this.#foldedMeanwhile.length === 0) return;
    const [oldest] = this.#loading.values();
    const isIncluded = ({ loads }: { readonly loads: number }): boolean =>
      oldest === undefined || loads < oldest.number;
    for (const one of this.#foldedMeanwhile) if (isIncluded(one)) this.#shares.folded(one.of);
    this.#foldedMeanwhile = this.#foldedMeanwhile.filter((one) => !isIncluded(one));
  }

  /** A worker is gone, and all that it recorded is in the tables, also what it did not report. */
  ended(journal: number): void {
    this.#shares.ended(journal);
    this.forget();
  }

  async load(scopes: readonly ScopeRow[]): Promise<void> {
    if (this.#windows.size > windowsMax) this.#windows.clear();
    await Promise.all(
      scopes.map(({ scope, windowStartMs }) => {
        const key = keyOf(scope, windowStartMs);
        if (this.#windows.has(key)) return undefined;
        return this.#loading.get(key)?.done ?? this.#load(key, scope, windowStartMs);
      }),
    );
  }

  /** Something else wrote budgets. */
  forget(): void {
    this.#forgotten += 1;
    this.#windows.clear();
  }

  #load(key: string, scope: string, windowStartMs: number): Promise<void> {
    const changes: Change[] = [];
    const done = this.#readWindow(key, scope, windowStartMs, changes).finally(() => this.#loaded(key));
    this.#loads += 1;
    this.#loading.set(key, { number: this.#loads, changes, done });
    return done;
  }

  /** What is recorded meanwhile is in the figures or not, which its generation decides. */
  async #readWindow(key: string, scope: string, windowStartMs: number, changes: readonly Change[]): Promise<void> {
    for (;;) {
      await this.#parts.flush();
      const forgotten = this.#forgotten;
      const read = await this.#parts.read(scope, windowStartMs);
      if (forgotten !== this.#forgotten) continue;
      const generations = new Map(read.generations);
      const own = generations.get(firstJournal) ?? 0;
      const used = BigInt(read.spentNano) + BigInt(read.heldNano) + this.#shares.missingIn(key, generations);
      const window = { used };
      for (const { generation, amount } of changes) if (generation > own) window.used += amount;
      this.#windows.set(key, window);
      return;
    }
  }

  #change(key: string, amount: bigint, generation: number): void {
    if (this.#loading.size > 0) this.#loading.get(key)?.changes.push({ generation, amount });
    const window = this.#windows.get(key);
    if (window !== undefined) window.used += amount;
  }
}
