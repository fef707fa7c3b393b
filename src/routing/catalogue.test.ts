import { describe, expect, test } from 'bun:test';
import { providerOf } from '../providers/assemble.ts';
import { Catalogue } from './catalogue.ts';
import { orderTargets } from './choose.ts';
import { KeyRing } from './keys.ts';

const provider = (name: string, models?: readonly string[], keys: readonly string[] = ['k']) =>
  providerOf({
    preset: {
      name,
      label: name,
      baseUrl: 'http://127.0.0.1:1/v1',
      keyVariables: [],
      auth: { style: 'bearer' },
      formats: { 'openai-chat': '/chat/completions' },
    },
    name,
    baseUrl: 'http://127.0.0.1:1/v1/',
    keys: keys.map((value) => ({ id: value, value })),
    headers: {},
    models,
    transport: () => Promise.reject(new Error('unused')),
  });

const shown = (targets: ReturnType<Catalogue['resolve']>) =>
  targets?.map((target) => `${target.provider.name}/${target.model}@${target.tier}`);

describe('a name', () => {
  const a = provider('a', ['m', 'n']);
  const b = provider('b', ['m']);
  const open = provider('open');
  const target = { provider: 'b', model: 'm', weight: 1, tier: 0 };
  const catalogue = new Catalogue(
    [a, b, open],
    [
      { alias: 'fast', targets: [target] },
      { alias: 'n', targets: [target] },
      { alias: 'lost', targets: [{ ...target, provider: 'gone' }] },
    ],
  );

  test.each([
    ['fast', ['b/m@0']],
    ['n', ['b/m@0']],
    ['m', ['a/m@0', 'b/m@1']],
    ['a/n', ['a/n@0']],
    ['a/other', undefined],
    ['open/anything/at/all', ['open/anything/at/all@0']],
    ['lost', undefined],
    ['unknown', undefined],
    ['gone/m', undefined],
    ['/m', undefined],
    ['a/', undefined],
    ['__proto__', undefined],
  ])('%s', (name, expected) => {
    expect(shown(catalogue.resolve(name))).toEqual(expected as string[]);
  });

  test('a list that arrives later is served, one that configuration fixed stays', () => {
    catalogue.setModels('open', ['late']);
    catalogue.setModels('a', ['late']);
    expect(shown(catalogue.resolve('late'))).toEqual(['open/late@0']);
    expect(catalogue.served().map(({ id }) => id)).toEqual(['fast', 'n', 'm', 'late']);
  });

  test('health survives a new list and is shared by every name of a home', () => {
    catalogue.resolve('fast')?.[0]?.health.coolUntil(100);
    catalogue.setModels('open', ['other']);
    expect(catalogue.resolve('m')?.[1]?.health.isCooling(50)).toBe(true);
  });
});

describe('the order', () => {
  const catalogue = new Catalogue(
    [provider('a', ['m']), provider('b', ['m']), provider('c', ['m'])],
    [
      {
        alias: 'x',
        targets: [
          { provider: 'a', model: 'm', tier: 0, weight: 3 },
          { provider: 'b', model: 'm', tier: 0, weight: 1 },
          { provider: 'c', model: 'm', tier: 1, weight: 9 },
        ],
      },
    ],
  );
  const targets = catalogue.resolve('x') ?? [];

  test('follows weights within a tier and tiers before weights', () => {
    let state = 1;
    const random = () => {
      state = (state * 48_271) % 2_147_483_647;
      return state / 2_147_483_647;
    };
    let first = 0;
    for (let round = 0; round < 4_000; round++) {
      const order = orderTargets(targets, () => 0, random);
      expect(order[2]?.provider.name).toBe('c');
      if (order[0]?.provider.name === 'a') first++;
    }
    expect(first / 4_000).toBeGreaterThan(0.7);
    expect(first / 4_000).toBeLessThan(0.8);
  });

  test('puts what cools down last', () => {
    targets[0]?.health.coolUntil(10);
    expect(
      orderTargets(
        targets,
        () => 5,
        () => 0.5,
      ).map((one) => one.provider.name),
    ).toEqual(['b', 'c', 'a']);
    expect(
      orderTargets(
        targets,
        () => 10,
        () => 0.5,
      )[0]?.provider.name,
    ).toBe('a');
  });
});

describe('keys', () => {
  test('go round, and those set aside are left alone until their time', () => {
    const ring = new KeyRing();
    const several = provider('p', ['m'], ['one', 'two', 'three']);
    const pick = (tried: readonly string[] = [], nowMs = 0) => ring.pick(several, new Set(tried), () => nowMs)?.id;
    expect([pick(), pick(), pick(), pick()]).toEqual(['one', 'two', 'three', 'one']);
    ring.setAside(several, { id: 'two', value: 'two' }, 100);
    expect([pick(), pick()]).toEqual(['three', 'one']);
    expect(pick(['p one', 'p three'])).toBeUndefined();
    expect(pick(['p one', 'p three'], 100)).toBe('two');
  });
});
