/** The text of `/metrics` as records for export: one source for both, so that they never differ. */

import type { Attributes, HistogramPoint, MetricRecord, NumberPoint } from './records.ts';

interface Family {
  readonly name: string;
  description: string;
  kind: 'counter' | 'gauge' | 'histogram' | undefined;
  readonly lines: Line[];
}

interface Line {
  readonly name: string;
  readonly labels: string;
  readonly value: number;
}

export function readPrometheusText(text: string, startMs: number, atMs: number): MetricRecord[] {
  return familiesIn(text).flatMap(({ name, description, kind, lines }): MetricRecord[] => {
    const known = { name, description, unit: unitOf(name), startMs, atMs };
    if (kind === undefined || lines.length === 0) return [];
    if (kind === 'histogram') return [{ ...known, kind, points: histogramPoints(name, lines) }];
    return [
      {
        ...known,
        kind,
        points: lines.map(({ labels, value }): NumberPoint => ({ attributes: attributesOf(labels), value })),
      },
    ];
  });
}

function familiesIn(text: string): Family[] {
  const families: Family[] = [];
  for (const line of text.split('\n')) {
    const [, about, name = '', words = ''] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? [];
    if (about !== undefined) {
      const last = families.at(-1);
      const family = last?.name === name ? last : { name, description: '', kind: undefined, lines: [] };
      if (family !== last) families.push(family);
      if (about === 'HELP') family.description = words;
      else family.kind = kinds.find((kind) => kind === words);
    } else if (line !== '') {
      const space = line.lastIndexOf(' ');
      const brace = line.indexOf('{');
      const end = brace === -1 ? space : brace;
      const labels = brace === -1 ? '' : line.slice(brace + 1, space - 1);
      families.at(-1)?.lines.push({ name: line.slice(0, end), labels, value: Number(line.slice(space + 1)) });
    }
  }
  return families;
}

const kinds = ['counter', 'gauge', 'histogram'] as const;

function attributesOf(labels: string): Attributes {
  const attributes: Record<string, string> = {};
  for (const [, name = '', value = ''] of labels.matchAll(/([a-z_]+)="([^"]*)"/g)) attributes[name] = value;
  return attributes;
}

/** Buckets are cumulative in the text and apart in an export. */
function histogramPoints(name: string, lines: readonly Line[]): HistogramPoint[] {
  interface Series {
    readonly cumulative: number[];
    readonly bounds: number[];
    sum: number;
    count: number;
  }
  const all = new Map<string, Series>();
  for (const { name: part, labels, value } of lines) {
    const own = labels.replace(/,?le="[^"]*"$/, '');
    const series = all.get(own) ?? { cumulative: [], bounds: [], sum: 0, count: 0 };
    all.set(own, series);
    if (part === `${name}_sum`) series.sum = value;
    else if (part === `${name}_count`) series.count = value;
    else {
      const bound = /le="([^"]*)"$/.exec(labels)?.[1] ?? '';
      series.cumulative.push(value);
      if (bound !== '+Inf') series.bounds.push(Number(bound));
    }
  }
  return [...all].map(([labels, { cumulative, bounds, sum, count }]) => ({
    attributes: attributesOf(labels),
    count,
    sum,
    buckets: cumulative.map((value, index) => value - (cumulative[index - 1] ?? 0)),
    bounds,
  }));
}

function unitOf(name: string): string {
  if (/_seconds(?:_total)?$/.test(name)) return 's';
  if (/_bytes(?:_total)?$/.test(name)) return 'By';
  return /_usd_total$/.test(name) ? '{USD}' : '1';
}
