import { expect, test } from 'bun:test';
import { scriptedProvider } from '../../../test/harness/scripted-targets.ts';
import { Catalogue } from '../../routing/catalogue.ts';
import { KeyRing } from '../../routing/keys.ts';
import { LearnedRefusals } from '../../routing/learned-refusals.ts';
import type { AttemptEnd, AttemptSum } from '../../store/health/attempt-health-store.ts';
import { HealthReport } from './health-report.ts';
import { WindowFigures } from './health-window.ts';
import { shownHealth } from './shown-health.ts';

const hour = 3_600_000;
const wallMs = 100 * hour;

const sum = (provider: string, attempts: number, failed: number, given: Partial<AttemptSum> = {}): AttemptSum => ({
  ...{ provider, keyId: `${provider}1`, model: 'm', attempts, failed },
  ...{ outputTokens: 0, outputMs: 0, firstTokens: '', totals: '' },
  ...given,
});
const end = (provider: string, given: Partial<AttemptEnd>): AttemptEnd => ({
  ...{ provider, keyId: `${provider}1`, model: 'm', atMs: wallMs, servedAtMs: 0, rejectedAtMs: 0, forbiddenAtMs: 0 },
  ...{ failedAtMs: 0, requestId: '', code: '', message: '' },
  ...given,
});

function setUp(sums: readonly AttemptSum[] = [], ends: readonly AttemptEnd[] = []) {
  const names = ['a', 'b', 'c', 'd'];
  const providers = names.map((name) => scriptedProvider({ name, keys: [`${name}1`, `${name}2`] }));
  const catalogue = new Catalogue(providers, []);
  const keys = new KeyRing();
  const health = (name: string) => catalogue.home(name, 'm')?.health ?? expect.unreachable();
  const sources = { catalogue, keys, providerNames: () => [...names, 'off'] };
  const report = (nowMs = 0) =>
    new HealthReport(sources, new WindowFigures({ sums, minutes: [], ends }, wallMs - hour), { nowMs, wallMs });
  return { health, keys, providers, report };
}

test('targets show once there is anything to say about them, with the state of their circuit', () => {
  const { health, report } = setUp();
  expect(report().view().targets).toEqual([]);
  health('a').begin();
  health('b').coolUntil(5_000);
  for (let failures = 0; failures < 5; failures++) health('c').failed(health('c').enter(0), 0);
  const none = { model: 'm', attempts: 0, failed: 0 };
  expect(report().view().targets).toEqual([
    { provider: 'a', ...none, state: 'no-data', inFlight: 1 },
    { provider: 'b', ...none, state: 'rate-limited', readyInMs: 5_000, inFlight: 0 },
    { provider: 'c', ...none, state: 'circuit-open', readyInMs: 1_000, inFlight: 0 },
  ]);
  // Half open, and its probe is in flight: it is unknown when it will be ready.
  health('c').enter(1_000);
  health('c').begin();
  expect(report(1_000).target('c', 'm')).toEqual({ provider: 'c', ...none, state: 'probing', inFlight: 1 });
});

test('a target shows which parameters its provider refused, and when', () => {
  const { health, report } = setUp();
  const learned = new LearnedRefusals({ nowMs: () => 0, wallMs: () => 77 });
  learned.learn({ profile: { refuses: ['temperature'] }, what: 'temperature' }, {}, undefined);
  health('a').learned = learned;
  expect(report().target('a', 'm').learned).toEqual([{ what: 'temperature', atMs: 77 }]);
});

test('by attempts: degraded from 10 % failures on, whatever the routing’s own averages are', () => {
  const { health, report } = setUp([sum('a', 10, 1), sum('b', 11, 1), sum('c', 1, 0)]);
  health('a').measured(1, 0);
  expect(
    report()
      .view()
      .providers.map(({ provider, state, errorRate }) => [provider, state, errorRate]),
  ).toEqual([
    ['a', 'degraded', 0.1],
    ['b', 'healthy', 1 / 11],
    ['c', 'healthy', 0],
    ['d', 'no-data', undefined],
    ['off', 'disabled', undefined],
  ]);
  expect(report().target('a', 'm')).not.toHaveProperty('firstTokenMs');
});

test('all keys show by their ids, never their values, and the worst state is the provider’s', () => {
  const { keys, providers, report } = setUp([sum('a', 100, 0)]);
  const [provider] = providers;
  const key = provider?.keys[1];
  if (provider === undefined || key === undefined) return expect.unreachable();
  keys.healthOf(provider, key).coolUntil(700);
  const shown = report().view();
  expect(shown.keys).toHaveLength(8);
  expect(shown.keys.slice(0, 2).map(({ keyId, state, readyInMs }) => [keyId, state, readyInMs])).toEqual([
    ['a1', 'healthy', undefined],
    ['a2', 'rate-limited', 700],
  ]);
  expect(shown.providers[0]?.state).toBe('rate-limited');
  // The other key serves it.
  expect(report().target('a', 'm').state).toBe('healthy');
});

test('a key that cools down for some models shows them, and when the first is ready; other models are not affected', () => {
  const { keys, providers, report } = setUp();
  const [provider] = providers;
  const [key, other] = provider?.keys ?? [];
  if (provider === undefined || key === undefined || other === undefined) return expect.unreachable();
  for (const [model, untilMs] of [
    ['slow', 900],
    ['late', 500],
    ['done', 100],
  ] as const)
    keys.healthFor({ provider, model }, key).coolUntil(untilMs);
  const partly = { state: 'rate-limited', readyInMs: 300, models: ['late', 'slow'] };
  expect(report(200).key('a', 'a1')).toMatchObject(partly);
  keys.healthFor({ provider, model: 'slow' }, other).coolUntil(900);
  expect(['slow', 'late', 'm'].map((model) => report(200).target('a', model).state)).toEqual([
    'rate-limited',
    'no-data',
    'no-data',
  ]);
  keys.healthOf(provider, key).coolUntil(2_000);
  expect(report(200).key('a', 'a1')).toEqual({
    ...{ provider: 'a', keyId: 'a1', attempts: 0, failed: 0, state: 'rate-limited', readyInMs: 1_800 },
  });
});

test('a key that the provider rejected stays rejected until it serves; routing may know of that first', () => {
  const ends = [end('a', { rejectedAtMs: wallMs - 5_000, failedAtMs: wallMs - 5_000, status: 401, code: 'x' })];
  const { keys, providers, report } = setUp([sum('a', 100, 1)], ends);
  const [provider] = providers;
  const [key] = provider?.keys ?? [];
  if (provider === undefined || key === undefined) return expect.unreachable();
  expect(report().key('a', 'a1')).toMatchObject({ state: 'key-rejected', lastError: { status: 401, keyId: 'a1' } });
  expect(report().provider('a').state).toBe('key-rejected');
  const own = keys.healthOf(provider, key);
  own.refuse(0);
  expect(report(61_000).key('a', 'a1')?.state).toBe('key-rejected');
  // The neutral call found that the key works.
  own.succeeded(own.enter(61_000), 61_000);
  expect(report(61_000).key('a', 'a1')?.state).toBe('healthy');
});

test('a key that may not do one thing is not rejected while it serves another; its target is', () => {
  const forbidden = { forbiddenAtMs: wallMs - 5, failedAtMs: wallMs - 5, code: 'x', model: 'large' };
  const serving = setUp([], [end('a', forbidden), end('a', { servedAtMs: wallMs - 9 })]).report();
  expect([serving.key('a', 'a1')?.state, serving.target('a', 'large').state, serving.target('a', 'm').state]).toEqual([
    ...(['no-data', 'key-rejected', 'no-data'] as const),
  ]);
  const useless = setUp([], [end('a', forbidden)]).report();
  expect(useless.key('a', 'a1')?.state).toBe('key-rejected');
});

test('several targets of a model: the worst state, the figures of all', () => {
  const { report } = setUp([sum('a', 10, 5), sum('b', 30, 0)], [end('a', { failedAtMs: 5, code: 'x' })]);
  const targets = ['a', 'b', 'a'].map((name) => ({ provider: { name }, model: 'm' }));
  expect(report().together(targets)).toMatchObject({ state: 'degraded', attempts: 40, failed: 5, errorRate: 0.125 });
});

test('a member sees the state and how quick it is, and neither traffic nor errors', () => {
  const { report } = setUp([sum('a', 10, 5, { firstTokens: '3 9' })], [end('a', { failedAtMs: 5, message: 'acct_1' })]);
  const target = report().target('a', 'm');
  expect(shownHealth('member', target)).toEqual({ state: 'degraded', firstTokenMs: { p50: 3 } });
  for (const role of ['owner', 'admin', 'viewer'] as const) {
    expect(shownHealth(role, target)).toMatchObject({ attempts: 10, lastError: { message: 'acct_1' } });
  }
});
