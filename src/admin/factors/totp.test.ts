/** One-time codes against the vectors of RFC 6238, and which of them are accepted when. */

import { expect, test } from 'bun:test';
import { base32, codeOfStep, otpauthUri, stepOfCode, timeStepOf } from './totp.ts';

const secret = new TextEncoder().encode('12345678901234567890');

/** RFC 6238, appendix B: the last six of its eight digits. */
for (const [seconds, digits] of [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
] as const) {
  test(`at second ${seconds} the code is ${digits}`, () => {
    expect(codeOfStep(secret, timeStepOf(seconds * 1_000))).toBe(digits);
  });
}

test('a code works one step early and late, not two, and never behind the last used step', () => {
  const atMs = 1_111_111_111_000;
  const now = timeStepOf(atMs);
  const found = (step: number, lastStep = 0): number | undefined =>
    stepOfCode(secret, codeOfStep(secret, step), atMs, lastStep);
  expect([now - 1, now, now + 1].map((step) => found(step))).toEqual([now - 1, now, now + 1]);
  expect([found(now - 2), found(now + 2)]).toEqual([undefined, undefined]);
  expect([found(now, now), found(now - 1, now), found(now + 1, now)]).toEqual([undefined, undefined, now + 1]);
});

test('spaces in a code do not matter; anything else does', () => {
  const atMs = 59_000;
  expect(stepOfCode(secret, ' 287 082 ', atMs, 0)).toBe(1);
  for (const code of ['', '28708', '2870822', '287081', 'abcdef'])
    expect(stepOfCode(secret, code, atMs, 0)).toBeUndefined();
});

/** RFC 4648, section 10, without padding. */
for (const [text, encoded] of [
  ['', ''],
  ['f', 'MY'],
  ['fo', 'MZXQ'],
  ['foo', 'MZXW6'],
  ['foob', 'MZXW6YQ'],
  ['fooba', 'MZXW6YTB'],
  ['foobar', 'MZXW6YTBOI'],
] as const) {
  test(`base32 of "${text}"`, () => expect(base32(new TextEncoder().encode(text))).toBe(encoded));
}

test('the URI names issuer and account, and a long name in any script is shortened', () => {
  const uri = otpauthUri(secret, 'ann@example.org', 'weir.example');
  expect(uri).toBe(
    'otpauth://totp/Weir%20weir.example%3Aann%40example.org?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Weir%20weir.example',
  );
  const long = otpauthUri(secret, '名'.repeat(100), 'weir.example');
  expect(long.length).toBeLessThan(300);
  expect(() => decodeURIComponent(long)).not.toThrow();
});
