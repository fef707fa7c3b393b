/** Rows that wait are written once each, whichever other write fails meanwhile. */

import { expect, test } from 'bun:test';
import { makeDeferredWrites } from './deferred-writes.ts';
import type { RequestError } from './ledger.ts';
import { type LedgerStore, StoreUnavailableError } from './ledger-store.ts';

const error = (attempt: number): RequestError => ({
  ...{ requestId: 'r', attempt, atMs: 1, provider: 'up', keyId: 'k', code: 'upstream_failed', message: 'Boom.' },
});

/** A store whose checkpoints fail at once, and whose errors take their time. */
function scripted() {
  const written: number[] = [];
  const turn = Promise.withResolvers<void>();
  const store = {
    attempts: { checkpointMany: () => Promise.reject(new StoreUnavailableError('away')) },
    usage: { insertMany: async () => undefined },
    requestErrors: {
      async insertMany(rows: readonly RequestError[]) {
        await turn.promise;
        written.push(...rows.map(({ attempt }) => attempt));
      },
    },
  } as unknown as LedgerStore;
  return { store, written, turn };
}

test('a write that fails does not let a second flush begin beside the first', async () => {
  const { store, written, turn } = scripted();
  const writes = makeDeferredWrites(store, () => undefined);
  writes.checkpoint('a', 1n);
  writes.recordError(error(1));
  const first = writes.flush().catch((thrown: unknown) => thrown);
  writes.recordError(error(2));
  // Long enough for the failed part to end.
  await new Promise((resolve) => setImmediate(resolve));
  const second = writes.flush().catch((thrown: unknown) => thrown);
  turn.resolve();
  expect(await first).toBeInstanceOf(StoreUnavailableError);
  await second;
  writes.dropCheckpoint('a');
  await writes.finish();
  expect(written).toEqual([1, 2]);
});

test('a row that the database refuses for good is reported, and the others are written', async () => {
  const written: number[] = [];
  const faults: string[] = [];
  const store = {
    attempts: { checkpointMany: async () => undefined },
    usage: { insertMany: async () => undefined },
    requestErrors: {
      async insertMany(rows: readonly RequestError[]) {
        if (rows.some(({ attempt }) => attempt === 2)) throw new Error('never');
        written.push(...rows.map(({ attempt }) => attempt));
      },
    },
  } as unknown as LedgerStore;
  const writes = makeDeferredWrites(store, (what) => void faults.push(what));
  for (const attempt of [1, 2, 3]) writes.recordError(error(attempt));
  await writes.flush();
  expect([written, faults]).toEqual([[1, 3], ['record an error']]);
});
