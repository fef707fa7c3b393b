/** What stays equal over the turns of one conversation, so that they can go where its prompt is cached already. */

import { isObject } from '../json-tree.ts';

export interface Affinity {
  /** The client's own id of the conversation. */
  readonly session?: string;
  /** Roughly how large the whole conversation is; it is not counted beyond `prefixBytesMax`. */
  readonly prefixBytes: number;
  /** The text to hash: instructions, tools and the first thing the user said, each up to `pieceCharactersMax`. */
  readonly prefix: string;
}

/** Enough to tell conversations apart, and little enough to be hashed with every request. */
export const pieceCharactersMax = 4_096;
/** Callers only need to know whether a conversation is small; above this size it is not. */
export const prefixBytesMax = 65_536;
const sessionCharactersMax = 256;
/** Deeper nesting adds nothing worth counting to a rough size. */
const depthMax = 64;

/** No text of a request holds it by accident, so that two pieces never look like one. */
const pieceEnd = '\u001f';

/** The text to hash, made piece by piece; what goes beyond a piece's size is neither read nor copied. */
export class PrefixText {
  #text = '';
  #left = pieceCharactersMax;
  #said = false;

  add(text: string): void {
    if (this.#left <= 0 || text === '') return;
    this.#said = true;
    this.#text += text.length > this.#left ? text.slice(0, this.#left) : text;
    this.#left -= text.length;
  }

  /** A value much like its JSON, without the fields of these names. Every level takes a character, so the depth ends too. */
  addJson(value: unknown, leftOut: ReadonlySet<string>): void {
    if (this.#left <= 0) return;
    if (typeof value === 'string') {
      this.add('"');
      this.add(value);
    } else if (Array.isArray(value)) {
      this.add('[');
      for (const entry of value) {
        if (this.#left <= 0) return;
        this.addJson(entry, leftOut);
        this.add(',');
      }
    } else if (isObject(value)) {
      this.add('{');
      for (const name in value) {
        if (this.#left <= 0) return;
        if (leftOut.has(name)) continue;
        this.add(name);
        this.add(':');
        this.addJson(value[name], leftOut);
        this.add(',');
      }
    } else {
      this.add(String(value));
    }
  }

  endPiece(): void {
    this.#text += pieceEnd;
    this.#left = pieceCharactersMax;
  }

  /** Empty where no piece said anything. */
  get text(): string {
    return this.#said ? this.#text : '';
  }
}

/** Undefined where nothing tells the conversation from another. `sized` are the parts of the request that a model reads. */
export function affinityFrom(
  session: string | undefined,
  prefix: string,
  sized: readonly unknown[],
): Affinity | undefined {
  if (session === undefined && prefix === '') return undefined;
  const prefixBytes = roughBytes(sized);
  return session === undefined ? { prefixBytes, prefix } : { session, prefixBytes, prefix };
}

/** An id that a client gave, where it gave one. */
export function sessionIn(...ids: readonly unknown[]): string | undefined {
  for (const id of ids) {
    if (typeof id === 'string' && id !== '')
      return id.length > sessionCharactersMax ? id.slice(0, sessionCharactersMax) : id;
  }
  return undefined;
}

/** The characters of all texts and names within; no text is looked into. */
export function roughBytes(value: unknown): number {
  return Math.min(prefixBytesMax, grown(0, value, 0));
}

function grown(before: number, value: unknown, depth: number): number {
  if (typeof value === 'string') return before + value.length;
  if (typeof value !== 'object' || value === null) return before + 1;
  if (depth >= depthMax) return before;
  let bytes = before;
  if (Array.isArray(value)) {
    for (const entry of value) {
      if (bytes >= prefixBytesMax) return bytes;
      bytes = grown(bytes, entry, depth + 1);
    }
    return bytes;
  }
  const fields = value as Readonly<Record<string, unknown>>;
  for (const name in fields) {
    if (bytes >= prefixBytesMax) return bytes;
    bytes = grown(bytes + name.length, fields[name], depth + 1);
  }
  return bytes;
}
