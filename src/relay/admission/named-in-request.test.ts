import { expect, test } from 'bun:test';
import { endUserIn, tagsIn } from './named-in-request.ts';

const rules = { endUserHeaders: ['x-first', 'x-second'], tagsFromMetadata: ['job', 'stage'] };
const headersOf = (given: Record<string, string>) => new Headers(given);

test('the first header that names an end user counts, then the body', () => {
  expect(endUserIn(headersOf({ 'x-second': 'b', 'x-first': 'a' }), rules, 'c')).toBe('a');
  expect(endUserIn(headersOf({ 'x-second': 'b', 'x-first': '' }), rules, 'c')).toBe('b');
  expect(endUserIn(headersOf({ other: 'b' }), rules, 'c')).toBe('c');
  expect([endUserIn(headersOf({}), rules, ''), endUserIn(headersOf({}), rules, undefined)]).toEqual([
    undefined,
    undefined,
  ]);
});

test('tags come from the header and from the keys of metadata that the operator names', () => {
  const headers = headersOf({ 'x-weir-tags': ' a, b ,,a' });
  expect(tagsIn(headers, rules, { job: 'nightly', stage: 7, other: 'x' })).toEqual(['a', 'b', 'job:nightly']);
  expect(tagsIn(headers, { ...rules, tagsFromMetadata: [] }, { job: 'nightly' })).toEqual(['a', 'b']);
  expect(tagsIn(headersOf({}), rules, { job: 'x,y' })).toEqual(['job:x y']);
  expect(tagsIn(headersOf({ 'x-weir-tags': ' , ' }), rules, undefined)).toBeUndefined();
  expect(tagsIn(headersOf({}), rules, undefined)).toBeUndefined();
});

test('there are at most ten tags of 64 characters', () => {
  const many = Array.from({ length: 30 }, (_, index) => `t${index}`).join(',');
  expect(tagsIn(headersOf({ 'x-weir-tags': many }), rules, undefined)).toHaveLength(10);
  expect(tagsIn(headersOf({ 'x-weir-tags': 'x'.repeat(65) }), rules, undefined)).toEqual(['x'.repeat(64)]);
});
