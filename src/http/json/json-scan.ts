/**
 * One pass over the structure of a JSON text: where each top-level value lies, how deep it nests, how many values and keys it
 * has. Longer strings are skipped by a native search, so the cost follows the number of values, not of bytes. It can stop
 * anywhere and continue later. Malformed text is not diagnosed here (the parser does that); the pass must only terminate and never
 * undercount.
 */

import { GatewayError } from '../../conversation/gateway-error.ts';
import { utf8Text } from '../../conversation/texts/utf8-text.ts';

export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface JsonLimits {
  readonly depthMax: number;
  /** Commas and opening brackets: at least the number of values. */
  readonly valuesMax: number;
  readonly keysMax: number;
}

export const jsonBytes = {
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  openBracket: 0x5b,
  backslash: 0x5c,
  closeBracket: 0x5d,
  openBrace: 0x7b,
  closeBrace: 0x7d,
} as const;

const { quote, comma, colon, openBracket, backslash, closeBracket, openBrace, closeBrace } = jsonBytes;

/** Most strings of a request are keys and words: they end before a native search would have begun. */
const nearBytes = 16;

/** Where each container ends, by the order in which they open, and which one opens next after it. */
export class ContainerEnds {
  #ends = new Int32Array(1_024);
  #nexts = new Int32Array(1_024);
  readonly #open: number[] = [];
  #count = 0;

  opened(): void {
    if (this.#count === this.#ends.length) {
      this.#ends = grown(this.#ends);
      this.#nexts = grown(this.#nexts);
    }
    this.#open.push(this.#count++);
  }

  closed(at: number): void {
    const container = this.#open.pop();
    if (container === undefined) return;
    this.#ends[container] = at;
    this.#nexts[container] = this.#count;
  }

  /** 0 if it never ends. */
  endOf(container: number): number {
    return this.#ends[container] ?? 0;
  }

  nextAfter(container: number): number {
    return this.#nexts[container] ?? 0;
  }
}

function grown(full: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(full.length * 2);
  larger.set(full);
  return larger;
}

export class JsonScan {
  readonly #bytes: Uint8Array;
  readonly #limits: JsonLimits;
  readonly #ends: ContainerEnds | undefined;
  readonly #fields = new Map<string, ByteRange>();
  #trusted = true;
  #index = 0;
  #depth = 0;
  #values = 0;
  #keys = 0;
  #key: string | undefined;
  #valueStart = -1;
  #valueEnd = -1;
  /** Inside a string with escapes, where the search went byte by byte. */
  #stringStart = -1;

  constructor(bytes: Uint8Array, limits: JsonLimits, ends?: ContainerEnds) {
    this.#bytes = bytes;
    this.#limits = limits;
    this.#ends = ends;
  }

  /** Absent when the keys cannot be trusted byte by byte (escapes, duplicates). */
  get fields(): ReadonlyMap<string, ByteRange> | undefined {
    return this.#trusted ? this.#fields : undefined;
  }

  /** Continues to `until` or a little further; true at the end of the text. Throws if a limit is exceeded. */
  run(until = this.#bytes.length): boolean {
    const bytes = this.#bytes;
    const { valuesMax, keysMax } = this.#limits;
    if (this.#stringStart >= 0 && !this.#string(this.#stringStart, until)) return false;
    let index = this.#index;
    let values = this.#values;
    let keys = this.#keys;
    while (index < until) {
      const byte = bytes[index];
      if (byte === quote) {
        this.#index = index;
        if (!this.#string(index, until)) break;
        index = this.#index;
        continue;
      }
      if (byte === openBrace || byte === openBracket) {
        values++;
        this.#opened(index);
      } else if (byte === closeBrace || byte === closeBracket) {
        if (this.#depth === 1) this.#closeValue();
        this.#depth--;
        this.#valueEnd = index + 1;
        this.#ends?.closed(index);
      } else if (byte === comma) {
        values++;
        if (this.#depth === 1) this.#closeValue();
      } else if (byte === colon) keys++;
      else if (this.#depth === 1 && !isSpace(byte)) {
        if (this.#valueStart === -1) this.#valueStart = index;
        this.#valueEnd = index + 1;
      }
      index++;
    }
    if (this.#stringStart < 0) this.#index = index;
    this.#values = values;
    this.#keys = keys;
    if (values > valuesMax) throw tooMany('values', valuesMax);
    if (keys > keysMax) throw tooMany('keys', keysMax);
    return this.#index >= bytes.length;
  }

  #opened(index: number): void {
    if (this.#depth === 1 && this.#valueStart === -1) this.#valueStart = index;
    this.#depth++;
    this.#ends?.opened();
    const { depthMax } = this.#limits;
    if (this.#depth > depthMax) {
      throw new GatewayError('json_malformed', `The body nests deeper than ${depthMax} levels.`);
    }
  }

  /**
   * Skips the string that begins at `open`; false if it ends after `until`, and then the next run continues inside it.
   */
  #string(open: number, until: number): boolean {
    const end = this.#stringEnd(open, until);
    if (end === -1) {
      this.#stringStart = open;
      return false;
    }
    this.#stringStart = -1;
    if (this.#depth === 1 && this.#key === undefined) {
      const name = utf8Text(this.#bytes, open + 1, end);
      if (name.includes('\\')) this.#trusted = false;
      this.#key = name;
    } else if (this.#valueStart === -1) this.#valueStart = open;
    this.#index = end + 1;
    this.#valueEnd = end + 1;
    return true;
  }

  #stringEnd(open: number, until: number): number {
    const bytes = this.#bytes;
    const length = bytes.length;
    let from = this.#stringStart >= 0 ? this.#index : open + 1;
    if (this.#stringStart < 0) {
      const near = Math.min(from + nearBytes, length);
      while (from < near && bytes[from] !== backslash) {
        if (bytes[from] === quote) return from;
        from++;
      }
      if (from === near) {
        const end = bytes.indexOf(quote, from);
        if (end === -1) return length;
        if (bytes[end - 1] !== backslash) return end;
        // A search for each quote would cost more than looking at each byte. Before the first backslash there is none to pair.
        from = bytes.indexOf(backslash, from);
      }
    }
    while (from < length) {
      const byte = bytes[from];
      if (byte === quote) return from;
      from += byte === backslash ? 2 : 1;
      if (from >= until && from < length) {
        this.#index = from;
        return -1;
      }
    }
    return length;
  }

  #closeValue(): void {
    if (this.#key !== undefined && this.#valueStart >= 0) {
      if (this.#fields.has(this.#key)) this.#trusted = false;
      this.#fields.set(this.#key, { start: this.#valueStart, end: this.#valueEnd });
    }
    this.#key = undefined;
    this.#valueStart = -1;
  }
}

export function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function tooMany(what: 'values' | 'keys', most: number): GatewayError {
  const message = `The body has more than ${most} ${what}. Send less in one request.`;
  return new GatewayError('body_too_large', message);
}
