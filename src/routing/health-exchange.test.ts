/** What is told, what is believed, and what is taken back, with a clock and a board that the tests hold in their hands. */

import { describe, expect, test } from 'bun:test';
import { scriptedProvider } from '../../test/harness/scripted-targets.ts';
import { firstTurn, strayTurn } from './breaker.ts';
import { Catalogue } from './catalogue.ts';
import type { Health } from './health.ts';
import { HealthExchange, healthsOf } from './health-exchange.ts';
import { KeyRing } from './keys.ts';

const target = 'up m';
const opens = `target open ${target}`;
const cools = `target cooling ${target}`;

function replica() {
  const provider = scriptedProvider({ name: 'up', keys: ['one', 'two'] });
  const catalogue = new Catalogue([provider], []);
  const keys = new KeyRing();
  const exchange = new HealthExchange(healthsOf(catalogue, keys));
  const health = catalogue.home('up', 'm')?.health as Health;
  const [key] = provider.keys;
  return { provider, catalogue, keys, exchange, health, keyHealth: () => keys.healthOf(provider, key ?? fail()) };
}

function fail(): never {
  throw new Error('no key');
}

function openBy(health: Health, nowMs: number): void {
  for (let failures = 0; failures < 5; failures++) health.failed(health.enter(nowMs), nowMs);
}

const board = (entries: Readonly<Record<string, number>>) => new Map(Object.entries(entries));

describe('telling', () => {
  test('nothing where nothing is wrong, and once where something is', () => {
    const { exchange, health } = replica();
    expect(exchange.outgoing(0)).toEqual({ put: new Map(), taken: [] });
    health.coolUntil(5_000);
    expect(exchange.outgoing(1_000).put).toEqual(board({ [cools]: 4_000 }));
    expect(exchange.outgoing(1_100).put.size).toBe(0);
    health.coolUntil(5_300);
    expect(exchange.outgoing(1_200).put.size).toBe(0);
    health.coolUntil(9_000);
    expect(exchange.outgoing(1_300).put).toEqual(board({ [cools]: 7_700 }));
  });

  test('targets and keys, open and cooling, each by its name', () => {
    const { exchange, health, keyHealth } = replica();
    openBy(health, 0);
    health.coolUntil(3_000);
    keyHealth().trip(firstTurn, 0);
    expect(exchange.outgoing(0).put).toEqual(board({ [cools]: 3_000, [opens]: 1_000, 'key open up one': 60_000 }));
  });

  test('what is over in a moment is not told', () => {
    const { exchange, health } = replica();
    health.coolUntil(5_000);
    expect(exchange.outgoing(4_950).put.size).toBe(0);
  });

  test('takes back what is no longer true, and not what ran out', () => {
    const { exchange, health, keys, keyHealth } = replica();
    openBy(health, 0);
    keyHealth().trip(firstTurn, 0);
    exchange.outgoing(0);
    // Another key has its name now.
    keys.forget('up', 'one');
    expect(exchange.outgoing(400)).toEqual({ put: new Map(), taken: ['key open up one'] });
    health.succeeded(health.enter(1_000), 1_050);
    expect(exchange.outgoing(1_100).taken).toEqual([]);
  });

  test('goes on saying what only requests that began before it deny', () => {
    const { exchange, health } = replica();
    const earlier = health.enter(0);
    openBy(health, 0);
    exchange.outgoing(0);
    health.succeeded(earlier, 400);
    expect(exchange.outgoing(400)).toEqual({ put: new Map(), taken: [] });
  });

  test('says it again where somebody took it down or the board lost it', () => {
    const { exchange, keyHealth } = replica();
    keyHealth().trip(firstTurn, 0);
    exchange.outgoing(0);
    exchange.incoming(board({ 'key open up one': 59_000 }), 1_000);
    expect(exchange.outgoing(1_000).put.size).toBe(0);
    exchange.incoming(board({}), 2_000);
    expect(exchange.outgoing(2_000).put).toEqual(board({ 'key open up one': 58_000 }));
    exchange.lost();
    expect(exchange.outgoing(3_000).put).toEqual(board({ 'key open up one': 57_000 }));
  });
});

describe('hearing', () => {
  test('of a key that waits for one model leaves it alone for that model only', () => {
    const { exchange, provider, keys } = replica();
    const [key] = provider.keys;
    exchange.incoming(board({ 'key cooling up one vendor/m 2': 700, 'key cooling up nobody m': 700 }), 0);
    const pick = (model: string) => keys.pick({ provider, model }, new Set(['up two']), () => 100)?.id;
    expect([pick('vendor/m 2'), pick('other')]).toEqual([undefined, 'one']);
    if (key === undefined) return expect.unreachable();
    keys.healthFor({ provider, model: 'other' }, key).coolUntil(5_000);
    expect(exchange.outgoing(100).put).toEqual(board({ 'key cooling up one other': 4_900 }));
  });

  test('leaves alone what others leave alone, by its own clock', () => {
    const { exchange, health, provider, keys } = replica();
    exchange.incoming(board({ [opens]: 2_000, 'key cooling up one': 700 }), 10_000);
    expect([health.admits(11_999), health.state(11_999)]).toEqual([false, 'open']);
    expect(keys.pick({ provider }, new Set(), () => 10_600)?.id).toBe('two');
    // Then a single probe, as after a failure of its own.
    expect(health.enter(12_000)).not.toBe(strayTurn);
    expect([health.admits(12_000), health.state(12_000)]).toEqual([false, 'half-open']);
  });

  test('tells nobody what it only heard', () => {
    const { exchange, health } = replica();
    exchange.incoming(board({ [opens]: 60_000, [cools]: 60_000 }), 0);
    expect(health.admits(1)).toBe(false);
    expect(exchange.outgoing(1).put.size).toBe(0);
  });

  test('lets go when it is taken back, and keeps what it saw itself', () => {
    const one = replica();
    one.exchange.incoming(board({ [opens]: 30_000, [cools]: 30_000 }), 0);
    one.exchange.incoming(board({}), 1_000);
    expect([one.health.admits(1_000), one.health.state(1_000)]).toEqual([true, 'ready']);
    const other = replica();
    openBy(other.health, 500);
    other.exchange.incoming(board({ [opens]: 30_000 }), 500);
    expect(other.health.readyAtMs(600)).toBe(30_500);
    other.exchange.incoming(board({}), 1_000);
    expect(other.health.readyAtMs(1_000)).toBe(1_500);
  });

  test('a board that comes back empty takes nothing back', () => {
    const { exchange, health } = replica();
    exchange.incoming(board({ [opens]: 30_000 }), 0);
    exchange.lost();
    exchange.incoming(board({}), 1_000);
    expect(health.admits(29_999)).toBe(false);
  });

  test('its own words, coming back late, hold it no longer', () => {
    const { exchange, health } = replica();
    openBy(health, 0);
    exchange.outgoing(0);
    exchange.incoming(board({ [opens]: 980 }), 100);
    expect(health.readyAtMs(200)).toBe(1_000);
    health.succeeded(health.enter(1_000), 1_050);
    exchange.incoming(board({ [opens]: 650 }), 1_100);
    expect(health.admits(1_100)).toBe(true);
  });

  test('does not close the door on whoever has just served here', () => {
    const { exchange, health } = replica();
    health.succeeded(health.enter(10_000), 10_000);
    exchange.incoming(board({ [opens]: 30_000 }), 10_900);
    expect(health.admits(10_900)).toBe(true);
    exchange.incoming(board({ [opens]: 29_500 }), 11_400);
    expect(health.admits(11_400)).toBe(false);
    // Who asks to wait is believed all the same.
    exchange.incoming(board({ [cools]: 29_000 }), 12_000);
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
    exchange.incoming(board(odd), 0);
    exchange.incoming(board({}), 0);
    expect(health.admits(0)).toBe(true);
    expect([...keys.states()]).toEqual([]);
  });
});
