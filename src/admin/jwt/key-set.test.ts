/** Keys of an issuer over time: one reading for many callers, pauses, and an issuer that does not answer. */

import { describe, expect, test } from 'bun:test';
import { createKeySet, keySetBounds } from './key-set.ts';

const config = { name: 'ci', issuer: 'https://id.example', jwksUrl: undefined };

function setUp(metadata: object = { issuer: config.issuer, jwks_uri: 'https://id.example/keys' }) {
  const state = { nowMs: 1_000_000, isAway: false, asked: [] as string[], kid: 'first' };
  const set = createKeySet({
    config,
    nowMs: () => state.nowMs,
    warn: () => undefined,
    async send(url) {
      state.asked.push(url);
      if (state.isAway) throw new Error('connection refused');
      return url.endsWith('/keys')
        ? Response.json({ keys: [{ kty: 'OKP', kid: state.kid }] })
        : Response.json(metadata);
    },
  });
  const kid = async () => (await set.get()).keys[0]?.kid;
  const fault = () => set.get().catch((error: unknown) => String(error));
  return { state, set, kid, fault };
}

describe('keys of an issuer', () => {
  test('are read once for callers at the same time, and then kept', async () => {
    const { state, kid } = setUp();
    expect(await Promise.all([kid(), kid(), kid()])).toEqual(['first', 'first', 'first']);
    state.nowMs += keySetBounds.freshForMs - 1;
    await kid();
    expect(state.asked).toEqual(['https://id.example/.well-known/openid-configuration', 'https://id.example/keys']);
  });

  test('are read again for an unknown key, with a pause between two readings', async () => {
    const { state, set, kid } = setUp();
    await kid();
    state.kid = 'second';
    expect(await set.again()).toBeUndefined();
    state.nowMs += keySetBounds.pauseMs;
    expect((await set.again())?.keys[0]?.kid).toBe('second');
    expect(await set.again()).toBeUndefined();
    expect(await kid()).toBe('second');
  });

  test('count for a day while the issuer is away, and no caller waits for it', async () => {
    const { state, set, kid, fault } = setUp();
    await kid();
    state.isAway = true;
    state.nowMs += keySetBounds.staleForMs - 1;
    expect(await kid()).toBe('first');
    // The reading in the background fails.
    expect(await set.again()).toBeUndefined();
    state.nowMs += keySetBounds.pauseMs;
    expect(await fault()).toContain('SignInRefusal');
    const { length } = state.asked;
    // It is not asked for each request.
    expect(await fault()).toContain('SignInRefusal');
    expect(state.asked.length).toBe(length);
    expect(await set.again()).toBeUndefined();
    state.isAway = false;
    state.nowMs += keySetBounds.pauseMs;
    expect(await kid()).toBe('first');
  });

  test('are not taken from metadata of another issuer', async () => {
    const { state, fault } = setUp({ issuer: 'https://evil.example', jwks_uri: 'https://evil.example/keys' });
    expect(await fault()).toContain('another issuer');
    expect(state.asked.length).toBe(1);
  });
});
