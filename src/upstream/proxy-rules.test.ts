import { describe, expect, test } from 'bun:test';
import { createProxyRule, noProxy } from './proxy-rules.ts';

const both = { http: 'http://plain:1', https: 'http://secure:2' };
const rule = (exceptions: readonly string[] = [], own?: string) =>
  createProxyRule({ proxy: both, noProxy: exceptions }, own);

describe('the proxy of an address', () => {
  test('follows its scheme, also that of a socket', () => {
    const urls = ['http://a.example/x', 'https://a.example/x', 'ws://a.example', 'wss://a.example'];
    expect(urls.map(rule())).toEqual([both.http, both.https, both.http, both.https]);
  });

  test('is none where none is set, or the provider wants none', () => {
    expect(createProxyRule({ proxy: { http: undefined, https: undefined }, noProxy: [] }, undefined)).toBe(noProxy);
    expect(rule([], 'none')).toBe(noProxy);
    expect(createProxyRule({ proxy: { ...both, http: undefined }, noProxy: [] }, undefined)('http://a.example')).toBe(
      undefined,
    );
  });

  test('is the provider’s own for every scheme', () => {
    const own = rule(['b.example'], 'http://own:3');
    expect(['http://a.example', 'https://a.example', 'http://127.0.0.1:1', 'https://b.example'].map(own)).toEqual([
      'http://own:3',
      'http://own:3',
      'http://own:3',
      undefined,
    ]);
  });

  test.each([
    'localhost',
    'LOCALHOST',
    'a.localhost',
    '127.0.0.1',
    '127.8.9.1',
    '[::1]',
    '2130706433',
  ])('is none for this machine: %s', (host) => {
    expect(rule()(`http://${host}:8000/v1`)).toBeUndefined();
  });
});

describe('an exception', () => {
  test.each([
    ['a.example', ['https://a.example', 'https://b.a.example/v1'], ['https://ba.example', 'https://a.example.org']],
    ['.a.example', ['https://a.example', 'https://b.a.example'], ['https://xa.example']],
    ['*.a.example', ['https://b.a.example'], ['https://b.example']],
    ['A.Example:8443', ['https://a.example:8443'], ['https://a.example', 'https://a.example:443']],
    ['a.example:443', ['https://a.example'], ['http://a.example']],
    ['10.0.0.0/8', ['http://10.1.2.3', 'http://10.255.0.1:9'], ['http://11.0.0.1', 'http://a10.0.0.1.example']],
    ['192.168.1.5', ['http://192.168.1.5:1'], ['http://192.168.1.50']],
    ['fd00::/8', ['http://[fd00::1]:8'], ['http://[fe80::1]']],
    ['2001:db8::1', ['http://[2001:db8:0::1]'], ['http://[2001:db8::2]']],
    ['*', ['https://any.example', 'http://1.2.3.4'], []],
    ['10.0.0.0/99', [], ['http://10.0.0.1']],
    ['', [], ['https://a.example']],
  ])('%s', (entry, inside, outside) => {
    const decide = rule([entry]);
    expect(inside.map(decide)).toEqual(inside.map(() => undefined));
    expect(outside.every((url) => decide(url) !== undefined)).toBe(true);
  });
});
