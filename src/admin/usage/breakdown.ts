/** Usage by one dimension: the largest groups over the range and over time, and all others together. */

import type { AnalyticsStore, UsageFigures } from '../../store/analytics/analytics-store.ts';
import type { BreakdownItem, BreakdownView, BucketName, SeriesPoint } from '../contracts/analytics-contract.ts';
import { withoutAbsent } from '../tokens/token-terms.ts';
import { bucketFor, startsOf } from './buckets.ts';
import { type DimensionParts, type DimensionQuestion, sumsBy } from './dimensions.ts';
import { amounts, figuresView, isoText, minus, noFigures } from './figure-views.ts';

interface BreakdownParts extends DimensionParts {
  readonly analytics: Pick<AnalyticsStore, 'groups' | 'lines' | 'series' | 'total'>;
}

/** `limit` bounds the groups that are shown apart. */
export interface BreakdownQuestion extends DimensionQuestion {
  /** By the range's length where absent. */
  readonly bucket?: BucketName | undefined;
}

export async function breakdown(parts: BreakdownParts, question: BreakdownQuestion): Promise<BreakdownView> {
  const { analytics } = parts;
  const { by, range, filter } = question;
  const bucket = bucketFor(range, question.bucket);
  const [sums, series, total] = await Promise.all([
    sumsBy(parts, question),
    analytics.series(range, bucket, filter),
    analytics.total(range, filter),
  ]);
  const { column, overlapping, groups, covered, lines } = sums;
  const found = await analytics.lines(column, lines, range, bucket, filter);
  const starts = startsOf(range, bucket);
  const points = new Map(found.map((point) => [`${point.line} ${point.startMs}`, point]));
  const pointOf = (line: number, startMs: number): UsageFigures => points.get(`${line} ${startMs}`) ?? noFigures;
  const items = groups.map(({ key, label, figures }, line): BreakdownItem => {
    return { key, label, ...amounts(figures), series: starts.map((at) => pointView(pointOf(line, at))) };
  });
  const rest = minus(total, covered);
  const wholes = new Map(series.map((whole) => [whole.startMs, whole]));
  // Of requests that count in none of the groups; several of these may count one twice.
  const restPoint = (at: number): UsageFigures => minus(wholes.get(at) ?? noFigures, pointOf(groups.length, at));
  return withoutAbsent<BreakdownView>({
    from: isoText(range.fromMs),
    to: isoText(range.toMs),
    by,
    bucket,
    overlapping,
    starts: starts.map(isoText),
    items,
    rest:
      rest.requests === 0
        ? undefined
        : { key: '', label: '', ...amounts(rest), series: starts.map((at) => pointView(restPoint(at))) },
    total: figuresView(total),
  });
}

function pointView(figures: UsageFigures): SeriesPoint {
  const { costUsd: _, unpriced: __, ...point } = amounts(figures);
  return point;
}
