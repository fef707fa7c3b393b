/** What need not be durable at once: checkpoints of open streams and rows of refused requests, written in batches. */

import type { UsageRow } from './ledger.ts';
import { type LedgerStore, StoreUnavailableError } from './ledger-store.ts';

interface DeferredWrites {
  checkpoint(attemptId: string, costNano: bigint): void;
  /** The attempt ended, its checkpoint says nothing more. */
  dropCheckpoint(attemptId: string): void;
  record(row: UsageRow): void;
  flush(): Promise<void>;
  /** Lets a running flush end, then writes what came meanwhile. */
  finish(): Promise<void>;
}

/** What may wait in memory for a database that is away. */
const recordsMax = 50_000;
const recordsPerWrite = 512;

export function makeDeferredWrites(
  store: Pick<LedgerStore, 'attempts' | 'usage'>,
  onFault: (what: string, error: unknown) => void,
): DeferredWrites {
  const checkpoints = new Map<string, bigint>();
  let records: UsageRow[] = [];
  let flushing: Promise<void> | undefined;

  async function writeCheckpoints(): Promise<void> {
    if (checkpoints.size === 0) return;
    const batch = [...checkpoints];
    checkpoints.clear();
    try {
      await store.attempts.checkpointMany(batch);
    } catch (error) {
      // A newer figure may have come meanwhile; an older one must not overwrite it.
      for (const [id, costNano] of batch) if (!checkpoints.has(id)) checkpoints.set(id, costNano);
      throw error;
    }
  }

  async function writeRecords(): Promise<void> {
    while (records.length > 0) {
      const batch = records.slice(0, recordsPerWrite);
      try {
        await store.usage.insertMany(batch);
      } catch (error) {
        if (error instanceof StoreUnavailableError) throw error;
        await writeSingly(batch);
      }
      records = records.slice(batch.length);
    }
  }

  /** A row that the database will never take must not keep the others back. */
  async function writeSingly(rows: readonly UsageRow[]): Promise<void> {
    for (const row of rows) {
      await store.usage.insertMany([row]).catch((error: unknown) => {
        if (error instanceof StoreUnavailableError) throw error;
        onFault('record', error);
      });
    }
  }

  /** One at a time: two would write the same records. */
  function flush(): Promise<void> {
    flushing ??= Promise.all([writeCheckpoints(), writeRecords()])
      .then(() => undefined)
      .finally(() => {
        flushing = undefined;
      });
    return flushing;
  }

  return {
    checkpoint(attemptId, costNano) {
      checkpoints.set(attemptId, costNano);
    },
    dropCheckpoint(attemptId) {
      checkpoints.delete(attemptId);
    },
    record(row) {
      if (records.length < recordsMax) records.push(row);
      else onFault('record', new StoreUnavailableError('Too many usage rows wait for the database; one was dropped.'));
    },
    flush,
    async finish() {
      await flushing?.catch(() => undefined);
      await flush();
    },
  };
}
