/** Proves that money, times and numbers read as a person would write them, in both languages and at every edge. */

import { describe, expect, test } from 'bun:test';
import { en } from '../words/en.ts';
import { zh } from '../words/zh.ts';
import { exactMoneyText, moneyText } from './money.ts';
import { bytesText, countText, shareText, shortCountText } from './number.ts';
import { durationText, exactTimeText, relativeText, untilText } from './time.ts';

describe('money', () => {
  for (const [nano, text] of [
    ['0', '$0'],
    ['1', '$0.000000001'],
    ['42000', '$0.000042'],
    ['5000', '$0.000005'],
    ['12345600', '$0.012'],
    ['500000000', '$0.50'],
    ['999999999', '$1.00'],
    ['1000000000', '$1.00'],
    ['1234567890000', '$1,234.57'],
    ['-42000', '−$0.000042'],
    ['9007199254740993000000000', '$9,007,199,254,740,993.00'],
  ] as const) {
    test(`${nano} billionths are ${text}`, () => expect(moneyText(nano, 'en')).toBe(text));
  }
  test('the decimal sign is the language’s', () => expect(moneyText(1_500_000_000n, 'de')).toBe('$1,50'));
  test('the exact amount keeps every digit', () => {
    expect(exactMoneyText('12345600')).toBe('$0.0123456');
    expect(exactMoneyText('3000000000')).toBe('$3');
    expect(exactMoneyText('-1')).toBe('−$0.000000001');
  });
});

describe('durations', () => {
  for (const [ms, text] of [
    [0, '0 ms'],
    [0.25, '0.25 ms'],
    [420.4, '420 ms'],
    [999.4, '999 ms'],
    [999.6, '1.00 s'],
    [1_240, '1.24 s'],
    [9_994, '9.99 s'],
    [9_996, '10.0 s'],
    [59_940, '59.9 s'],
    [59_960, '1 min'],
    [200_000, '3 min 20 s'],
    [3_599_400, '59 min 59 s'],
    [3_599_600, '1 h'],
    [7_500_000, '2 h 5 min'],
    [86_399_000, '1 d'],
    [273_600_000, '3 d 4 h'],
  ] as const) {
    test(`${ms} ms are ${text}`, () => expect(durationText(ms, 'en', en.units)).toBe(text));
  }
  test('units are the language’s', () => expect(durationText(200_000, 'zh-CN', zh.units)).toBe('3 分 20 秒'));
});

describe('the time until something', () => {
  const nowMs = Date.UTC(2030, 10, 15);
  const day = 86_400_000;
  for (const [awayMs, text] of [
    [47 * day, 'in 6 weeks'],
    [13 * day, 'in 13 days'],
    [59 * day, 'in 8 weeks'],
    [3 * day - 60_000, 'in 3 days'],
    [60 * day, 'in 2 months'],
    [400 * day, 'in 13 months'],
    [730 * day, 'in 2 years'],
    [36 * 3_600_000, 'in 36 hours'],
    [90_000, 'in 90 seconds'],
    [-15 * day, '2 weeks ago'],
  ] as const) {
    test(text, () => expect(untilText(nowMs + awayMs, nowMs, 'en')).toBe(text));
  }
  test('is in the language of the page', () => expect(untilText(nowMs + 47 * day, nowMs, 'zh-CN')).toBe('6周后'));
});

describe('moments', () => {
  const nowMs = Date.UTC(2030, 0, 31, 12);
  for (const [awayMs, text] of [
    [0, 'now'],
    [-4_999, 'now'],
    [-5_000, '5s ago'],
    [-59_999, '59s ago'],
    [-60_000, '1m ago'],
    [-3 * 3_600_000, '3h ago'],
    [-86_400_000, 'yesterday'],
    [3 * 86_400_000, 'in 3d'],
    [-400 * 86_400_000, 'last yr.'],
  ] as const) {
    test(`${awayMs} ms away is “${text}”`, () => expect(relativeText(nowMs + awayMs, nowMs, 'en')).toBe(text));
  }
  test('Chinese says them its own way', () => expect(relativeText(nowMs - 300_000, nowMs, 'zh-CN')).toBe('5分钟前'));
  test('the exact moment names day, second and zone', () => {
    expect(exactTimeText(nowMs, 'en')).toMatch(/Jan 31, 2030.*:00:00.*(UTC|GMT|[A-Z]{2,4})/);
  });
});

describe('numbers', () => {
  test('counts are grouped, and short where asked', () => {
    expect(countText(1_234_567, 'en')).toBe('1,234,567');
    expect(shortCountText(1_234_567, 'en')).toBe('1.23M');
    expect(shortCountText(12_300, 'zh-CN')).toBe('1.23万');
  });
  for (const [share, text] of [
    [0, '0%'],
    [0.0004, '< 0.1%'],
    [0.0123, '1.2%'],
    [0.5, '50%'],
    [0.951, '95.1%'],
    [0.99999, '> 99.9%'],
    [1, '100%'],
  ] as const) {
    test(`a share of ${share} is ${text}`, () => expect(shareText(share, 'en')).toBe(text));
  }
  for (const [bytes, text] of [
    [0, '0 B'],
    [1_023, '1,023 B'],
    [1_024, '1 KB'],
    [1_572_864, '1.5 MB'],
    [536_870_912, '512 MB'],
  ] as const) {
    test(`${bytes} bytes are ${text}`, () => expect(bytesText(bytes, 'en')).toBe(text));
  }
});
