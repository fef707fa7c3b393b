/** What the levels above and of a token come to: everything that the path of a request asks of them, prepared once. */

import type { Caller, EndUserRule, Level, LevelKind, LevelLimits, TokenRecord, TokenTerms } from '../caller.ts';
import { compileGlobs } from '../glob.ts';
import type { LevelBudget, LevelTerms } from '../organization.ts';

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
  const { name, budget, budgets = [], rpm, tpm, concurrency, models, endpoints, labels, endUsers } = terms;
  const own: readonly LevelBudget[] =
    budget === undefined ? [] : [{ id: ownBudgetId, unit: 'usd', limit: budget.limitNano, period: budget.period }];
  const given = { rpm, tpm, concurrency, models, endpoints, labels, endUsers };
  return { kind: 'token', id, name, terms: { ...defined(given), budgets: [...own, ...budgets] } };
}

function defined(terms: { readonly [Key in keyof TokenTerms]?: TokenTerms[Key] | undefined }): LevelTerms {
  return Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== undefined));
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
type LevelFacts = Pick<Caller, 'levels' | 'limits' | 'labels' | 'endUsers' | 'mayUseModel' | 'mayUseEndpoint'>;

export function levelFacts(levels: readonly Level[]): LevelFacts {
  const models = levels.flatMap(({ terms }) => (terms.models === undefined ? [] : [compileGlobs(terms.models)]));
  const endpoints = levels.flatMap(({ terms }) => (terms.endpoints === undefined ? [] : [new Set(terms.endpoints)]));
  const [onlyModels] = models;
  return {
    levels,
    limits: levels.map(levelLimits).filter((limits) => limits !== undefined),
    labels: [...new Set(levels.flatMap(({ terms }) => terms.labels ?? []))],
    endUsers: endUserRule(levels),
    mayUseModel:
      onlyModels === undefined
        ? always
        : models.length === 1
          ? onlyModels
          : (model) => models.every((matches) => matches(model)),
    mayUseEndpoint: endpoints.length === 0 ? always : (endpoint) => endpoints.every((all) => all.has(endpoint)),
  };
}

/** The nearest level that has terms for end users. A person's own terms have none. */
function endUserRule(levels: readonly Level[]): EndUserRule | undefined {
  const found = levels.findLast(({ terms }) => terms.endUsers !== undefined);
  return found?.terms.endUsers && { scopeId: found.id, terms: found.terms.endUsers };
}

/** The first level that does not allow it, for a message. */
export function levelRefusing(
  levels: readonly Level[],
  what: { readonly model: string } | { readonly endpoint: string },
): Level | undefined {
  return levels.find(({ terms: { models, endpoints } }) =>
    'model' in what
      ? models !== undefined && !compileGlobs(models)(what.model)
      : endpoints !== undefined && !endpoints.includes(what.endpoint),
  );
}
