/** What the levels above and of a token come to: everything that the path of a request asks of them, prepared once. */

import type { Caller, EndUserRule, Level, LevelKind, LevelLimits, TokenRecord } from '../caller.ts';
import type { LevelBudget } from '../organization.ts';
import { allowedByAll, merged } from '../terms.ts';

/** Whose budgets and limits these are, as a message says it. */
const kindNames: Readonly<Record<LevelKind, string>> = {
  organization: 'organization',
  team: 'team',
  project: 'project',
  person: 'person',
  token: 'token',
  user: 'end user',
};

/** In names of budget scopes. */
const kindKeys: Readonly<Record<LevelKind, string>> = {
  organization: 'org',
  team: 'team',
  project: 'project',
  person: 'person',
  token: 'token',
  user: 'user',
};

const always = (): boolean => true;

/** The budget in the terms of a token has no id: it is older than budgets with ids, and so is the name of its scope. */
const ownBudgetId = '';

/** A token as a level: its own budget is the first of its budgets. */
export function tokenLevel({ id, terms }: Pick<TokenRecord, 'id' | 'terms'>): Level {
  const { name, budget, budgets = [], ...rest } = terms;
  const own: readonly LevelBudget[] =
    budget === undefined ? [] : [{ id: ownBudgetId, unit: 'usd', limit: budget.limitNano, period: budget.period }];
  return { kind: 'token', id, name, terms: { ...rest, budgets: [...own, ...budgets] } };
}

/** The name of a budget in the ledger: what was spent is found by it. */
export function budgetScopeName({ kind, id }: Pick<Level, 'kind' | 'id'>, budgetId: string): string {
  const own = `${kindKeys[kind]}:${id}`;
  return budgetId === ownBudgetId ? own : `${own}#${budgetId}`;
}

/** `team "Research"`; the caller's own token has no name here, because its holder knows which it is. */
export function levelName({ kind, id, name }: Pick<Level, 'kind' | 'id' | 'name'>, tokenId: string): string {
  return kind === 'organization' || id === tokenId ? kindNames[kind] : `${kindNames[kind]} "${name}"`;
}

/** A token's limits are counted by its id alone, as they were before there were other levels. */
export function levelLimits({ kind, id, name, terms: { rpm, tpm, concurrency } }: Level): LevelLimits | undefined {
  if (rpm === undefined && tpm === undefined && concurrency === undefined) return undefined;
  return { key: kind === 'token' ? id : `${kindKeys[kind]}:${id}`, kind, id, name, rpm, tpm, concurrency };
}

/** The smallest limit of model tokens per minute. */
export function tightestTpm(limits: readonly LevelLimits[]): number | undefined {
  let tightest: number | undefined;
  for (const { tpm } of limits) if (tpm !== undefined && (tightest === undefined || tpm < tightest)) tightest = tpm;
  return tightest;
}

/** What is the sum of all levels. */
type LevelFacts = Pick<
  Caller,
  'levels' | 'limits' | 'labels' | 'endUsers' | 'mayUseModel' | 'mayUseEndpoint' | 'mayCallFrom'
>;

export function levelFacts(levels: readonly Level[]): LevelFacts {
  return {
    levels,
    limits: levels.map(levelLimits).filter((limits) => limits !== undefined),
    labels: merged(levels, 'labels') ?? [],
    endUsers: endUserRule(levels),
    mayUseModel: allowedByAll(levels, 'models') ?? always,
    mayUseEndpoint: allowedByAll(levels, 'endpoints') ?? always,
    mayCallFrom: allowedByAll(levels, 'addresses'),
  };
}

/** A person's own terms have none for end users. */
function endUserRule(levels: readonly Level[]): EndUserRule | undefined {
  const terms = merged(levels, 'endUsers');
  const scope = levels.findLast((level) => level.terms.endUsers === terms);
  return terms && scope && { scopeId: scope.id, terms };
}
