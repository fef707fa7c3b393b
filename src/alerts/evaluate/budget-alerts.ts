/** A budget of which a part is spent: the highest percentage that was reached, once in a window. */

import type { BudgetUnit } from '../../access/organization.ts';
import { usdText } from '../../ledger/money.ts';
import type { NewAlert } from '../../store/alerts/alert-records.ts';
import type { BudgetFact } from '../facts.ts';
import { highestReached, momentText } from './finding.ts';

export function budgetAlerts(budgets: readonly BudgetFact[], percents: readonly number[]): readonly NewAlert[] {
  return budgets.flatMap((budget) => {
    if (budget.limit <= 0n) return [];
    // In hundredths of a percent, so that no money is held in a float.
    const share = Number((budget.spent * 10_000n) / budget.limit) / 100;
    const reached = highestReached(percents, share);
    return reached === undefined ? [] : [alertOf(budget, share, reached)];
  });
}

function alertOf(budget: BudgetFact, share: number, reached: number): NewAlert {
  const { scope, name, unit, limit, spent, windowStartMs, windowEndMs } = budget;
  const resets = windowEndMs === undefined ? 'It does not reset.' : `It resets at ${momentText(windowEndMs)}.`;
  const refused = reached >= 100 ? ' Requests that count against it are refused.' : '';
  return {
    kind: 'budget',
    subject: scope,
    subjectName: name,
    // A changed limit is another budget to be warned about.
    occurrence: `${new Date(windowStartMs).toISOString()}/${limit}`,
    threshold: String(reached),
    severity: reached >= 100 ? 'critical' : reached >= 80 ? 'warning' : 'info',
    title: `Budget of ${name} at ${reached} %`,
    detail: `${amountText(unit, spent)} of ${amountText(unit, limit)} is spent (${share} %). ${resets}${refused}`,
    facts: {
      unit,
      limit: plainText(unit, limit),
      spent: plainText(unit, spent),
      percent: share,
      ...(windowEndMs !== undefined && { resetsAt: new Date(windowEndMs).toISOString() }),
    },
    state: 'noted',
  };
}

const plainText = (unit: BudgetUnit, amount: bigint): string => (unit === 'usd' ? usdText(amount) : amount.toString());
const amountText = (unit: BudgetUnit, amount: bigint): string =>
  unit === 'usd' ? `$${usdText(amount)}` : `${amount} ${unit}`;
