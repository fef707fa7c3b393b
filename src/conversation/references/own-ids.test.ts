/** Which ids are Weir's own, in every format's spelling, and which may be from before they had a mark. */

import { expect, test } from 'bun:test';
import { isOwnId, mayBeOlderOwnId, ownId } from './own-ids.ts';

const unique = '019a9f3e5b7c7d218c3f0123456789ab';

test.each([
  ['rs_'],
  ['msg_'],
  ['chatcmpl-'],
  ['call_'],
  ['rerank-'],
  ['gen-'],
  [''],
])('an id after %p is recognized', (prefix) => {
  expect(isOwnId(ownId(prefix, unique))).toBe(true);
  expect(isOwnId(prefix + unique)).toBe(false);
});

test('an id after the prefix of another format is recognized', () => {
  expect(isOwnId(`chatcmpl-${ownId('resp_', unique)}`)).toBe(true);
});

test.each([
  ['rs_68af3d0c8e2c81a29d1f0a7b3c5d6e7f8091a2b3c4d5e6f7'],
  ['msg_weirdo'],
  ['weir_'],
  ['rs_weir_a b'],
  ['RS_weir_1'],
  [`rs_weir_${'a'.repeat(65)}`],
  [undefined],
  [{ id: 'rs_weir_1' }],
])('%p is a provider’s, or none', (id) => {
  expect(isOwnId(id)).toBe(false);
});

test('only a UUID of version 7 may be an older one', () => {
  expect(mayBeOlderOwnId(`rs_${unique}`)).toBe(true);
  for (const id of [`rs_${unique.replace('7d21', '4d21')}`, `rs_${unique}00`, unique, undefined]) {
    expect(mayBeOlderOwnId(id)).toBe(false);
  }
});
