/** The hours that can hold what is looked for, found by their cells: a rare thing among millions of rows is found without reading them. */

import { asNumber, type Steps, step } from '../sql/statement.ts';
import { ceilTo, finerThan, floorTo, type Grain, hourMs } from '../usage/usage-grains.ts';
import { byText, type Conditions, narrow, viewOf, viewSql, withOthers } from './usage-narrowing.ts';
import type { RollupState } from './usage-rollup.ts';
import { type Segment, segmentsOf } from './usage-segments.ts';

export type Direction = 'older' | 'newer';

export interface Zone {
  readonly startMs: number;
  /** At most so many rows of the hour match. */
  readonly found: number;
}

interface ZoneSearch {
  readonly conditions: Conditions;
  /** A range that is summed in hours; its ends may cut the first and the last one. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly direction: Direction;
  readonly state: RollupState;
  /** The search may end when it has so many hours, or so many rows in hours that the range does not cut. */
  readonly hoursEnough: number;
  readonly rowsEnough: number;
}

interface FoundZones {
  /** In the order of the direction. */
  readonly zones: readonly Zone[];
  /** False where the search ended early. */
  readonly isAll: boolean;
}

/** From weeks to their days to their hours, and only where there is something, nearest first. */
export function* zonesIn(search: ZoneSearch): Steps<FoundZones> {
  const { fromMs, toMs, direction, state, hoursEnough, rowsEnough } = search;
  const zones: Zone[] = [];
  let rows = 0;
  const isEnough = (): boolean => zones.length >= hoursEnough || rows >= rowsEnough;

  function* descend(grain: Grain, from: number, to: number): Steps<void> {
    const finer = finerThan(grain);
    for (const zone of yield* periodsWith(search, grain, from, to)) {
      if (isEnough()) return;
      if (finer !== undefined) {
        yield* descend(finer, zone.startMs, zone.startMs + grain);
        continue;
      }
      zones.push(zone);
      if (zone.startMs >= fromMs && zone.startMs + hourMs <= toMs) rows += zone.found;
    }
  }

  const segments = fromMs < toMs ? segmentsOf(floorTo(hourMs, fromMs), ceilTo(hourMs, toMs), 'none', state) : [];
  for (const { grain, fromMs: from, toMs: to } of direction === 'older' ? segments.toReversed() : segments) {
    if (grain !== 'row' && !isEnough()) yield* descend(grain, from, to);
  }
  const isAll = !isEnough();
  return { zones: yield* withMarked(search, zones, isAll), isAll };
}

function* periodsWith(search: ZoneSearch, grain: Grain, fromMs: number, toMs: number): Steps<readonly Zone[]> {
  const { and, values } = narrow(withOthers(search.conditions), 'cells', 3);
  const sql = `SELECT start_ms, CAST(SUM(requests) AS BIGINT) FROM usage_cells
    WHERE ${viewSql(viewOf(search.conditions), search.conditions)} AND grain_ms = ${grain} AND start_ms >= $1 AND start_ms < $2${and}
    GROUP BY start_ms ORDER BY start_ms ${search.direction === 'older' ? 'DESC' : 'ASC'}`;
  const rows = yield { statement: byText(sql), values: [fromMs, toMs, ...values] };
  return rows.map((row) => ({ startMs: asNumber(row[0]), found: asNumber(row[1]) }));
}

const marked = byText(
  `SELECT DISTINCT start_ms FROM usage_marks WHERE grain_ms = ${hourMs} AND start_ms >= $1 AND start_ms < $2 LIMIT $3`,
);
/** More hours than these change only where a whole database is rewritten. */
const markedMax = 1_000;

/** An hour that was marked may hold something that its cells do not include yet. */
function* withMarked(search: ZoneSearch, zones: readonly Zone[], isAll: boolean): Steps<readonly Zone[]> {
  const { fromMs, toMs, direction } = search;
  const last = isAll ? undefined : zones.at(-1)?.startMs;
  const from = direction === 'older' && last !== undefined ? last : floorTo(hourMs, fromMs);
  const to = direction === 'newer' && last !== undefined ? last : toMs;
  const known = new Set(zones.map(({ startMs }) => startMs));
  const late = (yield step(marked, from, to, markedMax)).map((row) => ({ startMs: asNumber(row[0]), found: 0 }));
  const added = late.filter(({ startMs }) => !known.has(startMs));
  if (added.length === 0) return zones;
  const sign = direction === 'older' ? -1 : 1;
  return [...zones, ...added].sort((a, b) => sign * (a.startMs - b.startMs));
}

/** The part of a range that is summed in hours, and from where on only rows exist. */
export function summedPart(fromMs: number, toMs: number, { hourUntilMs, retainedFromMs }: RollupState) {
  const lowestMs = Math.max(fromMs, retainedFromMs);
  const hoursToMs = Math.min(toMs, hourUntilMs);
  return { lowestMs, hoursToMs, rowsFromMs: Math.max(lowestMs, hoursToMs) };
}

/** For sums that cells cannot give: the rows of those hours that can matter. */
export function* zoneSegments(
  fromMs: number,
  toMs: number,
  conditions: Conditions,
  state: RollupState,
): Steps<readonly Segment[]> {
  const { lowestMs, hoursToMs, rowsFromMs } = summedPart(fromMs, toMs, state);
  const enough = { hoursEnough: Number.POSITIVE_INFINITY, rowsEnough: Number.POSITIVE_INFINITY };
  const search = { conditions, fromMs: lowestMs, toMs: hoursToMs, direction: 'newer', state, ...enough } as const;
  const { zones } = yield* zonesIn(search);
  const segments: Segment[] = [];
  const add = (from: number, to: number): void => {
    const last = segments.at(-1);
    if (last !== undefined && last.toMs === from) segments[segments.length - 1] = { ...last, toMs: to };
    else if (from < to) segments.push({ grain: 'row', fromMs: from, toMs: to });
  };
  for (const { startMs } of zones) add(Math.max(startMs, lowestMs), Math.min(startMs + hourMs, rowsFromMs));
  add(rowsFromMs, toMs);
  return segments;
}
