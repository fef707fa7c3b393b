/** Request heads: what they always hold, and that nothing can be smuggled into them. */

import { describe, expect, test } from 'bun:test';
import type { UpstreamRequest } from '../transport.ts';
import { readRoute } from './origin.ts';
import { requestHead } from './request-head.ts';

const signal = new AbortController().signal;
const head = (headers: Record<string, string>, url = 'http://example.test/v1/chat?q=1#part', bodyBytes?: number) => {
  const request: UpstreamRequest = { url, method: 'POST', headers, signal };
  return requestHead(request, readRoute(url), bodyBytes);
};

describe('a request head', () => {
  test('is written in one string', () => {
    expect(head({ authorization: 'Bearer sk' }, undefined, 12)).toBe(
      'POST /v1/chat?q=1 HTTP/1.1\r\nhost: example.test\r\nconnection: keep-alive\r\nauthorization: Bearer sk\r\n' +
        'accept: */*\r\naccept-encoding: identity\r\ncontent-length: 12\r\n\r\n',
    );
  });

  test('says whether the connection is used again, also where its headers are known', () => {
    const url = 'http://example.test/v1';
    const route = readRoute(url);
    const headers = Object.freeze({ authorization: 'Bearer sk' });
    const text = (isLast?: boolean) => requestHead({ url, method: 'POST', headers, isLast, signal }, route, 1);
    const kept = [text(), text(true), text(false), text(true)].map((each) => /connection: (\S+)/.exec(each)?.[1]);
    expect(kept).toEqual(['keep-alive', 'close', 'keep-alive', 'close']);
  });

  test('keeps the caller’s headers and drops its framing', () => {
    const text = head({
      'accept-encoding': 'gzip',
      'content-length': '999',
      'transfer-encoding': 'chunked',
      connection: 'upgrade',
      host: 'other.test',
    });
    expect(text).toContain('accept-encoding: gzip\r\n');
    expect(text).not.toContain('identity');
    expect(text).toContain('host: other.test\r\n');
    expect(text).toContain('content-length: 0\r\n');
    expect(text).not.toContain('999');
    expect(text).not.toContain('chunked');
    expect(text).not.toContain('upgrade');
  });

  test.each(['a\r\nb: c', 'a\nb', 'a\rb', 'a\0b', 'key…', 'a\u010ab'])('refuses the value %j', (value) => {
    expect(() => head({ 'x-name': value })).toThrow(TypeError);
  });

  test.each(['', 'a b', 'a:', 'a\r\nb', 'ä'])('refuses the name %j', (name) => {
    expect(() => head({ [name]: 'value' })).toThrow(TypeError);
  });

  test('never shows the value it refuses', () => {
    expect(() => head({ authorization: 'Bearer sk-secret\n' })).not.toThrow(/sk-secret/);
    expect(() => head({ authorization: 'Bearer sk-secret\n' })).toThrow(/authorization/);
  });
});

describe('a route', () => {
  test.each([
    ['http://h.test/a', { host: 'h.test', port: 80, secure: false }, 'h.test'],
    ['https://h.test/a', { host: 'h.test', port: 443, secure: true }, 'h.test'],
    ['http://[::1]:81/a', { host: '::1', port: 81, secure: false }, '[::1]:81'],
  ])('of %s', (url, origin, authority) => {
    const route = readRoute(url);
    expect(route.origin).toMatchObject(origin);
    expect(route.authority).toBe(authority);
    expect(route.target).toBe('/a');
  });

  test.each(['ftp://h.test/', 'http://user:secret@h.test/', 'nonsense'])('refuses %s', (url) => {
    expect(() => readRoute(url)).toThrow(TypeError);
  });

  test('cannot be made to break the request line', () => {
    expect(readRoute('http://h.test/a\r\nb: c d').target).not.toMatch(/[\r\n ]/);
  });
});
