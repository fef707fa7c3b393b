/**
 * The budgets of a process that serves alone: it knows what each has spent and holds, so that an opening is decided at once
 * and needs only the journal. The tables follow with the next fold.
 */

import type { ScopeRow } from '../attempts/attempt-table.ts';
import type { Money } from '../sql/statement.ts';

interface Window {
  spentNano: bigint;
  heldNano: bigint;
}

interface Change extends Window {
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
  readonly keys: readonly string[];
  readonly reserveNano: bigint;
}

/** Beyond this many all are read again when they are next needed. */
const windowsMax = 20_000;

const keyOf = (scope: string, windowStartMs: number): string => `${windowStartMs} ${scope}`;

export class BudgetMemory {
  readonly #parts: BudgetMemoryParts;
  readonly #windows = new Map<string, Window>();
  readonly #loading = new Map<string, { readonly changes: Change[]; readonly done: Promise<void> }>();
  /** Grows when something else wrote budgets: what is being read then is read again. */
  #forgotten = 0;

  constructor(parts: BudgetMemoryParts) {
    this.#parts = parts;
  }

  /** The scope that has no room, or null where all have; undefined where one of them must be loaded first. */
  decide(scopes: readonly ScopeRow[], reserveNano: bigint): string | null | undefined {
    let refusing: string | null = null;
    for (const { scope, windowStartMs, limitNano } of scopes) {
      const window = this.#windows.get(keyOf(scope, windowStartMs));
      if (window === undefined) return undefined;
      if (refusing === null && window.spentNano + window.heldNano + reserveNano > BigInt(limitNano)) refusing = scope;
    }
    return refusing;
  }

  /** Called once the opening is recorded. */
  hold(scopes: readonly ScopeRow[], reserveNano: bigint): HeldBudgets {
    const keys = scopes.map(({ scope, windowStartMs }) => keyOf(scope, windowStartMs));
    for (const key of keys) this.#change(key, 0n, reserveNano);
    return { keys, reserveNano };
  }

  /** Called once the closing is recorded. */
  settle({ keys, reserveNano }: HeldBudgets, costNano: bigint): void {
    for (const key of keys) this.#change(key, costNano, -reserveNano);
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
      const window = { spentNano: BigInt(read.spentNano), heldNano: BigInt(read.heldNano) };
      for (const { generation, spentNano, heldNano } of changes) {
        if (generation <= read.generation) continue;
        window.spentNano += spentNano;
        window.heldNano += heldNano;
      }
      this.#windows.set(key, window);
      return;
    }
  }

  #change(key: string, spentNano: bigint, heldNano: bigint): void {
    this.#loading.get(key)?.changes.push({ generation: this.#parts.generation(), spentNano, heldNano });
    const window = this.#windows.get(key);
    if (window === undefined) return;
    window.spentNano += spentNano;
    window.heldNano += heldNano;
  }
}
