/**
 * Parses the events of a stream, which mostly differ in one string: the piece of text. An event that is the last one but
 * for that string is not parsed again; the string is replaced in the value of the last one.
 */

import { isObject, type Tree } from '../json-tree.ts';

/** The object that has the string, where the value is an event with text. */
type HolderOf = (value: Tree) => unknown;

/** What is between two quotes and means something else than itself. */
const special = /["\\\u0000-\u001f]/;
/** Events with something that changes every time, such as a number of their own, are not compared for long. */
const missesMax = 8;

export class RepeatedJson {
  readonly #key: string;
  readonly #mark: string;
  readonly #holderOf: HolderOf;
  #before = '';
  #after = '';
  #value: Tree | undefined;
  #holder: Record<string, unknown> | undefined;
  #misses = 0;

  constructor(key: string, holderOf: HolderOf) {
    this.#key = key;
    this.#mark = `"${key}":`;
    this.#holderOf = holderOf;
  }

  /** As `JSON.parse`. The value may be changed by the next call. */
  parse(text: string): unknown {
    const repeated = this.#holder === undefined ? undefined : this.#repeated(text, this.#holder);
    if (repeated !== undefined) return repeated;
    const value: unknown = JSON.parse(text);
    if (this.#misses <= missesMax) this.#learn(text, value);
    return value;
  }

  #repeated(text: string, holder: Record<string, unknown>): Tree | undefined {
    const from = this.#before.length;
    const to = text.length - this.#after.length;
    if (to < from || !text.startsWith(this.#before) || !text.endsWith(this.#after)) return undefined;
    const piece = text.slice(from, to);
    if (special.test(piece)) return undefined;
    holder[this.#key] = piece;
    this.#misses = 0;
    return this.#value;
  }

  /** Only where the key occurs once: then its place in the text and in the value are the same. */
  #learn(text: string, value: unknown): void {
    this.#holder = undefined;
    const holder = isObject(value) ? this.#holderOf(value) : undefined;
    if (!isObject(value) || !isObject(holder)) return;
    const piece = holder[this.#key];
    if (typeof piece !== 'string' || special.test(piece)) return;
    const mark = text.indexOf(this.#mark);
    if (mark < 0 || text.includes(this.#mark, mark + 1)) return;
    const behind = mark + this.#mark.length;
    const start = text.charCodeAt(behind) === 0x20 ? behind + 1 : behind;
    if (!text.startsWith(`"${piece}"`, start)) return;
    this.#before = text.slice(0, start + 1);
    this.#after = text.slice(start + 1 + piece.length);
    // An escaped name could be the same key again.
    if (this.#before.includes('\\') || this.#after.includes('\\')) return;
    this.#misses += 1;
    this.#value = value;
    this.#holder = holder;
  }
}
