/**
 * Parses a large JSON text piece by piece, so that the event loop is free between two of them. What is small is left to the
 * runtime's parser; only containers and strings larger than a piece are taken apart here. The result is what `JSON.parse` gives.
 */

import { notJson } from './json-body.ts';
import { type ContainerEnds, isSpace, jsonBytes } from './json-scan.ts';

const { quote, comma, colon, openBracket, backslash, closeBracket, openBrace, closeBrace } = jsonBytes;

/** A container of this size is parsed at once: a few milliseconds at most, whatever it is made of. */
const pieceBytes = 32_768;
/** Keys and numbers are not split; longer ones are refused. */
const tokenBytesMax = 65_536;
const letterU = 0x75;
/** `\n` and `\u00e9`. */
const escapeBytes = 2;
const escapedCodeBytes = 6;
const continuationsMax = 3;
/** For strings without escapes, which are faster. */
const textPieceBytes = 524_288;

type Expected = 'value' | 'first-element' | 'first-key' | 'key' | 'colon' | 'separator' | 'end';

interface Frame {
  readonly container: unknown[] | Record<string, unknown>;
  readonly isList: boolean;
  /** The key of the next value. */
  key: string;
}

/** A partly read long string: the decoded part, and the position of the rest. */
interface LongText {
  readonly decoded: string[];
  at: number;
}

interface PieceSizes {
  readonly pieceBytes: number;
  readonly textPieceBytes: number;
}

const usualSizes: PieceSizes = { pieceBytes, textPieceBytes };

export class JsonPieces {
  readonly #bytes: Uint8Array;
  readonly #text: Buffer;
  readonly #ends: ContainerEnds;
  readonly #sizes: PieceSizes;
  readonly #frames: Frame[] = [];
  #expected: Expected = 'value';
  #index = 0;
  #containers = 0;
  #longText: LongText | undefined;
  #root: unknown;

  constructor(bytes: Uint8Array, ends: ContainerEnds, sizes: PieceSizes = usualSizes) {
    this.#bytes = bytes;
    this.#text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#ends = ends;
    this.#sizes = sizes;
  }

  /** The parsed value, once `step` has returned true. */
  get value(): unknown {
    return this.#root;
  }

  /** Parses one more piece; true at the end. Throws `json_malformed`. */
  step(): boolean {
    if (this.#longText !== undefined) {
      this.#decodeMore(this.#longText);
      return false;
    }
    if (!this.#skipSpaces()) return false;
    const byte = this.#bytes[this.#index];
    if (byte === undefined) {
      if (this.#expected !== 'end') throw notJson(new Error('Unexpected end'));
      return true;
    }
    switch (this.#expected) {
      case 'first-element':
        if (byte === closeBracket) this.#close();
        else this.#read(byte);
        break;
      case 'value':
        this.#read(byte);
        break;
      case 'first-key':
        if (byte === closeBrace) this.#close();
        else this.#readKey(byte);
        break;
      case 'key':
        this.#readKey(byte);
        break;
      case 'colon':
        if (byte !== colon) throw this.#unexpected();
        this.#index++;
        this.#expected = 'value';
        break;
      case 'separator':
        this.#pass(byte);
        break;
      case 'end':
        throw this.#unexpected();
    }
    return false;
  }

  /** False if there are so many that the next step should continue. */
  #skipSpaces(): boolean {
    const most = this.#index + this.#sizes.textPieceBytes;
    while (isSpace(this.#bytes[this.#index])) if (++this.#index >= most) return false;
    return true;
  }

  #read(byte: number): void {
    if (byte === openBrace || byte === openBracket) this.#open(byte === openBracket);
    else if (byte === quote) this.#readText();
    else this.#readLiteral();
  }

  #open(isList: boolean): void {
    const container = this.#containers++;
    const end = this.#ends.endOf(container);
    if (end > this.#index && end - this.#index < this.#sizes.pieceBytes) {
      const value = this.#parse(this.#index, end + 1);
      this.#containers = this.#ends.nextAfter(container);
      this.#index = end + 1;
      this.#deliver(value);
      return;
    }
    this.#frames.push({ container: isList ? [] : {}, isList, key: '' });
    this.#expected = isList ? 'first-element' : 'first-key';
    this.#index++;
  }

  #readText(): void {
    const start = this.#index;
    const end = this.#textEnd(start, this.#sizes.pieceBytes);
    if (end === -1) {
      // Longer than a piece: decoded in parts, which also finds its end.
      this.#longText = { decoded: [], at: start + 1 };
      return;
    }
    this.#index = end + 1;
    this.#deliver(this.#parse(start, end + 1));
  }

  /** The end of a string of at most so many bytes; -1 if it is longer. */
  #textEnd(start: number, bytesMax: number): number {
    const most = Math.min(start + bytesMax, this.#bytes.length);
    for (let at = start + 1; at < most; at++) {
      const byte = this.#bytes[at];
      if (byte === quote) return at;
      if (byte === backslash) at++;
    }
    if (most === this.#bytes.length) throw notJson(new Error('Unterminated string'));
    return -1;
  }

  #decodeMore(long: LongText): void {
    const { end, isLast } = this.#cut(long.at);
    long.decoded.push(this.#parseInner(long.at, end));
    long.at = end;
    if (!isLast) return;
    this.#longText = undefined;
    this.#index = end + 1;
    this.#deliver(long.decoded.join(''));
  }

  /** The end of the next part of a string: never inside an escape or a character. */
  #cut(from: number): { readonly end: number; readonly isLast: boolean } {
    const bytes = this.#bytes;
    const most = Math.min(from + this.#sizes.textPieceBytes, bytes.length);
    let at = this.#firstSpecial(from, most);
    while (at < most && bytes[at] !== quote) {
      if (bytes[at] !== backslash) at++;
      else at += bytes[at + 1] === letterU ? escapedCodeBytes : escapeBytes;
    }
    for (let more = 0; more < continuationsMax && isContinuation(bytes[at]); more++) at++;
    if (at >= bytes.length) throw notJson(new Error('Unterminated string'));
    return { end: at, isLast: bytes[at] === quote };
  }

  /** A native search finds the first quote or backslash without a look at each byte. */
  #firstSpecial(from: number, most: number): number {
    const quoteAt = this.#text.subarray(from, most).indexOf(quote);
    const end = quoteAt === -1 ? most : from + quoteAt;
    const slashAt = this.#text.subarray(from, end).indexOf(backslash);
    return slashAt === -1 ? end : from + slashAt;
  }

  #readLiteral(): void {
    const start = this.#index;
    const most = start + tokenBytesMax;
    let end = start;
    while (end < most && isLiteral(this.#bytes[end])) end++;
    if (end === start || end === most) throw this.#unexpected();
    this.#index = end;
    this.#deliver(this.#parse(start, end));
  }

  #readKey(byte: number): void {
    if (byte !== quote) throw this.#unexpected();
    const end = this.#textEnd(this.#index, tokenBytesMax);
    if (end === -1) throw notJson(new Error(`A key is longer than ${tokenBytesMax} bytes`));
    const key = this.#parse(this.#index, end + 1);
    this.#index = end + 1;
    const frame = this.#frames.at(-1);
    if (frame !== undefined) frame.key = String(key);
    this.#expected = 'colon';
  }

  #pass(byte: number): void {
    const isList = this.#frames.at(-1)?.isList === true;
    if (byte === comma) {
      this.#index++;
      this.#expected = isList ? 'value' : 'key';
    } else if (byte === (isList ? closeBracket : closeBrace)) this.#close();
    else throw this.#unexpected();
  }

  #close(): void {
    const frame = this.#frames.pop();
    this.#index++;
    this.#deliver(frame?.container);
  }

  #deliver(value: unknown): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined) {
      this.#root = value;
      this.#expected = 'end';
      return;
    }
    if (Array.isArray(frame.container)) frame.container.push(value);
    else put(frame.container, frame.key, value);
    this.#expected = 'separator';
  }

  #parse(start: number, end: number): unknown {
    try {
      return JSON.parse(this.#text.toString('utf8', start, end));
    } catch (cause) {
      throw notJson(cause);
    }
  }

  #parseInner(start: number, end: number): string {
    try {
      return JSON.parse(`"${this.#text.toString('utf8', start, end)}"`) as string;
    } catch (cause) {
      throw notJson(cause);
    }
  }

  #unexpected() {
    const at = this.#index;
    return notJson(new Error(`Unexpected ${JSON.stringify(this.#text.toString('utf8', at, at + 1))} at byte ${at}`));
  }
}

/** As in the runtime's parser, the key `__proto__` is an ordinary field and changes no prototype. */
function put(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value;
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x80 && byte < 0xc0;
}

function isLiteral(byte: number | undefined): boolean {
  return (
    byte !== undefined &&
    byte !== comma &&
    byte !== closeBrace &&
    byte !== closeBracket &&
    byte !== colon &&
    byte !== quote &&
    !isSpace(byte)
  );
}
