/** Usage over time. */

import { longRead } from '../sql/query.ts';
import type { Steps } from '../sql/statement.ts';
import { integer, selection, text } from '../sql/table.ts';
import { FigureSum, type Figures, figuresOfCells, figuresOfRows } from '../usage/usage-sums.ts';
import { binsSql, durationsSql, totalsSql } from './duration-sums.ts';
import { addDurations, addWrittenBins, type Bins, writeBins } from './durations.ts';
import { type BucketName, bucketSql, segmentsFor, sourceOf } from './segment-sources.ts';
import { byText, type Conditions } from './usage-narrowing.ts';

/** The durations of a source, as text that `addBins` understands. */
const durationsOf = {
  rows: { firstEvents: [durationsSql('first_event_ms'), text], totals: [totalsSql, text] },
  cells: { firstEvents: [binsSql('first_events'), text], totals: [binsSql('totals'), text] },
} as const;

const bucketsOf = {
  rows: (bucket: BucketName) =>
    selection({ startMs: [bucketSql[bucket]('at_ms'), integer], ...figuresOfRows, ...durationsOf.rows }),
  cells: (bucket: BucketName) =>
    selection({ startMs: [bucketSql[bucket]('start_ms'), integer], ...figuresOfCells, ...durationsOf.cells }),
};

/** Its figures, and the bins of first events and of total durations as text. */
export interface BucketRow extends Figures {
  readonly startMs: number;
  readonly firstEvents: string;
  readonly totals: string;
}

/** Buckets in which nothing happened are left out. */
export const usageSeries = longRead(function* (
  bucket: BucketName,
  fromMs: number,
  toMs: number,
  conditions: Conditions,
): Steps<readonly BucketRow[]> {
  const names = conditions.map(([name]) => name);
  const sums = new Map<number, BucketSum>();
  for (const segment of yield* segmentsFor(bucket, fromMs, toMs, conditions)) {
    const { from, values } = sourceOf(segment, conditions, names);
    const ofRows = segment.grain === 'row';
    const selected = bucketsOf[ofRows ? 'rows' : 'cells'](bucket);
    const sql = `SELECT ${selected.list} FROM ${from} GROUP BY 1`;
    for (const result of yield { statement: byText(sql), values }) {
      const row = selected.read(result);
      const sum = sums.get(row.startMs) ?? new BucketSum();
      sums.set(row.startMs, sum);
      sum.addBucket(row, ofRows ? addDurations : addWrittenBins);
    }
  }
  return [...sums].sort(([a], [b]) => a - b).map(([startMs, sum]) => sum.row(startMs));
});

class BucketSum extends FigureSum {
  readonly #firstEvents: Bins = new Map();
  readonly #totals: Bins = new Map();

  addBucket(row: BucketRow, addBins: typeof addDurations): void {
    this.add(row);
    addBins(this.#firstEvents, row.firstEvents);
    addBins(this.#totals, row.totals);
  }

  row(startMs: number): BucketRow {
    const bins = { firstEvents: writeBins(this.#firstEvents), totals: writeBins(this.#totals) };
    return { startMs, ...this.figures(), ...bins };
  }
}
