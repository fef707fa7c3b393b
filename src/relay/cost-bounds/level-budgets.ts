/** The budgets of all levels of a caller, and which of them count for a model at a time. */

import type { Caller, Level } from '../../access/caller.ts';
import { compileGlobs, type TextMatcher } from '../../access/glob.ts';
import { budgetScopeName } from '../../access/levels/levels.ts';
import type { LevelBudget } from '../../access/organization.ts';
import type { BudgetScope } from '../../ledger/ledger.ts';
import { windowEndMs, windowStartMs } from '../../ledger/window.ts';

/** One budget of one level. */
export interface KnownBudget {
  readonly level: Level;
  readonly budget: LevelBudget;
  readonly scope: string;
}

/** The budgets that a call counts against, and what they demand of it. */
export interface CountedBudgets {
  /** From the organization to the end user. The same array for every call that they count for. */
  readonly scopes: readonly BudgetScope[];
  /** Those for a further part of a request that was counted already: without the ones in requests. */
  readonly furtherScopes: readonly BudgetScope[];
  /** In the same order. */
  readonly budgets: readonly KnownBudget[];
  /** The first that counts money: the model must have a price. */
  readonly money: KnownBudget | undefined;
  /** The first that counts tokens: the input must have a bound. */
  readonly tokens: KnownBudget | undefined;
  readonly validFromMs: number;
  readonly validUntilMs: number;
}

/** The names of a model that a budget's patterns are compared with. */
interface NamedModel {
  /** As the caller named it. */
  readonly asked: string;
  readonly provider: string;
  /** As the provider names it. */
  readonly model: string;
}

const nothingCounted: CountedBudgets = {
  scopes: [],
  furtherScopes: [],
  budgets: [],
  money: undefined,
  tokens: undefined,
  validFromMs: Number.NEGATIVE_INFINITY,
  validUntilMs: Number.POSITIVE_INFINITY,
};

/** So many models are remembered for one caller. */
const modelsMax = 256;

interface MatchedBudget extends KnownBudget {
  /** Absent where the budget counts for all models. */
  readonly matches: TextMatcher | undefined;
}

class LevelBudgets {
  readonly #all: readonly MatchedBudget[];
  readonly #byModel = new Map<string, CountedBudgets>();
  readonly #hasPatterns: boolean;

  constructor(levels: readonly Level[]) {
    this.#all = levels.flatMap((level) =>
      (level.terms.budgets ?? []).map((budget) => ({
        level,
        budget,
        scope: budgetScopeName(level, budget.id),
        matches: budget.models && compileGlobs(budget.models),
      })),
    );
    this.#hasPatterns = this.#all.some(({ matches }) => matches !== undefined);
  }

  countedFor(named: NamedModel, atMs: number): CountedBudgets {
    if (this.#all.length === 0) return nothingCounted;
    const key = this.#hasPatterns ? `${named.asked}\n${named.provider}\n${named.model}` : '';
    const known = this.#byModel.get(key);
    if (known !== undefined && atMs >= known.validFromMs && atMs < known.validUntilMs) return known;
    if (this.#byModel.size >= modelsMax) this.#byModel.clear();
    const counted = countedAt(
      this.#all.filter(({ matches }) => matches === undefined || matchesAny(matches, named)),
      atMs,
    );
    this.#byModel.set(key, counted);
    return counted;
  }

  all(): readonly KnownBudget[] {
    return this.#all;
  }
}

/** A pattern for a provider's model counts however a route calls it. */
function matchesAny(matches: TextMatcher, { asked, provider, model }: NamedModel): boolean {
  return matches(asked) || matches(model) || matches(`${provider}/${model}`);
}

function countedAt(budgets: readonly KnownBudget[], atMs: number): CountedBudgets {
  let validFromMs = Number.NEGATIVE_INFINITY;
  let validUntilMs = Number.POSITIVE_INFINITY;
  const scopes = budgets.map(({ scope, budget }) => {
    const { unit, period, raise } = budget;
    const startMs = windowStartMs(period, atMs);
    validFromMs = Math.max(validFromMs, startMs);
    validUntilMs = Math.min(validUntilMs, windowEndMs(period, atMs) ?? validUntilMs);
    if (raise !== undefined && atMs < raise.untilMs) validUntilMs = Math.min(validUntilMs, raise.untilMs);
    else if (raise !== undefined) validFromMs = Math.max(validFromMs, raise.untilMs);
    return { scope, unit, limit: limitAt(budget, atMs), windowStartMs: startMs };
  });
  return {
    scopes,
    furtherScopes: scopes.filter(({ unit }) => unit !== 'requests'),
    budgets,
    money: budgets.find(({ budget }) => budget.unit === 'usd'),
    tokens: budgets.find(({ budget }) => budget.unit === 'tokens'),
    validFromMs,
    validUntilMs,
  };
}

/** A raise counts until it ends. */
export function limitAt({ limit, raise }: LevelBudget, atMs: number): bigint {
  return raise !== undefined && atMs < raise.untilMs ? raise.limit : limit;
}

/** By the levels and not by the caller: copies of a caller share them. */
const known = new WeakMap<readonly Level[], LevelBudgets>();

function levelBudgetsOf({ levels }: Pick<Caller, 'levels'>): LevelBudgets {
  const found = known.get(levels);
  if (found !== undefined) return found;
  const made = new LevelBudgets(levels);
  known.set(levels, made);
  return made;
}

/** The budgets that count for a call of this model now. */
export function countedBudgets(caller: Pick<Caller, 'levels'>, named: NamedModel, atMs: number): CountedBudgets {
  return levelBudgetsOf(caller).countedFor(named, atMs);
}

/** The budgets of all levels, whatever the model. */
export function allBudgets(caller: Pick<Caller, 'levels'>): readonly KnownBudget[] {
  return levelBudgetsOf(caller).all();
}
