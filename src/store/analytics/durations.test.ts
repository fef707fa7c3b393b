import { expect, test } from 'bun:test';
import { addDurations, addWrittenBins, type Bins, binOf, durationOf, percentile, writeBins } from './durations.ts';

test('bins never overlap, never leave a gap, and hold no value further than 3.2 percent from their middle', () => {
  let last = -1;
  for (let duration = 0; duration < 200_000; duration += 1) {
    const bin = binOf(duration);
    expect(bin === last || bin === last + 1).toBe(true);
    expect(Math.abs(durationOf(bin) - duration)).toBeLessThanOrEqual(duration * 0.032);
    last = bin;
  }
  for (const large of [3_600_000, 86_400_000, 2_147_483_647]) {
    expect(Math.abs(durationOf(binOf(large)) - large) / large).toBeLessThan(0.032);
  }
});

test('durations that no clock should give have a bin all the same', () => {
  expect(binOf(-5)).toBe(0);
  expect(binOf(0.4)).toBe(0);
  expect(binOf(1e15)).toBe(binOf(2_147_483_647));
});

test('what is written is read back, and texts behind each other are added up', () => {
  const bins: Bins = new Map([
    [7, 1],
    [40, 12],
    [3, 2],
  ]);
  expect(writeBins(bins)).toBe('3:2 7 40:12');
  const twice: Bins = new Map();
  addWrittenBins(twice, `${writeBins(bins)} ${writeBins(bins)}`);
  expect(writeBins(twice)).toBe('3:4 7:2 40:24');
  // A cell without durations leaves an empty text between two spaces.
  addWrittenBins(twice, '');
  addWrittenBins(twice, ' 5  6 ');
  expect(writeBins(twice)).toBe('3:4 5 6 7:2 40:24');
});

test('percentiles are those of the sorted list, within the width of a bin', () => {
  const durations = Array.from({ length: 1_001 }, (_, index) => index * 7);
  const bins: Bins = new Map();
  addDurations(bins, durations.join(' '));
  for (const share of [0.5, 0.95, 0.99, 1]) {
    const exact = durations[Math.ceil(share * durations.length) - 1] ?? 0;
    expect(Math.abs((percentile(bins, share) ?? 0) - exact)).toBeLessThanOrEqual(exact * 0.032 + 1);
  }
  expect(percentile(new Map(), 0.5)).toBeUndefined();
  expect(percentile(new Map([[4, 1]]), 0)).toBe(4);
});
