/** Tables of prices beside the bundled one. Every change names the revision it is based on, and bumps it for other processes. */

import { longRead, read, single, transaction } from '../sql/query.ts';
import {
  asNumber,
  asNumberOrNull,
  asText,
  asTextOrNull,
  type Row,
  type SqlValue,
  type Steps,
  statement,
  statementsBy,
  step,
} from '../sql/statement.ts';

/** A table without its content. */
export type TableHeadCells = readonly [
  source: string,
  origin: string,
  version: string,
  asOf: string | null,
  fetchedAtMs: number,
  models: number,
  stamp: number,
  held: string,
];

export type NewTableCells = readonly [
  source: string,
  origin: string,
  version: string,
  asOf: string | null,
  fetchedAtMs: number,
  models: number,
  held: string,
  content: string,
];

/** What became of one rate, in the order in which people read it. */
export type RateChangeCells = readonly [
  source: string,
  host: string,
  model: string,
  rate: string,
  before: string | null,
  after: string | null,
  state: string,
];

export type KeptChangeCells = readonly [atMs: number, ...RateChangeCells];

export type FetchStateCells = readonly [
  dueAtMs: number,
  addresses: string,
  triedAtMs: number | null,
  fault: string | null,
];

const revisionRow = 3;
const claimRevision = statement(
  `UPDATE revisions SET value = value + 1 WHERE id = ${revisionRow} AND value = $1 RETURNING value`,
);
const readPulse = statement(
  `SELECT value, (SELECT due_at_ms FROM price_fetches WHERE id = 1) FROM revisions WHERE id = ${revisionRow}`,
);
const headColumns = 'source, origin, version, as_of, fetched_at_ms, models, stamp, held';
const allHeads = statement(`SELECT ${headColumns} FROM price_tables ORDER BY source`);
const one = statement(`SELECT ${headColumns}, content FROM price_tables WHERE source = $1`);
const put = statement(
  `INSERT INTO price_tables (source, origin, version, as_of, fetched_at_ms, models, held, content, stamp)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
   ON CONFLICT (source) DO UPDATE SET
     origin = excluded.origin, version = excluded.version, as_of = excluded.as_of, fetched_at_ms = excluded.fetched_at_ms,
     models = excluded.models, held = excluded.held, content = excluded.content, stamp = excluded.stamp`,
);
const touch = statement('UPDATE price_tables SET fetched_at_ms = $3, origin = $4 WHERE source = $1 AND stamp = $2');
const hold = statement('UPDATE price_tables SET held = $2, stamp = $3 WHERE source = $1 RETURNING source');
const remove = statement('DELETE FROM price_tables WHERE source = $1 RETURNING source');
const changeColumns = 'source, host, model, rate, rate_before, rate_after, state';
const columnCount = 10;
const addChanges = statementsBy(
  (size: number) =>
    `INSERT INTO price_changes (at_ms, stamp, place, ${changeColumns}) VALUES ${Array.from(
      { length: size },
      (_, row) =>
        `(${Array.from({ length: columnCount }, (_each, at) => `$${row * columnCount + at + 1}`).join(', ')})`,
    ).join(', ')}`,
);
const changesPerStatement = 50;
/** The oldest of more than these go. */
const changesMax = 100_000;
const trimChanges = statement(
  `DELETE FROM price_changes WHERE stamp < (SELECT stamp FROM price_changes ORDER BY stamp DESC LIMIT 1 OFFSET ${changesMax})`,
);
const latestChanges = statement(
  `SELECT at_ms, ${changeColumns} FROM price_changes ORDER BY stamp DESC, place LIMIT $1`,
);
const changesOf = statement(
  `SELECT at_ms, ${changeColumns} FROM price_changes WHERE model = $2 ORDER BY stamp DESC, place LIMIT $1`,
);
const fetchState = statement('SELECT due_at_ms, addresses, tried_at_ms, fault FROM price_fetches WHERE id = 1');
const claimFetch = statement(
  `UPDATE price_fetches SET due_at_ms = $2, addresses = $3
   WHERE id = 1 AND (due_at_ms <= $1 OR ($4 = 1 AND addresses <> $3)) RETURNING id`,
);
const endFetch = statement('UPDATE price_fetches SET due_at_ms = $1, tried_at_ms = $2, fault = $3 WHERE id = 1');

/** The revision, and when tables are to be fetched next: all that a process that waits for changes needs to ask. */
export const priceTablePulse = read(function* (): Steps<readonly [revision: number, dueAtMs: number]> {
  const row = (yield step(readPulse))[0];
  return [asNumber(row?.[0]), asNumber(row?.[1])];
});

/** The revision first: what changes while the rest is read is seen by the next look. */
export const priceTableHeads = read(function* (): Steps<readonly [revision: number, heads: readonly TableHeadCells[]]> {
  const [revision] = yield* priceTablePulse.steps();
  return [revision, (yield step(allHeads)).map(headCells)];
});

/** Content and holds by one statement: the one without the other would put prices into effect that wait. */
export const getPriceTable = longRead(function* (
  source: string,
): Steps<readonly [head: TableHeadCells, content: string] | null> {
  const row = (yield step(one, source))[0];
  return row === undefined ? null : [headCells(row), asText(row[8])];
});

function headCells(row: Row): TableHeadCells {
  return [
    asText(row[0]),
    asText(row[1]),
    asText(row[2]),
    asTextOrNull(row[3]),
    asNumber(row[4]),
    asNumber(row[5]),
    asNumber(row[6]),
    asText(row[7]),
  ];
}

/** The new revision; null where another process changed something since `base`. */
function* next(base: number): Steps<number | null> {
  return asNumberOrNull((yield step(claimRevision, base))[0]?.[0]);
}

function* keepChanges(atMs: number, stamp: number, changes: readonly RateChangeCells[]): Steps<void> {
  for (let from = 0; from < changes.length; from += changesPerStatement) {
    const some = changes.slice(from, from + changesPerStatement);
    const values = some.flatMap((change, at): SqlValue[] => [atMs, stamp, from + at, ...change]);
    yield { statement: addChanges(some.length), values };
  }
  if (changes.length > 0) yield step(trimChanges);
}

/** False where the revision is not `base` any more: nothing was written. */
export const putPriceTable = transaction(function* (
  base: number,
  table: NewTableCells,
  changes: readonly RateChangeCells[],
): Steps<boolean> {
  const stamp = yield* next(base);
  if (stamp === null) return false;
  yield step(put, ...table, stamp);
  yield* keepChanges(table[4], stamp, changes);
  return true;
});

/** The same table was there again: it is as fresh as now, and nobody has to look at it. */
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
  changes: readonly RateChangeCells[],
): Steps<boolean> {
  const stamp = yield* next(base);
  if (stamp === null) return false;
  yield step(hold, source, held, stamp);
  yield* keepChanges(atMs, stamp, changes);
  return true;
});

export const removePriceTable = transaction(function* (
  base: number,
  source: string,
  atMs: number,
  changes: readonly RateChangeCells[],
): Steps<boolean> {
  const stamp = yield* next(base);
  if (stamp === null) return false;
  yield step(remove, source);
  yield* keepChanges(atMs, stamp, changes);
  return true;
});

/** Newest first; of all models, or of one. */
export const priceChanges = longRead(function* (
  model: string | null,
  limit: number,
): Steps<readonly KeptChangeCells[]> {
  const rows = yield model === null ? step(latestChanges, limit) : step(changesOf, limit, model);
  return rows.map((row) => [
    asNumber(row[0]),
    asText(row[1]),
    asText(row[2]),
    asText(row[3]),
    asText(row[4]),
    asTextOrNull(row[5]),
    asTextOrNull(row[6]),
    asText(row[7]),
  ]);
});

/** An appointment as for sums of usage. `isFirst` takes it early where the addresses are not those of the last one. */
export const claimPriceFetch = single(function* (
  nowMs: number,
  nextMs: number,
  addresses: string,
  isFirst: boolean,
): Steps<boolean> {
  return (yield step(claimFetch, nowMs, nextMs, addresses, Number(isFirst))).length > 0;
});

export const endPriceFetch = single(function* (dueAtMs: number, triedAtMs: number, fault: string | null): Steps<null> {
  yield step(endFetch, dueAtMs, triedAtMs, fault);
  return null;
});

export const priceFetchState = read(function* (): Steps<FetchStateCells> {
  const row = (yield step(fetchState))[0];
  return [asNumber(row?.[0]), asText(row?.[1]), asNumberOrNull(row?.[2]), asTextOrNull(row?.[3])];
});
