/** Tables of prices beside the bundled one. Every change names the revision it is based on, and bumps it for other processes. */

import { longRead, read, single, transaction } from '../sql/query.ts';
import { asNumber, asNumberOrNull, type Steps, statement, statementsBy, step } from '../sql/statement.ts';
import { integer, money, type NewRowIn, name, optional, type RowIn, table, text, textOf, time } from '../sql/table.ts';
import { turnIsOurs } from '../sql/turn.ts';
import type { RateChangeState } from './rate-change.ts';

/** A table without its content. */
const heads = table('price_tables', {
  source: text,
  origin: text,
  version: text,
  asOf: optional(text),
  fetchedAtMs: time,
  models: integer,
  stamp: integer,
  held: text,
});
type TableHeadRow = RowIn<typeof heads>;
const tables = table('price_tables', { ...heads.columns, content: text });
export type TableRow = RowIn<typeof tables>;

/** How one rate changed. */
const changes = table('price_changes', {
  source: text,
  host: name,
  model: name,
  rate: name,
  rateBefore: optional(money),
  rateAfter: optional(money),
  state: textOf<RateChangeState>(),
});
export type RateChangeRow = NewRowIn<typeof changes>;
const keptChanges = table('price_changes', { atMs: integer, ...changes.columns });
const newChanges = table('price_changes', { ...keptChanges.columns, stamp: integer, place: integer });

const fetches = table('price_fetches', {
  dueAtMs: integer,
  addresses: text,
  triedAtMs: optional(integer),
  fault: optional(text),
});

const revisionRow = 3;
const claimRevision = statement(
  `UPDATE revisions SET value = value + 1 WHERE id = ${revisionRow} AND value = $1 RETURNING value`,
);
const readPulse = statement(
  `SELECT value, (SELECT due_at_ms FROM price_fetches WHERE id = 1) FROM revisions WHERE id = ${revisionRow}`,
);
const allHeads = statement(`SELECT ${heads.list} FROM price_tables ORDER BY source`);
const one = statement(`SELECT ${tables.list} FROM price_tables WHERE source = $1`);
const put = statement(tables.upsert('source'));
const touch = statement('UPDATE price_tables SET fetched_at_ms = $3, origin = $4 WHERE source = $1 AND stamp = $2');
const hold = statement('UPDATE price_tables SET held = $2, stamp = $3 WHERE source = $1 RETURNING source');
const remove = statement('DELETE FROM price_tables WHERE source = $1 RETURNING source');
const addChanges = statementsBy((size: number) => {
  const tuples = Array.from({ length: size }, (_, row) => `(${newChanges.places(1 + row * newChanges.width)})`);
  return `INSERT INTO price_changes (${newChanges.list}) VALUES ${tuples.join(', ')}`;
});
const changesPerStatement = 50;
/** The oldest beyond these are removed. */
const changesMax = 100_000;
const trimChanges = statement(
  `DELETE FROM price_changes WHERE stamp < (SELECT stamp FROM price_changes ORDER BY stamp DESC LIMIT 1 OFFSET ${changesMax})`,
);
const latestChanges = statement(`SELECT ${keptChanges.list} FROM price_changes ORDER BY stamp DESC, place LIMIT $1`);
const changesOf = statement(
  `SELECT ${keptChanges.list} FROM price_changes WHERE model = $2 ORDER BY stamp DESC, place LIMIT $1`,
);
const fetchState = statement(`SELECT ${fetches.list} FROM price_fetches WHERE id = 1`);
const claimFetch = statement(
  `UPDATE price_fetches SET due_at_ms = $2, addresses = $3
   WHERE id = 1 AND (${turnIsOurs('$5')} OR ($4 = 1 AND addresses <> $3)) RETURNING id`,
);
const endFetch = statement('UPDATE price_fetches SET due_at_ms = $1, tried_at_ms = $2, fault = $3 WHERE id = 1');

/** The revision, and when tables are to be fetched next: all that a process that waits for changes needs to read. */
export const priceTablePulse = read(function* (): Steps<{ readonly revision: number; readonly dueAtMs: number }> {
  const row = (yield step(readPulse))[0];
  return { revision: asNumber(row?.[0]), dueAtMs: asNumber(row?.[1]) };
});

/** The revision first: a change during the reads is seen by the next read. */
export const priceTableHeads = read(function* (): Steps<{
  readonly revision: number;
  readonly heads: readonly TableHeadRow[];
}> {
  const { revision } = yield* priceTablePulse.steps();
  return { revision, heads: (yield step(allHeads)).map((row) => heads.read(row)) };
});

/** Content and holds by one statement: the one without the other would put prices into effect that wait. */
export const getPriceTable = longRead(function* (source: string): Steps<TableRow | null> {
  const row = (yield step(one, source))[0];
  return row === undefined ? null : tables.read(row);
});

/** The new revision; null where another process changed something since `base`. */
function* next(base: number): Steps<number | null> {
  return asNumberOrNull((yield step(claimRevision, base))[0]?.[0]);
}

function* keepChanges(atMs: number, stamp: number, kept: readonly RateChangeRow[]): Steps<void> {
  for (let from = 0; from < kept.length; from += changesPerStatement) {
    const some = kept.slice(from, from + changesPerStatement);
    const values = some.flatMap((change, at) => newChanges.values({ ...change, atMs, stamp, place: from + at }));
    yield { statement: addChanges(some.length), values };
  }
  if (kept.length > 0) yield step(trimChanges);
}

/** False where the revision is not `base` any more: nothing was written. */
export const putPriceTable = transaction(function* (
  base: number,
  row: Omit<NewRowIn<typeof tables>, 'stamp'>,
  made: readonly RateChangeRow[],
): Steps<boolean> {
  const stamp = yield* next(base);
  if (stamp === null) return false;
  yield step(put, ...tables.values({ ...row, stamp }));
  yield* keepChanges(Math.round(row.fetchedAtMs), stamp, made);
  return true;
});

/** The same table was fetched again: only its time changes, so no process has to read it. */
export const touchPriceTable = single(function* (
  source: string,
  stamp: number,
  atMs: number,
  origin: string,
): Steps<null> {
  yield step(touch, source, stamp, atMs, origin);
  return null;
});

/** False where the revision is not `base` any more. */
export const holdPrices = transaction(function* (
  base: number,
  source: string,
  held: string,
  atMs: number,
  made: readonly RateChangeRow[],
): Steps<boolean> {
  const stamp = yield* next(base);
  if (stamp === null) return false;
  yield step(hold, source, held, stamp);
  yield* keepChanges(atMs, stamp, made);
  return true;
});

export const removePriceTable = transaction(function* (
  base: number,
  source: string,
  atMs: number,
  made: readonly RateChangeRow[],
): Steps<boolean> {
  const stamp = yield* next(base);
  if (stamp === null) return false;
  yield step(remove, source);
  yield* keepChanges(atMs, stamp, made);
  return true;
});

/** Newest first; of all models, or of one. */
export const priceChanges = longRead(function* (
  model: string | null,
  limit: number,
): Steps<readonly RowIn<typeof keptChanges>[]> {
  const rows = yield model === null ? step(latestChanges, limit) : step(changesOf, limit, model);
  return rows.map((row) => keptChanges.read(row));
});

/** A claim as for sums of usage. `isFirst` takes it early where the URLs are not those of the last one. */
export const claimPriceFetch = single(function* (
  nowMs: number,
  nextMs: number,
  addresses: string,
  isFirst: boolean,
  furthestMs: number,
): Steps<boolean> {
  return (yield step(claimFetch, nowMs, nextMs, addresses, Number(isFirst), furthestMs)).length > 0;
});

export const endPriceFetch = single(function* (dueAtMs: number, triedAtMs: number, fault: string | null): Steps<null> {
  yield step(endFetch, dueAtMs, triedAtMs, fault);
  return null;
});

export const priceFetchState = read(function* (): Steps<RowIn<typeof fetches>> {
  return fetches.read((yield step(fetchState))[0] ?? []);
});
