import { describe, expect, test } from 'bun:test';
import { providerOf } from '../providers/assemble.ts';
import { firstTurn } from './breaker.ts';
import { Catalogue } from './catalogue.ts';
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

describe('keys', () => {
  test('are used in turn, and those set aside are skipped until their time', () => {
    const ring = new KeyRing();
    const several = provider('p', ['m'], ['one', 'two', 'three']);
    const pick = (tried: readonly string[] = [], nowMs = 0) =>
      ring.pick({ provider: several, model: 'm' }, new Set(tried), () => nowMs)?.id;
    expect([pick(), pick(), pick(), pick()]).toEqual(['one', 'two', 'three', 'one']);
    ring.healthOf(several, { id: 'two', value: 'two' }).coolUntil(100);
    expect([pick(), pick()]).toEqual(['three', 'one']);
    expect(pick(['p one', 'p three'])).toBeUndefined();
    expect(pick(['p one', 'p three'], 100)).toBe('two');
  });

  test('wait for a model, and are used for the others meanwhile', () => {
    const ring = new KeyRing();
    const sole = provider('p', ['m', 'n'], ['one']);
    const key = { id: 'one', value: 'one' };
    const pick = (model: string | undefined, nowMs: number, tried: readonly string[] = []) =>
      ring.pick({ provider: sole, model }, new Set(tried), () => nowMs)?.id;
    const readyAtMs = (model: string) => ring.readyAtMs({ provider: sole, model }, new Set(), 50);
    ring.healthFor({ provider: sole, model: 'm' }, key).coolUntil(100);
    expect([pick('m', 50), pick('n', 50), pick(undefined, 50), pick('m', 100)]).toEqual([
      undefined,
      'one',
      'one',
      'one',
    ]);
    expect([readyAtMs('m'), readyAtMs('n')]).toEqual([100, 50]);
    expect([pick('m', 100, ['p one m']), pick('n', 100, ['p one m'])]).toEqual([undefined, 'one']);
    // A request in flight proves nothing; a request served after the wait ends it.
    ring.served({ provider: sole, model: 'm' }, key, firstTurn, 50);
    expect([...ring.states()]).toHaveLength(1);
    ring.served({ provider: sole, model: 'm' }, key, firstTurn, 100);
    expect([...ring.states()]).toHaveLength(0);
  });
});
