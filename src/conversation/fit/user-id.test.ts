import { expect, test } from 'bun:test';
import { fittingUserId, userIdFits } from './user-id.ts';

test('an id that fits stays as it is', () => {
  expect(fittingUserId('user-1', { charactersMax: 64 })).toBe('user-1');
  expect(fittingUserId('x'.repeat(64), { charactersMax: 64 })).toBe('x'.repeat(64));
  expect(fittingUserId('a_b-C9', { pattern: '[a-zA-Z0-9_-]+' })).toBe('a_b-C9');
});

test('one that is too long, too short or of other characters becomes its digest, the same one every time', () => {
  const long = `{"account":"${'x'.repeat(120)}"}`;
  const digest = fittingUserId(long, { charactersMax: 64 });
  expect(digest).toMatch(/^[0-9a-f]{64}$/);
  expect(fittingUserId(long, { charactersMax: 64 })).toBe(digest);
  expect(fittingUserId(`${long} `, { charactersMax: 64 })).not.toBe(digest);
  expect(fittingUserId(long, { charactersMax: 32 })).toBe(digest?.slice(0, 32) ?? '');
  expect(fittingUserId('abc', { charactersMin: 6, charactersMax: 128 })).toHaveLength(64);
  expect(fittingUserId('a b', { pattern: '[a-zA-Z0-9_-]+' })).toMatch(/^[0-9a-f]{64}$/);
});

test('a pattern is for the whole id', () => {
  expect(userIdFits('ok!', { pattern: 'o|k' })).toBe(false);
  expect(userIdFits('^', { pattern: '^[a-z]+$' })).toBe(false);
  expect(userIdFits('abc', { pattern: '^[a-z]+$' })).toBe(true);
});
