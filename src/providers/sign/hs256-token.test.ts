/** Tokens that are signed here: what they say, that the signature is that of the standard, and how long one is kept. */

import { describe, expect, test } from 'bun:test';
import { createHs256Tokens } from './hs256-token.ts';

const startMs = Date.parse('2026-11-15T00:00:00.900Z');
const pair = { id: 'access-key', secret: 'a secret of some length' };
const key = { id: 'k', value: `${pair.id}:${pair.secret}` };

function tokens() {
  const clock = { nowMs: startMs };
  const made = createHs256Tokens(() => clock.nowMs);
  return { clock, ask: (given = key) => made.tokenFor(given, pair) };
}

const decoded = (part: string | undefined) => JSON.parse(new TextDecoder().decode(bytesOf(part)));
const bytesOf = (part = '') => Uint8Array.fromBase64(part, { alphabet: 'base64url' });

/** By the other implementation of the same standard. */
async function isSignedWith(secret: string, token: string): Promise<boolean> {
  const [head, claims, signature] = token.split('.');
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const text = new TextEncoder();
  const hmac = await crypto.subtle.importKey('raw', text.encode(secret), algorithm, false, ['verify']);
  return crypto.subtle.verify('HMAC', hmac, bytesOf(signature), text.encode(`${head}.${claims}`));
}

describe('a signed token', () => {
  test('says who asks, from a little before now until half an hour later', () => {
    const [head, claims] = tokens().ask().split('.');
    const nowSeconds = Math.floor(startMs / 1_000);
    expect(decoded(head)).toEqual({ alg: 'HS256', typ: 'JWT' });
    expect(decoded(claims)).toEqual({ iss: 'access-key', exp: nowSeconds + 1_800, nbf: nowSeconds - 5 });
  });

  test('is signed with the secret, holds neither it nor padding, and no other secret fits', async () => {
    const token = tokens().ask();
    expect(token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(Buffer.from(token, 'base64url').toString()).not.toContain(pair.secret);
    expect(await isSignedWith(pair.secret, token)).toBe(true);
    expect(await isSignedWith('another secret', token)).toBe(false);
  });

  test('is kept until shortly before it expires', () => {
    const { clock, ask } = tokens();
    const first = ask();
    clock.nowMs = startMs + 1_800_000 - 120_001;
    expect(ask()).toBe(first);
    clock.nowMs += 1;
    expect(ask()).not.toBe(first);
  });

  test('belongs to its key alone', () => {
    const { clock, ask } = tokens();
    const first = ask();
    clock.nowMs += 1_000;
    expect(ask({ ...key, id: 'other' })).not.toBe(first);
    expect(ask()).toBe(first);
  });
});
