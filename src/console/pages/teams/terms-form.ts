/** The limits of a level as a form holds them: texts while they are written, and what of them goes to the admin interface. */

import type { LevelTermsView } from '../../../admin/contracts/organization-contract.ts';
import {
  type BudgetForm,
  type BudgetMistakes,
  budgetFormsOf,
  budgetMistakes,
  budgetsWire,
  countOf,
  type EndUserForm,
  endUserFormOf,
  endUserMistakes,
  endUsersWire,
  entriesOf,
  isCount,
} from '../../terms/budget-form.ts';
import { type ToolsForm, toolsFormOf, toolsWire } from '../../terms/tools-form.ts';

export interface TermsForm {
  readonly budgets: readonly BudgetForm[];
  readonly rpm: string;
  readonly tpm: string;
  readonly concurrency: string;
  /** One a line. */
  readonly models: string;
  readonly endpoints: readonly string[];
  readonly tools: ToolsForm;
  readonly labels: string;
  readonly disabled: boolean;
  readonly endUsers: EndUserForm;
}

const textOf = (value: number | undefined): string => (value === undefined ? '' : String(value));

export function termsFormOf(terms: LevelTermsView): TermsForm {
  return {
    budgets: budgetFormsOf(terms.budgets),
    rpm: textOf(terms.rpm),
    tpm: textOf(terms.tpm),
    concurrency: textOf(terms.concurrency),
    models: (terms.models ?? []).join('\n'),
    endpoints: terms.endpoints ?? [],
    tools: toolsFormOf(terms.tools),
    labels: (terms.labels ?? []).join(', '),
    disabled: terms.disabled === true,
    endUsers: endUserFormOf(terms.endUsers),
  };
}

/** By the name of the field; those of a budget by its place: `budgets.0.limit`, `endUsers.budgets.0.limit`. */
export type TermsErrors = Readonly<Record<string, string>>;

export function termsMistakes(form: TermsForm, words: BudgetMistakes): TermsErrors {
  const counts = (['rpm', 'tpm', 'concurrency'] as const).filter((field) => !isCount(form[field]));
  return {
    ...Object.fromEntries(counts.map((field) => [field, words.count])),
    ...budgetMistakes(form.budgets, words),
    ...endUserMistakes(form.endUsers, words),
  };
}

/** What the admin interface is sent; null where the form's field is empty. */
function wireOf(form: TermsForm): Record<string, unknown> {
  const list = (text: string) => (entriesOf(text).length === 0 ? null : entriesOf(text));
  return {
    budgets: budgetsWire(form.budgets),
    rpm: countOf(form.rpm),
    tpm: countOf(form.tpm),
    concurrency: countOf(form.concurrency),
    models: list(form.models),
    endpoints: form.endpoints.length === 0 ? null : form.endpoints,
    tools: toolsWire(form.tools),
    labels: list(form.labels),
    disabled: form.disabled,
    endUsers: endUsersWire(form.endUsers),
  };
}

/** Only what differs, so that two people who edit different things do not undo each other. */
export function termsChanges(before: TermsForm, after: TermsForm): Record<string, unknown> {
  const [old, now] = [wireOf(before), wireOf(after)];
  return Object.fromEntries(
    Object.entries(now).filter(([name, value]) => JSON.stringify(old[name]) !== JSON.stringify(value)),
  );
}
