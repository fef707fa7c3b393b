/** What the headers of a page forbid. */

import { expect, test } from 'bun:test';
import { pageHeaders } from './page-headers.ts';

test('a page runs no inline script and no eval, cannot be framed and contacts only its own origin', () => {
  const headers = pageHeaders({ contentType: 'text/html; charset=utf-8' });
  const policy = new Map(
    (headers['content-security-policy'] ?? '').split('; ').map((rule) => {
      const [name = '', ...sources] = rule.split(' ');
      return [name, sources] as const;
    }),
  );
  expect(policy.get('default-src')).toEqual(["'none'"]);
  expect(policy.get('script-src')).toEqual(["'self'"]);
  expect(policy.get('connect-src')).toEqual(["'self'"]);
  expect(policy.get('frame-ancestors')).toEqual(["'none'"]);
  expect(policy.get('base-uri')).toEqual(["'none'"]);
  expect(headers['content-security-policy']).not.toMatch(/unsafe|https?:|\*/);
  expect(headers['x-content-type-options']).toBe('nosniff');
  expect(headers['referrer-policy']).toBe('no-referrer');
  expect(headers['cache-control']).toBe('no-cache');
  expect(pageHeaders({ contentType: 'text/css', immutable: true })['cache-control']).toContain('immutable');
});
