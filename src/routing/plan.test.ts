import { describe, expect, test } from 'bun:test';
import { scriptedRoute } from '../../test/harness/scripted-targets.ts';
import { type Needs, noNeeds } from '../conversation/needs.ts';
import { hashOf } from './affinity.ts';
import type { ModelRoute, Target } from './catalogue.ts';
import { type PlanParts, planRoute, type RouteQuestion } from './plan.ts';
import type { RoutingOptions } from './request-options.ts';

const noOptions: RoutingOptions = {
  order: [],
  only: undefined,
  ignore: [],
  sort: undefined,
  allowFallbacks: true,
  region: undefined,
  models: [],
};

function dice(seed = 1): () => number {
  // Small seeds begin alike.
  let state = (seed * 7_919_777) % 2_147_483_647;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

const question = (given: Partial<Omit<RouteQuestion, 'needs'>> & { readonly needs?: Partial<Needs> } = {}) => ({
  operation: 'converse',
  unable: () => undefined,
  inputTokens: 10,
  labels: [],
  options: undefined,
  affinityKey: () => undefined,
  ...given,
  needs: () => ({ ...noNeeds, ...given.needs }),
});

const parts = (given: Partial<PlanParts> = {}): PlanParts => ({
  nowMs: 0,
  random: dice(),
  costOf: () => undefined,
  contextTokensOf: () => undefined,
  movedTo: () => undefined,
  ...given,
});

const names = (targets: readonly Target[]): string[] => targets.map(({ provider }) => provider.name);
const order = (route: ModelRoute, asked = question(), given = parts()) => names(planRoute(route, asked, given).targets);
const reasons = (route: ModelRoute, asked = question(), given = parts()) =>
  planRoute(route, asked, given).excluded.map(({ target, why }) => `${target.provider.name} ${why}`);

function targetOf(route: ModelRoute, name: string): Target {
  const found = route.targets.find(({ provider }) => provider.name === name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
}

describe('within a tier', () => {
  test('weights are followed, and tiers come before weights', () => {
    const route = scriptedRoute([
      { name: 'a', weight: 3 },
      { name: 'b', weight: 1 },
      { name: 'c', weight: 9, tier: 1 },
    ]);
    const random = dice();
    let first = 0;
    for (let round = 0; round < 4_000; round++) {
      const [one, , last] = order(route, question(), parts({ random }));
      expect(last).toBe('c');
      if (one === 'a') first++;
    }
    expect(first / 4_000).toBeGreaterThan(0.7);
    expect(first / 4_000).toBeLessThan(0.8);
  });

  test('the least busy first, by weight', () => {
    const route = scriptedRoute([{ name: 'a', weight: 4 }, { name: 'b' }, { name: 'c' }], { choose: 'least_busy' });
    for (let count = 0; count < 2; count++) targetOf(route, 'a').health.begin();
    for (let count = 0; count < 5; count++) targetOf(route, 'c').health.begin();
    for (let round = 0; round < 20; round++) {
      expect(order(route, question(), parts({ random: dice(round + 1) }))).toEqual(['a', 'b', 'c']);
    }
  });

  test('the quicker of two, and a target that was slow long ago is tried again', () => {
    const route = scriptedRoute([{ name: 'a' }, { name: 'b' }], { choose: 'fastest' });
    targetOf(route, 'a').health.measured(900, 0);
    targetOf(route, 'b').health.measured(100, 0);
    for (let round = 1; round < 20; round++)
      expect(order(route, question(), parts({ random: dice(round) }))[0]).toBe('b');
    targetOf(route, 'b').health.measured(100, 60_000);
    expect(order(route, question(), parts({ nowMs: 60_000 }))[0]).toBe('a');
  });

  test('the cheapest first, those without a price last', () => {
    const route = scriptedRoute([{ name: 'a' }, { name: 'b' }, { name: 'c' }], { choose: 'cheapest' });
    const costs: Record<string, bigint> = { a: 5n, c: 2n };
    const costOf = ({ provider }: Target) => costs[provider.name];
    expect(order(route, question(), parts({ costOf }))).toEqual(['c', 'a', 'b']);
  });

  test('those that are not ready come after the others of their tier, the first to be ready in front', () => {
    const route = scriptedRoute([{ name: 'a' }, { name: 'b' }, { name: 'c' }, { name: 'd', tier: 1 }]);
    targetOf(route, 'a').health.coolUntil(500);
    targetOf(route, 'b').health.coolUntil(100);
    expect(order(route, question(), parts({ nowMs: 50 }))).toEqual(['c', 'b', 'a', 'd']);
    expect(
      order(route, question(), parts({ nowMs: 500 }))
        .slice(0, 3)
        .sort(),
    ).toEqual(['a', 'b', 'c']);
  });
});

describe('never candidates', () => {
  test('what cannot do the operation, with the reason of the component that decided', () => {
    const route = scriptedRoute([{ name: 'a' }, { name: 'b' }]);
    const unable = ({ provider }: Target) => (provider.name === 'a' ? 'does not do it' : undefined);
    expect(order(route, question({ unable }))).toEqual(['b']);
    expect(reasons(route, question({ unable }))).toEqual(['a does not do it']);
  });

  test('an only target that cannot do it', () => {
    const route = scriptedRoute([{ name: 'a' }]);
    expect(reasons(route, question({ unable: () => 'does not' }))).toEqual(['a does not']);
  });

  test('conditions: operation, length, label, region', () => {
    const route = scriptedRoute([
      { name: 'a', conditions: { operations: ['embed'] } },
      { name: 'b', conditions: { inputTokensMax: 100 } },
      { name: 'c', conditions: { labels: ['gold', 'silver'] } },
      { name: 'd', region: 'eu' },
    ]);
    expect(order(route).sort()).toEqual(['b', 'd']);
    expect(reasons(route)).toEqual(['a is reserved for embed', 'c is reserved for tokens labeled gold or silver']);
    expect(order(route, question({ labels: ['silver'] })).sort()).toEqual(['b', 'c', 'd']);
    expect(order(route, question({ inputTokens: 101 }))).toEqual(['d']);
    expect(order(route, question({ options: { ...noOptions, region: 'eu' } }))).toEqual(['d']);
    expect(order(route, question({ operation: 'embed' })).sort()).toEqual(['a', 'b', 'd']);
  });

  test('what is known not to see, by the catalogue, by the operator, or by what it refused', () => {
    const route = scriptedRoute([
      { name: 'a', note: { inputModalities: ['text'] } },
      { name: 'b', conditions: { input: ['text', 'audio'] } },
      { name: 'c', note: { inputModalities: ['text', 'image'] } },
      { name: 'd' },
    ]);
    const seeing = question({ needs: { image: true } });
    expect(order(route, seeing).sort()).toEqual(['c', 'd']);
    expect(reasons(route, seeing)).toEqual(['a does not support image input', 'b does not support image input']);
    targetOf(route, 'd').health.learnLack('image', 0);
    targetOf(route, 'd').health.learnLack('tools', 0);
    expect(order(route, seeing)).toEqual(['c']);
    expect(order(route).length).toBe(4);
    expect(order(route, question({ needs: { tools: true } })).sort()).toEqual(['a', 'b', 'c']);
    expect(order(route, seeing, parts({ nowMs: 3_600_001 })).sort()).toEqual(['c', 'd']);
  });

  test('what is too small for the input', () => {
    const route = scriptedRoute([{ name: 'a', note: { contextTokens: 1_000 } }, { name: 'b' }]);
    const long = question({ inputTokens: 1_001 });
    expect(order(route, long)).toEqual(['b']);
    expect(reasons(route, long)).toEqual(['a has a context of 1000 tokens, and the input is about 1001']);
    expect(order(route, question({ inputTokens: 1_000 })).sort()).toEqual(['a', 'b']);
    const contextTokensOf = ({ provider }: Target) => (provider.name === 'b' ? 500 : undefined);
    expect(order(route, long, parts({ contextTokensOf }))).toEqual([]);
  });
});

describe('routing options', () => {
  const route = scriptedRoute([{ name: 'a' }, { name: 'b' }, { name: 'c', tier: 1 }]);
  const plan = (options: Partial<RoutingOptions>) => order(route, question({ options: { ...noOptions, ...options } }));

  test('an order, whatever the tiers say; the others follow', () => {
    expect(plan({ order: ['c', 'b'] })).toEqual(['c', 'b', 'a']);
    expect(plan({ order: ['missing', 'b'] })[0]).toBe('b');
  });

  test('only some, all but some, the first alone', () => {
    expect(plan({ only: ['c', 'a'] })).toEqual(['a', 'c']);
    expect(plan({ ignore: ['a', 'c'] })).toEqual(['b']);
    expect(plan({ order: ['c'], allowFallbacks: false })).toEqual(['c']);
    expect(plan({ only: [] })).toEqual([]);
  });

  test('another way to choose', () => {
    const costs: Record<string, bigint> = { a: 5n, b: 2n, c: 1n };
    const given = parts({ costOf: ({ provider }: Target) => costs[provider.name] });
    const asked = question({ options: { ...noOptions, sort: 'cheapest' } });
    expect(order(route, asked, given)).toEqual(['b', 'a', 'c']);
  });
});

describe('affinity', () => {
  const homes = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];
  const keys = Array.from({ length: 1_000 }, (_, index) => hashOf(`conversation ${index}`));
  const first = (route: ModelRoute, key: string, given = parts()) =>
    order(route, question({ affinityKey: () => key }), given)[0] ?? '';

  test('conversations keep to one target, and the load is within 20 % of even over 1,000', () => {
    const route = scriptedRoute(homes);
    const counts = new Map<string, number>();
    for (const key of keys) {
      const home = first(route, key);
      for (let turn = 1; turn < 5; turn++) expect(first(route, key, parts({ random: dice(turn + 7) }))).toBe(home);
      counts.set(home, (counts.get(home) ?? 0) + 1);
    }
    for (const count of counts.values()) expect(Math.abs(count - 1_000 / 3)).toBeLessThan(0.2 * (1_000 / 3));
  });

  test('weights count', () => {
    const route = scriptedRoute([{ name: 'a', weight: 3 }, { name: 'b' }]);
    const share = keys.filter((key) => first(route, key) === 'a').length / keys.length;
    expect(share).toBeGreaterThan(0.7);
    expect(share).toBeLessThan(0.8);
  });

  test('when a target is not ready only its own conversations move, and they come back', () => {
    const route = scriptedRoute(homes);
    const before = keys.map((key) => first(route, key));
    targetOf(route, 'b').health.coolUntil(100);
    for (const [index, key] of keys.entries()) {
      if (before[index] === 'b') expect(first(route, key)).not.toBe('b');
      else expect(first(route, key)).toBe(before[index] ?? '');
    }
    const later = parts({ nowMs: 100 });
    expect(keys.map((key) => first(route, key, later))).toEqual(before);
  });

  test('where a conversation went it stays, for its prompt is cached there', () => {
    const route = scriptedRoute(homes);
    const key = keys.find((one) => first(route, one) === 'a') ?? '';
    const moved = targetOf(route, 'c');
    expect(first(route, key, parts({ movedTo: () => moved }))).toBe('c');
    moved.health.coolUntil(10);
    expect(first(route, key, parts({ movedTo: () => moved }))).toBe('a');
  });

  test('never turns failover off, and can be switched off', () => {
    const key = keys[0] ?? '';
    expect(order(scriptedRoute(homes), question({ affinityKey: () => key })).length).toBe(3);
    const free = scriptedRoute(homes, { affinity: false });
    const seen = new Set(
      Array.from({ length: 50 }, (_, round) => first(free, key, parts({ random: dice(round + 1) }))),
    );
    expect(seen.size).toBe(3);
  });
});
