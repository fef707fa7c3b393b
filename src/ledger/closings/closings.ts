/**
 * Writes closings, also those whose opening a failover of the database lost; retries what the database could not take, and
 * releases openings whose answer was lost.
 */

import type { AttemptClosing, AttemptOpening } from '../ledger.ts';
import { type ClosingSpill, type LedgerStore, StoreUnavailableError } from '../ledger-store.ts';
import type { LedgerCounts } from './ledger-counts.ts';

/** What may wait in memory while the database is unavailable; the rest waits in the file alone. */
const closingsMax = 20_000;

/** What a process that ends could not write. */
export interface Unwritten {
  /** Settlements whose cost is known. */
  readonly count: number;
  /** Where they are, for the next start; absent where not even that file could be written. */
  readonly path: string | undefined;
}

interface Closings {
  /**
   * Resolves when it is written, or when the database is unavailable and it is in the file: no reply waits for a
   * database to recover.
   */
  close(closing: AttemptClosing): Promise<void>;
  /** The attempt runs in this process from now on, or does as soon as the opening is written. */
  begin(opening: AttemptOpening): void;
  /** Its opening was refused. */
  forget(attemptId: string): void;
  /** Does the attempt run in this process, or does its end wait here? */
  has(attemptId: string): boolean;
  /** An opening whose outcome is unknown is released as soon as the database can be asked. */
  releaseLater(attemptId: string, nowMs: number): void;
  retry(nowMs: number): Promise<void>;
  /** Writes what earlier processes left in files. */
  recover(): Promise<void>;
  /** Tries again until all is written or this much time has passed; what is left then is in the file. */
  finish(patienceMs: number): Promise<Unwritten | undefined>;
}

export interface ClosingsOptions {
  readonly store: Pick<LedgerStore, 'attempts' | 'instances'>;
  readonly onFault: (what: string, error: unknown) => void;
  readonly nowMs: () => number;
  readonly counts: Pick<LedgerCounts, 'lost' | 'recovered'>;
  /** Called where something shows that the database may lack what was written. */
  readonly onDoubt: () => void;
  /** Absent: what cannot be written waits in memory only. */
  readonly spill: ClosingSpill | undefined;
  readonly closingsMax?: number;
}

interface Waiting {
  readonly closing: AttemptClosing;
  /** It is in the file too. */
  spilled: boolean;
}

/** Is anything lost with it? The release of an opening that was never written is not. */
const isWorth = ({ costNano, row }: AttemptClosing): boolean => costNano > 0n || row !== undefined;

/** So many at a time are retried: enough to be quick, few enough to leave the database to new requests. */
const retriesAtOnce = 64;

function chunksOf<Item>(items: readonly Item[]): Item[][] {
  const count = Math.ceil(items.length / retriesAtOnce);
  return Array.from({ length: count }, (_, index) => items.slice(index * retriesAtOnce, (index + 1) * retriesAtOnce));
}

/** An opening that timed out here may still be committed by the server; afterwards the server has given up too. */
const lateCommitMs = 60_000;
/** How often a process that ends checks whether the database is back. */
const finishAgainMs = 250;

const releaseOf = (attemptId: string, atMs: number): AttemptClosing => ({
  attemptId,
  costNano: 0n,
  estimated: false,
  atMs,
  verdict: 'unused',
});

/**
 * Closings that the database could not take: the cost is known, so it is kept and tried again until it is written. The file is
 * written as soon as the database is away, before the client sees the end of its reply: a killed process loses none of them.
 */
export function makeClosings(options: ClosingsOptions): Closings {
  const { store, onFault, nowMs, spill, counts, onDoubt } = options;
  const waitingMax = options.closingsMax ?? closingsMax;
  const waiting = new Map<string, Waiting>();
  const releases = new Map<string, number>();
  /** Of the attempts that run: where a failover loses one, it is written again. Only strings and numbers hang on it. */
  const openings = new Map<string, AttemptOpening>();
  /** How many are in the file and not in memory. */
  let onlyInFile = 0;
  let othersLeft = false;

  async function write(closing: AttemptClosing): Promise<void> {
    try {
      if (!(await store.attempts.close(closing))) await recover(closing, closing.opening);
    } catch (error) {
      if (error instanceof StoreUnavailableError) throw error;
      counts.lost('refused', closing.attemptId);
      onFault('close', error);
    }
  }

  /** It ended no attempt: it is repeated, or the database lost the opening. */
  async function recover(closing: AttemptClosing, opening: AttemptOpening | undefined): Promise<void> {
    const verdict = await store.attempts.recover(closing, opening);
    if (verdict === 'recovered') counts.recovered();
    else if (verdict === 'unknown' && isWorth(closing)) counts.lost('unknown', closing.attemptId);
    if (verdict === 'recovered' || verdict === 'unknown') onDoubt();
  }

  async function close(closing: AttemptClosing): Promise<void> {
    const opening = openings.get(closing.attemptId);
    try {
      if (!(await store.attempts.close(closing))) await recover(closing, opening);
    } catch (error) {
      await keep(opening === undefined ? closing : { ...closing, opening }, error);
    } finally {
      openings.delete(closing.attemptId);
    }
  }

  async function writeAgain(attemptId: string, { closing }: Waiting): Promise<void> {
    await write(closing);
    waiting.delete(attemptId);
  }

  async function writeAll(closings: readonly AttemptClosing[]): Promise<void> {
    for (const chunk of chunksOf(closings)) await Promise.all(chunk.map(write));
  }

  async function release(attemptId: string, sinceMs: number, atMs: number): Promise<void> {
    const found = await store.attempts.close(releaseOf(attemptId, atMs));
    if (found || atMs - sinceMs > lateCommitMs) releases.delete(attemptId);
  }

  async function retryFile(): Promise<void> {
    if (spill === undefined) return;
    const count = onlyInFile;
    if (count > 0) await writeAll(await spill.own());
    onlyInFile -= count;
    await spill.removeWhere(() => waiting.size === 0 && onlyInFile === 0);
  }

  async function retry(atMs: number): Promise<void> {
    for (const chunk of chunksOf([...waiting])) await Promise.all(chunk.map((entry) => writeAgain(...entry)));
    for (const chunk of chunksOf([...releases])) await Promise.all(chunk.map((entry) => release(...entry, atMs)));
    await retryFile();
    if (othersLeft) await readOthers();
  }

  async function keep(closing: AttemptClosing, error: unknown): Promise<void> {
    if (!(error instanceof StoreUnavailableError)) {
      counts.lost('refused', closing.attemptId);
      throw error;
    }
    onDoubt();
    const entry: Waiting = { closing, spilled: false };
    const inMemory = waiting.size < waitingMax;
    if (inMemory) waiting.set(closing.attemptId, entry);
    if (spill === undefined && !inMemory) {
      counts.lost('no-room', closing.attemptId);
      throw error;
    }
    try {
      await spill?.append(closing);
      entry.spilled = spill !== undefined;
      if (!inMemory) onlyInFile += 1;
    } catch (fault) {
      onFault('write a settlement into its file', fault);
      if (!inMemory) {
        counts.lost('no-room', closing.attemptId);
        throw error;
      }
    }
    onFault('close', error);
  }

  /** Writing them again does no harm; a file is let go of once its process is known to be dead. */
  async function readOthers(): Promise<void> {
    if (spill === undefined) return;
    const files = await spill.ofOthers();
    if (files.length === 0) {
      othersLeft = false;
      return;
    }
    const living = new Set(store.instances.alone() ? [] : (await store.instances.others()).map(({ id }) => id));
    othersLeft = false;
    for (const file of files) {
      await writeAll(file.closings);
      if (living.has(file.owner)) {
        othersLeft = true;
        continue;
      }
      if (file.damaged > 0) onFault('read', new Error(`${file.damaged} lines of ${file.path} are damaged.`));
      await spill.discard(file);
    }
  }

  /** Everything that is known must be in the file when the process ends. */
  async function spillRest(): Promise<Unwritten> {
    const count = waiting.size + onlyInFile;
    try {
      if (spill === undefined && count > 0) throw new Error('There is no data folder to keep them in.');
      for (const [attemptId] of releases) await spill?.append(releaseOf(attemptId, nowMs()));
      for (const entry of waiting.values()) if (!entry.spilled) await spill?.append(entry.closing);
      return { count, path: spill?.path };
    } catch (error) {
      for (const { closing } of waiting.values()) onFault(`close attempt ${closing.attemptId}`, error);
      return { count, path: undefined };
    }
  }

  return {
    close,
    begin: (opening) => void openings.set(opening.attemptId, opening),
    forget: (attemptId) => void openings.delete(attemptId),
    has: (attemptId) => openings.has(attemptId) || waiting.has(attemptId) || releases.has(attemptId),
    releaseLater(attemptId, atMs) {
      if (releases.size < waitingMax) releases.set(attemptId, atMs);
    },
    retry,
    recover: readOthers,
    async finish(patienceMs) {
      const untilMs = nowMs() + patienceMs;
      for (;;) {
        const isWritten = await retry(nowMs()).then(
          () => true,
          () => false,
        );
        if (isWritten || (waiting.size === 0 && onlyInFile === 0 && releases.size === 0)) return undefined;
        if (nowMs() >= untilMs) break;
        await Bun.sleep(finishAgainMs);
      }
      const unwritten = await spillRest();
      return unwritten.count > 0 ? unwritten : undefined;
    },
  };
}
