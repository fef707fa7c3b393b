/** Proves that what is typed about a provider becomes the entry that was meant, and nothing else is lost on the way. */

import { describe, expect, test } from 'bun:test';
import type { PresetView, ProviderEntry } from '../../../admin/contracts/configuration-contract.ts';
import { matchingProviders } from './find-providers.ts';
import {
  emptyTexts,
  entryOfTexts,
  freeName,
  isReadable,
  missingFields,
  readHeaders,
  readProfiles,
  textsOfEntry,
} from './provider-entry.ts';

const entry: ProviderEntry = {
  kind: 'some-kind',
  base_url: 'https://api.example.com/v1',
  models: ['one', 'two'],
  headers: { 'x-team': 'blue: one' },
  settings: { project: 'p1' },
  region: 'eu',
  proxy: 'none',
  results: 'keep',
  profiles: { 'm*': { context_tokens: 8_192 } },
  enabled: false,
};

describe('an entry', () => {
  test('typed and read again is the same', () => {
    expect(entryOfTexts(textsOfEntry(entry), entry)).toEqual(entry);
  });

  test('says nothing where nothing was typed', () => {
    expect(entryOfTexts({ ...emptyTexts, settings: { project: '  ' } }, { kind: 'k' })).toEqual({ kind: 'k' });
    expect(entryOfTexts({ ...emptyTexts, models: 'a, b\n a\tc' }, {})).toEqual({ models: ['a', 'b', 'c'] });
  });

  test('profiles are a map of maps, or cannot be sent', () => {
    expect(readProfiles(' ')).toEqual({});
    expect(readProfiles('{"m*": {"context_tokens": 5}}')).toEqual({ 'm*': { context_tokens: 5 } });
    for (const text of ['{', '[]', '7', '{"m": 7}', '{"m": [1]}']) {
      expect(readProfiles(text)).toBeUndefined();
      expect(isReadable({ ...emptyTexts, profiles: text })).toBe(false);
    }
    expect(isReadable(emptyTexts)).toBe(true);
    expect(isReadable({ ...emptyTexts, headers: 'no header' })).toBe(false);
  });

  test('headers stand on lines of their own', () => {
    expect(readHeaders('A: 1\n\n b-c :  two: three ')).toEqual({ A: '1', 'b-c': 'two: three' });
    expect(readHeaders('no header')).toBeUndefined();
    expect(readHeaders('sp ace: x')).toBeUndefined();
  });
});

describe('a new provider', () => {
  const preset: PresetView = {
    kind: 'cloud',
    title: 'Cloud',
    group: 'cloud',
    baseUrl: 'https://{region}.example.com',
    needsKey: true,
    needsBaseUrl: true,
    settings: [
      { name: 'region', required: true, example: 'eu-1' },
      { name: 'version', required: false, example: '2' },
    ],
    listsModels: true,
    operations: [],
    synonyms: [],
    configured: false,
  };

  test('takes the first free name', () => {
    expect(freeName('cloud', [])).toBe('cloud');
    expect(freeName('cloud', ['cloud', 'cloud-2'])).toBe('cloud-3');
  });

  test('names what is still to be filled in', () => {
    const draft = { name: ' ', key: '', texts: emptyTexts };
    expect([...missingFields(draft, preset)]).toEqual(['name', 'key', 'baseUrl', 'settings.region']);
    const filled = {
      name: 'cloud',
      key: 'k',
      texts: { ...emptyTexts, baseUrl: 'https://x', settings: { region: 'eu-1' } },
    };
    expect(missingFields(filled, preset).size).toBe(0);
  });
});

test('providers are found by the models they have', () => {
  const provider = (name: string, models: readonly string[]) => ({
    name,
    kind: 'k',
    origin: 'console' as const,
    originText: '',
    locked: false,
    state: 'serving' as const,
    baseUrl: 'https://example.com',
    entry: {},
    keys: [],
    free: false,
    models,
    health: { provider: name, state: 'no-data' as const, attempts: 0, failed: 0, inFlight: 0, minutes: [] },
    targets: [],
    routes: [],
  });
  const all = [provider('a', ['large-1']), provider('b', ['small-1'])];
  expect(matchingProviders(all, 'LARGE').map(({ name }) => name)).toEqual(['a']);
  expect(matchingProviders(all, ' ')).toHaveLength(2);
  expect(matchingProviders(all, 'large small')).toEqual([]);
});
