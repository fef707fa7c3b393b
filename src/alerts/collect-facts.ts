/** Reads what alerts are evaluated from. Everything but the list of providers comes from the store, so any replica can do it. */

import type { Level } from '../access/caller.ts';
import { budgetScopeName } from '../access/levels/levels.ts';
import type { LevelBudget, LevelTerms } from '../access/organization.ts';
import { budgetPeriods } from '../admin/contracts/contract.ts';
import type { EndingModels } from '../admin/usage/ending-models.ts';
import { windowEndMs, windowStartMs } from '../ledger/window.ts';
import { readConditions } from '../observe/share-conditions.ts';
import type { Store } from '../store/store.ts';
import { errorWindowMinutes } from './evaluate/error-rate-alerts.ts';
import { dayMs } from './evaluate/finding.ts';
import { outageWindowMinutes } from './evaluate/outage-alerts.ts';
import type { BudgetFact, ExpiryFact, Facts } from './facts.ts';
import { createSpendReader } from './spend-history.ts';

interface FactParts {
  readonly store: Pick<
    Store,
    'alerts' | 'analytics' | 'attemptHealth' | 'budgets' | 'fleetState' | 'organization' | 'tokens'
  >;
  /** Of all providers that are configured. */
  providerNames(): readonly string[];
  readonly endings: EndingModels;
  nowMs(): number;
}

/** What is needed of the rules: how far ahead, and from which spend on. */
interface FactLimits {
  readonly daysAhead: number;
  readonly spendNanoMin: bigint;
}

export type ReadFacts = (limits: FactLimits) => Promise<Facts>;

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const unitsMax = 5_000;
const budgetsMax = 2_000;
const readsAtOnce = 20;
const unpricedMax = 50;
/** What changes by the day is not read every half minute. */
const slowEveryMs = 10 * minuteMs;

export function createFactReader(parts: FactParts): ReadFacts {
  const { store, endings, providerNames, nowMs } = parts;
  const readSpends = createSpendReader(store);
  let slow: SlowFacts | undefined;

  async function slowFacts(atMs: number, daysAhead: number): Promise<SlowFacts> {
    if (slow !== undefined && atMs - slow.readAtMs < slowEveryMs && slow.daysAhead >= daysAhead) return slow;
    const hour = { fromMs: atMs - hourMs, toMs: atMs };
    const expiring = (await store.alerts.expiringTokens(atMs + daysAhead * dayMs)).map(({ id, terms }) => ({
      tokenId: id,
      name: terms.name,
      expiresAtMs: terms.expiresAtMs ?? 0,
    }));
    const unpriced = await store.analytics.unpricedModels(hour, unpricedMax);
    slow = { readAtMs: atMs, daysAhead, expiring, unpriced, ending: await endings() };
    return slow;
  }

  return async ({ daysAhead, spendNanoMin }) => {
    const atMs = nowMs();
    const recentFromMs = atMs - outageWindowMinutes * minuteMs;
    const { expiring, unpriced, ending } = await slowFacts(atMs, daysAhead);
    return {
      nowMs: atMs,
      budgets: await budgetFacts(store, atMs),
      spends: await readSpends(atMs, spendNanoMin),
      attempts: await store.attemptHealth.since(atMs - errorWindowMinutes * minuteMs),
      recent: await store.attemptHealth.since(recentFromMs),
      recentFromMs,
      providers: providerNames(),
      expiring,
      unpriced,
      ending,
      conditions: await readConditions(store.fleetState),
    };
  };
}

interface SlowFacts extends Pick<Facts, 'unpriced' | 'ending'> {
  readonly readAtMs: number;
  readonly daysAhead: number;
  readonly expiring: readonly ExpiryFact[];
}

interface OneBudget {
  /** As the ledger names it. */
  readonly scope: string;
  readonly name: string;
  readonly budget: LevelBudget;
}

type NamedLevel = Pick<Level, 'kind' | 'id'> & { readonly terms: Pick<LevelTerms, 'budgets'> };

const budgetsOf = (level: NamedLevel, name: string): readonly OneBudget[] =>
  (level.terms.budgets ?? []).map((budget) => ({ scope: budgetScopeName(level, budget.id), name, budget }));

async function budgetFacts(store: FactParts['store'], atMs: number): Promise<readonly BudgetFact[]> {
  const units = (await store.organization.list(unitsMax)).flatMap((unit) =>
    budgetsOf(unit, unit.kind === 'organization' ? 'the organization' : `${unit.kind} ${unit.name}`),
  );
  const people = (await store.alerts.peopleWithBudgets()).flatMap(({ id, name, terms }) =>
    budgetsOf({ kind: 'person', id, terms }, name),
  );
  const tokens = (await store.alerts.tokensWithBudgets()).flatMap(({ id, terms }) =>
    terms.expiresAtMs !== undefined && terms.expiresAtMs <= atMs
      ? []
      : budgetsOf({ kind: 'token', id, terms }, `token ${terms.name}`),
  );
  const budgets = [...units, ...people, ...tokens];
  const facts: BudgetFact[] = [];
  for (let from = 0; from < Math.min(budgets.length, budgetsMax); from += readsAtOnce) {
    const some = budgets.slice(from, from + readsAtOnce);
    facts.push(...(await Promise.all(some.map((one) => levelFact(store, one, atMs)))));
  }
  return [...facts, ...(await tokenFacts(store, atMs))];
}

async function levelFact(
  store: FactParts['store'],
  { scope, name, budget: { unit, limit, period, raise } }: OneBudget,
  atMs: number,
): Promise<BudgetFact> {
  const startMs = windowStartMs(period, atMs);
  const { spentNano } = await store.budgets.read(scope, startMs);
  const isRaised = raise !== undefined && raise.untilMs > atMs;
  return {
    scope,
    name,
    unit,
    limit: isRaised ? raise.limit : limit,
    spent: spentNano,
    windowStartMs: startMs,
    windowEndMs: windowEndMs(period, atMs),
  };
}

/** The first budget of each token, from one reading. */
async function tokenFacts(store: FactParts['store'], atMs: number): Promise<readonly BudgetFact[]> {
  const starts = budgetPeriods.map((period) => windowStartMs(period, atMs));
  return (await store.budgets.standings(starts)).flatMap(({ token, windowStartMs: startMs, spentNano }) => {
    const { budget, name, expiresAtMs } = token.terms;
    if (budget === undefined || startMs !== windowStartMs(budget.period, atMs)) return [];
    if (expiresAtMs !== undefined && expiresAtMs <= atMs) return [];
    return [
      {
        scope: `token:${token.id}`,
        name: `token ${name}`,
        unit: 'usd' as const,
        limit: budget.limitNano,
        spent: spentNano,
        windowStartMs: startMs,
        windowEndMs: windowEndMs(budget.period, atMs),
      },
    ];
  });
}
