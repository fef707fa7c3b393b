/** Proves that a sign-in leads to our own pages and nowhere else. */

import { expect, test } from 'bun:test';
import { wayBack } from './session-gate.tsx';

for (const [wanted, leads] of [
  ['/console/tokens?token=a', '/console/tokens?token=a'],
  ['/console', '/console'],
  ['/console?range=1h', '/console?range=1h'],
  [undefined, '/console'],
  ['/consolex', '/console'],
  ['//evil.example/console', '/console'],
  ['https://evil.example/console', '/console'],
  ['/console/sign-in?to=/console/sign-in', '/console'],
  ['javascript:alert(1)', '/console'],
] as const) {
  test(`${wanted ?? 'nothing'} leads to ${leads}`, () => expect(wayBack(wanted)).toBe(leads));
}
