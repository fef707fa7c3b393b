/**
 * The budgets of a process that serves alone: it knows what each has spent and holds, so that an opening is decided at once
 * and needs only the journal. The tables follow with the next fold.
 */

import type { BudgetUnit } from '../../access/organization.ts';
import type { Amounts } from '../attempts/amounts.ts';
import { oncePerRows, type ScopeRow } from '../attempts/scope-rows.ts';
import type { Money } from '../sql/statement.ts';

interface Window {
  /** Spent and held together, in the unit of the budget: all that a decision looks at. */
  used: bigint;
}

interface Change {
  readonly amount: bigint;
  /** The generation of the journal that has it. */
  readonly generation: number;
}

export interface ReadWindow {
  readonly spentNano: Money;
  readonly heldNano: Money;
  /** The last generation of the journal that these figures include. */
  readonly generation: number;
}

interface BudgetMemoryParts {
  /** The generation that receives records now. */
  generation(): number;
  /** Resolves when the tables have everything that was recorded before. */
  flush(): Promise<void>;
  read(scope: string, windowStartMs: number): Promise<ReadWindow>;
}

/** What an open attempt holds. */
export interface HeldBudgets {
  readonly scopes: readonly KnownScope[];
  readonly reserved: Amounts;
}

interface KnownScope {
  /** Of its window. */
  readonly key: string;
  readonly scope: string;
  readonly unit: BudgetUnit;
  readonly limit: bigint;
  readonly place: number;
}

/** Beyond this many all are read again when they are next needed. */
const windowsMax = 20_000;

const keyOf = (scope: string, windowStartMs: number): string => `${windowStartMs} ${scope}`;

const knownScopes = oncePerRows((rows): readonly KnownScope[] =>
  rows.map(({ scope, windowStartMs, unit, limit, place }) => ({
    key: keyOf(scope, windowStartMs),
    scope,
    unit,
    limit: BigInt(limit),
    place,
  })),
);

export class BudgetMemory {
  readonly #parts: BudgetMemoryParts;
  readonly #windows = new Map<string, Window>();
  readonly #loading = new Map<string, { readonly changes: Change[]; readonly done: Promise<void> }>();
  /** Grows when something else wrote budgets: what is being read then is read again. */
  #forgotten = 0;

  constructor(parts: BudgetMemoryParts) {
    this.#parts = parts;
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
      if (window.used + reserved[known.unit] <= known.limit) continue;
      if (refusing === undefined || known.place < refusing.place) refusing = known;
    }
    return refusing === undefined ? null : refusing.scope;
  }

  /** Called once the opening is recorded. */
  hold(rows: readonly ScopeRow[], reserved: Amounts): HeldBudgets {
    const scopes = knownScopes(rows);
    for (const { key, unit } of scopes) this.#change(key, reserved[unit]);
    return { scopes, reserved };
  }

  /** Called once the closing is recorded. */
  settle({ scopes, reserved }: HeldBudgets, charged: Amounts): void {
    for (const { key, unit } of scopes) this.#change(key, charged[unit] - reserved[unit]);
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
    const done = this.#readWindow(key, scope, windowStartMs, changes).finally(() => this.#loading.delete(key));
    this.#loading.set(key, { changes, done });
    return done;
  }

  /** What is recorded meanwhile is in the figures or not, which its generation decides. */
  async #readWindow(key: string, scope: string, windowStartMs: number, changes: readonly Change[]): Promise<void> {
    for (;;) {
      await this.#parts.flush();
      const forgotten = this.#forgotten;
      const read = await this.#parts.read(scope, windowStartMs);
      if (forgotten !== this.#forgotten) continue;
      const window = { used: BigInt(read.spentNano) + BigInt(read.heldNano) };
      for (const { generation, amount } of changes) if (generation > read.generation) window.used += amount;
      this.#windows.set(key, window);
      return;
    }
  }

  #change(key: string, amount: bigint): void {
    if (this.#loading.size > 0) this.#loading.get(key)?.changes.push({ generation: this.#parts.generation(), amount });
    const window = this.#windows.get(key);
    if (window !== undefined) window.used += amount;
  }
}
