/**
 * How much is read from providers in one turn of the event loop. The runtime reads half a megabyte of every connection that has it
 * before anything else has its turn: with a thousand busy streams that would be seconds, and half a gigabyte of memory.
 */

import { Roster } from '../../conversation/tools/roster.ts';

/** A connection in the middle of a reply. */
export interface PacedReader {
  /** It was read since this was last set to false. */
  wasRead: boolean;
  /** The runtime leaves out, also in this turn, what has not been read yet. */
  stopReading(): void;
  continueReading(): void;
}

const bytesPerTurnMax = 8_388_608;
/** Less is not a turn worth ending, so that few turns are timed. */
const bytesTimed = 1_048_576;

export class ReadPace {
  readonly #readers = new Roster<PacedReader>();
  readonly #onRead: (bytes: number) => void;
  readonly #nextTurn: (work: () => void) => void;
  #turnBytes = 0;
  #isTimed = false;
  #isStopped = false;

  constructor(
    onRead: (bytes: number) => void = () => undefined,
    nextTurn: (work: () => void) => void = (work) => setImmediate(work),
  ) {
    this.#onRead = onRead;
    this.#nextTurn = nextTurn;
  }

  /** A reply began that is more than one read. */
  begin(reader: PacedReader): void {
    this.#readers.add(reader);
    if (this.#isStopped) reader.stopReading();
  }

  end(reader: PacedReader): void {
    if (this.#readers.delete(reader)) reader.continueReading();
  }

  /** So much was read just now, of whichever connection. */
  read(bytes: number): void {
    this.#onRead(bytes);
    this.#turnBytes += bytes;
    if (this.#turnBytes < bytesTimed) return;
    if (!this.#isTimed) {
      this.#isTimed = true;
      this.#nextTurn(this.#turnEnded);
    }
    if (this.#isStopped || this.#turnBytes < bytesPerTurnMax) return;
    this.#isStopped = true;
    for (const reader of this.#readers.all()) reader.stopReading();
  }

  readonly #turnEnded = (): void => {
    this.#isTimed = false;
    this.#turnBytes = 0;
    if (!this.#isStopped) return;
    this.#isStopped = false;
    const readers = this.#readers.all();
    // The runtime reads them in this order: who had no turn goes first.
    for (const reader of readers) if (!reader.wasRead) reader.continueReading();
    for (const reader of readers) if (reader.wasRead) reader.continueReading();
    for (const reader of readers) reader.wasRead = false;
  };
}
