/** The table `request_exports`: a period is due where its sums are not those that it was exported with. */

import { longRead, read, single } from '../sql/query.ts';
import { asNumber, asText, type Steps, statement, step } from '../sql/statement.ts';
import { integer, type RowIn, table, text, time } from '../sql/table.ts';
import { claimTurnSql } from '../sql/turn.ts';

const exported = table('request_exports', {
  target: text,
  grainMs: integer,
  startMs: integer,
  fingerprint: text,
  rowCount: integer,
  exportedAtMs: time,
});
export type RequestExportRow = RowIn<typeof exported>;

const claim = statement(claimTurnSql('request_export_turns'));

/** True for one of several replicas at a time; where it dies, the next one claims. */
export const claimExport = single(function* (nowMs: number, nextMs: number): Steps<boolean> {
  return (yield step(claim, nowMs, nextMs)).length > 0;
});

/** What a row that comes late, or a corrected cost, changes. */
const summed = ['requests', 'failures', 'input_tokens', 'output_tokens', 'cost_nano', 'estimated * requests'];
const fingerprintSql = summed.map((column) => `CAST(SUM(${column}) AS TEXT)`).join(` || '/' || `);
const due = statement(
  `SELECT c.start_ms, c.fingerprint FROM (
     SELECT start_ms, ${fingerprintSql} AS fingerprint FROM usage_cells
     WHERE view = 'all' AND grain_ms = $2 AND start_ms >= $4
       AND start_ms >= (SELECT retained_from_ms FROM usage_rollup WHERE id = 1)
     GROUP BY start_ms) AS c
   LEFT JOIN request_exports AS e ON e.target = $1 AND e.grain_ms = $2 AND e.start_ms = c.start_ms
   WHERE e.fingerprint IS NULL OR e.fingerprint <> c.fingerprint
   ORDER BY c.start_ms LIMIT $3`,
);

/** Periods that are summed and still have their rows, the oldest first. */
export const duePeriods = longRead(function* (
  target: string,
  grainMs: number,
  limit: number,
  fromMs: number,
): Steps<readonly (readonly [startMs: number, fingerprint: string])[]> {
  const rows = yield step(due, target, grainMs, limit, fromMs);
  return rows.map(([startMs, fingerprint]) => [asNumber(startMs), asText(fingerprint)] as const);
});

const put = statement(exported.upsert('target', 'grainMs', 'startMs'));

export const putExport = single(function* (row: RequestExportRow): Steps<null> {
  yield step(put, ...exported.values(row));
  return null;
});

const old = statement(
  'SELECT start_ms FROM request_exports WHERE target = $1 AND grain_ms = $2 AND start_ms < $3 ORDER BY start_ms LIMIT $4',
);

export const oldExports = read(function* (
  target: string,
  grainMs: number,
  beforeMs: number,
  limit: number,
): Steps<readonly number[]> {
  return (yield step(old, target, grainMs, beforeMs, limit)).map((row) => asNumber(row[0]));
});

const remove = statement('DELETE FROM request_exports WHERE target = $1 AND grain_ms = $2 AND start_ms = $3');

export const forgetExport = single(function* (target: string, grainMs: number, startMs: number): Steps<null> {
  yield step(remove, target, grainMs, startMs);
  return null;
});
