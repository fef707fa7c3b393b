/** Pages of requests in both directions, and how many there are, without reading more rows than a page is worth. */

import { longRead } from '../sql/query.ts';
import { asNumber, type SqlValue, type Steps, step } from '../sql/statement.ts';
import { hourMs } from '../usage/usage-grains.ts';
import { requestsSql, sumSql } from '../usage/usage-sums.ts';
import { type UsageCells, usageTable } from '../usage/usage-table.ts';
import {
  byText,
  type ConditionName,
  type Conditions,
  hasOthers,
  isOfCells,
  narrow,
  viewOf,
  viewSql,
  withOthers,
} from './usage-narrowing.ts';
import { type RollupState, rollupState } from './usage-rollup.ts';
import { segmentsOf } from './usage-segments.ts';
import { type Direction, summedPart, type Zone, zonesIn } from './usage-zones.ts';

type PagePlace = readonly [atMs: number, requestId: string] | null;

/** Rows that one page may read; where they are used up the page says how far it came. */
const scannedRowsMax = 40_000;
const rowsPerStretch = 10_000;
/** Hours that one page reads: each holds at least one matching row, unless two bounds have to hold together. */
const zonesMax = 400;
const zonesMin = 64;

/** In the order of the direction. `stoppedAtMs` is null where everything was read or the page is full. */
export const usagePage = longRead(function* (
  conditions: Conditions,
  fromMs: number,
  toMs: number,
  direction: Direction,
  place: PagePlace,
  limit: number,
): Steps<readonly [rows: readonly UsageCells[], stoppedAtMs: number | null]> {
  const state = yield* rollupState.steps();
  const [placeMs] = place ?? [null];
  const lower = placeMs !== null && direction === 'newer' ? Math.max(fromMs, placeMs) : fromMs;
  const upper = placeMs !== null && direction === 'older' ? Math.min(toMs, placeMs + 1) : toMs;
  const { lowestMs, hoursToMs, rowsFromMs } = summedPart(lower, upper, state);
  if (isServedByIndex(conditions)) {
    return [yield* readStretch(conditions, { fromMs: lowestMs, toMs: upper }, direction, place, limit), null];
  }
  const { zones, isAll } = yield* zonesIn({
    conditions,
    fromMs: lowestMs,
    toMs: hoursToMs,
    direction,
    state,
    hoursEnough: isOfCells(conditions) ? zonesMax : Math.max(zonesMin, limit),
    rowsEnough: isOfCells(conditions) ? limit : Number.POSITIVE_INFINITY,
  });
  const stretches = yield* stretchesOf(zones, direction, isOfToken(conditions));
  const rest: Stretch = { fromMs: rowsFromMs, toMs: upper, rows: 0 };
  const hasRest = direction === 'newer' && isAll;
  const rows: UsageCells[] = [];
  let scanned = 0;
  for (const stretch of direction === 'older' ? [rest, ...stretches] : [...stretches, ...(hasRest ? [rest] : [])]) {
    if (scanned > 0 && scanned + stretch.rows > scannedRowsMax) return [rows, nearEdge(stretch, direction)];
    const part = { fromMs: Math.max(stretch.fromMs, lowestMs), toMs: Math.min(stretch.toMs, upper) };
    rows.push(...(yield* readStretch(conditions, part, direction, place, limit - rows.length)));
    if (rows.length >= limit) return [rows, null];
    scanned += stretch.rows;
  }
  const last = zones.at(-1);
  if (isAll || last === undefined) return [rows, null];
  return [rows, direction === 'older' ? last.startMs : last.startMs + hourMs];
});

/** Rows lie by time, and each token's by time too. */
function isServedByIndex(conditions: Conditions): boolean {
  if (conditions.length === 0) return true;
  const [only, ...others] = conditions;
  return others.length === 0 && only?.[0] === 'token_id' && only[1].length === 1;
}

const isOfToken = (conditions: Conditions): boolean => conditions.some(([name]) => ofTokens.includes(name));

const ofTokens: readonly ConditionName[] = ['token_id', 'owner_id', 'seen_by', 'team_id', 'project_id'];

interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
  /** To be read, about. */
  readonly rows: number;
}

const nearEdge = (stretch: Stretch, direction: Direction): number =>
  direction === 'older' ? stretch.toMs : stretch.fromMs;

const countHours = byText(
  `SELECT start_ms, requests FROM usage_cells WHERE view = 'all' AND grain_ms = ${hourMs} AND start_ms >= $1 AND start_ms <= $2`,
);

/** Hours beside each other are read as one, as long as they are not large. */
function* stretchesOf(zones: readonly Zone[], direction: Direction, ofTokens: boolean): Steps<readonly Stretch[]> {
  const first = zones[0];
  const last = zones.at(-1);
  if (first === undefined || last === undefined) return [];
  const ends = [Math.min(first.startMs, last.startMs), Math.max(first.startMs, last.startMs)] as const;
  const counted = ofTokens ? [] : yield step(countHours, ...ends);
  const sizes = new Map(counted.map((row) => [asNumber(row[0]), asNumber(row[1])] as const));
  const stretches: Stretch[] = [];
  for (const { startMs, found } of zones) {
    const rows = sizes.get(startMs) ?? found;
    const before = stretches.at(-1);
    const touches =
      before !== undefined && (direction === 'older' ? before.fromMs === startMs + hourMs : before.toMs === startMs);
    if (before !== undefined && touches && before.rows + rows <= rowsPerStretch) {
      const fromMs = Math.min(before.fromMs, startMs);
      stretches[stretches.length - 1] = {
        fromMs,
        toMs: Math.max(before.toMs, startMs + hourMs),
        rows: before.rows + rows,
      };
    } else {
      stretches.push({ fromMs: startMs, toMs: startMs + hourMs, rows });
    }
  }
  return stretches;
}

function* readStretch(
  conditions: Conditions,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  direction: Direction,
  place: PagePlace,
  limit: number,
): Steps<readonly UsageCells[]> {
  if (fromMs >= toMs || limit <= 0) return [];
  const values: SqlValue[] = [limit, fromMs, toMs];
  const narrowing = narrow(conditions, 'rows', 4);
  values.push(...narrowing.values);
  const older = direction === 'older';
  let beyond = '';
  if (place !== null) {
    beyond = ` AND (at_ms, request_id) ${older ? '<' : '>'} ($${values.length + 1}, $${values.length + 2})`;
    values.push(...place);
  }
  const order = older ? 'at_ms DESC, request_id DESC' : 'at_ms, request_id';
  const sql = `SELECT ${usageTable.list} FROM usage_rows WHERE at_ms >= $2 AND at_ms < $3${narrowing.and}${beyond}
    ORDER BY ${order} LIMIT $1`;
  return (yield { statement: byText(sql), values }).map(usageTable.read);
}

/** Exact where cells hold all that is asked for; else the most that it can be. */
export const countUsage = longRead(function* (
  conditions: Conditions,
  fromMs: number,
  toMs: number,
): Steps<readonly [count: number, exact: boolean]> {
  const state = yield* rollupState.steps();
  const known = yield* countIn(state, conditions, fromMs, toMs);
  if (!hasOthers(conditions)) return [known, isOfCells(conditions)];
  // Those that cells do not name may be among the others.
  const most = yield* countIn(state, withOthers(conditions), fromMs, toMs);
  return [most, isOfCells(conditions) && most === known];
});

function* countIn(state: RollupState, conditions: Conditions, fromMs: number, toMs: number): Steps<number> {
  const view = viewSql(viewOf(conditions), conditions);
  let count = 0;
  for (const { grain, fromMs: from, toMs: to } of segmentsOf(fromMs, toMs, 'none', state)) {
    const ofRows = grain === 'row';
    const { and, values } = narrow(conditions, ofRows ? 'rows' : 'cells', 3);
    const sql = ofRows
      ? `SELECT ${requestsSql} FROM usage_rows WHERE at_ms >= $1 AND at_ms < $2${and}`
      : `SELECT ${sumSql('requests')} FROM usage_cells WHERE ${view} AND grain_ms = ${grain} AND start_ms >= $1 AND start_ms < $2${and}`;
    count += asNumber((yield { statement: byText(sql), values: [from, to, ...values] })[0]?.[0]);
  }
  return count;
}
