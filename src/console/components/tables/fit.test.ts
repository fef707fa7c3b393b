/** Proves that columns are left out by their number until the rest fits, and that the room is used up. */

import { expect, test } from 'bun:test';
import { fitColumns } from './fit.ts';

const columns = [
  { id: 'name', minPx: 100 },
  { id: 'state', widthPx: 80 },
  { id: 'owner', minPx: 100, drop: 1 },
  { id: 'labels', minPx: 50, drop: 3 },
  { id: 'used', widthPx: 70, drop: 2 },
  { id: 'cost', widthPx: 100 },
] as const;
const ids = (roomPx: number) => fitColumns(columns, roomPx).columns.map(({ id }) => id);

test('the highest number goes first, and no more than has to', () => {
  expect(ids(500)).toEqual(['name', 'state', 'owner', 'labels', 'used', 'cost']);
  expect(ids(499)).toEqual(['name', 'state', 'owner', 'used', 'cost']);
  expect(ids(450)).toEqual(['name', 'state', 'owner', 'used', 'cost']);
  expect(ids(449)).toEqual(['name', 'state', 'owner', 'cost']);
  expect(ids(380)).toEqual(['name', 'state', 'owner', 'cost']);
  expect(ids(379)).toEqual(['name', 'state', 'cost']);
});

test('columns with one number go together', () => {
  const pair = [{ widthPx: 100 }, { widthPx: 50, drop: 1 }, { widthPx: 50, drop: 1 }];
  expect([200, 199].map((roomPx) => fitColumns(pair, roomPx).columns.length)).toEqual([3, 1]);
});

test('what has to stay stays, and is said to be too wide', () => {
  expect(ids(10)).toEqual(['name', 'state', 'cost']);
  expect([fitColumns(columns, 280).overflows, fitColumns(columns, 279).overflows]).toEqual([false, true]);
  expect(fitColumns(columns, 10).widthsPx).toEqual([100, 80, 100]);
});

test('free room goes to the columns without a width, in proportion', () => {
  const { widthsPx } = fitColumns(columns, 750);
  expect(widthsPx).toEqual([200, 80, 200, 100, 70, 100]);
  expect(fitColumns([{ widthPx: 50 }, { widthPx: 50 }], 200).widthsPx).toEqual([100, 100]);
});
