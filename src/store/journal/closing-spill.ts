/**
 * Settlements that the database could not take, in a file of the data folder: whatever happens to the process then, the next start
 * with that folder writes them. Each line is a checksum and a closing, so that a line which a crash cut can be recognized.
 */

import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AttemptClosing, AttemptOpening, BudgetScope, UsageRow } from '../../ledger/ledger.ts';
import type { ClosingSpill, SpilledClosings } from '../../ledger/ledger-store.ts';

/** Some 300,000 closings with their openings. While the database is away no new ones begin, so only attempts that were running get here. */
const spillBytesMax = 268_435_456;

const namePattern = /^closings-(?<owner>[\w-]+)\.spill$/;

interface SpillOptions {
  readonly folder: string;
  /** Each process has a file of its own, because replicas may share a folder. */
  readonly instanceId: string;
  readonly bytesMax?: number;
}

export class ClosingSpillFile implements ClosingSpill {
  readonly path: string;
  readonly #folder: string;
  readonly #bytesMax: number;
  #exists = false;
  #bytes = 0;
  #lines: string[] = [];
  #flush: Promise<void> | undefined;
  /** Everything that touches the file happens one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor({ folder, instanceId, bytesMax = spillBytesMax }: SpillOptions) {
    this.#folder = folder;
    this.#bytesMax = bytesMax;
    this.path = join(folder, `closings-${instanceId}.spill`);
  }

  /** Resolves when it is on the disk. Closings that come while others are written share the next write. */
  append(closing: AttemptClosing): Promise<void> {
    const line = writeLine(closing);
    if (this.#bytes + Buffer.byteLength(line) > this.#bytesMax) {
      return Promise.reject(new Error(`${this.path} has reached its limit of ${this.#bytesMax} bytes.`));
    }
    this.#bytes += Buffer.byteLength(line);
    this.#lines.push(line);
    this.#flush ??= this.#inTurn(() => this.#write());
    return this.#flush;
  }

  /** Removes the file where, when its turn comes, everything in it is written elsewhere. */
  removeWhere(isDone: () => boolean): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.#exists || this.#lines.length > 0 || !isDone()) return;
      this.#exists = false;
      this.#bytes = 0;
      await rm(this.path, { force: true });
    });
  }

  /** What this process has spilled so far. */
  own(): Promise<readonly AttemptClosing[]> {
    return this.#inTurn(async () => (!this.#exists ? [] : (await readSpill(this.path)).closings));
  }

  /** What other processes left, dead or alive. */
  async ofOthers(): Promise<readonly SpilledClosings[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const files: SpilledClosings[] = [];
    for (const name of names) {
      const owner = namePattern.exec(name)?.groups?.['owner'];
      const path = join(this.#folder, name);
      if (owner === undefined || path === this.path) continue;
      const read = await readSpill(path).catch((error: unknown) => {
        // Its owner, or another replica, was first.
        if ((error as { code?: unknown }).code !== 'ENOENT') throw error;
      });
      if (read !== undefined) files.push({ path, owner, ...read });
    }
    return files;
  }

  /** Removes a file that was written to the database; one with damaged lines is kept for the operator. */
  async discard({ path, damaged }: SpilledClosings): Promise<void> {
    if (damaged === 0) await rm(path, { force: true });
    else await rename(path, `${path}.damaged`);
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #write(): Promise<void> {
    this.#flush = undefined;
    const lines = this.#lines;
    this.#lines = [];
    if (!this.#exists) await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const file = await open(this.path, 'a', 0o600);
    try {
      this.#exists = true;
      // Begins on a line of its own, also where the write before broke off.
      await file.appendFile(`\n${lines.join('\n')}\n`);
      await file.datasync();
    } finally {
      await file.close();
    }
  }
}

const checksum = (text: string): string => Bun.hash.crc32(text).toString(16).padStart(8, '0');

function writeLine(closing: AttemptClosing): string {
  const { row, opening } = closing;
  const text = JSON.stringify({
    ...closing,
    costNano: closing.costNano.toString(),
    ...(row !== undefined && { row: { ...row, costNano: row.costNano.toString() } }),
    ...(opening !== undefined && { opening: writtenOpening(opening) }),
  });
  return `${checksum(text)} ${text}`;
}

type WrittenOpening = Omit<AttemptOpening, 'reserveNano' | 'estimateNano' | 'scopes'> & {
  readonly reserveNano: string;
  readonly estimateNano: string;
  readonly scopes: readonly (Omit<BudgetScope, 'limit'> & { readonly limit: string })[];
};

const writtenOpening = ({ reserveNano, estimateNano, scopes, ...rest }: AttemptOpening): WrittenOpening => ({
  ...rest,
  reserveNano: reserveNano.toString(),
  estimateNano: estimateNano.toString(),
  scopes: scopes.map((scope) => ({ ...scope, limit: scope.limit.toString() })),
});

const readOpening = ({ reserveNano, estimateNano, scopes, ...rest }: WrittenOpening): AttemptOpening => ({
  ...rest,
  reserveNano: BigInt(reserveNano),
  estimateNano: BigInt(estimateNano),
  scopes: scopes.map((scope) => ({ ...scope, limit: BigInt(scope.limit) })),
});

/** Undefined where the line is not whole. */
function readLine(line: string): AttemptClosing | undefined {
  const text = line.slice(9);
  if (line[8] !== ' ' || checksum(text) !== line.slice(0, 8)) return undefined;
  type Written = Omit<AttemptClosing, 'costNano' | 'row' | 'opening'> & {
    readonly costNano: string;
    readonly row?: Omit<UsageRow, 'costNano'> & { readonly costNano: string };
    readonly opening?: WrittenOpening;
  };
  // Its checksum proves that Weir wrote it.
  const { row, opening, costNano, ...rest } = JSON.parse(text) as Written;
  return {
    ...rest,
    costNano: BigInt(costNano),
    ...(row !== undefined && { row: { ...row, costNano: BigInt(row.costNano) } }),
    ...(opening !== undefined && { opening: readOpening(opening) }),
  };
}

async function readSpill(path: string): Promise<Pick<SpilledClosings, 'closings' | 'damaged'>> {
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
  const closings = lines.map(readLine).filter((closing) => closing !== undefined);
  return { closings, damaged: lines.length - closings.length };
}
