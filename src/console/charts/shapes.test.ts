/** Proves that what is drawn is what was counted: bars on bars, unfinished buckets apart, gaps as gaps. */

import { describe, expect, test } from 'bun:test';
import { bucketsOf } from './buckets.ts';
import { stacked } from './chart-data.ts';
import { barPaths, linePaths } from './shapes.ts';

/** Ten pixels for a bucket, one for a unit, upside down as on a screen. */
const plane = { x: (atS: number) => atS, y: (value: number) => 100 - value };
const buckets = bucketsOf([0, 10, 20], { fromS: 0, toS: 25 });

describe('bars', () => {
  const rows = stacked([
    { name: 'a', values: [5, 0, 2] },
    { name: 'b', values: [10, undefined, 3] },
  ]);

  test('start where those below end, and nothing is drawn for nothing', () => {
    expect(barPaths(buckets, rows[0] ?? [], undefined, plane)).toEqual({
      whole: 'M1 100V95h8V100Z',
      partial: 'M21 100V98h8V100Z',
    });
    expect(barPaths(buckets, rows[1] ?? [], rows[0], plane)).toEqual({
      whole: 'M1 95V85h8V95Z',
      partial: 'M21 98V95h8V98Z',
    });
  });
});

describe('lines', () => {
  test('lead to an unfinished bucket with dashes', () => {
    expect(linePaths(buckets, [1, 2, 3], plane)).toEqual({ solid: 'M5 99L15 98', dashed: 'M15 98L25 97', points: [] });
  });

  test('leave gaps, and what is alone between them is a point', () => {
    expect(linePaths(buckets, [1, null, 3], plane)).toEqual({
      solid: '',
      dashed: '',
      points: [
        [5, 99],
        [25, 97],
      ],
    });
  });
});
