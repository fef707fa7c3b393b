/** Metrics of what the ledger could not write, and of what it wrote after a failover of its database. */

import type { LedgerFigures } from '../ledger/closings/ledger-counts.ts';
import { single } from './process-metrics.ts';
import type { Family } from './routing-metrics.ts';

export function ledgerFamilies({ recovered, ended, lost }: LedgerFigures): readonly Family[] {
  const counter = (name: string, help: string, rows: Family['rows']): Family => ({ name, kind: 'counter', help, rows });
  return [
    counter(
      'weir_settlements_lost_total',
      'Settlements that could not be written: their cost is in no row and no budget.',
      new Map(Object.entries(lost).map(([reason, count]) => [`reason="${reason}"`, count])),
    ),
    counter(
      'weir_attempts_recovered_total',
      'Attempts that a failover of the database had lost and that were written again.',
      single(recovered),
    ),
    counter(
      'weir_attempts_ended_total',
      'Attempts whose end a failover of the database had lost: charged as estimated.',
      single(ended),
    ),
  ];
}
