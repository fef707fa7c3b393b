/** A sealed text opens only in its row, with the key it names, or with the oldest where it is older than names. */

import { expect, test } from 'bun:test';
import { createCipheriv } from 'node:crypto';
import { fixedKeys } from '../../test/harness/fixed-keys.ts';
import { derive, keyIdOf, SecretRing } from './key-ring.ts';
import { createSealing, sealedBy, sealedPrefix } from './sealing.ts';

const old = new Uint8Array(32).fill(7);
const fresh = new Uint8Array(32).fill(8);
const sealing = createSealing(fixedKeys(old));
const row = ['console', 'provider key', 'up', 'key-1'];

/** As texts were sealed before keys had ids. */
function sealedBefore(key: Uint8Array, text: string): string {
  const cipher = createCipheriv('aes-256-gcm', key, new Uint8Array(12));
  cipher.setAAD(Buffer.from(JSON.stringify(row)));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([new Uint8Array(12), cipher.getAuthTag(), sealed]).toString('base64');
}

test('opens only where it was sealed, with the same secret, whole', async () => {
  const sealed = sealing.seal(row, 'sk-canary');
  expect(sealed).toStartWith(sealedPrefix(keyIdOf(old)));
  expect(sealedBy(sealed)).toBe(keyIdOf(old));
  expect(Buffer.from(sealed.slice(11), 'base64').toString('latin1')).not.toContain('canary');
  expect(sealing.seal(row, 'sk-canary')).not.toBe(sealed);
  expect(await sealing.open(row, sealed)).toBe('sk-canary');
  expect(await sealing.open(['console', 'provider key', 'up', 'key-2'], sealed)).toBeUndefined();
  expect(await sealing.open(['console', 'provider key', 'other', 'key-1'], sealed)).toBeUndefined();
  expect(await createSealing(fixedKeys(fresh)).open(row, sealed)).toBeUndefined();
  // In the middle: the last letters of such a text may mean nothing.
  const middle = Math.floor(sealed.length / 2);
  const bent = sealed.slice(0, middle) + (sealed[middle] === 'A' ? 'B' : 'A') + sealed.slice(middle + 1);
  expect(await sealing.open(row, bent)).toBeUndefined();
  // Under another key's name it does not open with ours.
  const renamed = sealed.replace(keyIdOf(old), keyIdOf(fresh));
  expect(await createSealing(fixedKeys(old, fresh)).open(row, renamed)).toBeUndefined();
  for (const wrong of ['', '1.', '2.abc', '2.', 'plain', `${sealedPrefix(keyIdOf(old))}`, 'sealed key-1']) {
    expect(await sealing.open(row, wrong)).toBeUndefined();
  }
});

test('an older key of the ring still opens what it sealed, and the newest seals', async () => {
  const both = createSealing(fixedKeys(fresh, old));
  expect(await both.open(row, sealing.seal(row, 'of old'))).toBe('of old');
  expect(sealedBy(both.seal(row, 'x'))).toBe(keyIdOf(fresh));
  expect(await sealing.open(row, both.seal(row, 'x'))).toBeUndefined();
});

test.each([
  '1.',
  '',
])('what was sealed before keys had ids, beginning with %p, opens with any key of the ring', async (before) => {
  const sealed = before + sealedBefore(old, 'of long ago');
  expect(await sealing.open(row, sealed)).toBe('of long ago');
  expect(await createSealing(fixedKeys(fresh, old)).open(row, sealed)).toBe('of long ago');
  expect(await createSealing(fixedKeys(fresh)).open(row, sealed)).toBeUndefined();
  expect(sealedBy(sealed)).toBeUndefined();
});

test('a text that names an unknown key is a reason to look for newer ones, a known or damaged one is not', async () => {
  let readings = 0;
  const ring = new SecretRing([old], async () => {
    readings++;
    return [fresh, old];
  });
  const here = createSealing(ring.purpose('kept-replies'));
  const there = createSealing(new SecretRing([fresh, old]).purpose('kept-replies'));
  const own = here.seal(row, 'own');
  expect(await here.open(row, own)).toBe('own');
  expect(await here.open(row, 'damaged')).toBeUndefined();
  expect(readings).toBe(0);
  expect(await here.open(row, there.seal(row, 'theirs'))).toBe('theirs');
  expect(readings).toBe(1);
  expect(sealedBy(here.seal(row, 'x'))).toBe(keyIdOf(fresh));
  expect(await here.open(row, own)).toBe('own');
});

test('a key’s id reveals nothing about it, and keys of other purposes differ', () => {
  expect(keyIdOf(old)).toMatch(/^[0-9a-f]{8}$/);
  expect(keyIdOf(old)).not.toBe(keyIdOf(fresh));
  expect(old.toHex()).not.toContain(keyIdOf(old));
  expect(derive(old, 'a')).not.toEqual(derive(old, 'b'));
});

test('bytes that are no text come back as they were', async () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
  const sealed = sealing.sealBytes(row, bytes);
  expect(new Uint8Array((await sealing.openBytes(row, sealed)) ?? [])).toEqual(bytes);
  expect(await sealing.openBytes(['elsewhere'], sealed)).toBeUndefined();
});
