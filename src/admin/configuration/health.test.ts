import { expect, test } from 'bun:test';
import { scriptedProvider } from '../../../test/harness/scripted-targets.ts';
import { Catalogue } from '../../routing/catalogue.ts';
import { KeyRing } from '../../routing/keys.ts';
import { LearnedRefusals } from '../../routing/learned-refusals.ts';
import { keyHealths, targetHealths } from './health.ts';

function setUp() {
  const providers = ['a', 'b', 'c', 'd'].map((name) => scriptedProvider({ name, keys: [`${name}1`, `${name}2`] }));
  const catalogue = new Catalogue(providers, []);
  const health = (name: string) => catalogue.home(name, 'm')?.health ?? expect.unreachable();
  return { catalogue, keys: new KeyRing(), health, providers };
}

test('targets show once there is anything to say about them', () => {
  const { catalogue, health } = setUp();
  expect(targetHealths(catalogue, 0)).toEqual([]);
  health('a').begin();
  health('a').measured(200, 0);
  health('b').coolUntil(5_000);
  for (let failures = 0; failures < 5; failures++) health('c').failed(health('c').enter(0), 0);
  expect(targetHealths(catalogue, 0)).toEqual([
    { provider: 'a', model: 'm', state: 'ready', inFlight: 1, firstEventMs: 200 },
    { provider: 'b', model: 'm', state: 'cooling', readyInMs: 5_000, inFlight: 0 },
    { provider: 'c', model: 'm', state: 'open', readyInMs: 1_000, inFlight: 0 },
  ]);
  // Half open, and its probe is in flight: it is unknown when it will be ready.
  health('c').enter(1_000);
  health('c').begin();
  expect(targetHealths(catalogue, 1_000)[2]).toEqual({ provider: 'c', model: 'm', state: 'half-open', inFlight: 1 });
});

test('a target shows which parameters its provider refused, and when', () => {
  const { catalogue, health } = setUp();
  const learned = new LearnedRefusals({ nowMs: () => 0, wallMs: () => 77 });
  learned.learn({ profile: { refuses: ['temperature'] }, what: 'temperature' }, {}, undefined);
  health('a').learned = learned;
  health('a').begin();
  expect(targetHealths(catalogue, 0)[0]?.learned).toEqual([{ what: 'temperature', atMs: 77 }]);
});

test('keys show all of them by their ids, never their values', () => {
  const { catalogue, keys, providers } = setUp();
  const [provider] = providers;
  const key = provider?.keys[1];
  if (provider === undefined || key === undefined) return expect.unreachable();
  keys.healthOf(provider, key).coolUntil(700);
  const views = keyHealths(catalogue, keys, 0);
  expect(views).toHaveLength(8);
  expect(views.slice(0, 3)).toEqual([
    { provider: 'a', keyId: 'a1', state: 'ready' },
    { provider: 'a', keyId: 'a2', state: 'cooling', readyInMs: 700 },
    { provider: 'b', keyId: 'b1', state: 'ready' },
  ]);
});

test('a key that waits for some models shows them, and when the first is ready', () => {
  const { catalogue, keys, providers } = setUp();
  const [provider] = providers;
  const [key] = provider?.keys ?? [];
  if (provider === undefined || key === undefined) return expect.unreachable();
  for (const [model, untilMs] of [
    ['slow', 900],
    ['late', 500],
    ['done', 100],
  ] as const)
    keys.healthFor({ provider, model }, key).coolUntil(untilMs);
  expect(keyHealths(catalogue, keys, 200)[0]).toEqual({
    provider: 'a',
    keyId: 'a1',
    state: 'cooling',
    readyInMs: 300,
    models: ['late', 'slow'],
  });
  keys.healthOf(provider, key).coolUntil(2_000);
  expect(keyHealths(catalogue, keys, 200)[0]).toEqual({
    provider: 'a',
    keyId: 'a1',
    state: 'cooling',
    readyInMs: 1_800,
  });
});
