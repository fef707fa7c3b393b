/** Terms as a file gives them: what a level or token has afterwards, and in words what differs from before. */

import type { TokenTerms } from '../../access/caller.ts';
import type { EndUserTerms, LevelBudget, LevelTerms } from '../../access/organization.ts';
import type { CheckedBudget, CheckedEndUserTerms } from '../../admin/contracts/budget-contract.ts';
import type { CheckedLevelTerms } from '../../admin/contracts/organization-contract.ts';
import { changedLevelTerms } from '../../admin/organization/level-terms.ts';
import { changedTerms } from '../../admin/tokens/token-terms.ts';
import { usdText } from '../../ledger/money.ts';
import type { FileTokenTerms } from './org-file.ts';
import { fileKeyOf } from './section-reader.ts';

/** Words for each term that is set, by its key in the file. Equal words mean equal terms. */
type Shown = Readonly<Record<string, string>>;

/** The terms that the file gives and no others. */
export function levelTermsOf(given: CheckedLevelTerms, before: LevelTerms, nowMs: number): LevelTerms {
  const { budgets, rpm, tpm, concurrency, models, endpoints, tools, labels, disabled, endUsers } = given;
  return changedLevelTerms(before, {
    budgets: budgetsOf(budgets, before.budgets, nowMs),
    rpm: rpm ?? null,
    tpm: tpm ?? null,
    concurrency: concurrency ?? null,
    models: models ?? null,
    endpoints: endpoints ?? null,
    tools: tools ?? null,
    labels: labels ?? null,
    disabled: disabled ?? false,
    endUsers: endUsersOf(endUsers, before.endUsers, nowMs),
  });
}

type Given<Value> = Value | null | undefined;

const budgetsOf = (
  given: Given<readonly CheckedBudget[]>,
  before: readonly LevelBudget[] = [],
  nowMs: number,
): CheckedBudget[] | null =>
  given
    ? identified(
        given.map((budget) => withoutEnded(budget, nowMs)),
        before,
      )
    : null;

const endUsersOf = (
  given: CheckedEndUserTerms,
  before: EndUserTerms | undefined,
  nowMs: number,
): CheckedEndUserTerms =>
  given
    ? { budgets: budgetsOf(given.budgets, before?.budgets, nowMs), rpm: given.rpm ?? null, max: given.max ?? null }
    : null;

/**
 * A budget is the one before of the same unit, period and models, so that it keeps what was spent of it. Its id decides
 * only where there are several of these.
 */
function identified(given: readonly CheckedBudget[], before: readonly LevelBudget[]): CheckedBudget[] {
  const known = new Set(before.map(({ id }) => id));
  const taken = new Set(given.flatMap(({ id }) => (id !== undefined && known.has(id) ? id : [])));
  return given.map((budget) => {
    if (budget.id !== undefined && known.has(budget.id)) return budget;
    const same = before.find((old) => !taken.has(old.id) && kindOf(old) === kindOf(budget));
    if (same === undefined) return budget;
    taken.add(same.id);
    return { ...budget, id: same.id };
  });
}

/** What a budget is known by: `usd/month of gpt-*`. */
export const kindOf = ({ unit, period, models }: CheckedBudget): string =>
  `${unit}/${period}${models === undefined ? '' : ` of ${models.toSorted().join(', ')}`}`;

function withoutEnded<Budget extends CheckedBudget>(budget: Budget, nowMs: number): Budget {
  if (budget.raise === undefined || budget.raise.untilMs > nowMs) return budget;
  const { raise: _, ...rest } = budget;
  return rest as Budget;
}

/** As they are in effect: a raise that has ended counts as none. */
export const currentBudgets = (budgets: readonly LevelBudget[] = [], nowMs: number): readonly LevelBudget[] =>
  budgets.map((budget) => withoutEnded(budget, nowMs));

/** Throws where a field needs another one. */
export function tokenTermsOf(
  name: string,
  given: FileTokenTerms,
  before: TokenTerms | undefined,
  nowMs: number,
): TokenTerms {
  const { budgets, budgetsMade, endUsers } = before ?? {};
  // Of the terms before, only what decides about the ids of budgets.
  const kept: TokenTerms = {
    name,
    ...(budgets && { budgets }),
    ...(budgetsMade !== undefined && { budgetsMade }),
    ...(endUsers && { endUsers }),
  };
  return changedTerms(kept, {
    ...given,
    budgets: budgetsOf(given.budgets, budgets, nowMs),
    endUsers: endUsersOf(given.endUsers, endUsers, nowMs),
  });
}

const amountText = ({ unit }: LevelBudget, amount: bigint): string =>
  unit === 'usd' ? usdText(amount) : amount.toString();

/** One field for each budget, so that a line shows which of them changes. */
function shownBudgets(budgets: readonly LevelBudget[], word = budgetWord): Shown {
  const kinds = budgets.map(kindOf);
  const texts = budgets.map((budget, index) => {
    const kind = kindOf(budget);
    const isClear = kinds.indexOf(kind) === index && kinds.lastIndexOf(kind) === index;
    const { limit, raise } = budget;
    const raised = raise && ` (${amountText(budget, raise.limit)} until ${new Date(raise.untilMs).toISOString()})`;
    return [`${word} ${isClear ? '' : `${budget.id} `}${kind}`, `${amountText(budget, limit)}${raised ?? ''}`];
  });
  return Object.fromEntries(texts);
}

const budgetWord = 'budget';
const furtherWord = `further ${budgetWord}`;
const endUserWord = 'end_users';

const setText = (values: readonly string[]): string => values.toSorted().join(', ');

export function shownLevel({ budgets, budgetsMade: _, endUsers, ...rest }: LevelTerms, nowMs: number): Shown {
  return { ...shownBudgets(currentBudgets(budgets, nowMs)), ...shown(rest), ...shownEndUsers(endUsers, nowMs) };
}

export function shownToken(terms: TokenTerms, nowMs: number): Shown {
  const { name: _, budget, budgets, budgetsMade: __, endUsers, moderation, expiresAtMs, ...rest } = terms;
  const { before, after, model } = moderation ?? {};
  const moments = before === true ? (after === true ? 'both' : 'before') : 'after';
  return {
    ...(budget && { [`${budgetWord} usd/${budget.period}`]: usdText(budget.limitNano) }),
    ...shownBudgets(currentBudgets(budgets, nowMs), furtherWord),
    ...(expiresAtMs !== undefined && { expires_at: new Date(expiresAtMs).toISOString() }),
    ...(moderation && { moderate: moments, ...(model !== undefined && { moderation_model: model }) }),
    ...shown(rest),
    ...shownEndUsers(endUsers, nowMs),
  };
}

/** Terms without any limit still bound how many end users there are. */
function shownEndUsers(terms: EndUserTerms | undefined, nowMs: number): Shown {
  if (terms === undefined) return {};
  const { budgets, budgetsMade: _, ...rest } = terms;
  const fields = Object.entries({ ...shownBudgets(currentBudgets(budgets, nowMs)), ...shown(rest) });
  if (fields.length === 0) return { [endUserWord]: 'no limits' };
  return Object.fromEntries(fields.map(([field, text]) => [`${endUserWord} ${field}`, text]));
}

function shown(terms: object): Shown {
  const texts = Object.entries(terms).map(([field, value]) => [
    fileKeyOf(field),
    Array.isArray(value) ? setText(value) || 'none' : String(value),
  ]);
  return Object.fromEntries(texts);
}

export interface Difference {
  /** As the audit log names it. */
  readonly field: string;
  readonly text: string;
}

/** In the order of the fields; nothing where both are equal. */
export function differences(before: Shown, after: Shown): readonly Difference[] {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return fields
    .filter((field) => before[field] !== after[field])
    .map((field) => ({
      field: auditField(field),
      text: `${field} ${before[field] ?? 'none'} → ${after[field] ?? 'none'}`,
    }));
}

function auditField(field: string): string {
  if (field.startsWith(endUserWord)) return endUserWord;
  return [budgetWord, furtherWord].some((word) => field.startsWith(`${word} `)) ? 'budgets' : field;
}

/** Each once. */
export const fieldsOf = (found: readonly Difference[]): readonly string[] => [
  ...new Set(found.map(({ field }) => field)),
];
