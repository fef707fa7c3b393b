/** What need not be durable at once: checkpoints of open streams, rows of refused requests, and errors, written in batches. */

import type { RequestError, UsageRow } from './ledger.ts';
import { type LedgerStore, StoreUnavailableError } from './ledger-store.ts';

interface DeferredWrites {
  checkpoint(attemptId: string, costNano: bigint): void;
  /** The attempt ended, its checkpoint says nothing more. */
  dropCheckpoint(attemptId: string): void;
  record(row: UsageRow): void;
  recordError(error: RequestError): void;
  /** Rows and errors alone: people look for them right after a failure. */
  flushRows(): Promise<void>;
  flush(): Promise<void>;
  /** Lets a running flush end, then writes what came meanwhile. */
  finish(): Promise<void>;
}

type OnFault = (what: string, error: unknown) => void;

/** What may wait in memory for a database that is away. */
const rowsMax = 50_000;
const rowsPerWrite = 512;

export function makeDeferredWrites(
  store: Pick<LedgerStore, 'attempts' | 'usage' | 'requestErrors'>,
  onFault: OnFault,
): DeferredWrites {
  const checkpoints = new Map<string, bigint>();
  const records = new RowQueue<UsageRow>('record', (rows) => store.usage.insertMany(rows), onFault);
  const errors = new RowQueue<RequestError>('record an error', (rows) => store.requestErrors.insertMany(rows), onFault);

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

  const flushCheckpoints = oneAtATime(writeCheckpoints);
  const flushRows = oneAtATime(() => allOf([records.write(), errors.write()]));
  const flush = (): Promise<void> => allOf([flushCheckpoints(), flushRows()]);

  return {
    checkpoint(attemptId, costNano) {
      checkpoints.set(attemptId, costNano);
    },
    dropCheckpoint(attemptId) {
      checkpoints.delete(attemptId);
    },
    record: (row) => records.add(row),
    recordError: (error) => errors.add(error),
    flushRows,
    flush,
    async finish() {
      await flush().catch(() => undefined);
      await flush();
    },
  };
}

/** Joins what is running, which is over only when every part is: two would write the same rows. */
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= work().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** Waits for all of them, also where one fails. */
async function allOf(work: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

/** Rows of one table that wait to be written. */
class RowQueue<Row> {
  readonly #what: string;
  readonly #insert: (rows: readonly Row[]) => Promise<void>;
  readonly #onFault: OnFault;
  #rows: Row[] = [];

  constructor(what: string, insert: (rows: readonly Row[]) => Promise<void>, onFault: OnFault) {
    this.#what = what;
    this.#insert = insert;
    this.#onFault = onFault;
  }

  add(row: Row): void {
    if (this.#rows.length < rowsMax) this.#rows.push(row);
    else this.#onFault(this.#what, new StoreUnavailableError('Too many rows wait for the database; one was dropped.'));
  }

  async write(): Promise<void> {
    while (this.#rows.length > 0) {
      const batch = this.#rows.slice(0, rowsPerWrite);
      try {
        await this.#insert(batch);
      } catch (error) {
        if (error instanceof StoreUnavailableError) throw error;
        await this.#writeSingly(batch);
      }
      this.#rows = this.#rows.slice(batch.length);
    }
  }

  /** A row that the database will never take must not keep the others back. */
  async #writeSingly(rows: readonly Row[]): Promise<void> {
    for (const row of rows) {
      await this.#insert([row]).catch((error: unknown) => {
        if (error instanceof StoreUnavailableError) throw error;
        this.#onFault(this.#what, error);
      });
    }
  }
}
