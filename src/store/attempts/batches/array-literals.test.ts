import { expect, test } from 'bun:test';
import { needing } from '../../../../test/harness/needs.ts';
import { postgresUrl } from '../../../../test/harness/postgres.ts';
import { ArrayLiteral } from './array-literals.ts';

const texts = [
  '',
  'plain',
  'NULL',
  'null',
  'a,b',
  '{x}',
  '"quoted"',
  'back\\slash',
  ' space ',
  '[["token:1",0]]',
  '\n\t',
  '模型',
  "it's",
];

function literalOf(values: readonly Parameters<ArrayLiteral['add']>[0][]): string {
  const literal = new ArrayLiteral();
  for (const value of values) literal.add(value);
  return String(literal);
}

test('numbers, flags and nothing are written bare', () => {
  expect(literalOf([1, 2n, true, false, null])).toBe('{1,2,1,0,NULL}');
  expect(literalOf([])).toBe('{}');
  expect(literalOf([null, null])).toBe('{}');
  expect(literalOf([null, 0])).toBe('{NULL,0}');
});

test('values that repeat', () => {
  expect(literalOf(['a', 'a', 'a'])).toBe('{a,a,a}');
  expect(literalOf([null, null, 'a', 'b', 'b', null, 0, 0, 1])).toBe('{NULL,NULL,a,b,b,NULL,0,0,1}');
  expect(literalOf(['', '', 'a b', 'a b', ''])).toBe('{"","","a b","a b",""}');
});

needing('postgres').test('PostgreSQL reads the same texts', async () => {
  const client = new Bun.SQL(await postgresUrl(), { max: 1 });
  try {
    const rows = await client.unsafe('SELECT unnest(CAST($1 AS TEXT[]))', [literalOf([...texts, null])]).values();
    expect(rows.map((row: unknown[]) => row[0])).toEqual([...texts, null]);
  } finally {
    await client.close();
  }
});
