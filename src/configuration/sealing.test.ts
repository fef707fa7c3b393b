import { expect, test } from 'bun:test';
import { createSealing } from './sealing.ts';

const sealing = createSealing(new Uint8Array(32).fill(7));
const place = ['provider key', 'up', 'key-1'];

test('opens only where it was sealed, with the same secret, whole', () => {
  const sealed = sealing.seal(place, 'sk-canary');
  expect(sealed).not.toContain('canary');
  expect(Buffer.from(sealed.slice(2), 'base64').toString('latin1')).not.toContain('canary');
  expect(sealing.seal(place, 'sk-canary')).not.toBe(sealed);
  expect(sealing.open(place, sealed)).toBe('sk-canary');
  expect(sealing.open(['provider key', 'up', 'key-2'], sealed)).toBeUndefined();
  expect(sealing.open(['provider key', 'other', 'key-1'], sealed)).toBeUndefined();
  expect(createSealing(new Uint8Array(32).fill(8)).open(place, sealed)).toBeUndefined();
  // In the middle: the last letters of such a text may mean nothing.
  const middle = Math.floor(sealed.length / 2);
  const bent = sealed.slice(0, middle) + (sealed[middle] === 'A' ? 'B' : 'A') + sealed.slice(middle + 1);
  expect(sealing.open(place, bent)).toBeUndefined();
  for (const wrong of ['', '1.', '2.abc', 'plain']) expect(sealing.open(place, wrong)).toBeUndefined();
});
