/** The arguments of a request's calls are parsed within one bound of values and depth, whatever their texts hold. */

import { describe, expect, test } from 'bun:test';
import { ArgumentTexts, argumentValuesMax } from './argument-texts.ts';

const list = (count: number, value: string) => `{"a":[${Array(count).fill(value).join(',')}]}`;

test('arguments are parsed exactly', () => {
  const texts = new ArgumentTexts();
  for (const text of ['{}', '{"a":1}', list(2_000, '{"b":"x,y:[{\\"}"}'), '[1]', '"x"'])
    expect(texts.parse(text)).toEqual(JSON.parse(text));
  expect(JSON.stringify(texts.parse(list(1_000, '1.50')))).toBe(list(1_000, '1.50'));
  expect(() => texts.parse('{"a"')).toThrow(SyntaxError);
});

describe('values', () => {
  const most = argumentValuesMax;
  test('of all calls together are bounded', () => {
    const texts = new ArgumentTexts();
    expect(texts.parse(list(most / 2, '1'))).toBeDefined();
    expect(() => texts.parse(list(most / 2 + 1, '2'))).toThrow('too many values');
    expect(texts.parse('{"still":"small"}')).toEqual({ still: 'small' });
  });

  test('of small calls too', () => {
    const texts = new ArgumentTexts();
    const small = list(250, '1');
    let calls = 0;
    expect(() => {
      for (; calls < most; calls++) texts.parse(small);
    }).toThrow('too many values');
    expect(calls * small.length).toBeLessThanOrEqual(most * 8);
  });

  test('whose spelling must be kept count several times', () => {
    expect(new ArgumentTexts().parse(list(most / 2, '1'))).toBeDefined();
    expect(() => new ArgumentTexts().parse(list(most / 2, '1e1'))).toThrow('too many values');
  });

  test('inside of strings are none: a large file is one value', () => {
    const file = JSON.stringify({ path: 'a.csv', content: 'a,b:"c"[{\\\n'.repeat(500_000) });
    expect(new ArgumentTexts().parse(file)).toEqual(JSON.parse(file));
  });

  test('are counted once for all targets', () => {
    const texts = new ArgumentTexts();
    const text = list(most / 2, '1');
    const first = texts.parse(text);
    for (let target = 0; target < 10; target++) expect(texts.parse(text)).toBe(first);
  });
});

test('what is nested deeper than it can be printed is not parsed', () => {
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    const nested = (depth: number) => `${open.repeat(depth)}1${close.repeat(depth)}`;
    expect(new ArgumentTexts().parse(nested(512))).toBeDefined();
    expect(() => new ArgumentTexts().parse(nested(50_000))).toThrow(SyntaxError);
  }
});
