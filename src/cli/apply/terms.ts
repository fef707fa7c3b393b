/** Terms as a file gives them: what a level or token has afterwards, and in words what differs from before. */

import type { TokenTerms } from '../../access/caller.ts';
import type { LevelBudget, LevelTerms } from '../../access/organization.ts';
import type { CheckedBudget, CheckedLevelTerms } from '../../admin/contracts/organization-contract.ts';
import { changedLevelTerms } from '../../admin/organization/level-terms.ts';
import { changedTerms } from '../../admin/tokens/token-terms.ts';
import { usdText } from '../../ledger/money.ts';
import type { FileTokenTerms } from './org-file.ts';
import { fileKeyOf } from './section-reader.ts';

/** Words for each term that is set, by its key in the file. Equal words mean equal terms. */
type Shown = Readonly<Record<string, string>>;

/** The terms that the file gives and no others. What a file cannot say (terms for end users) stays. */
export function levelTermsOf(given: CheckedLevelTerms, before: LevelTerms, nowMs: number): LevelTerms {
  const { budgets, rpm, tpm, concurrency, models, endpoints, labels, disabled } = given;
  const after = changedLevelTerms(before, {
    budgets: budgets
      ? identified(
          budgets.map((budget) => withoutEnded(budget, nowMs)),
          before.budgets ?? [],
        )
      : null,
    rpm: rpm ?? null,
    tpm: tpm ?? null,
    concurrency: concurrency ?? null,
    models: models ?? null,
    endpoints: endpoints ?? null,
    labels: labels ?? null,
    disabled: disabled ?? false,
  });
  return before.endUsers === undefined ? after : { ...after, endUsers: before.endUsers };
}

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

/** Terms as they are in effect: a raise that has ended counts as none. */
export function currentTerms(terms: LevelTerms, nowMs: number): LevelTerms {
  if (terms.budgets === undefined) return terms;
  return { ...terms, budgets: terms.budgets.map((budget) => withoutEnded(budget, nowMs)) };
}

/** Throws where a field needs another one. */
export function tokenTermsOf(name: string, given: FileTokenTerms, before: TokenTerms | undefined): TokenTerms {
  const after = changedTerms({ name }, given);
  const { budgets, endUsers } = before ?? {};
  return { ...after, ...(budgets && { budgets }), ...(endUsers && { endUsers }) };
}

const amountText = ({ unit }: LevelBudget, amount: bigint): string =>
  unit === 'usd' ? usdText(amount) : amount.toString();

/** One field for each budget, so that a line shows which of them changes. */
function shownBudgets(budgets: readonly LevelBudget[]): Shown {
  const kinds = budgets.map(kindOf);
  const texts = budgets.map((budget, index) => {
    const kind = kindOf(budget);
    const isClear = kinds.indexOf(kind) === index && kinds.lastIndexOf(kind) === index;
    const { limit, raise } = budget;
    const raised = raise && ` (${amountText(budget, raise.limit)} until ${new Date(raise.untilMs).toISOString()})`;
    return [`${budgetWord} ${isClear ? '' : `${budget.id} `}${kind}`, `${amountText(budget, limit)}${raised ?? ''}`];
  });
  return Object.fromEntries(texts);
}

const budgetWord = 'budget';

const setText = (values: readonly string[]): string => values.toSorted().join(', ');

export function shownLevel(terms: LevelTerms, nowMs: number): Shown {
  const { budgets, budgetsMade: _, endUsers: __, ...rest } = currentTerms(terms, nowMs);
  return { ...shownBudgets(budgets ?? []), ...shown(rest) };
}

export function shownToken({
  name: _,
  budget,
  budgets: __,
  endUsers: ___,
  moderation,
  expiresAtMs,
  ...rest
}: TokenTerms): Shown {
  const { before, after, model } = moderation ?? {};
  const moments = before === true ? (after === true ? 'both' : 'before') : 'after';
  return {
    ...(budget && { [`${budgetWord} usd/${budget.period}`]: usdText(budget.limitNano) }),
    ...(expiresAtMs !== undefined && { expires_at: new Date(expiresAtMs).toISOString() }),
    ...(moderation && { moderate: moments, ...(model !== undefined && { moderation_model: model }) }),
    ...shown(rest),
  };
}

function shown(terms: object): Shown {
  const texts = Object.entries(terms).map(([field, value]) => [
    fileKeyOf(field),
    Array.isArray(value) ? setText(value) : String(value),
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
      field: field.startsWith(`${budgetWord} `) ? 'budgets' : field,
      text: `${field} ${before[field] ?? 'none'} → ${after[field] ?? 'none'}`,
    }));
}

/** Each once. */
export const fieldsOf = (found: readonly Difference[]): readonly string[] => [
  ...new Set(found.map(({ field }) => field)),
];
