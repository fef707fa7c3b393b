/** What replaces what while requests run, with a store of rows and without a network. */

import { expect, test } from 'bun:test';
import { fixedKeys } from '../../test/harness/fixed-keys.ts';
import { loadConfig } from '../config/load.ts';
import { createPrices } from '../prices/prices.ts';
import { createPricing } from '../routing/build.ts';
import { Catalogue } from '../routing/catalogue.ts';
import { KeyRing } from '../routing/keys.ts';
import { createSealing } from '../secrets/sealing.ts';
import type { EntryRow, EntrySection } from '../store/configuration/configuration-store.ts';
import { entryPlace, keyPlace } from './kept-entries.ts';
import { LiveConfiguration } from './live-configuration.ts';

const sealing = createSealing(fixedKeys(new Uint8Array(32)));
const unsent = () => Promise.reject(new Error('nothing is sent'));
const given = loadConfig({
  environment: { WEIR_SANDBOX_ENABLED: 'false', WEIR_DISCOVERY_LOCAL: 'false', GROQ_API_KEY: 'gsk-1' },
  readFile: (path) =>
    path.endsWith('weir.yaml')
      ? `providers:
  filed: { kind: openai-chat, base_url: 'http://127.0.0.1:1/v1', models: [m] }
models:
  both: { targets: [{ provider: filed, model: m }] }
prices:
  'filed/*': { input: 1, output: 1 }`
      : undefined,
  workingFolder: '/',
});

function build() {
  const entries: EntryRow[] = [];
  const keys: { provider: string; keyId: string; value: string }[] = [];
  let revision = 1;
  let reads = 0;
  const changed: string[][] = [];
  const hidden: string[] = [];
  const catalogue = new Catalogue([], []);
  const ring = new KeyRing();
  const prices = createPrices({ overrides: [] });
  const moderation = new Map();
  const live = new LiveConfiguration({
    given,
    sandbox: undefined,
    sealing,
    store: {
      revision: async () => revision,
      async read() {
        reads++;
        const rows = keys.map(({ provider, keyId, value }) => ({
          provider,
          keyId,
          sealed: sealing.seal(keyPlace(provider, keyId), value),
          ending: undefined,
          createdAtMs: 0,
        }));
        return { revision, entries: [...entries], keys: rows };
      },
    },
    egressRoutes: { of: () => ({ transport: unsent, sockets: unsent }) },
    catalogue,
    keys: ring,
    prices,
    pricing: createPricing(prices),
    moderation,
    changed: (providers) => changed.push(providers.map(({ name }) => name)),
    hide: (secrets) => hidden.push(...secrets),
  });
  const put = (section: EntrySection, name: string, entry: object, rest: Partial<EntryRow> = {}) => {
    const at = entries.findIndex((row) => row.section === section && row.name === name);
    const row = {
      section,
      name,
      entry: JSON.stringify(entry),
      sealed: undefined,
      draining: false,
      createdAtMs: 0,
      updatedAtMs: 0,
      updatedBy: 'a',
      ...rest,
    };
    if (at === -1) entries.push(row);
    else entries[at] = row;
    revision++;
  };
  const remove = (name: string) => {
    entries.splice(
      entries.findIndex((row) => row.name === name),
      1,
    );
    revision++;
  };
  return { live, catalogue, ring, prices, moderation, keys, put, remove, changed, hidden, reads: () => reads };
}

const here = { kind: 'openai-chat', base_url: 'http://127.0.0.1:2/v1', models: ['m', 'n'] };
const names = (catalogue: Catalogue, model: string) => catalogue.resolve(model)?.map(({ provider }) => provider.name);
const problemOf = (live: LiveConfiguration, name: string) =>
  live.merged.providers.find((provider) => provider.name === name && provider.origin === 'console')?.problem;

test('the console’s providers come after those of the file, and only polls that find a change read', async () => {
  const { live, catalogue, put, changed, reads } = build();
  await live.start();
  expect(changed).toEqual([]);
  put('providers', 'mine', here);
  await live.poll();
  await live.poll();
  expect(reads()).toBe(2);
  expect(names(catalogue, 'm')).toEqual(['filed', 'mine']);
  expect(changed).toEqual([['mine']]);
});

test('what did not change keeps its object, and what moved starts over', async () => {
  const { live, catalogue, put, changed } = build();
  put('providers', 'mine', here);
  put('providers', 'other', here);
  await live.start();
  const [mine, other] = ['mine/m', 'other/m'].map((model) => catalogue.resolve(model)?.[0]);
  for (const target of [mine, other]) target?.health.coolUntil(1_000);
  put('providers', 'mine', { ...here, headers: { 'x-a': 'b' } });
  await live.poll();
  expect(catalogue.resolve('other/m')?.[0]).toBe(other as never);
  expect(catalogue.resolve('mine/m')?.[0]).not.toBe(mine as never);
  expect(catalogue.resolve('mine/m')?.[0]?.health).toBe(mine?.health as never);
  expect(catalogue.home('mine', 'm')?.provider.headers).toEqual({ 'x-a': 'b' });
  expect(changed).toEqual([['mine']]);
  put('providers', 'mine', { ...here, base_url: 'http://127.0.0.1:3/v1' });
  await live.poll();
  expect(catalogue.resolve('mine/m')?.[0]?.health.isCooling(10)).toBe(false);
});

test('one that drains is known and takes nothing new; one that is switched off or removed is gone', async () => {
  const { live, catalogue, put, remove } = build();
  put('providers', 'mine', here, { draining: true });
  put('models', 'mine-first', {
    targets: [
      { provider: 'mine', model: 'n' },
      { provider: 'filed', model: 'm', tier: 1 },
    ],
  });
  await live.start();
  expect(names(catalogue, 'mine-first')).toEqual(['filed']);
  expect([names(catalogue, 'n'), names(catalogue, 'mine/n')]).toEqual([undefined, undefined]);
  expect(catalogue.providers.map(({ name }) => name)).toEqual(['filed', 'groq', 'mine']);
  put('providers', 'mine', here);
  await live.poll();
  expect(names(catalogue, 'mine-first')).toEqual(['mine', 'filed']);
  put('providers', 'mine', { ...here, enabled: false });
  await live.poll();
  expect(catalogue.providers.map(({ name }) => name)).toEqual(['filed', 'groq']);
  remove('mine');
  await live.poll();
  expect(live.merged.routes.find(({ alias }) => alias === 'mine-first')?.problem).toContain('"mine"');
  expect(names(catalogue, 'mine-first')).toEqual(['filed']);
});

test('one that is configured elsewhere is paused by an entry of its name, and served again without it', async () => {
  const { live, catalogue, put, remove } = build();
  const pauseOf = (name: string) => live.merged.providers.find((provider) => provider.name === name)?.pausedAtMs;
  const away = (model: string) => catalogue.paused(model).map(({ provider, model: own }) => `${provider.name}/${own}`);
  put('models', 'two', {
    targets: [
      { provider: 'mine', model: 'n' },
      { provider: 'filed', model: 'm', tier: 1 },
    ],
  });
  put('models', 'any-*', { targets: [{ provider: 'filed', model: '*' }] });
  put('providers', 'mine', here);
  await live.start();
  expect([pauseOf('filed'), away('two')]).toEqual([undefined, []]);
  put('pauses', 'filed', {}, { updatedAtMs: 42 });
  put('pauses', 'mine', {});
  put('pauses', 'absent', {});
  await live.poll();
  // What the console itself keeps drains instead.
  expect([pauseOf('filed'), pauseOf('mine')]).toEqual([42, undefined]);
  expect(names(catalogue, 'two')).toEqual(['mine']);
  expect([names(catalogue, 'filed/m'), names(catalogue, 'any-m')]).toEqual([undefined, undefined]);
  expect(away('two')).toEqual(['filed/m']);
  expect(away('filed/m')).toEqual(['filed/m']);
  expect(away('any-m')).toEqual(['filed/m']);
  expect([away('n'), away('nobody/m')]).toEqual([[], []]);
  expect(live.provider('filed')).toBeDefined();
  remove('filed');
  await live.poll();
  expect([pauseOf('filed'), names(catalogue, 'two')]).toEqual([undefined, ['mine', 'filed']]);
});

test('a key that took the name of a refused one is not judged by it', async () => {
  const { live, catalogue, ring, put, keys, hidden } = build();
  put('providers', 'mine', here);
  keys.push(
    { provider: 'mine', keyId: 'key-1', value: 'canary-one' },
    { provider: 'mine', keyId: 'key-2', value: 'canary-two' },
  );
  await live.start();
  expect(hidden).toEqual(['canary-one', 'canary-two']);
  const before = catalogue.home('mine', 'm')?.provider;
  for (const key of before?.keys ?? [])
    if (before) {
      ring.healthOf(before, key).coolUntil(1_000);
      ring.healthFor({ provider: before, model: 'm' }, key).coolUntil(1_000);
    }
  keys[0] = { provider: 'mine', keyId: 'key-1', value: 'canary-new' };
  put('providers', 'mine', here);
  await live.poll();
  expect([...ring.states()].map(({ keyId, model }) => [keyId, model])).toEqual([
    ['key-2', undefined],
    ['key-2', 'm'],
  ]);
  expect(hidden).toContain('canary-new');
});

test('entries that became wrong say why and do not act', async () => {
  const { live, catalogue, put, prices, moderation } = build();
  const sealed = createSealing(fixedKeys(new Uint8Array(32).fill(1))).seal(entryPlace('locked'), '{}');
  put('providers', 'filed', here);
  put('providers', 'groq', here);
  put('providers', 'old', { kind: 'gone', base_url: 'http://127.0.0.1:2/v1' });
  put('providers', 'locked', here, { sealed });
  put('providers', 'broken', here, { entry: '[1' });
  put('models', 'both', { targets: [{ provider: 'groq', model: 'x' }] });
  put('models', 'empty', { targets: [] });
  put('models', 'watched', { targets: [{ provider: 'filed', model: 'm' }], moderation: 'after' });
  put('prices', 'filed/*', { input: 9, output: 9 });
  put('prices', 'nonsense', { input: 'x' });
  await live.start();
  expect(problemOf(live, 'filed')).toBe('weir.yaml, line 2 has a provider with this name, which takes precedence.');
  expect(problemOf(live, 'groq')).toBe('GROQ_API_KEY has a provider with this name, which takes precedence.');
  expect(problemOf(live, 'old')).toStartWith('entry.kind: found "gone"');
  expect(problemOf(live, 'locked')).toContain('can’t be decrypted');
  expect(problemOf(live, 'broken')).toContain('stored entry is damaged');
  expect(catalogue.providers.map(({ name }) => name)).toEqual(['filed', 'groq']);
  expect(names(catalogue, 'both')).toEqual(['filed']);
  expect(catalogue.resolve('empty')).toBeUndefined();
  expect([...moderation]).toEqual([['watched', { before: false, after: true }]]);
  expect(prices.priceOf({ providerName: 'filed', model: 'm' })?.input.nanoPerMillion).toBe(1_000_000_000n);
});
