import { expect, test } from 'bun:test';
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

test('a new provider is asked at once, and a list that comes after it was replaced is nobody’s', async () => {
  const old = provider('a');
  const catalogue = new Catalogue([old], []);
  const { promise, resolve } = Promise.withResolvers<readonly string[]>();
  const kept: (readonly string[])[] = [];
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
