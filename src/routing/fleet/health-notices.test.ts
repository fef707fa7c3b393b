/** What a replica publishes, accepts and removes, with a clock and a state that the tests control. */

import { describe, expect, test } from 'bun:test';
import { scriptedProvider } from '../../../test/harness/scripted-targets.ts';
import { firstTurn, strayTurn } from '../breaker.ts';
import { Catalogue } from '../catalogue.ts';
import type { Health } from '../health.ts';
import { KeyRing } from '../keys.ts';
import { type ChangeList, FleetView } from './fleet-state.ts';
import { HealthNotices } from './health-notices.ts';
import { healthSource } from './health-source.ts';

const target = 'up m';
const opens = `target open ${target}`;
const cools = `target cooling ${target}`;
const opensKey = 'key open up one';
/** How long the notice of an open circuit stays after its time. */
const keptMs = 3_600_000;

function replica() {
  const provider = scriptedProvider({ name: 'up', keys: ['one', 'two'] });
  const catalogue = new Catalogue([provider], []);
  const keys = new KeyRing();
  const notices = new HealthNotices(healthSource(catalogue, keys));
  const health = catalogue.home('up', 'm')?.health as Health;
  const [key] = provider.keys;
  const view = new FleetView();
  const exchange = {
    /** Times left of states, as they are put, and the removed keys. */
    outgoing(nowMs: number) {
      const changes: ChangeList = { remove: [], put: [], claim: [] };
      notices.outgoing(changes, view, nowMs);
      const put = new Map(changes.put.map(({ key: name, leftMs }) => [name, leftMs - keptOf(name)]));
      return { put, removed: changes.remove.map(({ key: name }) => name), openings: changes.put.map(valueIn) };
    },
    /** What the state has: times left of states. */
    incoming(found: ReadonlyMap<string, number>, nowMs: number, openings = 1) {
      const entries = [...found].map(([name, leftMs]) => ({
        ...{ key: name, value: name.includes(' open ') ? String(openings) : '', leftMs: leftMs + keptOf(name) },
      }));
      view.take({ revision: String(nowMs), claimed: [], entries }, nowMs);
      notices.incoming(view, nowMs);
    },
    lost() {
      view.forget();
      notices.lost();
    },
  };
  return { provider, catalogue, keys, exchange, health, keyHealth: () => keys.healthOf(provider, key ?? fail()) };
}

const valueIn = ({ value }: { readonly value: string }): string => value;
const keptOf = (name: string): number => (name.includes(' open ') ? keptMs : 0);

function fail(): never {
  throw new Error('no key');
}

function openBy(health: Health, nowMs: number): void {
  for (let failures = 0; failures < 5; failures++) health.failed(health.enter(nowMs), nowMs);
}

const notices = (entries: Readonly<Record<string, number>>) => new Map(Object.entries(entries));

describe('publishing', () => {
  test('nothing where nothing is wrong, and once where something is', () => {
    const { exchange, health } = replica();
    expect(exchange.outgoing(0)).toMatchObject({ put: new Map(), removed: [] });
    health.coolUntil(5_000);
    expect(exchange.outgoing(1_000).put).toEqual(notices({ [cools]: 4_000 }));
    expect(exchange.outgoing(1_100).put.size).toBe(0);
    health.coolUntil(5_300);
    expect(exchange.outgoing(1_200).put.size).toBe(0);
    health.coolUntil(9_000);
    expect(exchange.outgoing(1_300).put).toEqual(notices({ [cools]: 7_700 }));
  });

  test('targets and keys, open and cooling, each by its name', () => {
    const { exchange, health, keyHealth } = replica();
    openBy(health, 0);
    health.coolUntil(3_000);
    keyHealth().trip(firstTurn, 0);
    expect(exchange.outgoing(0).put).toEqual(notices({ [cools]: 3_000, [opens]: 1_000, 'key open up one': 60_000 }));
  });

  test('what ends within a moment is not published', () => {
    const { exchange, health } = replica();
    health.coolUntil(5_000);
    expect(exchange.outgoing(4_950).put.size).toBe(0);
  });

  test('removes what is no longer true, and not what ran out', () => {
    const { exchange, health, keys, keyHealth } = replica();
    health.coolUntil(900);
    keyHealth().trip(firstTurn, 0);
    exchange.outgoing(0);
    // Another key has its name now.
    keys.forget('up', 'one');
    expect(exchange.outgoing(400)).toMatchObject({ put: new Map(), removed: [opensKey] });
    expect(exchange.outgoing(1_100).removed).toEqual([]);
  });

  test('an open circuit until a probe has succeeded, and says how often it opened', () => {
    const { exchange, health } = replica();
    openBy(health, 0);
    expect(exchange.outgoing(0)).toEqual({ put: notices({ [opens]: 1_000 }), removed: [], openings: ['1'] });
    expect(exchange.outgoing(60_000)).toMatchObject({ put: new Map(), removed: [] });
    health.failed(health.enter(60_000), 60_000);
    expect(exchange.outgoing(60_000)).toEqual({ put: notices({ [opens]: 2_000 }), removed: [], openings: ['2'] });
    health.succeeded(health.enter(62_000), 62_050);
    expect(exchange.outgoing(62_100)).toMatchObject({ put: new Map(), removed: [opens] });
    expect(exchange.outgoing(62_200)).toMatchObject({ put: new Map(), removed: [] });
  });

  test('removes the notice of another replica once its own probe has succeeded', () => {
    const { exchange, health } = replica();
    exchange.incoming(notices({ [opens]: 1_000 }), 0);
    health.succeeded(health.enter(1_000), 1_050);
    // An answer that was on its way does not open it again.
    exchange.incoming(notices({ [opens]: -60 }), 1_060);
    expect(health.state(1_060)).toBe('ready');
    expect(exchange.outgoing(1_100)).toMatchObject({ put: new Map(), removed: [opens] });
  });

  test('keeps publishing what only requests that began before it contradict', () => {
    const { exchange, health } = replica();
    const earlier = health.enter(0);
    openBy(health, 0);
    exchange.outgoing(0);
    health.succeeded(earlier, 400);
    expect(exchange.outgoing(400)).toMatchObject({ put: new Map(), removed: [] });
  });

  test('publishes again where another replica deleted it or the store lost it', () => {
    const { exchange, keyHealth } = replica();
    keyHealth().trip(firstTurn, 0);
    exchange.outgoing(0);
    exchange.incoming(notices({ 'key open up one': 59_000 }), 1_000);
    expect(exchange.outgoing(1_000).put.size).toBe(0);
    exchange.incoming(notices({}), 2_000);
    expect(exchange.outgoing(2_000).put).toEqual(notices({ 'key open up one': 58_000 }));
    exchange.lost();
    expect(exchange.outgoing(3_000).put).toEqual(notices({ 'key open up one': 57_000 }));
  });
});

describe('receiving', () => {
  test('that a key waits for one model skips it for that model only', () => {
    const { exchange, provider, keys } = replica();
    const [key] = provider.keys;
    exchange.incoming(notices({ 'key cooling up one vendor/m 2': 700, 'key cooling up missing m': 700 }), 0);
    const pick = (model: string) => keys.pick({ provider, model }, new Set(['up two']), () => 100)?.id;
    expect([pick('vendor/m 2'), pick('other')]).toEqual([undefined, 'one']);
    if (key === undefined) return expect.unreachable();
    keys.healthFor({ provider, model: 'other' }, key).coolUntil(5_000);
    expect(exchange.outgoing(100).put).toEqual(notices({ 'key cooling up one other': 4_900 }));
  });

  test('skips what other replicas skip, by its own clock', () => {
    const { exchange, health, provider, keys } = replica();
    exchange.incoming(notices({ [opens]: 2_000, 'key cooling up one': 700 }), 10_000);
    expect([health.admits(11_999), health.state(11_999)]).toEqual([false, 'open']);
    expect(keys.pick({ provider }, new Set(), () => 10_600)?.id).toBe('two');
    // Then a single probe, as after a failure of its own.
    expect(health.enter(12_000)).not.toBe(strayTurn);
    expect([health.admits(12_000), health.state(12_000)]).toEqual([false, 'half-open']);
  });

  test('does not publish what it only received', () => {
    const { exchange, health } = replica();
    exchange.incoming(notices({ [opens]: 60_000, [cools]: 60_000 }), 0);
    expect(health.admits(1)).toBe(false);
    expect(exchange.outgoing(1).put.size).toBe(0);
  });

  test('lets go when it is taken back, and keeps what it saw itself', () => {
    const one = replica();
    one.exchange.incoming(notices({ [opens]: 30_000, [cools]: 30_000 }), 0);
    one.exchange.incoming(notices({}), 1_000);
    expect([one.health.admits(1_000), one.health.state(1_000)]).toEqual([true, 'ready']);
    const other = replica();
    openBy(other.health, 500);
    other.exchange.incoming(notices({ [opens]: 30_000 }), 500);
    expect(other.health.readyAtMs(600)).toBe(30_500);
    other.exchange.incoming(notices({}), 1_000);
    expect(other.health.readyAtMs(1_000)).toBe(1_500);
  });

  test('a store that comes back empty withdraws nothing', () => {
    const { exchange, health } = replica();
    exchange.incoming(notices({ [opens]: 30_000 }), 0);
    exchange.lost();
    exchange.incoming(notices({}), 1_000);
    expect(health.admits(29_999)).toBe(false);
  });

  test('its own notices, coming back late, hold it no longer', () => {
    const { exchange, health } = replica();
    openBy(health, 0);
    exchange.outgoing(0);
    exchange.incoming(notices({ [opens]: 980 }), 100);
    expect(health.readyAtMs(200)).toBe(1_000);
    health.succeeded(health.enter(1_000), 1_050);
    exchange.incoming(notices({ [opens]: -100 }), 1_100);
    expect(health.admits(1_100)).toBe(true);
  });

  test('one whose time is up is half open at a replica that starts later', () => {
    const { exchange, health } = replica();
    exchange.incoming(notices({ [opens]: -60_000 }), 5_000);
    expect(health.state(5_000)).toBe('half-open');
  });

  test('opens for as long as after a failure of the replica that probed before', () => {
    const { exchange, health } = replica();
    exchange.incoming(notices({ [opens]: 4_000 }), 0, 3);
    health.failed(health.enter(4_000), 4_000);
    expect(health.readyAtMs(4_000)).toBe(12_000);
  });

  test('a probe in flight is not forgotten when the same notice comes again', () => {
    const { exchange, health } = replica();
    exchange.incoming(notices({ [opens]: 1_000 }), 0);
    const probe = health.enter(1_000);
    exchange.incoming(notices({ [opens]: 20 }), 1_000);
    exchange.lost();
    exchange.incoming(notices({ [opens]: -20 }), 1_100);
    expect(health.admits(1_100)).toBe(false);
    health.succeeded(probe, 1_200);
    expect(health.state(1_200)).toBe('ready');
  });

  test('another replica has probed: what failed here before is over', () => {
    const { exchange, health } = replica();
    openBy(health, 0);
    exchange.outgoing(0);
    exchange.incoming(notices({ [opens]: 1_000 }), 0);
    exchange.incoming(notices({}), 1_300);
    expect([health.state(1_300), exchange.outgoing(1_400).removed]).toEqual(['ready', []]);
  });

  test('does not open the breaker of a target that has just served here', () => {
    const { exchange, health } = replica();
    health.succeeded(health.enter(10_000), 10_000);
    exchange.incoming(notices({ [opens]: 30_000 }), 10_900);
    expect(health.admits(10_900)).toBe(true);
    exchange.incoming(notices({ [opens]: 29_500 }), 11_400);
    expect(health.admits(11_400)).toBe(false);
    // A cooldown is accepted all the same.
    exchange.incoming(notices({ [cools]: 29_000 }), 12_000);
    expect(health.isCooling(12_100)).toBe(true);
  });

  test('unknown names and nonsense pass', () => {
    const { exchange, health, keys } = replica();
    const odd = {
      'target open elsewhere m': 9,
      'key open up three': 9,
      'key open': 9,
      '': 9,
      'x y z': 9,
      'target shut up m': 9,
    };
    exchange.incoming(notices(odd), 0);
    exchange.incoming(notices({}), 0);
    expect(health.admits(0)).toBe(true);
    expect([...keys.states()]).toEqual([]);
  });
});
