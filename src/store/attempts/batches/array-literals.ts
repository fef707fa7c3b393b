/** PostgreSQL's text form of arrays, one column of a batch at a time. */

const needsNoQuotes = /^[\w.:@/-]+$/;

function element(value: string): string {
  if (needsNoQuotes.test(value) && (value.length !== 4 || value.toUpperCase() !== 'NULL')) return value;
  return `"${value.replaceAll(/["\\]/g, '\\$&')}"`;
}

type Cell = string | number | bigint | boolean | null;

function textOf(value: Cell): string {
  if (value === null) return 'NULL';
  if (typeof value === 'string') return element(value);
  return typeof value === 'boolean' ? (value ? '1' : '0') : `${value}`;
}

/**
 * A column of a batch: what is added becomes one array. One of nothing but NULL is written empty, which costs nothing to
 * read: beside longer ones it gives NULL for each of their elements.
 */
export class ArrayLiteral {
  #text = '';
  #hasValue = false;
  /** Most rows of a batch have the same model, provider, endpoint and zeros. */
  #last: Cell | undefined;
  #lastText = '';

  add(value: Cell): void {
    if (value !== this.#last) {
      this.#last = value;
      this.#lastText = textOf(value);
      if (value !== null) this.#hasValue = true;
    }
    this.#text = this.#text === '' ? this.#lastText : `${this.#text},${this.#lastText}`;
  }

  toString(): string {
    return this.#hasValue ? `{${this.#text}}` : '{}';
  }
}
