/** What metrics learn of a request, taken from its usage row. */

import type { Usage } from '../../conversation/usage.ts';
import type { UsageRow } from '../../ledger/ledger.ts';
import { isUnpriced } from '../../ledger/unpriced.ts';

/** What metrics learn of a request that ended. */
export interface Observation {
  readonly endpoint: string;
  readonly provider: string;
  readonly model: string;
  readonly status: number;
  readonly code: string;
  readonly totalMs: number;
  readonly firstEventMs: number | undefined;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costNano: bigint;
  /** It used something, and no price says what that costs. */
  readonly unpriced: boolean;
}

/** `usage` and `costNano` are the last call's own, where the row includes earlier ones. */
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
