/** What the head of a settled reply says of its cost. */

import { expect, test } from 'bun:test';
import type { UsageRow } from '../../ledger/ledger.ts';
import type { Attempt } from '../attempts/attempt.ts';
import { jsonReply, replyHeaders, setCostHeaders } from './reply-headers.ts';

const headersOf = (priceVersion: string, estimated = false): Record<string, string> => {
  const headers: Record<string, string> = {};
  setCostHeaders(headers, { row: { priceVersion, estimated } as UsageRow }, 42_000n);
  return headers;
};

test('an ordinary price has one header, a guess and an estimate a second, an unknown price none', () => {
  expect(headersOf('operator')).toEqual({ 'x-weir-cost-usd': '0.000042' });
  expect(headersOf('guess: genai-prices@0.1.8 openai')).toEqual({
    'x-weir-cost-usd': '0.000042',
    'x-weir-cost-source': 'guess',
  });
  expect(headersOf('operator', true)).toEqual({ 'x-weir-cost-usd': '0.000042', 'x-weir-cost-source': 'estimate' });
  expect(headersOf('guess: a b', true)['x-weir-cost-source']).toBe('guess, estimate');
  expect(headersOf('')).toEqual({});
  expect(headersOf('', true)).toEqual({});
});

const provider = { name: 'first' };
const attemptOf = (ordinal: number, limits: Record<string, string> = {}, losses: readonly { what: string }[] = []) =>
  ({
    call: { requestId: `request-${ordinal}`, admission: { headers: limits }, format: {} },
    target: { provider },
    lane: { losses },
    row: { priceVersion: 'operator', estimated: false },
    ordinal,
  }) as unknown as Attempt;

test('a whole reply has the same headers as one that is kept, and none of another reply of its provider', () => {
  const attempts = [attemptOf(2, { 'x-ratelimit-limit-requests': '5' }, [{ what: 'seed' }]), attemptOf(1)];
  for (const attempt of attempts) {
    const kept = replyHeaders(attempt, 'application/json');
    setCostHeaders(kept, attempt, 42_000n);
    const { headers } = jsonReply(attempt, new Uint8Array(0), [], 42_000n);
    expect(Object.fromEntries(headers)).toEqual(kept);
    // As the listener does for a browser of another origin.
    headers.set('access-control-allow-origin', '*');
  }
  const last = jsonReply(attemptOf(1), new Uint8Array(0), [], 42_000n).headers;
  expect(Object.fromEntries(last)).toEqual({
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-weir-provider': 'first',
    'x-weir-attempts': '1',
    'x-request-id': 'request-1',
    'x-weir-cost-usd': '0.000042',
  });
});
