/** Budgets, and the terms for end users that hold some, as forms hold them: texts while they are written, and what of them is sent. */

import type { BudgetTermsView, EndUserTermsView } from '../../admin/contracts/budget-contract.ts';

type BudgetUnit = BudgetTermsView['unit'];
type BudgetPeriod = BudgetTermsView['period'];
export const budgetUnits = ['usd', 'requests', 'tokens'] as const satisfies readonly BudgetUnit[];
export const budgetPeriods = ['day', 'week', 'month', 'total'] as const satisfies readonly BudgetPeriod[];

export interface BudgetForm {
  /** Absent for a new one. */
  readonly id?: string;
  /** Tells rows apart while they have no id. */
  readonly key: string;
  readonly unit: BudgetUnit;
  readonly limit: string;
  readonly period: BudgetPeriod;
  readonly models: string;
  readonly raiseLimit: string;
  /** `2030-01-31`. */
  readonly raiseUntil: string;
}

/** What limits each end user of the tokens below. */
export interface EndUserForm {
  /** False: there are no terms for end users. */
  readonly limited: boolean;
  readonly budgets: readonly BudgetForm[];
  readonly rpm: string;
  readonly max: string;
}

export const noEndUsers: EndUserForm = { limited: false, budgets: [], rpm: '', max: '' };

const textOf = (value: number | undefined): string => (value === undefined ? '' : String(value));

export const budgetFormsOf = (budgets: readonly BudgetTermsView[] = []): readonly BudgetForm[] =>
  budgets.map(({ id, unit, limit, period, models = [], raise }) => ({
    ...{ id, key: id, unit, limit, period },
    models: models.join(', '),
    raiseLimit: raise?.limit ?? '',
    raiseUntil: raise?.until.slice(0, 10) ?? '',
  }));

export const endUserFormOf = (terms: EndUserTermsView | undefined): EndUserForm =>
  terms === undefined
    ? noEndUsers
    : { limited: true, budgets: budgetFormsOf(terms.budgets), rpm: textOf(terms.rpm), max: textOf(terms.max) };

export const newBudget = (key: string): BudgetForm => ({
  key,
  unit: 'usd',
  limit: '',
  period: 'month',
  models: '',
  raiseLimit: '',
  raiseUntil: '',
});

/** Comma-separated, or one a line. */
export const entriesOf = (text: string): readonly string[] =>
  [...new Set(text.split(/[\n,]/).map((entry) => entry.trim()))].filter((entry) => entry !== '');

/** People write 1,000 and 1 000; neither is a mistake. */
const plainOf = (text: string): string => text.replace(/[\s,_'$]/g, '');

export const countOf = (text: string): number | null => (text.trim() === '' ? null : Number(plainOf(text)));

export const isCount = (text: string): boolean => text.trim() === '' || /^[1-9][0-9]{0,11}$/.test(plainOf(text));

function isAmount(text: string, unit: BudgetUnit): boolean {
  const plain = plainOf(text);
  const shape = unit === 'usd' ? /^[0-9]{1,9}(\.[0-9]{1,9})?$/ : /^[0-9]{1,15}$/;
  return shape.test(plain) && Number(plain) > 0;
}

export interface BudgetMistakes {
  readonly limit: string;
  readonly count: string;
  readonly raise: string;
}

/** By the place of the budget: `budgets.0.limit`, after the name of what holds them. */
export function budgetMistakes(
  budgets: readonly BudgetForm[],
  words: BudgetMistakes,
  holder = '',
): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const [at, { unit, limit, raiseLimit, raiseUntil }] of budgets.entries()) {
    if (!isAmount(limit, unit)) found[`${holder}budgets.${at}.limit`] = words.limit;
    const isRaised = raiseLimit.trim() !== '';
    const isHigher = isAmount(raiseLimit, unit) && Number(plainOf(raiseLimit)) > Number(plainOf(limit));
    if (isRaised !== (raiseUntil !== '') || (isRaised && !isHigher))
      found[`${holder}budgets.${at}.raise`] = words.raise;
  }
  return found;
}

export function endUserMistakes(form: EndUserForm, words: BudgetMistakes): Readonly<Record<string, string>> {
  if (!form.limited) return {};
  const counts = (['rpm', 'max'] as const).filter((field) => !isCount(form[field]));
  return {
    ...Object.fromEntries(counts.map((field) => [`endUsers.${field}`, words.count])),
    ...budgetMistakes(form.budgets, words, 'endUsers.'),
  };
}

/** What the admin interface is sent. */
export const budgetsWire = (budgets: readonly BudgetForm[]): readonly object[] =>
  budgets.map(({ id, unit, limit, period, models, raiseLimit, raiseUntil }) => ({
    ...(id !== undefined && { id }),
    unit,
    limit: plainOf(limit),
    period,
    ...(entriesOf(models).length > 0 && { models: entriesOf(models) }),
    ...(raiseLimit.trim() !== '' && { raise: { limit: plainOf(raiseLimit), until: `${raiseUntil}T23:59:59Z` } }),
  }));

export const endUsersWire = ({ limited, budgets, rpm, max }: EndUserForm): object | null =>
  limited ? { budgets: budgetsWire(budgets), rpm: countOf(rpm), max: countOf(max) } : null;
