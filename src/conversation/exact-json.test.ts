import { expect, test } from 'bun:test';
import { parseExact } from './exact-json.ts';

test('numbers keep their spelling through parsing and printing', () => {
  for (const text of [
    '{"big":12345678901234567890,"rate":1.0,"tiny":1e-400,"minus":-0,"list":[10.50,3]}',
    '{"plain":1,"text":"1.0 and 12345678901234567890","deep":{"a":[true,null]}}',
    '{"__proto__":1}',
  ]) {
    expect(JSON.stringify(parseExact(text))).toBe(text);
  }
});

test('ordinary numbers are numbers, and what is not JSON throws', () => {
  expect(parseExact('{"a":1.5,"b":12345678901234567890}')).toMatchObject({ a: 1.5 });
  expect(() => parseExact('{"a":1.0')).toThrow(SyntaxError);
  expect(() => parseExact('nothing')).toThrow(SyntaxError);
});
