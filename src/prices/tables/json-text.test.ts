import { describe, expect, test } from 'bun:test';
import { lineAt, parseJson } from './json-text.ts';
import { TableError } from './table-error.ts';

function wrong(text: string): { path: string; line: number | undefined; message: string } {
  try {
    parseJson(text);
  } catch (error) {
    if (error instanceof TableError) return { path: error.path.join('/'), line: error.line, message: error.message };
    throw error;
  }
  throw new Error('it was read');
}

test('reads what JSON.parse reads', () => {
  const values = [
    null,
    true,
    -1.5e-7,
    'a"\\\n\u0000é',
    [],
    {},
    [[], [{}], [1, 'x', { y: [null] }]],
    { a: { '': [0] }, b: 'c' },
  ];
  for (const value of values) {
    expect(parseJson(JSON.stringify(value))).toEqual(value);
    expect(parseJson(` ${JSON.stringify(value, null, 2)}\r\n`)).toEqual(value);
  }
});

describe('what is no JSON is reported with its line and key', () => {
  test.each([
    ['{"a": {\n"b": NaN}}', 'a/b', 2, '"NaN" is no JSON'],
    ['{"a": [1,\n\n Infinity]}', 'a/1', 3, '"Infinity" is no JSON'],
    ['{"a": {"b": 1', 'a/b', 1, 'ends in the middle'],
    ['{"a": 1,\n', 'a', 2, 'ends in the middle'],
    ['{"a": "b', 'a', 1, 'no end'],
    ['{"a": 01}', 'a', 1, 'is no JSON'],
    ['{"a": 1} x', '', 1, 'after the end'],
    ['', '', 1, 'ends in the middle'],
    ['<!doctype html>', '', 1, 'is no JSON'],
    ['{a: 1}', '', 1, 'is no JSON'],
    ['[1 2]', '0', 1, 'is no JSON'],
  ])('%p', (text, path, line, says) => {
    const error = wrong(text);
    expect([error.path, error.line]).toEqual([path, line]);
    expect(error.message).toContain(says);
  });

  test('and so is what is nested to do harm', () => {
    expect(wrong('['.repeat(5_000_000)).message).toContain('nested deeper than 24');
    expect(wrong('{"a":'.repeat(5_000_000)).message).toContain('nested deeper than 24');
    expect(wrong(`[${'0,'.repeat(3_000_001)}0]`).message).toContain('more than 3000000 values');
  });
});

test('every value has its line', () => {
  const text = '{\n "a": {\n  "b": [\n   1,\n   {"c": 2}\n  ]\n },\n "__proto__": {\n "x": 1}\n}';
  expect(lineAt(text, [])).toBe(1);
  expect(lineAt(text, ['a'])).toBe(2);
  expect(lineAt(text, ['a', 'b', 0])).toBe(4);
  expect(lineAt(text, ['a', 'b', 1, 'c'])).toBe(5);
  expect(lineAt(text, ['__proto__', 'x'])).toBe(9);
  expect(lineAt(text, ['a', 'b', 7])).toBe(3);
  expect(lineAt(text, ['nowhere'])).toBe(1);
});
