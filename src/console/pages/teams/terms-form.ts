/** The limits of a level as a form holds them: texts while they are written, and what of them goes to the admin interface. */

import type { BudgetUnit, LevelTermsView } from '../../../admin/contracts/organization-contract.ts';

type BudgetView = NonNullable<LevelTermsView['budgets']>[number];
export const budgetUnits = ['usd', 'requests', 'tokens'] as const satisfies readonly BudgetUnit[];

export interface BudgetForm {
  /** Absent for a new one. */
  readonly id?: string;
  /** Tells rows apart while they have no id. */
  readonly key: string;
  readonly unit: BudgetUnit;
  readonly limit: string;
  readonly period: BudgetView['period'];
  readonly models: string;
  readonly raiseLimit: string;
  /** `2030-01-31`. */
  readonly raiseUntil: string;
}

export interface TermsForm {
  readonly budgets: readonly BudgetForm[];
  readonly rpm: string;
  readonly tpm: string;
  readonly concurrency: string;
  /** One a line. */
  readonly models: string;
  readonly endpoints: readonly string[];
  readonly labels: string;
  readonly disabled: boolean;
}

const textOf = (value: number | undefined): string => (value === undefined ? '' : String(value));

export function termsFormOf(terms: LevelTermsView): TermsForm {
  return {
    budgets: (terms.budgets ?? []).map((budget) => ({
      id: budget.id,
      key: budget.id,
      unit: budget.unit,
      limit: budget.limit,
      period: budget.period,
      models: (budget.models ?? []).join(', '),
      raiseLimit: budget.raise?.limit ?? '',
      raiseUntil: budget.raise?.until.slice(0, 10) ?? '',
    })),
    rpm: textOf(terms.rpm),
    tpm: textOf(terms.tpm),
    concurrency: textOf(terms.concurrency),
    models: (terms.models ?? []).join('\n'),
    endpoints: terms.endpoints ?? [],
    labels: (terms.labels ?? []).join(', '),
    disabled: terms.disabled === true,
  };
}

export const newBudget = (key: string): BudgetForm => ({
  key,
  unit: 'usd',
  limit: '',
  period: 'month',
  models: '',
  raiseLimit: '',
  raiseUntil: '',
});

const entriesOf = (text: string): readonly string[] =>
  [...new Set(text.split(/[\n,]/).map((entry) => entry.trim()))].filter((entry) => entry !== '');

const plainOf = (text: string): string => text.replace(/[\s,_'$]/g, '');

function isAmount(text: string, unit: BudgetUnit): boolean {
  const plain = plainOf(text);
  const shape = unit === 'usd' ? /^[0-9]{1,9}(\.[0-9]{1,9})?$/ : /^[0-9]{1,15}$/;
  return shape.test(plain) && Number(plain) > 0;
}

const isCount = (text: string): boolean => text.trim() === '' || /^[1-9][0-9]{0,11}$/.test(plainOf(text));

interface Mistakes {
  readonly limit: string;
  readonly count: string;
  readonly raise: string;
}

/** By the name of the field; those of a budget by its place: `budgets.0.limit`. */
export type TermsErrors = Readonly<Record<string, string>>;

export function termsMistakes(form: TermsForm, words: Mistakes): TermsErrors {
  const found: Record<string, string> = {};
  for (const field of ['rpm', 'tpm', 'concurrency'] as const) if (!isCount(form[field])) found[field] = words.count;
  for (const [at, { unit, limit, raiseLimit, raiseUntil }] of form.budgets.entries()) {
    if (!isAmount(limit, unit)) found[`budgets.${at}.limit`] = words.limit;
    const isRaised = raiseLimit.trim() !== '';
    const isHigher = isAmount(raiseLimit, unit) && Number(plainOf(raiseLimit)) > Number(plainOf(limit));
    if (isRaised !== (raiseUntil !== '') || (isRaised && !isHigher)) found[`budgets.${at}.raise`] = words.raise;
  }
  return found;
}

/** What the admin interface is sent; null where the form's field is empty. */
function wireOf(form: TermsForm): Record<string, unknown> {
  const list = (text: string) => (entriesOf(text).length === 0 ? null : entriesOf(text));
  const count = (text: string) => (text.trim() === '' ? null : Number(plainOf(text)));
  return {
    budgets: form.budgets.map(({ id, unit, limit, period, models, raiseLimit, raiseUntil }) => ({
      ...(id !== undefined && { id }),
      unit,
      limit: plainOf(limit),
      period,
      ...(entriesOf(models).length > 0 && { models: entriesOf(models) }),
      ...(raiseLimit.trim() !== '' && { raise: { limit: plainOf(raiseLimit), until: `${raiseUntil}T23:59:59Z` } }),
    })),
    rpm: count(form.rpm),
    tpm: count(form.tpm),
    concurrency: count(form.concurrency),
    models: list(form.models),
    endpoints: form.endpoints.length === 0 ? null : form.endpoints,
    labels: list(form.labels),
    disabled: form.disabled,
  };
}

/** Only what differs, so that two people who edit different things do not undo each other. */
export function termsChanges(before: TermsForm, after: TermsForm): Record<string, unknown> {
  const [old, now] = [wireOf(before), wireOf(after)];
  return Object.fromEntries(
    Object.entries(now).filter(([name, value]) => JSON.stringify(old[name]) !== JSON.stringify(value)),
  );
}
