/** Converts the terms of a level between input, stored record and view. */

import type { BudgetUnit, LevelBudget, LevelTerms } from '../../access/organization.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { usdText } from '../../ledger/money.ts';
import { windowEndMs, windowStartMs } from '../../ledger/window.ts';
import type {
  CheckedBudget,
  CheckedLevelTerms,
  LevelBudgetView,
  LevelTermsView,
} from '../contracts/organization-contract.ts';
import { isoText, withoutAbsent } from '../tokens/token-terms.ts';

/** What a level is called in the names of budget scopes. */
type ScopeKind = 'org' | 'team' | 'project' | 'person';

/** The name under which the ledger counts a budget of a level. */
const budgetScope = (kind: ScopeKind, id: string, budgetId: string): string => `${kind}:${id}#${budgetId}`;

/** Null drops a limit, absent keeps it. */
export function changedLevelTerms(before: LevelTerms, changes: CheckedLevelTerms): LevelTerms {
  const pick = <Value>(given: Value | null | undefined, kept: Value | undefined): Value | undefined =>
    given === undefined ? kept : (given ?? undefined);
  return withoutAbsent<LevelTerms>({
    ...changedBudgets(before, changes.budgets),
    rpm: pick(changes.rpm, before.rpm),
    tpm: pick(changes.tpm, before.tpm),
    concurrency: pick(changes.concurrency, before.concurrency),
    models: pick(changes.models, before.models),
    endpoints: pick(changes.endpoints, before.endpoints),
    labels: pick(changes.labels, before.labels),
    disabled: (changes.disabled ?? before.disabled) || undefined,
  });
}

type Budgets = Pick<LevelTerms, 'budgets' | 'budgetsMade'>;

/** A budget that is given with the id of one before keeps what was spent of it. */
function changedBudgets(before: LevelTerms, given: readonly CheckedBudget[] | null | undefined): Sparse<Budgets> {
  if (given === undefined) return { budgets: before.budgets, budgetsMade: before.budgetsMade };
  let made = Math.max(before.budgetsMade ?? 0, ...(before.budgets ?? []).map(numberOf), ...(given ?? []).map(numberOf));
  const known = new Map((before.budgets ?? []).map((budget) => [budget.id, budget]));
  const budgets = (given ?? []).map((budget): LevelBudget => {
    const id = budget.id ?? `b${++made}`;
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

type Sparse<Shape> = { [Key in keyof Shape]: Shape[Key] | undefined };

/** `b3` is 3; an id that an operator chose is none. */
const numberOf = ({ id = '' }: { readonly id?: string }): number => Number(/^b([0-9]{1,9})$/.exec(id)?.[1] ?? 0);

export interface BudgetReader {
  read(scope: string, windowStartMs: number): Promise<{ readonly spentNano: bigint; readonly heldNano: bigint }>;
}

/** With what the current window of each budget has spent and holds. */
export async function levelTermsView(
  terms: LevelTerms,
  level: { readonly kind: ScopeKind; readonly id: string },
  budgets: BudgetReader,
  nowMs: number,
): Promise<LevelTermsView> {
  const { budgets: given, budgetsMade: _, ...rest } = terms;
  if (given === undefined) return rest;
  const views = await Promise.all(
    given.map(async (budget) => {
      const scope = budgetScope(level.kind, level.id, budget.id);
      return budgetView(budget, await budgets.read(scope, windowStartMs(budget.period, nowMs)), nowMs);
    }),
  );
  return { ...rest, budgets: views };
}

/** Shares are given in these parts; a float holds them exactly. */
const shareParts = 1_000_000n;

function budgetView(
  budget: LevelBudget,
  { spentNano, heldNano }: { readonly spentNano: bigint; readonly heldNano: bigint },
  nowMs: number,
): LevelBudgetView {
  const { id, unit, limit, period, models, raise } = budget;
  const effective = limitOf(budget, nowMs);
  const left = effective - spentNano - heldNano;
  return withoutAbsent<LevelBudgetView>({
    id,
    unit,
    limit: amountText(unit, limit),
    period,
    models,
    raise: raise && { limit: amountText(unit, raise.limit), until: new Date(raise.untilMs).toISOString() },
    spent: amountText(unit, spentNano),
    held: amountText(unit, heldNano),
    left: amountText(unit, left > 0n ? left : 0n),
    share: Number((spentNano * shareParts) / effective) / Number(shareParts),
    resetsAt: isoText(windowEndMs(period, nowMs)),
  });
}

/** With a raise that has not ended. */
const limitOf = ({ limit, raise }: LevelBudget, nowMs: number): bigint =>
  raise !== undefined && raise.untilMs > nowMs ? raise.limit : limit;

const amountText = (unit: BudgetUnit, amount: bigint): string => (unit === 'usd' ? usdText(amount) : amount.toString());
