/** Converts the terms of a level between input, stored record and view. */

import type { LevelTerms } from '../../access/organization.ts';
import type { CheckedLevelTerms, LevelTermsView } from '../contracts/organization-contract.ts';
import { withoutAbsent } from '../tokens/token-terms.ts';
import { type BudgetReader, budgetViews, changedBudgets, changedEndUsers, endUserTermsView } from './budget-terms.ts';

export type { BudgetReader } from './budget-terms.ts';

/** What a level is called in the names of budget scopes. */
type ScopeKind = 'org' | 'team' | 'project' | 'person' | 'token' | 'user';

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
    tools: pick(changes.tools, before.tools),
    labels: pick(changes.labels, before.labels),
    disabled: (changes.disabled ?? before.disabled) || undefined,
    endUsers: changedEndUsers(before.endUsers, changes.endUsers),
  });
}

/** With what the current window of each budget has spent and holds. */
export async function levelTermsView(
  terms: LevelTerms,
  { kind, id }: { readonly kind: ScopeKind; readonly id: string },
  reader: BudgetReader,
  nowMs: number,
): Promise<LevelTermsView> {
  const { budgets, budgetsMade: _, endUsers, ...rest } = terms;
  return {
    ...rest,
    ...(endUsers !== undefined && { endUsers: endUserTermsView(endUsers) }),
    // The name under which the ledger counts a budget of a level.
    ...(budgets !== undefined && {
      budgets: await budgetViews(budgets, (budgetId) => `${kind}:${id}#${budgetId}`, reader, nowMs),
    }),
  };
}
