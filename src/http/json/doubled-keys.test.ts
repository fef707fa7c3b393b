import { expect, test } from 'bun:test';
import { doubledFields } from './doubled-keys.ts';
import { readJsonBody } from './json-body.ts';

const read = (text: string) => readJsonBody(new TextEncoder().encode(text), 64);

test('only a field that names a key twice is found, however the key is spelled', () => {
  const body = read(
    '{"a":{"x":1, "x" : 2},"b":{"x":1,"\\u0078":2},"c":{"y":[{"z":1,"z":2}]},"d":{"x":":\\":","y":{"x":1}},"e":{"x":1,"x":2}}',
  );
  expect([...(doubledFields(body, ['a', 'b', 'c', 'd']) ?? [])]).toEqual([
    ['a', '{"x":2}'],
    ['b', '{"x":2}'],
    ['c', '{"y":[{"z":2}]}'],
  ]);
  expect(doubledFields(body, ['d'])).toBeUndefined();
  expect(doubledFields(body, ['absent'])).toBeUndefined();
});

test('no search if the body is printed again anyway', () => {
  expect(doubledFields(read('{"a":{"x":1,"x":2},"a":{"x":1,"x":2}}'), ['a'])).toBeUndefined();
});
