/** What is said of a request id without a row: in a minute with many refusals it may be one of those that were counted together. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { UsageRow } from '../../ledger/ledger.ts';
import { timeOfRequestId } from '../../store/analytics/request-id-time.ts';

export interface CountedRefusals {
  /** Rows that count several requests, of this time. `ownerId`: only of this account's tokens. */
  readonly countedRows: (fromMs: number, toMs: number, ownerId: string | undefined) => Promise<readonly UsageRow[]>;
}

const minuteMs = 60_000;

export async function requestNotFound(
  { countedRows }: CountedRefusals,
  requestId: string,
  ownerId: string | undefined,
): Promise<GatewayError> {
  const atMs = timeOfRequestId(requestId);
  const minute = atMs === undefined ? undefined : Math.floor(atMs / minuteMs) * minuteMs;
  const counted = minute === undefined ? [] : await countedRows(minute, minute + minuteMs, ownerId);
  const reason =
    counted.length === 0
      ? 'It may be older than the retention period, or the ID may be from another server.'
      : `Too many requests were refused in that minute to list each one. They were counted together: ${counted.map(countText).join(', ')}.`;
  return new GatewayError('not_found', `Request not found. ${reason}`);
}

function countText({ requests = 1, status, code, endpoint, requestId }: UsageRow): string {
  const where = endpoint === '' ? '' : ` at ${endpoint}`;
  return `${requests} × ${status} ${code}${where} (the first is ${requestId})`;
}
