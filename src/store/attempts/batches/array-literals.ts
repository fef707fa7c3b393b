/** PostgreSQL's text form of arrays, one column of a batch at a time. */

const needsNoQuotes = /^[\w.:@/-]+$/;

function element(value: string): string {
  if (needsNoQuotes.test(value) && value.toUpperCase() !== 'NULL') return value;
  return `"${value.replaceAll(/["\\]/g, '\\$&')}"`;
}

/** A column of a batch: what is added becomes one array. */
export class ArrayLiteral {
  #text = '';

  add(value: string | number | bigint | boolean | null): void {
    const text =
      value === null
        ? 'NULL'
        : typeof value === 'string'
          ? element(value)
          : typeof value === 'boolean'
            ? value
              ? '1'
              : '0'
            : `${value}`;
    this.#text = this.#text === '' ? text : `${this.#text},${text}`;
  }

  toString(): string {
    return `{${this.#text}}`;
  }
}
