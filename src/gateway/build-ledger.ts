/** The ledger of a serving process: where it keeps what the database cannot take, and whom it tells what it could not write. */

import { openLedger, type RunningLedger } from '../ledger/open-ledger.ts';
import type { Conditions } from '../observe/conditions.ts';
import type { Logger } from '../observe/logger.ts';
import type { Config } from '../settings/config.ts';
import { ClosingSpillFile } from '../store/journal/closing-spill.ts';
import type { Store } from '../store/store.ts';

export function ledgerOf(
  { server }: Config,
  store: Store,
  logger: Logger,
  conditions: Conditions,
  nowMs: () => number,
): RunningLedger {
  return openLedger({
    store,
    nowMs,
    spill: new ClosingSpillFile({ folder: server.dataFolder, instanceId: store.instanceId }),
    onFault: (what, cause) => logger.error(`The ledger could not ${what}; it tries again.`, { cause }),
    tell: (level, message, details) => logger[level](message, details),
    condition: (text) => conditions.set('records', text),
  });
}

/**
 * Writes the settlements, waiting so long for an unavailable database. Throws if some remain: the exit code must show
 * it.
 */
export async function leaveStore(ledger: RunningLedger, store: Store, patienceMs: number): Promise<void> {
  const unwritten = await ledger.stop(Math.max(0, patienceMs));
  await store.close();
  if (unwritten === undefined) return;
  const { count, path } = unwritten;
  const what = `${count} ${count === 1 ? 'settlement' : 'settlements'} could not be written to the database`;
  if (path === undefined) throw new Error(`${what}, nor into the data folder: what they cost will be estimated.`);
  throw new Error(`${what}. They are in ${path}; the next start with this data folder writes them.`);
}
