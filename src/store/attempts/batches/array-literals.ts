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
  /** What was added last, and how often in a row: most rows of a batch have the same model, provider, endpoint and zeros. */
  #last: Cell | undefined;
  #times = 0;

  add(value: Cell): void {
    if (value === this.#last) {
      this.#times += 1;
      return;
    }
    this.#text = this.#written();
    this.#last = value;
    this.#times = 1;
    if (value !== null) this.#hasValue = true;
  }

  toString(): string {
    return this.#hasValue ? `{${this.#written()}}` : '{}';
  }

  /** All that was added. */
  #written(): string {
    if (this.#last === undefined) return '';
    const text = textOf(this.#last);
    const first = this.#text === '' ? text : `${this.#text},${text}`;
    return this.#times === 1 ? first : first + `,${text}`.repeat(this.#times - 1);
  }
}
