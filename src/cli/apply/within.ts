/** Reports limits that are above those of the level that contains them. */

import type { LevelBudget, LevelTerms } from '../../access/organization.ts';
import { termTable } from '../../access/terms.ts';
import { usdText } from '../../ledger/money.ts';
import type { Mistakes, Path } from './mistakes.ts';

interface Level {
  readonly terms: LevelTerms;
  /** New, or with other terms than before. */
  readonly isChanged: boolean;
}

interface Parent extends Level {
  /** As a message calls it: `the team Search`. */
  readonly title: string;
}

/**
 * Only where the level or one above it changes: what was allowed before stays. The nearest level is reported. `pathOf`
 * gives the place of a field of the terms, and of a budget by its place in their list.
 */
export function checkWithin(
  mistakes: Mistakes,
  level: Level,
  above: readonly Parent[],
  pathOf: (field: string, index?: number) => Path,
): void {
  if (![level, ...above].some(({ isChanged }) => isChanged)) return;
  for (const parent of above) checkAgainst(mistakes, level.terms, parent, pathOf);
}

function checkAgainst(
  mistakes: Mistakes,
  terms: LevelTerms,
  parent: Parent,
  pathOf: (field: string, index?: number) => Path,
): void {
  for (const limit of ['rpm', 'tpm', 'concurrency'] as const) {
    const most = parent.terms[limit];
    if (most !== undefined && (terms[limit] ?? 0) > most) {
      mistakes.add(pathOf(limit), `must be at most ${most}, the limit of ${parent.title}`);
    }
  }
  for (const list of ['models', 'endpoints', 'tools'] as const) {
    const allowed = parent.terms[list];
    const strange = allowed && terms[list]?.find((entry) => !termTable[list].allows(allowed)(entry));
    if (strange === undefined) continue;
    const only = allowed?.join(', ') || 'none';
    mistakes.add(pathOf(list), `has ${strange}, but ${parent.title} allows only ${only}`);
  }
  for (const [index, budget] of (terms.budgets ?? []).entries()) {
    const most = parent.terms.budgets?.find((theirs) => isAbove(theirs, budget));
    if (most === undefined) continue;
    const amount = most.unit === 'usd' ? usdText(most.limit) : most.limit;
    mistakes.add(
      pathOf('budgets', index),
      `must be at most ${amount}, the budget per ${most.period} of ${parent.title}`,
    );
  }
}

/** A budget of the same kind that is smaller. */
const isAbove = (theirs: LevelBudget, own: LevelBudget): boolean =>
  theirs.unit === own.unit && theirs.period === own.period && theirs.models === undefined && own.limit > theirs.limit;
