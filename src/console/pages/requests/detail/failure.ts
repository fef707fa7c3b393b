/** Why a request failed, from what is recorded of it: the attempt that decided it, and what was said. */

import type { RequestDetailView } from '../../../../admin/contracts/analytics-contract.ts';
import type { RequestErrorView } from '../../../../admin/contracts/usage-contract.ts';

interface Failure {
  /** The verdict of the attempt that decided it, else the code that the client was sent: the reason's name. */
  readonly reason: string;
  readonly code: string;
  /** Whose attempt it was; absent where no provider was called. */
  readonly provider?: string;
  readonly model?: string;
  /** What the provider said; where no provider was called, what the client was sent. Absent where it was not recorded. */
  readonly error?: RequestErrorView;
}

/** Codes that a provider's failure decides; with any other, Weir itself refused the request, perhaps after a failed attempt. */
const byProvider = /^(upstream_|provider_unavailable$|swept$)/;

/** Undefined for a request that was served, that still runs, or that its client ended. */
export function failureOf({ row, attempts, error }: RequestDetailView): Failure | undefined {
  if (row === undefined || row.code === '' || row.code === 'client_left') return undefined;
  const last = attempts.findLast(({ verdict }) => verdict !== undefined && verdict !== '' && verdict !== 'unused');
  if (last === undefined || !byProvider.test(row.code))
    return { reason: row.code, code: row.code, ...(error !== undefined && { error }) };
  const said = last.error ?? error;
  return {
    reason: last.verdict ?? row.code,
    code: row.code,
    provider: last.provider,
    model: last.model,
    ...(said !== undefined && { error: said }),
  };
}
