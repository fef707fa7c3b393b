/** What a request cost by the gateway's own ledger; only those who are signed in can read it. */

import { ask } from '../../../api/ask.ts';

/** The row is written in a group with others, a moment after the reply's last byte. */
const triesMax = 4;
const betweenTriesMs = 400;
const timeoutMs = 5_000;

/** Null where no price is known; undefined where the row did not come. */
export async function costFromLedger(requestId: string): Promise<string | null | undefined> {
  for (let tries = 0; tries < triesMax; tries++) {
    const cost = await costOfRequest(requestId).catch(() => undefined);
    if (cost !== undefined) return cost;
    await new Promise((resolve) => setTimeout(resolve, betweenTriesMs));
  }
  return undefined;
}

async function costOfRequest(requestId: string): Promise<string | null | undefined> {
  const { row } = await ask<{ row?: { costNano: string | null } }>(
    `/console/api/usage/requests/${encodeURIComponent(requestId)}`,
    { signal: AbortSignal.timeout(timeoutMs) },
  );
  return row?.costNano;
}
