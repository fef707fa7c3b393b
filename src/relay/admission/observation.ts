/** What metrics learn of a request, from the row that tells of it. */

import type { Usage } from '../../conversation/usage.ts';
import type { UsageRow } from '../../ledger/ledger.ts';
import { isUnpriced } from '../../ledger/unpriced.ts';
import type { Observation } from './call.ts';

/** `usage` and `costNano` are the last call's own, where the row also tells of earlier ones. */
export function observationOf(row: UsageRow, usage: Usage = row.usage, costNano = row.costNano): Observation {
  const { endpoint, provider, model, status, code, totalMs, firstEventMs } = row;
  return {
    endpoint,
    provider,
    model,
    status,
    code,
    totalMs,
    firstEventMs,
    inputTokens: usage.input.total ?? 0,
    outputTokens: usage.output.total ?? 0,
    costNano,
    unpriced: isUnpriced(row),
  };
}
