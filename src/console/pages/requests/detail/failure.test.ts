import { describe, expect, test } from 'bun:test';
import type { RequestDetailView } from '../../../../admin/contracts/analytics-contract.ts';
import { failureOf } from './failure.ts';

type Row = NonNullable<RequestDetailView['row']>;

const at = '2030-01-01T00:00:00.000Z';
const row = (code: string, status = 502): Row => ({ code, status }) as Row;
const story = (given: Partial<RequestDetailView>): RequestDetailView => ({
  requestId: 'r',
  attempts: [],
  hasContent: false,
  ...given,
});
const attempt = (number: number, verdict: string, message?: string) => ({
  id: `r.${number}`,
  at,
  provider: `p${number}`,
  model: 'm',
  verdict,
  estimated: false,
  ...(message !== undefined && { error: { at, status: 500, code: 'upstream_failed', message } }),
});

describe('failureOf', () => {
  test('is nothing for a request that was served, runs, or was left by its client', () => {
    expect(failureOf(story({ row: row('', 200), attempts: [attempt(1, '')] }))).toBeUndefined();
    expect(failureOf(story({ attempts: [attempt(1, 'uncertain')] }))).toBeUndefined();
    expect(failureOf(story({ row: row('client_left', 499), attempts: [attempt(1, 'limit')] }))).toBeUndefined();
  });

  test('names the last attempt that failed and what its provider said', () => {
    const attempts = [attempt(1, 'key-refused', 'Bad key.'), attempt(2, 'uncertain', 'Boom.'), attempt(3, 'unused')];
    const sent = { at, code: 'upstream_failed', message: 'The provider p2 failed (500): Boom.' };
    expect(failureOf(story({ row: row('upstream_failed'), attempts, error: sent }))).toMatchObject({
      reason: 'uncertain',
      code: 'upstream_failed',
      provider: 'p2',
      error: { status: 500, message: 'Boom.' },
    });
  });

  test('without an attempt it is the error that the client was sent', () => {
    const error = { at, code: 'provider_unavailable', message: 'p1 has an open circuit.' };
    expect(failureOf(story({ row: row('provider_unavailable', 503), error }))).toEqual({
      reason: 'provider_unavailable',
      code: 'provider_unavailable',
      error,
    });
  });

  test('after a failed attempt it is still Weir’s own refusal, where Weir refused it', () => {
    const error = { at, code: 'budget_spent', message: 'This request could cost up to $1.' };
    const attempts = [attempt(1, 'key-cooling', 'Slow down.')];
    expect(failureOf(story({ row: row('budget_spent', 402), attempts, error }))).toEqual({
      reason: 'budget_spent',
      code: 'budget_spent',
      error,
    });
  });

  test('of before errors were recorded it has no message', () => {
    expect(failureOf(story({ row: row('upstream_failed'), attempts: [attempt(1, 'uncertain')] }))).toEqual({
      reason: 'uncertain',
      code: 'upstream_failed',
      provider: 'p1',
      model: 'm',
    });
  });
});
