/** What the doctor says of the console's entries: kind words for each that cannot act, and nothing for those that can. */

import { expect, test } from 'bun:test';
import { loadConfig } from '../../config/load.ts';
import { entryPlace, keyPlace, openEntries } from '../../configuration/kept-entries.ts';
import { mergeConfiguration } from '../../configuration/merge.ts';
import { SecretRing } from '../../secrets/key-ring.ts';
import { createSealing } from '../../secrets/sealing.ts';
import type { ConfigurationRows, EntrySection } from '../../store/configuration/configuration-store.ts';
import { checkConsole, checkSecretKey } from './doctor-console.ts';

const ring = new SecretRing([new Uint8Array(32).fill(1)]);
const foreign = new SecretRing([new Uint8Array(32).fill(2)]);
const label = 'console-configuration';
const sealing = createSealing(ring.purpose(label));
const strange = createSealing(foreign.purpose(label));
const here = { kind: 'openai-chat', base_url: 'http://127.0.0.1:1/v1' };

const row = (section: EntrySection, name: string, entry: object, more: object = {}) => ({
  ...{ section, name, entry: JSON.stringify(entry), sealed: undefined, draining: false },
  ...{ createdAtMs: 1, updatedAtMs: 1, updatedBy: 'ann', ...more },
});
const key = (provider: string, sealed: string) => ({ provider, keyId: 'k', sealed, ending: undefined, createdAtMs: 1 });
const to = (...providers: string[]) => ({ targets: providers.map((provider) => ({ provider, model: 'm' })) });

async function look(rows: Omit<ConfigurationRows, 'revision'>) {
  const environment = { WEIR_DISCOVERY_LOCAL: 'false', GROQ_API_KEY: 'gsk-x' };
  const config = loadConfig({ environment, readFile: () => undefined, workingFolder: '/srv' });
  const all = { revision: 1, ...rows };
  const merged = mergeConfiguration(config, await openEntries(all, sealing));
  return checkConsole(config, merged, all, ring);
}

test('an empty console is nothing to speak of', async () => {
  expect(await look({ entries: [], keys: [] })).toEqual({ checks: [], providers: [] });
});

test('entries that act are counted and handed on to be visited; those that cannot say why and what to do', async () => {
  const { checks, providers } = await look({
    entries: [
      row('providers', 'good', here, { sealed: sealing.seal(entryPlace('good'), '{"headers":{"x-a":"b"}}') }),
      row('providers', 'locked', here),
      row('providers', 'damaged', here, { sealed: 'no sealed text' }),
      row('providers', 'wrong', { kind: 'gone' }),
      row('providers', 'groq', here),
      row('providers', 'leaving', here, { draining: true }),
      row('models', 'fine', to('good')),
      row('models', 'limping', to('good', 'locked')),
      row('models', 'lost', to('vanished', 'leaving')),
      row('prices', 'x/*', { input: 'dear' }),
    ],
    keys: [
      key('good', sealing.seal(keyPlace('good', 'k'), 'sk-canary')),
      key('locked', strange.seal(keyPlace('locked', 'k'), 'sk-canary')),
    ],
  });
  expect(providers.map(({ name, keys, headers }) => [name, keys, headers])).toEqual([
    ['good', [expect.objectContaining({ id: 'k', value: 'sk-canary' })], { 'x-a': 'b' }],
  ]);
  const said = Object.fromEntries(checks.map(({ name, state, detail }) => [name, `${state}: ${detail}`]));
  expect(said['console']).toBe('ok: keeps 6 providers, 3 routes, 1 price');
  expect(said['provider good']).toBeUndefined();
  expect(said['provider locked']).toStartWith('broken: its keys cannot be opened with the secret key of this Weir.');
  expect(said['provider locked']).toContain(`sealed by key ${foreign.newest.id}, which is not here`);
  expect(said['provider damaged']).toStartWith('broken: its keys cannot be opened');
  expect(said['provider wrong']).toMatch(/^broken: entry\.kind: found "gone".*page Providers$/);
  expect(said['provider groq']).toBe(
    'not checked: the console’s entry is inactive: GROQ_API_KEY has a provider with this name, which takes precedence.',
  );
  expect(said['provider leaving']).toBe('not checked: it drains and takes no new requests');
  expect(said['route fine']).toBeUndefined();
  expect(said['route limping']).toBe('ok: continues without locked, which is gone, switched off or broken');
  expect(said['route lost']).toStartWith('broken: leads nowhere: vanished, leaving is gone, switched off or broken.');
  expect(said['price x/*']).toMatch(/^broken: .*page Models$/);
  expect(JSON.stringify(checks)).not.toContain('canary');
});

test('the secret key is the database’s, on its way there, or another’s', async () => {
  const [old, fresh] = [ring.newest, foreign.newest];
  const both = new SecretRing([fresh.secret, old.secret]);
  const stateOf = async (given: SecretRing, find: () => Promise<typeof old | undefined>) => {
    const { state, detail } = await checkSecretKey(given, find);
    return `${state}: ${detail}`;
  };
  expect(await stateOf(ring, async () => old)).toBe(`ok: ${old.id} is the database’s`);
  expect(await stateOf(both, async () => fresh)).toContain(`; ${old.id} kept for what it still opens`);
  expect(await stateOf(both, async () => old)).toContain(`from ${old.id} to ${fresh.id} was begun and not finished`);
  expect(await stateOf(ring, async () => undefined)).toStartWith('not checked');
  expect(await stateOf(ring, () => Promise.reject(new Error('another’s')))).toBe('broken: another’s');
});

test('a paused provider is said, and routes that lead to it alone lead nowhere', async () => {
  const { checks } = await look({
    entries: [row('pauses', 'groq', {}), row('pauses', 'gone', {}), row('models', 'fast', to('groq'))],
    keys: [],
  });
  const said = Object.fromEntries(checks.map(({ name, state, detail }) => [name, `${state}: ${detail}`]));
  expect(said['provider groq']).toStartWith('warning: paused in the console since 1970-01-01T00:00:00.001Z');
  expect(said['provider gone']).toBeUndefined();
  expect(said['route fast']).toStartWith('broken: leads nowhere: groq');
});
