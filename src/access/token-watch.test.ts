/**
 * Proves that running work ends with its token, and that each token is checked once after a change and not otherwise.
 */

import { describe, expect, test } from 'bun:test';
import { until } from '../../test/harness/until.ts';
import { GatewayError } from '../conversation/gateway-error.ts';
import { type TokenUse, TokenWatch } from './token-watch.ts';

const revoked = () => new GatewayError('token_disabled', 'The token was revoked.');

class ScriptedUse implements TokenUse {
  readonly caller: TokenUse['caller'];
  readonly ends: string[] = [];

  constructor(tokenId: string, expiresAtMs?: number) {
    this.caller = { tokenId, expiresAtMs };
  }

  endUse({ code }: GatewayError): void {
    this.ends.push(code);
  }
}

function setUp(...running: TokenUse[]) {
  const asked: string[] = [];
  const refusals = new Map<string, GatewayError>();
  const expiries = new Map<string, number>();
  const clock = { nowMs: 1_000, wallMs: 5_000 };
  const store = { away: false };
  const watch = new TokenWatch({
    async standingOf(tokenId) {
      asked.push(tokenId);
      if (store.away) throw new GatewayError('store_unavailable', 'away');
      return { refusal: refusals.get(tokenId), expiresAtMs: expiries.get(tokenId) };
    },
    running: () => running,
    nowMs: () => clock.nowMs,
    wallMs: () => clock.wallMs,
    warn: () => undefined,
  });
  return { watch, asked, refusals, expiries, clock, store };
}

describe('a change of tokens', () => {
  test('checks each token with running work once, and ends the work of removed tokens', async () => {
    const uses = [new ScriptedUse('a'), new ScriptedUse('a'), new ScriptedUse('b')];
    const { watch, asked, refusals } = setUp(...uses);
    watch.poll();
    expect(asked).toEqual([]);
    refusals.set('a', revoked());
    watch.changed();
    await until(() => uses[1]?.ends.length === 1);
    expect(asked.sort()).toEqual(['a', 'b']);
    expect(uses.map(({ ends }) => ends)).toEqual([['token_disabled'], ['token_disabled'], []]);
  });

  test('is not forgotten while the database is unavailable', async () => {
    const use = new ScriptedUse('a');
    const { watch, asked, refusals, store } = setUp(use);
    refusals.set('a', revoked());
    store.away = true;
    watch.changed();
    await until(() => asked.length === 1);
    expect(use.ends).toEqual([]);
    store.away = false;
    await until(() => {
      watch.poll();
      return use.ends.length > 0;
    });
    expect(use.ends).toEqual(['token_disabled']);
  });

  test('checks a connection by its own credential, and an unavailable database ends none', async () => {
    const { watch } = setUp();
    let refusal = new GatewayError('store_unavailable', 'away');
    let asks = 0;
    const readmit = async (): Promise<TokenUse['caller']> => {
      asks++;
      throw refusal;
    };
    const connection = Object.assign(new ScriptedUse('a'), { readmit });
    const unwatch = watch.watch(connection, 2_000);
    watch.changed();
    await until(() => asks === 1);
    expect(connection.ends).toEqual([]);
    refusal = new GatewayError('token_expired', 'rotated');
    await until(() => {
      watch.poll();
      return connection.ends.length > 0;
    });
    const before = asks;
    unwatch();
    watch.changed();
    watch.poll();
    expect([connection.ends, asks]).toEqual([['token_expired'], before]);
  });

  test('reaches requests and connections that came in before it and begin after it', async () => {
    const { watch, refusals, clock } = setUp();
    expect(watch.confirm({ tokenId: 'a' }, 900)).toBeUndefined();
    watch.changed();
    refusals.set('a', revoked());
    expect(watch.confirm({ tokenId: 'a' }, clock.nowMs)).toBeUndefined();
    expect(watch.confirm({ tokenId: 'a' }, 900)).rejects.toMatchObject({ code: 'token_disabled' });
    expect(watch.confirm({ tokenId: 'b' }, 900)).resolves.toBeUndefined();
    const connection = new ScriptedUse('a');
    watch.watch(connection, 900);
    await until(() => connection.ends.length === 1);
  });
});

test('what runs for a token ends when it expires, unless it lives longer by now', async () => {
  const [expiring, prolonged, other] = [new ScriptedUse('a', 6_000), new ScriptedUse('b', 6_000), new ScriptedUse('c')];
  const { watch, asked, refusals, clock } = setUp(expiring, prolonged, other);
  refusals.set('a', new GatewayError('token_expired', 'expired'));
  clock.wallMs = 5_999;
  watch.poll();
  expect(asked).toEqual([]);
  clock.wallMs = 6_000;
  watch.poll();
  await until(() => expiring.ends.length === 1);
  expect(asked.sort()).toEqual(['a', 'b']);
  expect([prolonged.ends, other.ends]).toEqual([[], []]);
});

test('an expiry that was set while it ran counts, and one that was put off does not', async () => {
  const [sooner, later] = [new ScriptedUse('a'), new ScriptedUse('b', 6_000)];
  const { watch, asked, refusals, expiries, clock } = setUp(sooner, later);
  expiries.set('a', 6_000);
  expiries.set('b', 9_000);
  watch.changed();
  await until(() => asked.length === 2);
  refusals.set('a', new GatewayError('token_expired', 'expired'));
  clock.wallMs = 6_000;
  watch.poll();
  await until(() => sooner.ends.length === 1);
  expect([asked.sort(), later.ends]).toEqual([['a', 'a', 'b'], []]);
});
