import { expect, test } from 'bun:test';
import { knownHosts, properHost } from './host-names.ts';

const knows = knownHosts({
  host: 'box.lan',
  publicUrl: 'https://Weir.example.com/x',
  allowedHosts: ['Weir', 'w.internal'],
});

test.each([
  null,
  '',
  'localhost',
  'LOCALHOST:8787',
  'a.localhost',
  '127.0.0.1:80',
  '192.168.1.5',
  '[::1]:8787',
  'box.lan',
  'weir.example.com',
  'WEIR:1',
  'w.internal:99',
])('answers to %p', (host) => expect(knows(host)).toBe(true));

test.each([
  'evil.test',
  'evil.test:8787',
  'localhost.evil.test',
  '127.0.0.1.evil.test',
  'x/y?',
  'a, b',
  'a@localhost',
  '[::1',
  'box.lan.',
])('does not answer to %p', (host) => expect(knows(host)).toBe(false));

test('only a proper host goes into an address', () => {
  expect(properHost('a.b:80')).toBe('a.b:80');
  for (const odd of [null, '', 'x/y?', 'a b', 'a@b', 'a#b', '[::1', 'a:99999999', 'a, b'])
    expect(properHost(odd)).toBeUndefined();
});
