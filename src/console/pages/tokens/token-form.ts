/** A token as a form holds it: texts while they are written, and what of them goes to the admin interface. */

import type { TokenView } from '../../../admin/contracts/contract.ts';
import {
  type BudgetForm,
  type BudgetMistakes,
  budgetFormsOf,
  budgetMistakes,
  budgetsWire,
  type EndUserForm,
  endUserFormOf,
  endUserMistakes,
  endUsersWire,
  entriesOf,
  noEndUsers,
} from '../../terms/budget-form.ts';
import { defaultTools, type ToolsForm, toolsFormOf, toolsWire } from '../../terms/tools-form.ts';

type BudgetPeriod = NonNullable<TokenView['budget']>['period'];

type ModerationMoment = NonNullable<TokenView['moderate']>;
export const moderationMoments = ['before', 'after', 'both'] as const satisfies readonly ModerationMoment[];

export interface TokenForm {
  readonly name: string;
  /** `2030-01-31`, or empty for never. */
  readonly expires: string;
  /** One a line, as are addresses and labels. */
  readonly models: string;
  readonly endpoints: readonly string[];
  readonly addresses: string;
  readonly tools: ToolsForm;
  readonly rpm: string;
  readonly tpm: string;
  readonly concurrency: string;
  readonly budget: string;
  readonly period: BudgetPeriod;
  /** Beside that one. */
  readonly budgets: readonly BudgetForm[];
  readonly endUsers: EndUserForm;
  readonly subTokensMax: string;
  readonly strict: boolean;
  readonly moderate: ModerationMoment | '';
  readonly moderationModel: string;
  readonly labels: string;
  readonly maySteer: boolean;
  readonly mayExplain: boolean;
}

type TokenFormField = keyof TokenForm;

export const emptyForm: TokenForm = {
  name: '',
  expires: '',
  models: '',
  endpoints: [],
  addresses: '',
  tools: defaultTools,
  rpm: '',
  tpm: '',
  concurrency: '',
  budget: '',
  period: 'month',
  budgets: [],
  endUsers: noEndUsers,
  subTokensMax: '',
  strict: false,
  moderate: '',
  moderationModel: '',
  labels: '',
  maySteer: false,
  mayExplain: false,
};

const textOf = (value: number | undefined): string => (value === undefined ? '' : String(value));
const linesOf = (list: readonly string[] | undefined): string => (list ?? []).join('\n');

export function formOf(token: TokenView): TokenForm {
  return {
    name: token.name,
    expires: token.expiresAt === undefined ? '' : dayText(Date.parse(token.expiresAt)),
    models: linesOf(token.models),
    endpoints: token.endpoints ?? [],
    addresses: linesOf(token.addresses),
    tools: toolsFormOf(token.tools),
    rpm: textOf(token.rpm),
    tpm: textOf(token.tpm),
    concurrency: textOf(token.concurrency),
    budget: token.budget?.limitUsd ?? '',
    period: token.budget?.period ?? emptyForm.period,
    budgets: budgetFormsOf(token.budgets),
    endUsers: endUserFormOf(token.endUsers),
    subTokensMax: textOf(token.subTokensMax),
    strict: token.strict,
    moderate: token.moderate ?? '',
    moderationModel: token.moderationModel ?? '',
    labels: linesOf(token.labels),
    maySteer: token.maySteer,
    mayExplain: token.mayExplain,
  };
}

/** The day as the person's own calendar has it, which is how they think of an expiry. */
export function dayText(atMs: number): string {
  const date = new Date(atMs);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** “Until the 31st” includes the 31st. */
export function endOfDay(day: string): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date, 23, 59, 59).toISOString();
}

/** What a number must be, in words of the person's language. */
interface FormMistakes extends BudgetMistakes {
  readonly name: string;
  readonly budget: string;
  readonly past: string;
}

/** Those of a budget by its place: `budgets.0.limit`, `endUsers.budgets.0.limit`. */
type ErrorName = TokenFormField | `budgets.${string}` | `endUsers.${string}`;
export type FieldErrors = Readonly<Partial<Record<ErrorName, string>>>;

const countFields = ['rpm', 'tpm', 'concurrency', 'subTokensMax'] as const;

/** What can be told without asking; everything else Weir says itself. */
export function mistakesOf(form: TokenForm, words: FormMistakes, nowMs: number): FieldErrors {
  const found: Partial<Record<TokenFormField, string>> = {};
  if (form.name.trim() === '') found.name = words.name;
  for (const field of countFields) {
    if (form[field].trim() !== '' && countOf(form[field]) === undefined) found[field] = words.count;
  }
  if (form.budget.trim() !== '' && budgetOf(form.budget) === undefined) found.budget = words.budget;
  if (form.expires !== '' && Date.parse(endOfDay(form.expires)) <= nowMs) found.expires = words.past;
  return { ...found, ...budgetMistakes(form.budgets, words), ...endUserMistakes(form.endUsers, words) };
}

/** People write 1,000 and 1 000; neither is a mistake. */
function countOf(text: string): number | undefined {
  const plain = text.replace(/[\s,_']/g, '');
  return /^[1-9][0-9]{0,12}$/.test(plain) ? Number(plain) : undefined;
}

function budgetOf(text: string): string | undefined {
  const plain = text.trim().replace(/^\$\s*/, '');
  return /^[0-9]{1,9}(\.[0-9]{1,9})?$/.test(plain) && Number(plain) > 0 ? plain : undefined;
}

/** The admin interface's fields by the form's; `null` where the form's field is empty. */
function wireOf(form: TokenForm): Record<string, unknown> {
  const list = (text: string) => (entriesOf(text).length === 0 ? null : entriesOf(text));
  return {
    name: form.name.trim(),
    expiresAt: form.expires === '' ? null : endOfDay(form.expires),
    models: list(form.models),
    endpoints: form.endpoints.length === 0 ? null : form.endpoints,
    addresses: list(form.addresses),
    tools: toolsWire(form.tools),
    rpm: countOf(form.rpm) ?? null,
    tpm: countOf(form.tpm) ?? null,
    concurrency: countOf(form.concurrency) ?? null,
    budgetUsd: budgetOf(form.budget) ?? null,
    budgetPeriod: form.period,
    budgets: form.budgets.length === 0 ? null : budgetsWire(form.budgets),
    endUsers: endUsersWire(form.endUsers),
    subTokensMax: countOf(form.subTokensMax) ?? null,
    strict: form.strict,
    moderate: form.moderate === '' ? null : form.moderate,
    moderationModel: form.moderationModel.trim() === '' ? null : form.moderationModel.trim(),
    labels: list(form.labels),
    maySteer: form.maySteer,
    mayExplain: form.mayExplain,
  };
}

/** What is left empty is left to the operator's settings for new tokens. */
export function newTokenBody(form: TokenForm): Record<string, unknown> {
  const wire = wireOf(form);
  if (wire['budgetUsd'] === null) delete wire['budgetPeriod'];
  return Object.fromEntries(Object.entries(wire).filter(([, value]) => value !== null && value !== false));
}

/** Only what differs, so that two people who edit different things do not undo each other. */
export function changesBody(before: TokenForm, after: TokenForm): Record<string, unknown> {
  const [old, now] = [wireOf(before), wireOf(after)];
  const changed = Object.keys(now).filter((key) => JSON.stringify(old[key]) !== JSON.stringify(now[key]));
  // A period means nothing without its amount.
  return Object.fromEntries(
    changed.filter((key) => key !== 'budgetPeriod' || now['budgetUsd'] !== null).map((key) => [key, now[key]]),
  );
}

const fieldsByParam: Readonly<Record<string, TokenFormField>> = {
  expiresAt: 'expires',
  budgetUsd: 'budget',
  budgetPeriod: 'period',
};

/** The field that a refusal speaks of; absent where it speaks of none that the form has. */
export function fieldOfParam(param: string): TokenFormField | undefined {
  const [head = ''] = param.split(/[.[]/, 1);
  const named = fieldsByParam[head] ?? head;
  return named in emptyForm ? (named as TokenFormField) : undefined;
}

/** Weir names the field in front of its sentence; at the field itself that would be said twice. */
export function refusalText(message: string, param: string): string {
  return message.startsWith(`${param}: `) ? message.slice(param.length + 2) : message;
}
