/** Which calls count as coming from Weir's own pages. */

import { expect, test } from 'bun:test';
import { isSameOrigin } from './same-origin.ts';

const asked = (headers: Record<string, string>, publicUrl?: string): boolean =>
  isSameOrigin({ headers: new Headers({ host: 'weir.local:8787', ...headers }) }, publicUrl);

test('the browser’s own header counts first', () => {
  expect(asked({ 'sec-fetch-site': 'same-origin' })).toBe(true);
  for (const site of ['cross-site', 'same-site', 'none', '', 'Same-Origin, cross-site'])
    expect(asked({ 'sec-fetch-site': site, origin: 'http://weir.local:8787' })).toBe(false);
});

test('without it the origin must be the requested host', () => {
  expect(asked({ origin: 'http://weir.local:8787' })).toBe(true);
  expect(asked({ origin: 'http://WEIR.local:8787' })).toBe(true);
  for (const origin of ['http://weir.local', 'http://weir.local:8788', 'http://evil.weir.local:8787', 'null', 'x', ''])
    expect(asked({ origin })).toBe(false);
  expect(asked({})).toBe(false);
  expect(isSameOrigin({ headers: new Headers({ origin: 'data:,x' }) }, undefined)).toBe(false);
});

test('or the public URL, which a proxy may hide behind another host', () => {
  expect(asked({ origin: 'https://weir.example' }, 'https://weir.example/gate')).toBe(true);
  expect(asked({ origin: 'http://weir.example' }, 'https://weir.example')).toBe(false);
  expect(asked({ origin: 'https://weir.example.evil' }, 'https://weir.example')).toBe(false);
});
