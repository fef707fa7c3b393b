/** Each evaluator by facts alone: what is raised, with which key, and what ends it. */

import { describe, expect, test } from 'bun:test';
import type { AlertRecord } from '../../store/alerts/alert-records.ts';
import type { AttemptEnd, AttemptSum, AttemptWindow } from '../../store/health/attempt-health-store.ts';
import type { BudgetFact, Facts, SpendFact } from '../facts.ts';
import { evaluate, isGone, keyOf, thresholdDefaults } from './evaluate.ts';
import { medianOf } from './spend-alerts.ts';

const hour = 3_600_000;
const day = 24 * hour;
const nowMs = Date.UTC(2026, 10, 18, 14, 30);
const nano = 1_000_000_000n;

const noAttempts: AttemptWindow = { sums: [], minutes: [], ends: [] };
const facts = (given: Partial<Facts> = {}): Facts => ({
  nowMs,
  budgets: [],
  spends: [],
  attempts: noAttempts,
  recent: noAttempts,
  recentFromMs: nowMs - 5 * 60_000,
  providers: ['up', 'other'],
  expiring: [],
  unpriced: [],
  ending: [],
  conditions: [],
  ...given,
});
const raised = (given: Partial<Facts>, thresholds = thresholdDefaults) => evaluate(facts(given), thresholds).raise;
const over = (given: Partial<Facts>) => evaluate(facts(given), thresholdDefaults).over.map(({ subject }) => subject);

test('nothing is raised of nothing', () => {
  expect(evaluate(facts(), thresholdDefaults)).toEqual({ raise: [], over: [] });
});

describe('budgets', () => {
  const budget = (spent: bigint, given: Partial<BudgetFact> = {}): BudgetFact => ({
    ...{ scope: 'team:team_1#b1', name: 'team Research', unit: 'usd', limit: 100n * nano, spent },
    ...{ windowStartMs: Date.UTC(2026, 10, 1), windowEndMs: Date.UTC(2026, 11, 1) },
    ...given,
  });

  test.each([
    [49_999_999_999n, undefined],
    [50n * nano, ['50', 'info']],
    [79_990_000_000n, ['50', 'info']],
    [80n * nano, ['80', 'warning']],
    [100n * nano, ['100', 'critical']],
    [250n * nano, ['100', 'critical']],
  ])('%p nano-USD of 100 USD', (spent, expected) => {
    const [alert] = raised({ budgets: [budget(spent)] });
    expect(alert && [alert.threshold, alert.severity]).toEqual(expected as [string, 'info'] | undefined);
  });

  test('names the level, amounts, and when it resets', () => {
    const [alert] = raised({ budgets: [budget(80n * nano)] });
    expect(alert?.title).toBe('Budget of team Research at 80 %');
    expect(alert?.detail).toBe('$80.00 of $100.00 is spent (80 %). It resets at 2026-12-01 00:00 UTC.');
    const [full] = raised({ budgets: [budget(7n, { unit: 'requests', limit: 7n, windowEndMs: undefined })] });
    expect(full?.detail).toContain('7 requests of 7 requests is spent (100 %). It does not reset. Requests');
  });

  test('another window and another limit are other occurrences', () => {
    const budgets = [
      budget(90n * nano),
      budget(90n * nano, { windowStartMs: Date.UTC(2026, 9, 1) }),
      budget(90n * nano, { limit: 101n * nano }),
    ];
    expect(new Set(raised({ budgets }).map(keyOf)).size).toBe(3);
  });

  test('thresholds are those of the rule, and a budget of nothing is none', () => {
    const thresholds = { ...thresholdDefaults, budgetPercents: [90] };
    expect(raised({ budgets: [budget(89n * nano), budget(0n, { limit: 0n })] }, thresholds)).toEqual([]);
    expect(raised({ budgets: [budget(91n * nano)] }, thresholds)).toMatchObject([{ threshold: '90' }]);
  });
});

describe('unusual spend', () => {
  const spend = (spentUsd: bigint, ...earlierUsd: bigint[]): SpendFact => ({
    ...{ subject: 'all', name: 'all requests', hourStartMs: nowMs - 30 * 60_000, spentNano: spentUsd * nano },
    earlierNano: earlierUsd.map((usd) => usd * nano),
  });

  test('is more than the factor times the median of the same hours, and says what it was compared with', () => {
    expect(raised({ spends: [spend(30n, 10n, 9n, 11n, 10n)] })).toEqual([]);
    const [alert] = raised({ spends: [spend(31n, 10n, 9n, 1_000n, 10n)] });
    expect(alert?.detail).toBe(
      'The hour from 2026-11-18 14:00 UTC cost $31.00 so far. The same hour of the last 4 weeks cost $10.00 (median). Alert from 3 times that.',
    );
  });

  test('needs three weeks of history and the least amount', () => {
    expect(raised({ spends: [spend(99n, 1n, 1n)] })).toEqual([]);
    expect(raised({ spends: [spend(4n, 0n, 0n, 0n)] })).toEqual([]);
    expect(raised({ spends: [spend(5n, 0n, 0n, 0n)] })).toHaveLength(1);
  });

  test('the median of an even number is between the two in the middle', () => {
    expect([medianOf([]), medianOf([5n]), medianOf([9n, 1n]), medianOf([3n, 1n, 2n])]).toEqual([0n, 5n, 5n, 2n]);
  });
});

const sum = (provider: string, model: string, attempts: number, failed: number): AttemptSum => ({
  ...{ provider, keyId: 'k1', model, attempts, failed, outputTokens: 0, outputMs: 0, firstTokens: '', totals: '' },
});
const end = (given: Partial<AttemptEnd>): AttemptEnd => ({
  ...{ provider: 'up', keyId: 'k1', model: 'm', atMs: nowMs, servedAtMs: 0, rejectedAtMs: 0, forbiddenAtMs: 0 },
  ...{ failedAtMs: 0, requestId: '', code: '', message: '' },
  ...given,
});

describe('error rate', () => {
  const attempts = (...sums: AttemptSum[]) => ({ attempts: { ...noAttempts, sums } });

  test('of a model at a provider, over all of its keys, from the least number of attempts on', () => {
    expect(raised(attempts(sum('up', 'm', 19, 19)))).toEqual([]);
    expect(raised(attempts(sum('up', 'm', 100, 19)))).toEqual([]);
    const both = raised(attempts(sum('up', 'm', 10, 0), { ...sum('up', 'm', 10, 4), keyId: 'k2' }));
    expect(both).toMatchObject([{ subject: 'target:up/m', threshold: '20%/20', severity: 'warning', state: 'open' }]);
    expect(both[0]?.detail).toStartWith('4 of 20 attempts failed in the last 15 minutes.');
    expect(raised(attempts(sum('up', 'm', 20, 10)))).toMatchObject([{ severity: 'critical' }]);
  });

  test('is over below half of the threshold, and where nothing is requested any more', () => {
    expect(over(attempts(sum('up', 'm', 100, 15)))).toEqual([]);
    expect(over(attempts(sum('up', 'm', 100, 9)))).toEqual(['target:up/m']);
    const open = { kind: 'error-rate', subject: 'target:up/m' } as AlertRecord;
    expect(isGone(open, facts())).toBe(true);
    expect(isGone(open, facts(attempts(sum('up', 'm', 1, 1))))).toBe(false);
  });
});

describe('outages', () => {
  const recent = (sums: AttemptSum[], ends: AttemptEnd[]) => ({ recent: { ...noAttempts, sums, ends } });

  test('a provider of which every attempt failed is down, until it serves', () => {
    const failed = end({ failedAtMs: nowMs - 5, servedAtMs: nowMs - hour, status: 503, code: 'upstream_unavailable' });
    const [alert] = raised(recent([sum('up', 'm', 3, 3), sum('up', 'n', 2, 2)], [failed]));
    expect(alert).toMatchObject({ kind: 'provider-down', subject: 'provider:up', severity: 'critical', state: 'open' });
    expect(alert?.detail).toBe(
      'The last 5 attempts failed and none was served. It last served at 2026-11-18 13:30 UTC. Last error: 503 upstream_unavailable.',
    );
    expect(raised(recent([sum('up', 'm', 4, 4)], [failed]))).toEqual([]);
    // Without traffic it stays as it was.
    expect(over(recent([], [failed]))).not.toContain('provider:up');
    expect(over(recent([], [end({ servedAtMs: nowMs })]))).toContain('provider:up');
  });

  test('one model can be down while the others serve', () => {
    const ends = [end({ failedAtMs: nowMs }), end({ model: 'n', servedAtMs: nowMs })];
    const found = evaluate(facts(recent([sum('up', 'm', 5, 5), sum('up', 'n', 5, 0)], ends)), thresholdDefaults);
    expect(found.raise).toMatchObject([{ subject: 'target:up/m', severity: 'warning' }]);
    expect(found.over.map(({ subject }) => subject)).toEqual(['provider:up', 'target:up/n', 'key:up/k1']);
  });

  test('a key that was refused, until something is served with it', () => {
    const refused = end({ rejectedAtMs: nowMs - 9, failedAtMs: nowMs - 9, status: 401, message: 'bad key' });
    const [alert] = raised(recent([], [refused]));
    expect(alert).toMatchObject({ kind: 'key-refused', subject: 'key:up/k1', severity: 'critical' });
    expect(alert?.detail).toContain('401 bad key.');
    const other = end({ keyId: 'k2', servedAtMs: nowMs });
    expect(raised(recent([], [refused, other]))).toMatchObject([{ severity: 'warning' }]);
    expect(over(recent([], [refused, end({ model: 'n', servedAtMs: nowMs })]))).toContain('key:up/k1');
    const open = { kind: 'key-refused', subject: 'key:up/k1' } as AlertRecord;
    expect(isGone(open, facts(recent([], [refused])))).toBe(false);
    expect(isGone(open, facts())).toBe(true);
  });

  test('what is not configured any more is neither raised nor kept open', () => {
    const ends = [end({ provider: 'gone', rejectedAtMs: nowMs })];
    expect(raised(recent([sum('gone', 'm', 9, 9)], ends))).toEqual([]);
    expect(isGone({ kind: 'provider-down', subject: 'provider:gone' } as AlertRecord, facts())).toBe(true);
    expect(isGone({ kind: 'provider-down', subject: 'provider:up' } as AlertRecord, facts())).toBe(false);
  });
});

describe('what ends or has no price', () => {
  const token = (leftMs: number) => ({ expiring: [{ tokenId: 'tok_1', name: 'ci', expiresAtMs: nowMs + leftMs }] });

  test.each([
    [8 * day, undefined, ''],
    [7 * day, '7d', 'Token ci expires in 7 days'],
    [day + 1, '7d', 'Token ci expires in 24 hours'],
    [day, '1d', 'Token ci expires in 24 hours'],
    [1, '1d', 'Token ci expires in 1 hour'],
    [0, undefined, ''],
  ])('a token with %p ms left', (leftMs, threshold, title) => {
    const [alert] = raised(token(leftMs));
    expect([alert?.threshold, alert?.title ?? '']).toEqual([threshold, title]);
  });

  test('a model that will be shut down, with those who use it', () => {
    const ending = (shutdownAt?: string) => [
      { provider: 'up', model: 'm-1', names: ['m'], tokens: [{ id: 't', name: 'ci', requests: 3 }], shutdownAt },
    ];
    const of = (shutdownAt?: string) => raised({ ending: ending(shutdownAt) as Facts['ending'] });
    expect([of(), of('2026-12-30'), of('2026-11-01')]).toEqual([[], [], []]);
    expect(of('2026-12-18')).toMatchObject([{ threshold: '30d', severity: 'info', occurrence: '2026-12-18' }]);
    expect(of('2026-11-24')).toMatchObject([{ threshold: '7d', severity: 'warning' }]);
    expect(of('2026-11-19')).toMatchObject([{ threshold: '1d', severity: 'critical' }]);
    expect(of('2026-11-19')[0]?.detail).toContain('1 token still used it in the last 30 days: ci.');
  });

  test('a model that is used without a price, once a week', () => {
    const unpriced = [
      { provider: 'up', model: 'm', requests: 2, inputTokens: 1, outputTokens: 1, lastAtMs: nowMs, units: undefined },
    ];
    expect(raised({ unpriced })).toMatchObject([{ kind: 'unpriced-use', occurrence: '2026-11-16' }]);
  });
});
