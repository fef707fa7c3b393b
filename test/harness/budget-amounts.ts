/** What attempts hold and are charged in the unit of a budget, as the documents say it: for models that stores are compared with. */

import type { BudgetUnit } from '../../src/access/organization.ts';
import type { AttemptClosing, AttemptOpening, BudgetScope } from '../../src/ledger/ledger.ts';

export function reservedIn(unit: BudgetUnit, { reserveNano, reserveTokens }: AttemptOpening): bigint {
  if (unit === 'requests') return 1n;
  return unit === 'tokens' ? BigInt(reserveTokens) : reserveNano;
}

type Charged = Pick<AttemptClosing, 'costNano' | 'verdict' | 'tokens'>;

export function chargedIn(unit: BudgetUnit, opening: AttemptOpening, { costNano, verdict, tokens }: Charged): bigint {
  const served = verdict === undefined || verdict === '';
  const unknown = served || costNano > 0n ? BigInt(opening.reserveTokens) : 0n;
  const used = tokens === undefined ? unknown : BigInt(tokens);
  if (unit === 'requests') return served || costNano > 0n || used > 0n ? 1n : 0n;
  return unit === 'usd' ? costNano : used;
}

/** Of an attempt whose process died. */
export function lostIn(unit: BudgetUnit, opening: AttemptOpening, costNano: bigint): bigint {
  return unit === 'usd' ? costNano : reservedIn(unit, opening);
}

/** The first scope in the order of the caller that has no room. */
export function refusingScope(opening: AttemptOpening, usedIn: (scope: BudgetScope) => bigint): string | undefined {
  return opening.scopes.find((scope) => usedIn(scope) + reservedIn(scope.unit, opening) > scope.limit)?.scope;
}
