/**
 * Run as a process of its own by the fault suite: writes attempts as fast as it can and prints which
 * ones were acknowledged.
 */

import { openLedger } from '../../src/ledger/open-ledger.ts';
import { openStore } from '../../src/store/open-store.ts';

const [dataFolder = '', prefix = ''] = process.argv.slice(2);
const store = await openStore({ dataFolder, synchronous: 'normal', nowMs: Date.now });
const ledger = openLedger({ store, nowMs: Date.now });
await ledger.start();

async function write(lane: number): Promise<never> {
  const scopes = [{ scope: 'token:t', unit: 'usd' as const, limit: 10n ** 15n, windowStartMs: 0 }];
  for (let serial = 0; ; serial += 1) {
    const attemptId = `${prefix}-${lane}-${serial}`;
    const names = { requestId: attemptId, tokenId: 't', provider: 'up', model: 'm' };
    await ledger.open({
      attemptId,
      ...names,
      scopes,
      reserveNano: 100n,
      reserveTokens: 0,
      estimateNano: 10n,
      atMs: Date.now(),
    });
    process.stdout.write(`opened ${attemptId}\n`);
    if (serial % 3 === 0) continue;
    await ledger.close({ attemptId, costNano: 7n, estimated: false, atMs: Date.now() });
    process.stdout.write(`closed ${attemptId}\n`);
  }
}

await Promise.all(Array.from({ length: 16 }, (_, lane) => write(lane)));
