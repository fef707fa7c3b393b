/** Proves that every value of a chart has its time: whole where it is whole, cut where the range or the present cuts it. */

import { afterEach, describe, expect, test } from 'bun:test';
import { bucketAt, bucketsOf, bucketText } from './buckets.ts';

const zoneBefore = process.env['TZ'];
afterEach(() => {
  process.env['TZ'] = zoneBefore ?? 'UTC';
});

const atS = (text: string): number => Date.parse(text) / 1_000;
const hours = ['2030-01-31T10:00Z', '2030-01-31T11:00Z', '2030-01-31T12:00Z'].map(atS);

test('the range cuts the first bucket and the present the last', () => {
  const counted = { fromS: atS('2030-01-31T10:20Z'), toS: atS('2030-01-31T12:15Z') };
  const buckets = bucketsOf(hours, counted);
  expect(buckets.map(({ isPartial }) => isPartial)).toEqual([true, false, true]);
  expect(buckets.map(({ countedFromS, countedToS }) => [countedFromS, countedToS])).toEqual([
    [counted.fromS, hours[1]],
    [hours[1], hours[2]],
    [hours[2], counted.toS],
  ] as number[][]);
  expect(buckets.at(-1)?.toS).toBe(atS('2030-01-31T13:00Z'));
});

test('without a range every bucket is whole', () => {
  expect(bucketsOf(hours).map(({ isPartial }) => isPartial)).toEqual([false, false, false]);
});

test('a single bucket covers what was counted', () => {
  const [only] = bucketsOf(hours.slice(0, 1), { fromS: hours[0] ?? 0, toS: (hours[0] ?? 0) + 1_800 });
  expect([(only?.toS ?? 0) - (only?.fromS ?? 0), only?.isPartial]).toEqual([1_800, false]);
});

test('a time finds its bucket, and one outside the nearest', () => {
  const buckets = bucketsOf(hours);
  const at = (text: string) => bucketAt(buckets, atS(text));
  expect([at('2030-01-31T11:00Z'), at('2030-01-31T11:59Z'), at('2030-01-30T00:00Z'), at('2030-02-03T00:00Z')]).toEqual([
    1, 1, 0, 2,
  ]);
  expect(bucketAt([], 0)).toBeUndefined();
});

describe('the time of a bucket', () => {
  const textIn = (zone: string, from: string, to: string) => {
    process.env['TZ'] = zone;
    const [bucket] = bucketsOf([atS(from), atS(to)]);
    // Some versions of the time zone database write thin spaces.
    return bucket === undefined ? '' : bucketText(bucket, 'en').replaceAll(/\s/g, ' ');
  };
  for (const [zone, from, to, text] of [
    ['UTC', '2030-01-31T10:00Z', '2030-01-31T11:00Z', 'Jan 31, 10:00 – 11:00'],
    ['UTC', '2030-01-31T00:00Z', '2030-02-01T00:00Z', 'Thu, Jan 31'],
    ['UTC', '2030-01-28T00:00Z', '2030-02-04T00:00Z', 'Mon, Jan 28 – Sun, Feb 3'],
    ['Asia/Shanghai', '2030-01-31T00:00Z', '2030-02-01T00:00Z', 'Jan 31, 08:00 – Feb 1, 08:00'],
  ] as const) {
    test(`${from} in ${zone}`, () => expect(textIn(zone, from, to)).toBe(text));
  }
});
