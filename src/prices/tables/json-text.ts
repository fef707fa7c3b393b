/** Scans JSON text before it is parsed: bounds its nesting and its size, and finds the line of each value. */

import { shown, TableError, type TablePath } from './table-error.ts';

/** Tables are flat: text that is nested deeper, or has more values, is no table. */
const depthMax = 24;
const valuesMax = 3_000_000;

/** Called where a value begins; true ends the walk. */
type Visit = (path: TablePath, offset: number) => boolean;

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /true|false|null/y;
const anything = /[^\s,\]}]{1,40}/y;

/** A position in the text; every step advances it. */
class Walk {
  readonly #text: string;
  readonly #visit: Visit;
  readonly #path: (string | number)[] = [];
  /** What closes each map or list that is open. */
  readonly #open: ('}' | ']')[] = [];
  #at = 0;
  #values = 0;

  constructor(text: string, visit: Visit) {
    this.#text = text;
    this.#visit = visit;
  }

  run(): void {
    if (this.#value()) return;
    while (this.#open.length > 0) if (this.#next()) return;
    this.#skip();
    if (this.#at < this.#text.length) throw this.#wrong('Unexpected text after the end.');
  }

  /** A value; a map or a list stays open. */
  #value(): boolean {
    this.#skip();
    if (++this.#values > valuesMax) throw this.#wrong(`There are more than ${valuesMax} values.`);
    if (this.#visit(this.#path, this.#at)) return true;
    const first = this.#text[this.#at];
    if (first === '{' || first === '[') this.#begin(first);
    else if (first === '"') this.#string();
    else if (this.#take(number) === undefined && this.#take(word) === undefined) throw this.#wrong(this.#stray());
    return false;
  }

  #begin(bracket: '{' | '['): void {
    if (this.#open.length >= depthMax) throw this.#wrong(`It is nested deeper than ${depthMax}.`);
    this.#at++;
    this.#open.push(bracket === '{' ? '}' : ']');
    this.#path.push(bracket === '{' ? '' : -1);
    this.#skip();
    if (this.#text[this.#at] === this.#open.at(-1)) this.#end();
    else this.#entry();
  }

  #end(): void {
    this.#at++;
    this.#open.pop();
    this.#path.pop();
  }

  /** Sets the name or the number of the value that comes next. */
  #entry(): void {
    const last = this.#path.length - 1;
    const before = this.#path[last];
    if (typeof before === 'number') {
      this.#path[last] = before + 1;
      this.#pending = true;
      return;
    }
    this.#skip();
    if (this.#text[this.#at] !== '"') throw this.#wrong(this.#stray());
    this.#path[last] = this.#string();
    this.#skip();
    if (this.#text[this.#at] !== ':') throw this.#wrong(this.#stray());
    this.#at++;
    this.#pending = true;
  }

  #pending = false;

  #next(): boolean {
    if (this.#pending) {
      this.#pending = false;
      return this.#value();
    }
    this.#skip();
    const sign = this.#text[this.#at];
    if (sign === this.#open.at(-1)) this.#end();
    else if (sign === ',') {
      this.#at++;
      this.#entry();
    } else throw this.#wrong(this.#stray());
    return false;
  }

  #string(): string {
    const begin = this.#at;
    let end = begin + 1;
    for (; this.#text[end] !== '"'; end++) {
      const sign = this.#text.charCodeAt(end);
      if (Number.isNaN(sign) || sign < 0x20) throw this.#wrong('A text has no end.');
      if (sign === 0x5c) end++;
    }
    this.#at = end + 1;
    const raw = this.#text.slice(begin, this.#at);
    return raw.includes('\\') ? unescaped(raw) : raw.slice(1, -1);
  }

  #skip(): void {
    for (;;) {
      const sign = this.#text.charCodeAt(this.#at);
      if (sign !== 0x20 && sign !== 0x0a && sign !== 0x0d && sign !== 0x09) return;
      this.#at++;
    }
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found !== undefined) this.#at = pattern.lastIndex;
    return found;
  }

  #stray(): string {
    if (this.#at >= this.#text.length) return 'It ends in the middle.';
    const found = this.#take(anything) ?? this.#text[this.#at];
    return `${shown(found)} is no JSON.`;
  }

  #wrong(says: string): TableError {
    return new TableError([...this.#path], says, linesOf(this.#text, [this.#at])[0]);
  }
}

function unescaped(raw: string): string {
  try {
    return String(JSON.parse(raw));
  } catch {
    return raw.slice(1, -1);
  }
}

/** Parses, or throws with the line and the key of what is wrong. */
export function parseJson(text: string): unknown {
  new Walk(text, () => false).run();
  try {
    return JSON.parse(text);
  } catch {
    throw new TableError([], 'It is no JSON.');
  }
}

/** The line of the value at this path, or of the closest that is there around it. */
export function lineAt(text: string, path: TablePath): number {
  return linesAt(text, [path])[0] ?? 1;
}

interface Wanted {
  readonly below: Map<string | number, Wanted>;
  /** Where it begins in the text. */
  offset: number | undefined;
}

/** The same for many paths, in one walk through the text. */
export function linesAt(text: string, paths: readonly TablePath[]): readonly number[] {
  const root: Wanted = { below: new Map(), offset: 0 };
  const steps = paths.map((path) => {
    let wanted = root;
    return path.map((part) => {
      wanted = below(wanted, part);
      return wanted;
    });
  });
  new Walk(text, (at, begins) => {
    let wanted: Wanted | undefined = root;
    for (let depth = 0; depth < at.length && wanted !== undefined; depth++) wanted = wanted.below.get(at[depth] ?? '');
    if (wanted !== undefined) wanted.offset ??= begins;
    return false;
  }).run();
  const offsets = steps.map((step) => step.findLast(({ offset }) => offset !== undefined)?.offset ?? 0);
  return linesOf(text, offsets);
}

function below(wanted: Wanted, part: string | number): Wanted {
  let next = wanted.below.get(part);
  if (next === undefined) {
    next = { below: new Map(), offset: undefined };
    wanted.below.set(part, next);
  }
  return next;
}

/** One pass through the text for all of them. */
function linesOf(text: string, offsets: readonly number[]): readonly number[] {
  const lines = new Map<number, number>();
  let [line, end] = [1, text.indexOf('\n')];
  for (const offset of offsets.toSorted((a, b) => a - b)) {
    for (; end !== -1 && end < offset; end = text.indexOf('\n', end + 1)) line++;
    lines.set(offset, line);
  }
  return offsets.map((offset) => lines.get(offset) ?? 1);
}
