/** A query: SQL steps, written once for both engines, with how a driver has to run them. */

import type { Steps } from './statement.ts';

/**
 * `read`: writes nothing. `long-read`: may take long, so it must not block writers.
 * `single`: one writing statement, which needs no transaction around it. `transaction`: all or nothing.
 */
type QueryKind = 'read' | 'long-read' | 'single' | 'transaction';

export interface Query<Values extends readonly unknown[], Result> {
  readonly kind: QueryKind;
  /** It must see what the embedded engine's journal still holds. */
  readonly afterJournal: boolean;
  readonly steps: (...values: Values) => Steps<Result>;
}

/** A query as a driver meets it, its own types erased: the typed `run` of a driver is the only way in. */
export type AnyQuery = Query<never, unknown>;

/** Values and results are JSON, so that a batch of them crosses to the database's thread as one string; money goes as `Money`. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json | undefined };

const queryOf =
  (kind: QueryKind) =>
  <Values extends readonly unknown[], Result>(
    steps: (...values: Values) => Steps<Result>,
    rule?: 'after-journal',
  ): Query<Values, Result> => ({ kind, afterJournal: rule !== undefined, steps });

export const read = queryOf('read');
export const longRead = queryOf('long-read');
export const single = queryOf('single');
export const transaction = queryOf('transaction');

export function isQuery(value: unknown): value is AnyQuery {
  return typeof value === 'object' && value !== null && 'steps' in value && 'afterJournal' in value;
}

/** Erased values come from the typed `run`, so they are what the query takes. */
export const stepsOf = (query: AnyQuery, values: readonly Json[]): Steps<Json> =>
  (query.steps as unknown as (...given: readonly Json[]) => Steps<Json>)(...values);
