import { expect, test } from 'bun:test';
import { readRange } from './file-reply.ts';

test.each([
  ['bytes=0-9', { start: 0, end: 9 }],
  ['bytes=90-', { start: 90, end: 99 }],
  ['bytes=-10', { start: 90, end: 99 }],
  ['bytes=-1000', { start: 0, end: 99 }],
  ['bytes=50-1000', { start: 50, end: 99 }],
  ['bytes=100-', 'outside'],
  ['bytes=-0', 'outside'],
  ['bytes=9-3', undefined],
  ['bytes=0-1,4-5', undefined],
  ['items=0-1', undefined],
  ['bytes=-', undefined],
] as const)('%s of 100 bytes', (text, expected) => {
  expect(readRange(text, 100)).toEqual(expected);
});
