/** Usage by a dimension as stacked bars: the largest groups each with its color, and everything else as one. */

import type { BreakdownItem, BreakdownView, SeriesPoint } from '../../../../admin/contracts/analytics-contract.ts';
import type { Series } from '../../../charts/chart-data.ts';
import { othersColour } from '../../../charts/key-colours.ts';
import { timesOf, usdOf } from '../../../usage/chart-series.ts';

/** More colors than these cannot be told apart. */
export const chartedMax = 8;

interface BreakdownSeries {
  readonly timesS: readonly number[];
  /** In USD. */
  readonly spend: readonly Series[];
  readonly requests: readonly Series[];
  readonly tokens: readonly Series[];
}

interface GroupNames {
  /** Requests that have none of what they are grouped by. */
  readonly none: string;
  readonly others: string;
}

export const groupName = ({ key, label }: Pick<BreakdownItem, 'key' | 'label'>, none: string): string =>
  key === '' ? none : label;

export function breakdownSeries(
  { starts, items, rest }: Pick<BreakdownView, 'starts' | 'items' | 'rest'>,
  names: GroupNames,
  colours: ReadonlyMap<string, number>,
): BreakdownSeries {
  const charted = items.slice(0, chartedMax);
  const others = [...items.slice(chartedMax), ...(rest === undefined ? [] : [rest])];
  const named = uniqueNames(charted, names);
  const series = (value: (point: SeriesPoint) => number | undefined): readonly Series[] => [
    ...charted.map(({ key, series: points }, at) => ({
      name: named[at] ?? key,
      colour: colours.get(key) ?? othersColour,
      values: starts.map((_, index) => valueAt(points, index, value)),
    })),
    ...(others.length === 0
      ? []
      : [{ name: names.others, colour: othersColour, values: starts.map((_, index) => sumAt(others, index, value)) }]),
  ];
  return {
    timesS: timesOf(starts),
    spend: series(({ costNano }) => usdOf(costNano)),
    requests: series(({ requests }) => requests),
    tokens: series(({ inputTokens, outputTokens }) => inputTokens + outputTokens),
  };
}

type Value = (point: SeriesPoint) => number | undefined;

function valueAt(points: readonly SeriesPoint[], index: number, value: Value): number | undefined {
  const point = points[index];
  return point === undefined ? undefined : value(point);
}

/** Absent only where it is absent in all of them. */
function sumAt(items: readonly BreakdownItem[], index: number, value: Value): number | undefined {
  let sum: number | undefined;
  for (const { series } of items) {
    const added = valueAt(series, index, value);
    if (added !== undefined) sum = (sum ?? 0) + added;
  }
  return sum;
}

/** Two tokens may have one name; a legend has to tell them apart. */
function uniqueNames(items: readonly BreakdownItem[], names: GroupNames): readonly string[] {
  const plain = items.map((item) => groupName(item, names.none));
  return plain.map((name, at) => {
    const isUnique = name !== names.others && plain.every((other, index) => index === at || other !== name);
    return isUnique ? name : `${name} (${items[at]?.key ?? ''})`;
  });
}
