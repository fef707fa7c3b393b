/** Closings that the database could not take yet, and openings whose answer was lost: both are brought to their end later. */

import { type Store, StoreUnavailableError } from '../store/store.ts';
import type { AttemptClosing } from './ledger.ts';

/** What may wait in memory for a database that is away. */
const closingsMax = 20_000;

export interface Closings {
  /** Resolves when it is written, or when the database is away and it is kept for later: no reply waits for a database to come back. */
  close(closing: AttemptClosing): Promise<void>;
  /** An opening whose outcome is unknown is released as soon as the database can be asked. */
  releaseLater(attemptId: string, nowMs: number): void;
  retry(nowMs: number): Promise<void>;
  /** Tries a last time and gives up on what still fails. */
  finish(nowMs: number): Promise<void>;
}

const nothing = (): void => undefined;

/** So many at a time are tried again: enough to be quick, few enough to leave the database to those who come new. */
const retriesAtOnce = 64;

function chunksOf<Item>(items: readonly Item[]): Item[][] {
  const count = Math.ceil(items.length / retriesAtOnce);
  return Array.from({ length: count }, (_, index) => items.slice(index * retriesAtOnce, (index + 1) * retriesAtOnce));
}

/** An opening that timed out here may still be committed by the server; afterwards the server has given up too. */
const lateCommitMs = 60_000;

/** Closings that the database could not take: the cost is known, so it is kept and tried again until it is written. */
export function makeClosings(store: Store, onFault: (what: string, error: unknown) => void): Closings {
  const waiting = new Map<string, AttemptClosing>();
  const releases = new Map<string, number>();

  async function writeAgain(attemptId: string, closing: AttemptClosing): Promise<void> {
    try {
      await store.attempts.close(closing);
    } catch (error) {
      if (error instanceof StoreUnavailableError) throw error;
      onFault('close', error);
    }
    waiting.delete(attemptId);
  }

  async function release(attemptId: string, sinceMs: number, nowMs: number): Promise<void> {
    const closing: AttemptClosing = { attemptId, costNano: 0n, estimated: false, atMs: nowMs, verdict: 'unused' };
    const found = await store.attempts.close(closing);
    if (found || nowMs - sinceMs > lateCommitMs) releases.delete(attemptId);
  }

  async function retry(nowMs: number): Promise<void> {
    for (const chunk of chunksOf([...waiting])) await Promise.all(chunk.map((entry) => writeAgain(...entry)));
    for (const chunk of chunksOf([...releases])) await Promise.all(chunk.map((entry) => release(...entry, nowMs)));
  }

  return {
    close: (closing) =>
      store.attempts.close(closing).then(nothing, (error: unknown) => {
        if (!(error instanceof StoreUnavailableError) || waiting.size >= closingsMax) throw error;
        waiting.set(closing.attemptId, closing);
        onFault('close', error);
      }),
    releaseLater(attemptId, nowMs) {
      if (releases.size < closingsMax) releases.set(attemptId, nowMs);
    },
    retry,
    async finish(nowMs) {
      await retry(nowMs).catch(() => undefined);
      for (const attemptId of waiting.keys()) {
        onFault('close', new StoreUnavailableError(`The closing of attempt ${attemptId} could not be written.`));
      }
      waiting.clear();
    },
  };
}
