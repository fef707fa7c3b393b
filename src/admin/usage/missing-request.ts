/** What is said of a request id without a row: in a minute with many refusals it may be one of those that were counted together. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { UsageRow } from '../../ledger/ledger.ts';
import { timeOfRequestId } from '../../store/analytics/request-id-time.ts';

export interface CountedRefusals {
  /** Rows that count several requests, of this time. `seenBy`: only of tokens that this account may see. */
  readonly countedRows: (fromMs: number, toMs: number, seenBy: string | undefined) => Promise<readonly UsageRow[]>;
}

const minuteMs = 60_000;

export async function requestNotFound(
  { countedRows }: CountedRefusals,
  requestId: string,
  seenBy: string | undefined,
): Promise<GatewayError> {
  const atMs = timeOfRequestId(requestId);
  const minute = atMs === undefined ? undefined : Math.floor(atMs / minuteMs) * minuteMs;
  const counted = minute === undefined ? [] : await countedRows(minute, minute + minuteMs, seenBy);
  if (counted.length === 0) {
    const message =
      'Request not found. It may be older than the retention period, or the ID may be from another server.';
    return new GatewayError('not_found', message);
  }
  const kinds = counted.map(countText).join(', ');
  const message = `Request not found. In that minute, refused requests were counted together: ${kinds}.`;
  return new GatewayError('not_found', message);
}

function countText({ requests = 1, status, code, endpoint, requestId }: UsageRow): string {
  const where = endpoint === '' ? '' : ` at ${endpoint}`;
  return `${requests} × ${status} ${code}${where} (the first is ${requestId})`;
}
