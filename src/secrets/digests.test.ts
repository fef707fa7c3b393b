/** Digests are made with the newest key and found under every key, newer ones that came meanwhile included. */

import { expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { fixedKeys } from '../../test/harness/fixed-keys.ts';
import { bareDigest, createDigests, splitDigest } from './digests.ts';
import { keyIdOf, SecretRing } from './key-ring.ts';
import { createSigning } from './signing.ts';

const old = new Uint8Array(32).fill(7);
const fresh = new Uint8Array(32).fill(8);

test('the digest is HMAC-SHA-256 under its key, behind the key’s id, again and again', () => {
  const { of } = createDigests(fixedKeys(old));
  for (const text of ['weir_a', 'b'.repeat(512), 'weir_a']) {
    const hex = createHmac('sha256', old).update(text).digest('hex');
    expect(of(text)).toBe(`${keyIdOf(old)}:${hex}`);
    expect(bareDigest(of(text))).toBe(hex);
    expect(splitDigest(of(text))).toEqual([hex, keyIdOf(old)]);
  }
  expect(splitDigest('abc')).toEqual(['abc', null]);
  expect(createDigests(fixedKeys(fresh)).of('weir_a')).not.toBe(of('weir_a'));
});

test('is looked up by the newest key first, and reports an older digest that was found', async () => {
  const asked: string[] = [];
  const digests = createDigests(fixedKeys(fresh, old));
  const olderDigest = createDigests(fixedKeys(old)).of('t');
  const look = (known: string) => async (digest: string) => {
    asked.push(digest);
    return digest === known ? 'found' : undefined;
  };
  expect(await digests.find('t', look(digests.of('t')))).toEqual({ found: 'found', olderDigest: undefined });
  expect(asked.splice(0)).toEqual([digests.of('t')]);
  expect(await digests.find('t', look(olderDigest))).toEqual({ found: 'found', olderDigest });
  expect(asked.splice(0)).toEqual([digests.of('t'), olderDigest]);
  expect(await digests.find('t', look('none'))).toBeUndefined();
  expect(asked).toHaveLength(2);
});

test('with one key there is one look-up', async () => {
  let looks = 0;
  const nothing = async () => {
    looks++;
    return undefined;
  };
  expect(await createDigests(fixedKeys(old)).find('t', nothing)).toBeUndefined();
  expect(looks).toBe(1);
});

test('what is not found is looked for again once there is a newer key', async () => {
  const ring = new SecretRing([old], async () => [fresh, old]);
  const digests = createDigests(ring.purpose('token-digest'));
  const theirs = createDigests(new SecretRing([fresh]).purpose('token-digest')).of('t');
  expect(digests.of('t')).not.toBe(theirs);
  const found = await digests.find('t', async (digest) => (digest === theirs ? 1 : undefined));
  expect(found).toEqual({ found: 1, olderDigest: undefined });
  expect(digests.of('t')).toBe(theirs);
});

test('signatures count from every key of the ring and from one that came meanwhile', async () => {
  const [mine, theirs] = [createSigning(fixedKeys(old)), createSigning(fixedKeys(fresh, old))];
  expect(await theirs.isSigned('a', mine.sign('a'))).toBe(true);
  expect(await mine.isSigned('a', theirs.sign('a'))).toBe(false);
  expect(await theirs.isSigned('b', theirs.sign('a'))).toBe(false);
  const ring = new SecretRing([old], async () => [fresh, old]);
  const here = createSigning(ring.purpose('task-address'));
  const there = createSigning(new SecretRing([fresh]).purpose('task-address'));
  expect(await here.isSigned('a', there.sign('a'))).toBe(true);
  for (const wrong of ['', 'ä'.repeat(32), '0'.repeat(64)]) expect(await here.isSigned('a', wrong)).toBe(false);
});
