/**
 * Hot writes of the embedded engine go into a file that is mapped into memory: storing a record is a copy that
 * waits for nothing, and what was copied outlives the process however it dies, because the pages belong to the system. A few
 * times a second the records are handed to the database's thread, which does them all in one commit.
 *
 * The file has two halves. One takes records while the other is being done; a half is used again once the database has it.
 */

import { closeSync, constants, fstatSync, fsyncSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { scopesJson } from '../attempts/scope-rows.ts';
import type { BudgetScope } from '../sql/driver.ts';
import { StoreUnavailableError } from '../sql/store-errors.ts';
import { entryVersion } from './entries.ts';
import {
  fileHeader,
  fileHeaderBytes,
  generationChecksum,
  halfHeaderBytes,
  recordChecksum,
  recordHeadBytes,
  type Span,
} from './journal-records.ts';

/** Does the records that lie in the span of the file, and remembers the generation with them in one commit. */
export type Deliver = (generation: number, span: Span) => Promise<void>;

const halfBytes = 8_388_608;
const fileBytes = fileHeaderBytes + 2 * halfBytes;
/** No text takes more bytes for a character. */
const bytesPerCharacterMax = 3;
/** Records that are written together touch each page of the tables once; a reader of the tables has them written first. */
const deliverAfterMs = 500;
const deliverAgainAfterMs = 500;
/** How much is written at a time while the file is made. */
const fillBytes = 1_048_576;
const blockBytes = 512;

interface Half {
  readonly start: number;
  /** Where the next record goes. */
  end: number;
  generation: number;
}

export class Journal {
  readonly #bytes: Buffer;
  readonly #deliver: Deliver;
  #active: Half;
  #resting: Half;
  #nextGeneration: number;
  #doneGeneration = 0;
  #delivering: Promise<void> | undefined;
  #timer: Timer | undefined;

  private constructor(bytes: Buffer, generation: number, deliver: Deliver) {
    this.#bytes = bytes;
    this.#deliver = deliver;
    this.#nextGeneration = generation;
    this.#active = { start: fileHeaderBytes, end: 0, generation: 0 };
    this.#resting = { start: fileHeaderBytes + halfBytes, end: 0, generation: 0 };
    this.#clear(this.#active);
    this.#clear(this.#resting);
    this.#begin(this.#active);
  }

  /**
   * Starts empty: whatever the file holds must have been done. Undefined where the file cannot be mapped; hot writes then go to the
   * database's thread one by one. Throws where the disk has no room for it.
   */
  static open(path: string, firstGeneration: number, deliver: Deliver): Journal | undefined {
    try {
      makeFile(path);
      const mapped = Bun.mmap(path, { shared: true });
      return new Journal(Buffer.from(mapped.buffer, mapped.byteOffset, mapped.byteLength), firstGeneration, deliver);
    } catch (error) {
      if (isFull(error)) throw new StoreUnavailableError(noRoom(path), { cause: error });
      return undefined;
    }
  }

  get isEmpty(): boolean {
    return !holdsRecords(this.#active) && !holdsRecords(this.#resting);
  }

  /** Of the half that receives records now. */
  get generation(): number {
    return this.#active.generation;
  }

  /** Durable when it returns true; false where there is no room until the database has caught up. */
  append(kind: number, cells: readonly unknown[]): boolean {
    return this.appendText(recordText(kind, JSON.stringify(cells)));
  }

  /** The same with a record's text as `recordText` makes it. */
  appendText(text: string): boolean {
    const half = this.#active;
    const at = half.end;
    if (at + text.length * bytesPerCharacterMax + 2 * recordHeadBytes > half.start + halfBytes) {
      this.#deliverOnce().catch(() => undefined);
      return false;
    }
    const length = this.#bytes.write(text, at + recordHeadBytes);
    const next = at + recordHeadBytes + length;
    this.#bytes.writeUInt32LE(0, next);
    this.#bytes.writeUInt32LE(recordChecksum(text, half.generation), at + 4);
    // The length comes last: a record counts from the moment it is whole, and a process that dies leaves no half of one.
    this.#bytes.writeUInt32LE(length, at);
    half.end = next;
    if (next > half.start + halfBytes / 2) this.#deliverOnce().catch(() => undefined);
    else this.#wake(deliverAfterMs);
    return true;
  }

  /** Resolves when everything appended so far is in the tables; rejects where the database cannot take it now. */
  async flush(): Promise<void> {
    const newest = holdsRecords(this.#active) ? this.#active : this.#resting;
    const wanted = holdsRecords(newest) ? newest.generation : 0;
    while (this.#doneGeneration < wanted) await this.#deliverOnce();
  }

  /** False where something could not be delivered: it stays in the file, and the next start does it. */
  async close(): Promise<boolean> {
    const isDelivered = await this.flush().then(
      () => true,
      () => false,
    );
    clearTimeout(this.#timer);
    return isDelivered;
  }

  #wake(afterMs: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // Retried by the timer; a caller that needs the tables meanwhile gets the error from `flush`.
      this.#deliverOnce().catch(() => undefined);
    }, afterMs);
  }

  #deliverOnce(): Promise<void> {
    this.#delivering ??= this.#hand().finally(() => {
      this.#delivering = undefined;
    });
    return this.#delivering;
  }

  /** Hands over the half that waits; where none does, swaps the halves first. */
  async #hand(): Promise<void> {
    if (!holdsRecords(this.#resting)) {
      [this.#active, this.#resting] = [this.#resting, this.#active];
      this.#begin(this.#active);
    }
    const half = this.#resting;
    if (!holdsRecords(half)) return;
    try {
      await this.#deliver(half.generation, spanOf(half));
    } catch (error) {
      this.#wake(deliverAgainAfterMs);
      throw error;
    }
    this.#doneGeneration = half.generation;
    this.#clear(half);
    if (holdsRecords(this.#active)) this.#wake(deliverAfterMs);
  }

  #clear(half: Half): void {
    half.end = half.start + halfHeaderBytes;
    this.#bytes.writeUInt32LE(0, half.end);
  }

  /** A half gets its generation when it begins to take records, so that generations grow in the order of the records. */
  #begin(half: Half): void {
    half.generation = this.#nextGeneration++;
    this.#bytes.writeDoubleLE(half.generation, half.start);
    this.#bytes.writeUInt32LE(generationChecksum(half.generation), half.start + 8);
  }
}

/** A record from the JSON of its cells. */
export const recordText = (kind: number, cells: string): string =>
  cells === '[]' ? `[${kind}]` : `[${kind},${cells.slice(1)}`;

/** The cells of an opening as its record has them, with the budgets that it counts against. */
export const cellsWithin = (cells: string, scopes: readonly BudgetScope[]): string =>
  `${cells.slice(0, -1)},${scopesJson(scopes)}]`;

function holdsRecords(half: Half): boolean {
  return half.end > half.start + halfHeaderBytes;
}

function spanOf(half: Half): Span {
  return { start: half.start + halfHeaderBytes, end: half.end };
}

/**
 * Every block is written before the file is mapped: storing a record into a page that has no block on a full disk would end the
 * process (SIGBUS) where a write only fails.
 */
function makeFile(path: string): void {
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    if (!isMade(file)) fill(file);
  } catch (error) {
    // Half of it would be of no use, and hold space that others need.
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

function isMade(file: number): boolean {
  const { size, blocks } = fstatSync(file);
  if (size !== fileBytes || blocks * blockBytes < fileBytes) return false;
  const header = Buffer.alloc(fileHeaderBytes);
  readSync(file, header, 0, header.length, 0);
  return header.equals(fileHeader(halfBytes, entryVersion));
}

function fill(file: number): void {
  const zeros = Buffer.alloc(fillBytes);
  for (let at = 0; at < fileBytes; ) at += writeSync(file, zeros, 0, Math.min(fillBytes, fileBytes - at), at);
  writeSync(file, fileHeader(halfBytes, entryVersion), 0, fileHeaderBytes, 0);
  fsyncSync(file);
}

const isFull = (error: unknown): boolean => ['ENOSPC', 'EDQUOT'].includes(String((error as { code?: unknown }).code));

const noRoom = (path: string): string =>
  `The disk is full: there is no room for ${path} (${Math.ceil(fileBytes / 1_048_576)} MB). Free some space, or name another data folder (WEIR_DATA).`;
