/** Prints a large JSON value piece by piece, as `JSON.stringify` would, so that the event loop is free between two of them. */

import { isHighSurrogate } from '../../conversation/texts/utf8-text.ts';
import type { SlicedBytes } from './in-slices.ts';
import { JoinedBytes } from './joined-bytes.ts';

/** A longer string is printed in pieces of this length. */
const textPieceLength = 131_072;
/** So much text is collected before it becomes bytes. */
const chunkLength = 262_144;
const encoder = new TextEncoder();

interface Frame {
  /** Undefined for a list. */
  readonly keys: readonly string[] | undefined;
  readonly values: readonly unknown[] | Readonly<Record<string, unknown>>;
  readonly length: number;
  next: number;
  isEmpty: boolean;
}

export class JsonPrinter implements SlicedBytes {
  readonly #frames: Frame[] = [];
  readonly #chunks: Uint8Array[] = [];
  readonly #pieceLength: number;
  #text = '';
  #long: { readonly text: string; at: number } | undefined;
  #joined: JoinedBytes | undefined;

  constructor(value: object, pieceLength = textPieceLength) {
    this.#pieceLength = pieceLength;
    this.#open(value);
  }

  /** The printed text, once `step` has returned true. */
  get bytes(): Uint8Array<ArrayBuffer> {
    if (this.#joined === undefined) throw new Error('The text is not printed to its end.');
    return this.#joined.bytes;
  }

  /** Prints one more piece; true at the end. */
  step(): boolean {
    if (this.#text.length >= chunkLength) this.#encode();
    if (this.#long !== undefined) {
      this.#printMore(this.#long);
      return false;
    }
    const frame = this.#frames.at(-1);
    if (frame === undefined) {
      if (this.#joined !== undefined) return this.#joined.step();
      this.#encode();
      this.#joined = new JoinedBytes(this.#chunks);
      return false;
    }
    if (frame.next === frame.length) {
      this.#text += frame.keys === undefined ? ']' : '}';
      this.#frames.pop();
    } else this.#printNext(frame);
    return false;
  }

  #printNext(frame: Frame): void {
    const index = frame.next++;
    const key = frame.keys?.[index];
    const value = frame.keys === undefined ? (frame.values as readonly unknown[])[index] : fieldOf(frame.values, key);
    // As in the runtime: an undefined field is omitted, an undefined element is null.
    if (value === undefined && key !== undefined) return;
    this.#text += `${frame.isEmpty ? '' : ','}${key === undefined ? '' : `${JSON.stringify(key)}:`}`;
    frame.isEmpty = false;
    if (typeof value === 'object' && value !== null) this.#open(value);
    else if (typeof value === 'string' && value.length > this.#pieceLength) {
      this.#text += '"';
      this.#long = { text: value, at: 0 };
    } else this.#text += JSON.stringify(value) ?? 'null';
  }

  #open(value: object): void {
    const isList = Array.isArray(value);
    const keys = isList ? undefined : Object.keys(value);
    const values = value as Frame['values'];
    this.#frames.push({ keys, values, length: (keys ?? (value as unknown[])).length, next: 0, isEmpty: true });
    this.#text += isList ? '[' : '{';
  }

  #printMore(long: { readonly text: string; at: number }): void {
    let end = Math.min(long.at + this.#pieceLength, long.text.length);
    // Never between the halves of one character: each alone would be printed as an escape.
    if (end < long.text.length && isHighSurrogate(long.text.charCodeAt(end - 1))) end++;
    this.#text += JSON.stringify(long.text.slice(long.at, end)).slice(1, -1);
    long.at = end;
    if (end < long.text.length) return;
    this.#text += '"';
    this.#long = undefined;
  }

  #encode(): void {
    this.#chunks.push(encoder.encode(this.#text));
    this.#text = '';
  }
}

function fieldOf(values: Frame['values'], key: string | undefined): unknown {
  return key === undefined ? undefined : (values as Readonly<Record<string, unknown>>)[key];
}
