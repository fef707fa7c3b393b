/** A mistake in a price table, with its place: it costs the model that it is in, or the table where it is in none. */

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

/** Line and key, as people read them; empty where neither is known. */
export function placeText(path: TablePath, line: number | undefined): string {
  const key = path
    .map((part) =>
      String(part)
        .replaceAll(/[\p{Cc}\p{Cf}]/gu, '?')
        .slice(0, shownMax),
    )
    .join('/');
  return [...(line === undefined ? [] : [`line ${line}`]), ...(key === '' ? [] : [key])].join(', ');
}

export class TableError extends Error {
  override readonly name = 'TableError';
  readonly path: TablePath;
  /** Its line in the file, counted from 1, where a text was given. */
  readonly line: number | undefined;
  /** What is wrong, without its place. */
  readonly says: string;

  constructor(path: TablePath, says: string, line?: number) {
    const place = placeText(path, line);
    super(place === '' ? says : `${place}: ${says}`);
    this.path = path;
    this.line = line;
    this.says = says;
  }

  at(line: number | undefined): TableError {
    return new TableError(this.path, this.says, line);
  }
}

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function fieldsOf(value: unknown, path: TablePath): Fields {
  if (isFields(value)) return value;
  throw new TableError(path, `Expected a map, found ${shown(value)}.`);
}

export function listOf(value: unknown, path: TablePath, lengthMax: number): readonly unknown[] {
  if (!Array.isArray(value)) throw new TableError(path, `Expected a list, found ${shown(value)}.`);
  if (value.length > lengthMax) throw new TableError(path, `The list is longer than ${lengthMax}.`);
  return value;
}

const nameLengthMax = 300;

export function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= nameLengthMax;
}

export function nameOf(value: unknown, path: TablePath): string {
  if (isName(value)) return value;
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

/** May the key say what something costs? */
export const saysCost = (key: string): boolean => /(^|_)(cost|price|fee|usd)s?(_|$)/i.test(key);

/** Keys of a model beside the `known` one that may be prices too; texts are notes. */
export function otherPrices(fields: Fields, known: string): readonly string[] {
  return Object.keys(fields).filter((key) => {
    const value = fields[key];
    const isPrice = (typeof value === 'object' && value !== null) || (typeof value === 'number' && value !== 0);
    return key !== known && isPrice && saysCost(key);
  });
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
