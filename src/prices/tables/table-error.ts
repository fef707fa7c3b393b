/** A mistake in a price table, with its place; with one mistake nothing of the table is taken over. */

export type TablePath = readonly (string | number)[];

/** Names come from outside: what is shown of one is bounded. */
const shownMax = 80;

export function shown(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : describe(value);
  const clean = text.replaceAll(/[\p{Cc}\p{Cf}]/gu, '?');
  return clean.length > shownMax ? `${clean.slice(0, shownMax)}…` : clean;
}

function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'a map' : String(value);
}

export class TableError extends Error {
  override readonly name = 'TableError';
  readonly path: TablePath;
  /** Its line in the file, counted from 1, where a text was given. */
  readonly line: number | undefined;
  readonly #says: string;

  constructor(path: TablePath, says: string, line?: number) {
    const key = path
      .map((part) =>
        String(part)
          .replaceAll(/[\p{Cc}\p{Cf}]/gu, '?')
          .slice(0, shownMax),
      )
      .join('/');
    const place = [...(line === undefined ? [] : [`line ${line}`]), ...(key === '' ? [] : [key])].join(', ');
    super(place === '' ? says : `${place}: ${says}`);
    this.path = path;
    this.line = line;
    this.#says = says;
  }

  at(line: number | undefined): TableError {
    return new TableError(this.path, this.#says, line);
  }
}

export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown, path: TablePath): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new TableError(path, `Expected a map, found ${shown(value)}.`);
}

export function listOf(value: unknown, path: TablePath, lengthMax: number): readonly unknown[] {
  if (!Array.isArray(value)) throw new TableError(path, `Expected a list, found ${shown(value)}.`);
  if (value.length > lengthMax) throw new TableError(path, `The list is longer than ${lengthMax}.`);
  return value;
}

const nameLengthMax = 300;

export function nameOf(value: unknown, path: TablePath): string {
  if (typeof value === 'string' && value.length > 0 && value.length <= nameLengthMax) return value;
  throw new TableError(path, `${shown(value)} is no name of 1 to ${nameLengthMax} characters.`);
}

/** The value of the map's own field; never `__proto__` and its like. */
export function fieldOf(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** A price that is given; `read` converts it, or returns undefined if it is out of range. */
export function priceAt(value: unknown, path: TablePath, read: (usd: number) => bigint | undefined): bigint {
  const nano = typeof value === 'number' ? read(value) : undefined;
  if (nano !== undefined) return nano;
  throw new TableError(path, `${shown(value)} is no price: a number of USD from 0 on is.`);
}

/** Tables are in USD; one that says otherwise would be wrong by the rate of exchange. */
export function mustBeUsd(fields: Fields, path: TablePath): void {
  for (const [name, value] of Object.entries(fields)) {
    if (!/currency/i.test(name) || value === null || value === undefined) continue;
    if (typeof value !== 'string' || value.toUpperCase() !== 'USD')
      throw new TableError(
        [...path, name],
        `${shown(value)} is another currency than USD, the only one that is taken.`,
      );
  }
}

/** Limits of 0 are unknown ones. */
export function tokensAt(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 && value <= 1e9 ? value : undefined;
}

export function dayAt(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return undefined;
  const ms = Date.parse(`${value}T00:00:00Z`);
  return Number.isFinite(ms) && new Date(ms).toISOString().startsWith(value) ? value : undefined;
}

/** The greatest numbers of hosts and of models that a table may have. */
export const hostsMax = 2_000;
export const modelsMax = 100_000;
