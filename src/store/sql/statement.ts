/** SQL that both engines run: statements, their values, and generators that yield them. */

export type SqlValue = string | number | bigint | null;
export type Row = readonly SqlValue[];

/** Nano-USD between threads: a plain number where that is exact, which is faster than digits. */
export type Money = number | string;

export function moneyCell(nano: bigint): Money {
  const number = Number(nano);
  return Number.isSafeInteger(number) ? number : nano.toString();
}

/** One SQL text in the subset that both engines speak. Made once at load time; drivers keep prepared forms by identity. */
export interface Statement {
  /** With `$1`-style placeholders, as PostgreSQL writes them. */
  readonly sql: string;
  /** Does it give rows back? */
  readonly returnsRows: boolean;
}

export interface Step {
  readonly statement: Statement;
  readonly values: readonly SqlValue[];
}

/** Yields statements, receives their rows. A driver decides whether that happens at once or over a network. */
export type Steps<Result> = Generator<Step, Result, readonly Row[]>;

export function statement(sql: string): Statement {
  return { sql, returnsRows: /^\s*(select|with)\b|\breturning\b/i.test(sql) };
}

export function step(made: Statement, ...values: SqlValue[]): Step {
  return { statement: made, values };
}

/** Statements whose text depends on a number or a filter, made on first use. The key space must be small. */
export function statementsBy<Key>(make: (key: Key) => string): (key: Key) => Statement {
  const made = new Map<Key, Statement>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const fresh = statement(make(key));
    made.set(key, fresh);
    return fresh;
  };
}

/** A cell read as text; both engines give integers back as bigint, which turns into decimal digits. */
export const asText = (cell: SqlValue | undefined): string => (cell === null || cell === undefined ? '' : String(cell));
export const asNumber = (cell: SqlValue | undefined): number => Number(cell ?? 0);
export const asNumberOrNull = (cell: SqlValue | undefined): number | null =>
  cell === null || cell === undefined ? null : Number(cell);
export const asTextOrNull = (cell: SqlValue | undefined): string | null =>
  cell === null || cell === undefined ? null : String(cell);
