/**
 * Hot writes of the embedded engine go into a file that is mapped into memory: storing a record is a copy, asks nobody and
 * waits for nothing, and what was copied outlives the process however it dies, because the pages belong to the system. A few
 * times a second the records are handed to the database's thread, which does them all in one commit.
 *
 * The file has two halves. One takes records while the other is being done; a half is used again once the database has it.
 */

import { closeSync, existsSync, ftruncateSync, openSync, readFileSync } from 'node:fs';
import { isCall, recordHeadBytes, type Span } from './journal-records.ts';

/** Does the records that lie in the span of the file, and remembers the generation with them in one commit. */
export type Deliver = (generation: number, span: Span) => Promise<void>;

export interface Leftover {
  readonly generation: number;
  readonly span: Span;
}

const halfBytes = 8_388_608;
const fileBytes = 2 * halfBytes;
const headerBytes = 8;
/** No text takes more bytes for a character. */
const bytesPerCharacterMax = 3;
/** Records that are done together touch each page of the tables once; whoever reads the tables has them done first. */
const deliverAfterMs = 500;
const deliverAgainAfterMs = 500;

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
    this.#active = { start: 0, end: 0, generation: 0 };
    this.#resting = { start: halfBytes, end: 0, generation: 0 };
    this.#clear(this.#active);
    this.#clear(this.#resting);
    this.#begin(this.#active);
  }

  /** Undefined where the file cannot be mapped; hot writes then go to the database's thread one by one. */
  static open(path: string, firstGeneration: number, deliver: Deliver): Journal | undefined {
    try {
      const file = openSync(path, 'a+', 0o600);
      ftruncateSync(file, fileBytes);
      closeSync(file);
      const mapped = Bun.mmap(path, { shared: true });
      return new Journal(Buffer.from(mapped.buffer, mapped.byteOffset, mapped.byteLength), firstGeneration, deliver);
    } catch {
      return undefined;
    }
  }

  /** What a process left that died before its records were done, oldest first. */
  static leftovers(path: string, doneGeneration: number): readonly Leftover[] {
    if (!existsSync(path)) return [];
    const bytes = readFileSync(path);
    if (bytes.length !== fileBytes) return [];
    return [0, halfBytes]
      .map((start) => readHalf(bytes, start))
      .filter(({ generation, span }) => generation > doneGeneration && span.end > span.start)
      .sort((a, b) => a.generation - b.generation);
  }

  get isEmpty(): boolean {
    return !holdsRecords(this.#active) && !holdsRecords(this.#resting);
  }

  /** Durable when it returns true; false where there is no room until the database has caught up. */
  append(code: number, values: readonly unknown[]): boolean {
    const written = JSON.stringify(values);
    const text = values.length === 0 ? `[${code}]` : `[${code},${written.slice(1)}`;
    const half = this.#active;
    const at = half.end;
    if (at + text.length * bytesPerCharacterMax + 2 * recordHeadBytes > half.start + halfBytes) {
      this.#deliverOnce().catch(() => undefined);
      return false;
    }
    const length = this.#bytes.write(text, at + recordHeadBytes);
    const next = at + recordHeadBytes + length;
    this.#bytes.writeUInt32LE(0, next);
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

  /** What cannot be delivered stays in the file, and the next start does it. */
  async close(): Promise<void> {
    await this.flush().catch(() => undefined);
    clearTimeout(this.#timer);
  }

  #wake(afterMs: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // Tried again by itself; whoever needs the tables meanwhile learns of the fault from `flush`.
      this.#deliverOnce().catch(() => undefined);
    }, afterMs);
  }

  #deliverOnce(): Promise<void> {
    this.#delivering ??= this.#hand().finally(() => {
      this.#delivering = undefined;
    });
    return this.#delivering;
  }

  /** Hands over the half that waits; where none does, turns the halves round first. */
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
    half.end = half.start + headerBytes;
    this.#bytes.writeUInt32LE(0, half.end);
  }

  /** A half gets its generation when it begins to take records, so that generations grow in the order of the records. */
  #begin(half: Half): void {
    half.generation = this.#nextGeneration++;
    this.#bytes.writeDoubleLE(half.generation, half.start);
  }
}

function holdsRecords(half: Half): boolean {
  return half.end > half.start + headerBytes;
}

function spanOf(half: Half): Span {
  return { start: half.start + headerBytes, end: half.end };
}

function readHalf(bytes: Buffer, start: number): Leftover {
  let at = start + headerBytes;
  for (;;) {
    const length = bytes.readUInt32LE(at);
    const end = at + recordHeadBytes + length;
    if (length === 0 || end + recordHeadBytes > start + halfBytes) break;
    // Only a power cut can leave a record that is not whole; what follows it is not to be trusted either.
    if (!isCall(bytes.toString('utf8', at + recordHeadBytes, end))) break;
    at = end;
  }
  return { generation: bytes.readDoubleLE(start), span: { start: start + headerBytes, end: at } };
}
