/**
 * Proves what the view lists: the names that lead to a model that ends, and the tokens that requested
 * them at its provider.
 */

import { expect, test } from 'bun:test';
import type { Target } from '../../routing/catalogue.ts';
import type { Retirement } from '../../routing/retirement.ts';
import type { AnalyticsFilter, AnalyticsStore, UsageGroup } from '../../store/analytics/analytics-store.ts';
import { createEndingModels } from './ending-models.ts';

const up = { name: 'up' };
const other = { name: 'other' };
const target = (provider: object, model: string) => ({ provider, model }) as unknown as Target;
const old = target(up, 'old');
const routes: Readonly<Record<string, readonly Target[]>> = {
  old: [old],
  alias: [old, target(other, 'old')],
  mixed: [old, target(up, 'new')],
  new: [target(up, 'new')],
  later: [target(up, 'later')],
};
const ends: Readonly<Record<string, Retirement>> = {
  old: { shutdownAt: '2027-01-14', headers: {} },
  later: { deprecatedAt: '2026-06-01', headers: {} },
};

/** Token, provider, name that was asked for, requests. */
type Use = readonly [token: string, provider: string, model: string, requests: number];

function endingsOf(uses: readonly Use[]) {
  const asked: AnalyticsFilter[] = [];
  const groups: AnalyticsStore['groups'] = async ([grouping], range, filter, limit) => {
    asked.push(filter);
    expect(range).toEqual({ fromMs: 0, toMs: 30 * 24 * 3_600_000 });
    const sums = new Map<string, number>();
    for (const [token, provider, model, requests] of uses) {
      const isIn = (filter.providers?.includes(provider) ?? true) && (filter.models?.includes(model) ?? true);
      const key = grouping?.by === 'model' ? model : token;
      if (isIn) sums.set(key, (sums.get(key) ?? 0) + requests);
    }
    const sorted = [...sums].sort(([, one], [, another]) => another - one).slice(0, limit);
    return [sorted.map(([key, requests]) => ({ key, requests }) as UsageGroup)];
  };
  const endings = createEndingModels({
    catalogue: { resolve: (name) => routes[name] },
    pricing: {
      ready: () => undefined,
      retirementOf: ({ provider, model }) => (provider.name === 'up' ? ends[model] : undefined),
    },
    analytics: { groups },
    tokenName: async (id) => (id === 'gone' ? undefined : `name of ${id}`),
    nowMs: () => 30 * 24 * 3_600_000,
  });
  return { endings, asked };
}

test('each token that asked for it at that provider, by whatever name, the one that asked most first', async () => {
  const { endings } = endingsOf([
    ['a', 'up', 'old', 3],
    ['b', 'up', 'alias', 5],
    ['a', 'up', 'alias', 4],
    ['c', 'other', 'alias', 9],
    ['gone', 'up', 'old', 1],
    ['a', 'up', 'new', 100],
    ['a', 'up', 'unknown-by-now', 100],
  ]);
  expect(await endings()).toEqual([
    {
      provider: 'up',
      model: 'old',
      names: ['alias', 'old'],
      shutdownAt: '2027-01-14',
      tokens: [
        { id: 'a', name: 'name of a', requests: 7 },
        { id: 'b', name: 'name of b', requests: 5 },
        { id: 'gone', name: 'gone', requests: 1 },
      ],
    },
  ]);
});

test('what ends first comes first; a name that leads to other models there too gives the most it can be', async () => {
  const { endings } = endingsOf([
    ['a', 'up', 'later', 30],
    ['a', 'up', 'mixed', 2],
  ]);
  const found = await endings();
  expect(found.map(({ model, isMost }) => [model, isMost])).toEqual([
    ['old', true],
    ['later', undefined],
  ]);
});

test('one account sees its own tokens alone, and unused models are not listed', async () => {
  const { endings, asked } = endingsOf([['c', 'other', 'alias', 9]]);
  expect(await endings('account-1')).toEqual([]);
  expect(asked.map(({ seenBy }) => seenBy)).toEqual(['account-1', 'account-1']);
});
