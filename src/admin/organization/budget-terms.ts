/** Converts budgets, and the terms for end users that hold some, between input, stored record and view. */

import type { BudgetUnit, EndUserTerms, LevelBudget } from '../../access/organization.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { usdText } from '../../ledger/money.ts';
import { windowEndMs, windowStartMs } from '../../ledger/window.ts';
import type {
  BudgetTermsView,
  CheckedBudget,
  CheckedEndUserTerms,
  EndUserTermsView,
  LevelBudgetView,
} from '../contracts/budget-contract.ts';

interface Budgets {
  readonly budgets?: readonly LevelBudget[];
  readonly budgetsMade?: number;
}

interface ChangedBudgets {
  readonly budgets: readonly LevelBudget[] | undefined;
  readonly budgetsMade: number | undefined;
}

/** What ids of new budgets begin with: end users have budgets of their own beside the default ones. */
type IdPrefix = 'b' | 'e';

/** A budget that is given with the id of one before keeps what was spent of it. */
export function changedBudgets(
  before: Budgets,
  given: readonly CheckedBudget[] | null | undefined,
  prefix: IdPrefix = 'b',
): ChangedBudgets {
  if (given === undefined) return { budgets: before.budgets, budgetsMade: before.budgetsMade };
  const numberOf = numbersWith(prefix);
  let made = Math.max(before.budgetsMade ?? 0, ...(before.budgets ?? []).map(numberOf), ...(given ?? []).map(numberOf));
  const known = new Map((before.budgets ?? []).map((budget) => [budget.id, budget]));
  const budgets = (given ?? []).map((budget): LevelBudget => {
    const id = budget.id ?? `${prefix}${++made}`;
    const old = known.get(id);
    if (old !== undefined && old.unit !== budget.unit) {
      const message = `budgets: the unit of ${id} cannot change; add a new budget without an id`;
      throw new GatewayError('field_invalid', message, { param: 'budgets' });
    }
    return { ...budget, id };
  });
  if (new Set(budgets.map(({ id }) => id)).size < budgets.length) {
    throw new GatewayError('field_invalid', 'budgets: each id may occur once', { param: 'budgets' });
  }
  return { budgets: budgets.length === 0 ? undefined : budgets, budgetsMade: made === 0 ? undefined : made };
}

/** `b3` is 3; an id that an operator chose is none. */
const numbersWith = (prefix: IdPrefix) => {
  const pattern = new RegExp(`^${prefix}([0-9]{1,9})$`);
  return ({ id = '' }: { readonly id?: string }): number => Number(pattern.exec(id)?.[1] ?? 0);
};

/** Null: no terms for end users. */
export function changedEndUsers(
  before: EndUserTerms | undefined,
  given: CheckedEndUserTerms,
): EndUserTerms | undefined {
  if (given === undefined) return before;
  if (given === null) return undefined;
  const { budgets, budgetsMade } = changedBudgets(before ?? {}, given.budgets);
  const rpm = given.rpm === undefined ? before?.rpm : (given.rpm ?? undefined);
  const max = given.max === undefined ? before?.max : (given.max ?? undefined);
  return {
    ...(budgets !== undefined && { budgets }),
    ...(budgetsMade !== undefined && { budgetsMade }),
    ...(rpm !== undefined && { rpm }),
    ...(max !== undefined && { max }),
  };
}

export function endUserTermsView({ budgets, rpm, max }: EndUserTerms): EndUserTermsView {
  return {
    ...(budgets !== undefined && { budgets: budgets.map(budgetTermsView) }),
    ...(rpm !== undefined && { rpm }),
    ...(max !== undefined && { max }),
  };
}

export function budgetTermsView({ id, unit, limit, period, models, raise }: LevelBudget): BudgetTermsView {
  return {
    id,
    unit,
    limit: amountText(unit, limit),
    period,
    ...(models !== undefined && { models }),
    ...(raise !== undefined && {
      raise: { limit: amountText(unit, raise.limit), until: new Date(raise.untilMs).toISOString() },
    }),
  };
}

export interface BudgetReader {
  read(scope: string, windowStartMs: number): Promise<{ readonly spentNano: bigint; readonly heldNano: bigint }>;
}

/** With what the current window of each has spent and holds. */
export function budgetViews(
  budgets: readonly LevelBudget[],
  scopeOf: (budgetId: string) => string,
  reader: BudgetReader,
  nowMs: number,
): Promise<readonly LevelBudgetView[]> {
  return Promise.all(
    budgets.map(async (budget) => {
      const state = await reader.read(scopeOf(budget.id), windowStartMs(budget.period, nowMs));
      return budgetView(budget, state, nowMs);
    }),
  );
}

/** Shares are given in these parts; a float holds them exactly. */
const shareParts = 1_000_000n;

function budgetView(
  budget: LevelBudget,
  { spentNano, heldNano }: { readonly spentNano: bigint; readonly heldNano: bigint },
  nowMs: number,
): LevelBudgetView {
  const { unit, period } = budget;
  const effective = limitOf(budget, nowMs);
  const left = effective - spentNano - heldNano;
  const resetsAtMs = windowEndMs(period, nowMs);
  return {
    ...budgetTermsView(budget),
    spent: amountText(unit, spentNano),
    held: amountText(unit, heldNano),
    left: amountText(unit, left > 0n ? left : 0n),
    share: Number((spentNano * shareParts) / effective) / Number(shareParts),
    ...(resetsAtMs !== undefined && { resetsAt: new Date(resetsAtMs).toISOString() }),
  };
}

/** With a raise that has not ended. */
const limitOf = ({ limit, raise }: LevelBudget, nowMs: number): bigint =>
  raise !== undefined && raise.untilMs > nowMs ? raise.limit : limit;

const amountText = (unit: BudgetUnit, amount: bigint): string => (unit === 'usd' ? usdText(amount) : amount.toString());
