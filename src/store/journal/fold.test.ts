import { expect, test } from 'bun:test';
import type { Entry } from './entries.ts';
import { fused } from './fold.ts';

const open: Entry = [0, 'a.1', 'a', 't', 0, 400, 'dead', 'up', 'm', 1_000, 'key-1'];
const close: Entry = [2, 'a.1', 0, false, 1_080, null, 'limit'];
const other: Entry = [2, 'b.1', 0, false, 1_080, null, ''];

test('an opening and its closing become one insert with all cells of both', () => {
  const [, ...opening] = open;
  const [, ...closing] = close;
  expect(fused([open, close])).toEqual({ whole: [[opening, closing, '']], rest: [] });
  expect(fused([open])).toEqual({ whole: [], rest: [open] });
});

test('an opening within budgets keeps them apart from its cells', () => {
  const [, ...opening] = open;
  const [, ...closing] = close;
  const within: Entry = [6, ...opening, '[["token:t",0]]'];
  expect(fused([within, close])).toEqual({ whole: [[opening, closing, '[["token:t",0]]']], rest: [] });
  expect(fused([within])).toEqual({ whole: [], rest: [within] });
});

test('what has no counterpart, and a second closing, stay as they are', () => {
  expect(fused([other, open, close, close]).rest).toEqual([other, close]);
});
