import { describe, expect, test } from 'bun:test';
import { anOpening } from '../../../test/harness/store-places.ts';
import { chargedAmounts, chargeOf, lostAmounts, reservedAmounts, reserveOf } from './amounts.ts';
import { closingTable, openingTable } from './attempt-table.ts';

describe('what an opening holds', () => {
  test('its bounds, and one request', () => {
    const cells = openingTable.pack(anOpening({ reserveNano: 700n, reserveTokens: 80 }), 'instance');
    expect(reservedAmounts(reserveOf(cells))).toEqual({ usd: 700n, requests: 1n, tokens: 80n });
  });

  test('no tokens, where an earlier version opened it', () => {
    const cells = openingTable.pack(anOpening({ reserveNano: 700n, reserveTokens: 80 }), 'instance').slice(0, -1);
    expect(reservedAmounts(reserveOf(cells))).toEqual({ usd: 700n, requests: 1n, tokens: 0n });
  });

  test('a fraction of a token is held as a whole one', () => {
    expect(reserveOf(openingTable.pack(anOpening({ reserveTokens: 7.2 }), 'instance')).reserveTokens).toBe(8);
    expect(
      reserveOf(openingTable.pack(anOpening({ reserveTokens: Number.POSITIVE_INFINITY }), 'x')).reserveTokens,
    ).toBe(Number.MAX_SAFE_INTEGER);
  });
});

describe('what a closing charges', () => {
  const charged = (given: { costNano?: bigint; verdict?: string; tokens?: number }, cells = 7) =>
    chargedAmounts(
      chargeOf(
        closingTable
          .pack({ attemptId: 'a', costNano: 0n, estimated: false, atMs: 1, ...given }, undefined)
          .slice(0, cells),
      ),
      80n,
    );

  test.each([
    ['one that served', { costNano: 5n, tokens: 12 }, { usd: 5n, requests: 1n, tokens: 12n }],
    ['one that served and used nothing', { tokens: 0 }, { usd: 0n, requests: 1n, tokens: 0n }],
    ['one whose tokens are unknown', { costNano: 5n }, { usd: 5n, requests: 1n, tokens: 80n }],
    ['a free one whose tokens are unknown', {}, { usd: 0n, requests: 1n, tokens: 80n }],
    ['one that failed', { verdict: 'refused' }, { usd: 0n, requests: 0n, tokens: 0n }],
    ['one that failed and cost', { verdict: 'broken', costNano: 3n }, { usd: 3n, requests: 1n, tokens: 80n }],
    ['one that failed after tokens', { verdict: 'broken', tokens: 9 }, { usd: 0n, requests: 1n, tokens: 9n }],
  ])('%s', (_, given, amounts) => {
    expect(charged(given)).toEqual(amounts);
  });

  test('one of an earlier version, which has no tokens', () => {
    expect(charged({ costNano: 5n, tokens: 12 }, 6)).toEqual({ usd: 5n, requests: 1n, tokens: 80n });
  });

  test('a lost one: a request, and all tokens that it held', () => {
    expect(lostAmounts(40, 80)).toEqual({ usd: 40n, requests: 1n, tokens: 80n });
    expect(lostAmounts(40, null)).toEqual({ usd: 40n, requests: 1n, tokens: 0n });
  });
});
