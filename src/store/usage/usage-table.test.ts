import { expect, test } from 'bun:test';
import type { UsageRow } from '../../ledger/ledger.ts';
import { usageRecord, usageTable } from './usage-table.ts';

const row: UsageRow = {
  requestId: 'r',
  atMs: 1,
  tokenId: 't',
  endpoint: 'chat',
  model: 'm',
  provider: 'p',
  upstreamModel: 'u',
  stream: false,
  attempts: 1,
  status: 200,
  code: '',
  usage: { input: { total: 9 }, output: { total: 3 } },
  costNano: 5n,
  estimated: false,
  priceVersion: 'operator',
  firstEventMs: 2,
  totalMs: 3,
  bytesIn: 4,
  bytesOut: 5,
};

const cellsOf = (given: UsageRow) => usageTable.pack(given, undefined);

test('a row of the usual classes has nothing beside its columns', () => {
  expect(usageTable.get(cellsOf(row), 'units')).toBeNull();
  expect(usageRecord(cellsOf(row))).toEqual(row);
});

test('every class of tokens and every unit comes back as it went', () => {
  const full: UsageRow = {
    ...row,
    usage: {
      input: {
        ...{ total: 9, fresh: 1, cacheRead: 2, cacheWrite: 3, cacheWrite1h: 1, audio: 4, image: 5, video: 6 },
        ...{ cachedAudio: 1, cachedImage: 2, cachedVideo: 3 },
      },
      output: { total: 3, text: 1, thinking: 2, audio: 3, image: 4, video: 5 },
      serviceTier: 'flex',
    },
    units: {
      ...{ images: 1, seconds: 2.5, characters: 3, searches: 4, videoSeconds: 5.25, videos: 6, pages: 7 },
      ...{ webSearches: 8, requests: 1, imageKind: 'high/1024x1024', videoKind: '1080p' },
    },
  };
  expect(usageRecord(cellsOf(full))).toEqual(full);
});

test('a class that only some requests have is absent in the others, never zero', () => {
  const hour: UsageRow = {
    ...row,
    usage: { input: { total: 9, cacheWrite: 4, cacheWrite1h: 4 }, output: { total: 3 } },
  };
  const back = usageRecord(cellsOf(hour));
  expect(back).toEqual(hour);
  expect(back.units).toBeUndefined();
  expect('cachedAudio' in back.usage.input).toBe(false);
});

test('the end user and the key come back; a user is cut, and cannot break a row', () => {
  const named = { ...row, endUser: 'ann', keyId: 'KEY' };
  expect(usageRecord(cellsOf(named))).toEqual(named);
  const odd = usageTable.get(cellsOf({ ...row, endUser: `${'é'.repeat(63)}\u{1f600}\0` }), 'endUser');
  expect([odd.length, odd.isWellFormed(), odd.slice(0, 63)]).toEqual([64, true, 'é'.repeat(63)]);
  expect(usageTable.get(cellsOf({ ...row, endUser: 'a\0b' }), 'endUser')).toBe('a\u{fffd}b');
});
