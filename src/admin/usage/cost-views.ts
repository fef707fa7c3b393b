/** Costs as the console and the command line read them: null where one is unknown, never 0 in its place. */

import type { UsageRow } from '../../ledger/ledger.ts';
import { usdText } from '../../ledger/money.ts';
import { isUnpriced } from '../../ledger/unpriced.ts';
import { isGuess } from '../../prices/price-source.ts';

interface CostView {
  readonly costUsd: string | null;
  readonly costNano: string | null;
}

const unknown: CostView = { costUsd: null, costNano: null };

const known = (costNano: bigint): CostView => ({ costUsd: usdText(costNano), costNano: costNano.toString() });

interface RowCostView extends CostView {
  readonly priceVersion?: string;
  readonly guess?: true;
}

export function rowCost(row: UsageRow): RowCostView {
  const { priceVersion } = row;
  return {
    ...(isUnpriced(row) ? unknown : known(row.costNano)),
    ...(priceVersion !== '' && { priceVersion }),
    ...(isGuess(priceVersion) && { guess: true }),
  };
}

/** A sum of what is known; nothing is known where it leaves requests out and has nothing else in it. */
export function sumCost({ costNano, unpriced }: { readonly costNano: bigint; readonly unpriced: number }): CostView {
  return unpriced > 0 && costNano === 0n ? unknown : known(costNano);
}

/**
 * Of one attempt for a request: one that served a request without a price has an unknown cost; one that
 * did not serve cost nothing.
 */
export function attemptCost(costNano: bigint, verdict: string | undefined, row: UsageRow | undefined): CostView {
  const isUnknown = costNano === 0n && verdict === '' && row !== undefined && isUnpriced(row);
  return isUnknown ? unknown : known(costNano);
}
