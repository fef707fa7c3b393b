/**
 * Walks over elements that are inside each other, piece by piece: boxes of MP4, elements of WebM. What is read of an element is
 * read in fields of known length; no piece is kept.
 */

/** The next field of an element: so many bytes, and what follows them; undefined where the rest is skipped. */
export interface FieldStep {
  readonly bytes: number;
  read(field: Uint8Array, view: DataView): FieldStep | undefined;
}

export interface ElementHead {
  /** What it is made of, its head not counted; infinite where it reaches to the end of what holds it. */
  readonly bytes: number;
  readonly content: 'elements' | FieldStep | undefined;
}

interface ElementReader {
  /** How many bytes the head has that begins so; undefined where nothing can begin so. */
  headBytes(start: Uint8Array, have: number): number | undefined;
  readHead(head: Uint8Array, view: DataView): ElementHead;
}

export const fieldBytesMax = 4_096;
/** Deeper elements are skipped: none that counts is there. */
const depthMax = 16;

export class ElementWalk {
  readonly #reader: ElementReader;
  readonly #fileBytes: number;
  readonly #buffer = new Uint8Array(fieldBytesMax);
  readonly #view = new DataView(this.#buffer.buffer);
  #have = 0;
  #at = 0;
  /** Ends of the elements that are open, from the outermost. */
  readonly #ends: number[] = [];
  #step: FieldStep | undefined;
  #skipTo = 0;
  /** What is where an element should begin is none. */
  isBroken = false;
  /** An element claims more than what holds it: some decoders look for the next one inside it. */
  isOverrun = false;

  constructor(reader: ElementReader, fileBytes = Infinity) {
    this.#reader = reader;
    this.#fileBytes = fileBytes;
  }

  get #end(): number {
    return this.#ends.at(-1) ?? this.#fileBytes;
  }

  take(piece: Uint8Array): void {
    for (let from = 0; from < piece.length && !this.isBroken; ) {
      const left = piece.length - from;
      const skipped = Math.min(this.#skipTo - this.#at, left);
      if (skipped > 0) {
        this.#at += skipped;
        from += skipped;
        continue;
      }
      this.#leave();
      const wanted = Math.min(this.#wanted(), this.#have + this.#room());
      const part = piece.subarray(from, from + wanted - this.#have);
      this.#buffer.set(part, this.#have);
      this.#have += part.length;
      this.#at += part.length;
      from += part.length;
      this.#readFields();
    }
  }

  /** What is still in the element that is open; it bounds everything in it. */
  #room(): number {
    return this.#end - this.#at;
  }

  #leave(): void {
    while (this.#ends.length > 0 && this.#room() <= 0) {
      this.#ends.pop();
      this.#step = undefined;
      this.#have = 0;
    }
  }

  #wanted(): number {
    return this.#step?.bytes ?? this.#reader.headBytes(this.#buffer, this.#have) ?? 0;
  }

  #readFields(): void {
    const wanted = this.#step?.bytes ?? this.#reader.headBytes(this.#buffer, this.#have);
    if (wanted === undefined) this.isBroken = true;
    else if (this.#have >= wanted) {
      this.#have = 0;
      if (this.#step === undefined) this.#enter(this.#reader.readHead(this.#buffer, this.#view));
      else {
        this.#step = this.#step.read(this.#buffer.subarray(0, wanted), this.#view);
        if (this.#step === undefined) this.#skipRest();
      }
    }
  }

  #enter({ bytes, content }: ElementHead): void {
    const end = Math.min(this.#at + bytes, this.#end);
    if (bytes !== Infinity && this.#at + bytes > end) this.isOverrun = true;
    // What reaches to the end of what holds it is no level of its own: such elements follow each other.
    if (content === 'elements' && end === this.#end) return;
    if (content === undefined || this.#ends.length >= depthMax) {
      this.#skipTo = end;
      return;
    }
    this.#ends.push(end);
    this.#step = content === 'elements' ? undefined : content;
  }

  #skipRest(): void {
    this.#skipTo = this.#ends.pop() ?? this.#at;
  }
}

/** The same field again and again, so many times. */
export function repeated(times: number, bytes: number, read: (view: DataView) => void): FieldStep | undefined {
  let left = times;
  const step: FieldStep = {
    bytes,
    read(_field, view) {
      read(view);
      return --left > 0 ? step : undefined;
    },
  };
  return left > 0 ? step : undefined;
}
