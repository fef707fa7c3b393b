import { expect, test } from 'bun:test';
import type { ListedModel } from '../conversation/model-profile.ts';
import { providerOf } from '../providers/assemble.ts';
import { Catalogue } from './catalogue.ts';
import { createRefresh } from './refresh.ts';

const provider = (name: string, models?: readonly string[]) =>
  providerOf({
    preset: {
      name,
      label: name,
      baseUrl: 'http://127.0.0.1:1/v1',
      keyVariables: [],
      auth: { style: 'bearer' },
      formats: { 'openai-chat': '/chat/completions' },
      modelsPath: '/models',
    },
    name,
    baseUrl: 'http://127.0.0.1:1/v1/',
    keys: [],
    headers: {},
    models,
    transport: () => Promise.reject(new Error('unused')),
  });

test('a new provider is asked at once, and a list that comes after it was replaced is dropped', async () => {
  const old = provider('a');
  const catalogue = new Catalogue([old], []);
  const { promise, resolve } = Promise.withResolvers<readonly string[]>();
  const kept: (readonly (string | ListedModel)[])[] = [];
  const asked: unknown[] = [];
  const refresh = createRefresh({
    catalogue,
    store: { get: async () => undefined, put: async (_name, models) => void kept.push(models) },
    refreshMs: 1_000,
    fetch(given) {
      asked.push(given);
      return given === old ? promise : Promise.resolve(['new']);
    },
    nowMs: () => 0,
    warn: () => undefined,
  });
  const slow = refresh.refreshAll();
  const next = provider('a');
  catalogue.replace([next, provider('fixed', ['f'])], []);
  await refresh.look(catalogue.providers);
  resolve(['old']);
  await slow;
  expect(asked).toEqual([old, next]);
  expect(catalogue.listed('a')).toEqual(['new']);
  expect(kept).toEqual([['new']]);
  await refresh.refreshAll();
  expect(asked).toHaveLength(2);
});

test('what a list says beside names is kept and recalled; an older version’s names are too', async () => {
  const rates = { input: { nano: '1' }, output: { nano: '2', steps: [{ above: 5, nano: '3' }] } };
  const detailed: ListedModel = {
    name: 'm',
    profile: { contextTokens: 9_000 },
    price: { rates },
    shutdownAt: '2027-01-14',
  };
  const priced: ListedModel = { name: 'priced', price: { rates } };
  const kept = new Map<string, unknown>([['old', ['n']]]);
  const parts = (catalogue: Catalogue) => ({
    catalogue,
    store: {
      get: async (name: string) =>
        kept.has(name) ? { models: JSON.parse(JSON.stringify(kept.get(name))), fetchedAtMs: 0 } : undefined,
      put: async (name: string, models: unknown) => void kept.set(name, models),
    },
    refreshMs: 1_000,
    fetch: async () => [detailed, { name: 'plain' }, priced],
    nowMs: () => 0,
    warn: () => undefined,
  });
  await createRefresh(parts(new Catalogue([provider('a')], []))).refreshAll();
  expect(kept.get('a')).toEqual([detailed, 'plain', priced]);
  const later = new Catalogue([provider('a'), provider('old')], []);
  await createRefresh(parts(later)).recall();
  const profileOf = (model: string) => later.resolve(model)?.[0]?.profile;
  expect([profileOf('m'), profileOf('plain'), profileOf('n')]).toEqual([{ contextTokens: 9_000 }, {}, {}]);
  expect([later.resolve('m')?.[0]?.listed, later.resolve('priced')?.[0]?.listed]).toEqual([detailed, priced]);
});

test('a target is rebuilt where its list entry changed, with the health it had', () => {
  const catalogue = new Catalogue([provider('a')], []);
  const target = (model: string) => catalogue.resolve(model)?.[0];
  catalogue.setModels('a', ['m', 'n']);
  const [before, other] = [target('m'), target('n')];
  before?.health.coolUntil(7);
  catalogue.setModels('a', [{ name: 'm', profile: { outputTokensMax: 5 } }, 'n']);
  expect(target('m')?.profile).toEqual({ outputTokensMax: 5 });
  expect(target('m')?.health).toBe(before?.health as never);
  expect(target('n')).toBe(other as never);
});
