/** Proves that the address names an order, that pressing a head goes through its orders, and that rows follow them. */

import { expect, test } from 'bun:test';
import { nextSort, readSort, sortedRows, sortText } from './sort.ts';

interface Row {
  readonly name: string;
  readonly cost: bigint | undefined;
}

const columns = [
  { id: 'name', sortBy: ({ name }: Row) => name },
  { id: 'cost', align: 'end', sortBy: ({ cost }: Row) => cost },
  { id: 'there', sortBy: 'server' },
  { id: 'plain' },
  { id: 'top', align: 'end', sortBy: 'server', greatestFirst: true },
] as const;

const rows: readonly Row[] = [
  { name: 'model-10', cost: 5n },
  { name: 'Model-2', cost: undefined },
  { name: 'alpha', cost: 9_007_199_254_740_993n },
  { name: 'beta', cost: 9_007_199_254_740_992n },
];
const sorted = (text: string) => sortedRows(rows, columns, readSort(text, columns)).map(({ name }) => name);

test('an order is read as it is written, and only for columns that have one', () => {
  for (const text of ['name', '-cost', '-there']) {
    const sort = readSort(text, columns);
    expect(sort && sortText(sort)).toBe(text);
  }
  expect([readSort('plain', columns), readSort('gone', columns), readSort(undefined, columns)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test('names begin with A and numbers with the largest, then the other way round, then as they were', () => {
  const presses = (index: 0 | 1) => {
    const first = nextSort(columns[index], undefined);
    const second = nextSort(columns[index], first);
    return [first, second, nextSort(columns[index], second)].map((sort) => sort && sortText(sort));
  };
  expect(presses(0)).toEqual(['name', '-name', undefined]);
  expect(presses(1)).toEqual(['-cost', 'cost', undefined]);
  expect(nextSort(columns[0], { by: 'cost', descending: true })).toEqual({ by: 'name', descending: false });
});

test('what is only worth reading from the greatest on has one order', () => {
  const first = nextSort(columns[4], undefined);
  expect(first).toEqual({ by: 'top', descending: true });
  expect(nextSort(columns[4], first)).toBeUndefined();
  expect([readSort('-top', columns), readSort('top', columns)]).toEqual([{ by: 'top', descending: true }, undefined]);
});

test('numbers in names count, amounts are compared to the last digit, and what has no value comes last', () => {
  expect(sorted('name')).toEqual(['alpha', 'beta', 'Model-2', 'model-10']);
  expect(sorted('cost')).toEqual(['model-10', 'beta', 'alpha', 'Model-2']);
  expect(sorted('-cost')).toEqual(['alpha', 'beta', 'model-10', 'Model-2']);
});

test('what the server sorts is left as it came', () => {
  expect(sorted('there')).toEqual(rows.map(({ name }) => name));
  expect(sortedRows(rows, columns, undefined)).toBe(rows);
});
