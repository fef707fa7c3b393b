/** Proves that stacked groups add up: the largest by themselves, everything else as one, and what has no price as a gap. */

import { describe, expect, test } from 'bun:test';
import type { BreakdownItem, SeriesPoint } from '../../../../admin/contracts/analytics-contract.ts';
import { breakdownSeries, chartedMax } from './breakdown-series.ts';
import { nextSort, orderFor, readSort, sorted, sortWord } from './sort.ts';

const point = (more: Partial<SeriesPoint>): SeriesPoint => ({
  requests: 0,
  failures: 0,
  inputTokens: 0,
  cacheReadTokens: 0,
  outputTokens: 0,
  costNano: '0',
  ...more,
});

const item = (key: string, more: Partial<BreakdownItem> = {}): BreakdownItem => ({
  key,
  label: key,
  costUsd: null,
  unpriced: 0,
  ...point({}),
  series: [],
  ...more,
});

const names = { none: 'No label', others: 'All others' };
const starts = ['2030-01-01T00:00:00.000Z', '2030-01-02T00:00:00.000Z'];

describe('series', () => {
  test('have their values at their times, and a gap where no cost is known', () => {
    const series = [
      point({ requests: 2, inputTokens: 3, outputTokens: 4, costNano: '250000000' }),
      point({ requests: 1, costNano: null }),
    ];
    const found = breakdownSeries({ starts, items: [item('a', { series })] }, names, new Map([['a', 7]]));
    expect(found.timesS).toEqual(starts.map((at) => Date.parse(at) / 1_000));
    expect(found.spend).toEqual([{ name: 'a', colour: 7, values: [0.25, undefined] }]);
    expect(found.requests[0]?.values).toEqual([2, 1]);
    expect(found.tokens[0]?.values).toEqual([7, 0]);
  });

  test('beyond the colors are one with the rest', () => {
    const series = [point({ requests: 1 }), point({ requests: 2 })];
    const items = Array.from({ length: chartedMax + 2 }, (_, index) => item(`m${index}`, { series }));
    const rest = item('', { series: [point({ requests: 10 }), point({})] });
    const { requests } = breakdownSeries({ starts, items, rest }, names, new Map());
    expect(requests.length).toBe(chartedMax + 1);
    expect(requests.at(-1)).toEqual({ name: 'All others', colour: 0, values: [12, 4] });
  });

  test('tell groups of one name apart', () => {
    const items = [item('tok_1', { label: 'ci' }), item('tok_2', { label: 'ci' }), item('')];
    const { requests } = breakdownSeries({ starts, items }, names, new Map());
    expect(requests.map(({ name }) => name)).toEqual(['ci (tok_1)', 'ci (tok_2)', 'No label']);
  });
});

describe('sorting', () => {
  const items = [
    item('b', { requests: 5, failures: 5, costNano: '7' }),
    item('a', { requests: 9, failures: 1, costNano: null }),
    item('c', { requests: 7, inputTokens: 1, costNano: '9' }),
  ];
  for (const [word, keys] of [
    [undefined, 'cba'],
    ['spend-up', 'abc'],
    ['requests', 'acb'],
    ['errors', 'bac'],
    ['tokens', 'cba'],
    ['name-up', 'abc'],
    ['nonsense', 'cba'],
  ] as const) {
    test(`by ${word ?? 'the usual'}`, () => {
      const found = sorted(items, readSort(word), ({ label }) => label).map(({ key }) => key);
      expect(found.join('')).toBe(keys);
    });
  }

  test('survives the URL, turns around, and asks the server for the largest', () => {
    const requests = nextSort(readSort(undefined), 'requests');
    expect([sortWord(requests), sortWord(nextSort(requests, 'requests'))]).toEqual(['requests', 'requests-up']);
    expect(sortWord(readSort('spend'))).toBeUndefined();
    expect(sortWord(nextSort(requests, 'name'))).toBe('name-up');
    expect([orderFor(requests), orderFor(readSort('errors')), orderFor(readSort('tokens'))]).toEqual([
      'requests',
      'cost',
      'tokens',
    ]);
  });
});
