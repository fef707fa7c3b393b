/** What is read at once in one turn of the event loop, by all requests together: two hundred bodies may be there in the same turn. */

/** Some milliseconds, whatever they contain. */
const turnBytesMax = 262_144;
/** Smaller ones cost no more than the rest of their request. */
const countedBytesMin = 4_096;

interface Waiting {
  readonly bytes: number;
  begin(): void;
}

export class TurnBytes {
  readonly #nextTurn: (work: () => void) => void;
  #used = 0;
  #isDue = false;
  #waiting: Waiting[] = [];

  /** `nextTurn` calls back when everything else that waits has had its turn. */
  constructor(nextTurn: (work: () => void) => void = setImmediate) {
    this.#nextTurn = nextTurn;
  }

  /** Undefined where there is room in this turn; otherwise resolves in a later one, in the order of the calls. */
  take(bytes: number): Promise<void> | undefined {
    if (bytes < countedBytesMin) return undefined;
    this.#awaitTurn();
    if (this.#waiting.length === 0 && this.#hasRoom(bytes)) {
      this.#used += bytes;
      return undefined;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ bytes, begin: resolve });
    return promise;
  }

  /** One that is larger than all of a turn has a turn for itself. */
  #hasRoom(bytes: number): boolean {
    return this.#used === 0 || this.#used + bytes <= turnBytesMax;
  }

  #awaitTurn(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#nextTurn(() => {
      this.#isDue = false;
      this.#begin();
    });
  }

  #begin(): void {
    this.#used = 0;
    let begun = 0;
    for (const { bytes, begin } of this.#waiting) {
      if (!this.#hasRoom(bytes)) break;
      this.#used += bytes;
      begun += 1;
      begin();
    }
    this.#waiting.splice(0, begun);
    if (begun > 0) this.#awaitTurn();
  }
}
