/** Turns a chart's data and the page's colours into what the drawing library understands. */

import type uPlot from 'uplot';
import { colourOf, lonely, plain, rangeOf, type Series, stacked } from './chart-data.ts';

export interface Painting {
  readonly kind: 'lines' | 'stack';
  readonly timesS: readonly number[];
  readonly series: readonly Series[];
  readonly widthPx: number;
  readonly heightPx: number;
  /** Charts with the same one share their crosshair. */
  readonly together?: string | undefined;
  readonly tag: string;
  format(value: number): string;
  onPoint(moment: number | undefined): void;
}

export function painted(painting: Painting, host: HTMLElement): { options: uPlot.Options; data: uPlot.AlignedData } {
  const { kind, series, timesS } = painting;
  const rows = kind === 'stack' ? stacked(series) : plain(series);
  const colours = colourReader(host);
  // The library paints in order: the tallest sum first, or it would cover the others.
  const order = kind === 'stack' ? series.map((_, index) => index).reverse() : series.map((_, index) => index);
  const data = [timesS, ...order.map((index) => rows[index] ?? [])] as uPlot.AlignedData;
  const lines = order.map((index): uPlot.Series => {
    const one = series[index] ?? { name: '', values: [] };
    const stroke = colours(`--series-${colourOf(one)}`);
    return {
      label: one.name,
      stroke,
      width: 1.5,
      points: { show: true, size: 5, width: 0, fill: stroke, filter: () => lonely(rows[index] ?? []) },
      ...(kind === 'stack' && { fill: mixed(stroke, kind === 'stack' ? 0.22 : 0) }),
    };
  });
  const options: uPlot.Options = {
    width: painting.widthPx,
    height: painting.heightPx,
    // Half a label at the right: the last moment has its name under it.
    padding: [8, 20, 0, 0],
    legend: { show: false },
    scales: { y: { range: () => rangeOf(rows) } },
    series: [{}, ...lines],
    ...(kind === 'stack' && { bands: bandsOf(lines.length) }),
    axes: axesOf(painting, colours),
    cursor: {
      y: false,
      drag: { x: false, y: false, setScale: false },
      points: { size: 6, width: 0 },
      ...(painting.together !== undefined && { sync: { key: painting.together } }),
    },
    hooks: { setCursor: [(plot) => painting.onPoint(plot.cursor.idx ?? undefined)] },
  };
  return { options, data };
}

/** Between two sums lies what the upper one adds. */
function bandsOf(count: number): uPlot.Band[] {
  return Array.from({ length: Math.max(0, count - 1) }, (_, index) => ({ series: [index + 1, index + 2] }));
}

function axesOf({ format, tag }: Painting, colours: (name: string) => string): uPlot.Axis[] {
  const axis = { stroke: colours('--quiet'), font: '11px system-ui, sans-serif', ticks: { show: false } };
  const clock = new Intl.DateTimeFormat(tag, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const day = new Intl.DateTimeFormat(tag, { month: 'short', day: 'numeric' });
  return [
    {
      ...axis,
      size: 28,
      gap: 8,
      grid: { show: false },
      values: (_, splits, __, ___, stepS) =>
        splits.map((at) => (stepS >= 86_400 || isMidnight(at) ? day : clock).format(at * 1_000)),
    },
    {
      ...axis,
      size: 56,
      gap: 8,
      space: 36,
      grid: { stroke: colours('--line'), width: 1 },
      values: (_, splits) => splits.map(format),
    },
  ];
}

function isMidnight(atS: number): boolean {
  const date = new Date(atS * 1_000);
  return date.getHours() === 0 && date.getMinutes() === 0;
}

/** A canvas knows no variables: a hidden element resolves them in the theme of the place where the chart stands. */
function colourReader(host: HTMLElement): (name: string) => string {
  return (name) => {
    const probe = document.createElement('span');
    probe.hidden = true;
    probe.style.color = `var(${name})`;
    host.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
}

function mixed(colour: string, share: number): string {
  return colour.replace(/^rgb\(([^)]*)\)$/, `rgba($1, ${share})`);
}
