/** A session's cookie as it is read and written, with and without TLS. */

import { expect, test } from 'bun:test';
import { readCookie, sessionCookie } from './cookies.ts';

test('a cookie is found among others, by its whole name only', () => {
  expect(readCookie('a=1; weir=two; b=3', 'weir')).toBe('two');
  expect(readCookie('weir=first;weir=second', 'weir')).toBe('first');
  expect(readCookie('xweir=1; weirx=2; weir', 'weir')).toBeUndefined();
  expect(readCookie('weir=a=b', 'weir')).toBe('a=b');
  expect(readCookie('', 'weir')).toBeUndefined();
  expect(readCookie(null, 'weir')).toBeUndefined();
});

test('under TLS the name binds it to the host, and the other name does not count', () => {
  const plain = sessionCookie('weir', false);
  const secure = sessionCookie('weir', true);
  expect(plain.write('v', 90_500)).toBe('weir=v; HttpOnly; SameSite=Strict; Path=/; Max-Age=90');
  expect(secure.write('v', 1_000)).toBe('__Host-weir=v; HttpOnly; SameSite=Strict; Path=/; Secure; Max-Age=1');
  expect(secure.write('', 0)).toEndWith('Max-Age=0');
  const headers = new Headers({ cookie: 'weir=plain; __Host-weir=bound' });
  expect([plain.read(headers), secure.read(headers)]).toEqual(['plain', 'bound']);
  expect(secure.read(new Headers({ cookie: 'weir=plain' }))).toBeUndefined();
});
