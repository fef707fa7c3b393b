/** What a reply's head says about its body, and which heads are refused. */

import { describe, expect, test } from 'bun:test';
import { bodyUntilClose, chunkedBody } from '../../framing/body-framing.ts';
import { FramingError } from '../../framing/framing-error.ts';
import { headerOf, readReplyHead } from './reply-head.ts';

const head = (...lines: string[]) => ['HTTP/1.1 200 OK', ...lines].join('\r\n');

describe('framing', () => {
  test.each([
    ['a length', head('Content-Length: 12'), { length: 12, reusable: true }],
    ['a length of 0', head('content-length:0'), { length: 0, reusable: true }],
    ['equal lengths', head('content-length: 7', 'content-length: 7, 7'), { length: 7, reusable: false }],
    ['chunks', head('Transfer-Encoding: Chunked'), { length: chunkedBody, reusable: true }],
    [
      'chunks beside a length',
      head('content-length: 3', 'transfer-encoding: chunked'),
      { length: chunkedBody, reusable: false },
    ],
    ['neither', head('x: y'), { length: bodyUntilClose, reusable: false }],
    ['nothing at all', 'HTTP/1.1 200', { length: bodyUntilClose, reusable: false }],
    ['close', head('content-length: 1', 'Connection: Close'), { length: 1, reusable: false }],
    ['close in a list', head('content-length: 1', 'connection: x, close'), { length: 1, reusable: false }],
    ['HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 1', { length: 1, reusable: false }],
    [
      'HTTP/1.0 kept alive',
      'HTTP/1.0 200 OK\r\ncontent-length: 1\r\nconnection: keep-alive',
      { length: 1, reusable: false },
    ],
    ['204', 'HTTP/1.1 204 No Content', { length: 0, reusable: true, status: 204 }],
    ['204 of length 0', 'HTTP/1.1 204 No Content\r\ncontent-length: 0', { length: 0, reusable: true }],
    ['204 with a length', 'HTTP/1.1 204 No Content\r\ncontent-length: 5', { length: 0, reusable: false }],
    ['304 with chunks', 'HTTP/1.1 304 Not Modified\r\ntransfer-encoding: chunked', { length: 0, reusable: false }],
    ['103 with a length', 'HTTP/1.1 103 Early Hints\r\ncontent-length: 5', { length: 0, reusable: false }],
    ['205 with a body', 'HTTP/1.1 205 Reset Content\r\ncontent-length: 5', { length: 5, reusable: false }],
    ['a bare carriage return', head('x: 1\ry: 2', 'content-length: 1'), { length: 1, reusable: false }],
    ['a status beyond the classes', 'HTTP/1.1 600 Odd\r\ncontent-length: 1', { length: 1, reusable: false }],
    ['gzip', head('content-length: 1', 'Content-Encoding: GZIP'), { encoding: 'gzip' }],
    ['identity', head('content-length: 1', 'content-encoding: identity'), { encoding: '' }],
    ['names that only look alike', head('content-lengths: 3', 'content-length: 4'), { length: 4 }],
  ])('%s', (_name, text, expected) => {
    expect(readReplyHead(text, false)).toMatchObject(expected);
  });

  test('a bodiless request has no body whatever the head says', () => {
    expect(readReplyHead(head('content-length: 99'), true).length).toBe(0);
  });

  test.each([
    ['another protocol', 'ICY 200 OK'],
    ['HTTP/2', 'HTTP/2.0 200 OK'],
    ['no status', 'HTTP/1.1 OK'],
    ['a status of two digits', 'HTTP/1.1 20 OK'],
    ['a status of four digits', 'HTTP/1.1 2000 OK'],
    ['differing lengths', head('content-length: 5', 'content-length: 6')],
    ['differing lengths in one line', head('content-length: 5, 6')],
    ['a negative length', head('content-length: -5')],
    ['a length with a sign', head('content-length: +5')],
    ['a length in hexadecimal', head('content-length: 0x5')],
    ['a length beyond numbers', head('content-length: 9999999999999999')],
    ['an empty length', head('content-length:')],
    ['two transfer codings', head('transfer-encoding: gzip, chunked')],
    ['an unknown transfer coding', head('transfer-encoding: identity')],
    ['chunked twice', head('transfer-encoding: chunked', 'transfer-encoding: chunked')],
    ['a folded line', head('x: 1', ' continued: yes')],
    ['a line without a colon', head('content-length: 5', 'nonsense')],
    ['a name that ends in a space', head('content-length : 5')],
    ['a line feed alone', head('x: 1\ncontent-length: 5')],
  ])('refuses %s', (_name, text) => {
    expect(() => readReplyHead(text, false)).toThrow(FramingError);
  });
});

describe('headers', () => {
  const text = head('Content-Type: application/json', 'retry-after:  7 ', 'Set-Cookie: a', 'set-cookie: b', 'x-empty:');
  test.each([
    ['content-type', 'application/json'],
    ['retry-after', '7'],
    ['set-cookie', 'a, b'],
    ['x-empty', ''],
    ['content', undefined],
    ['http/1.1 200 ok', undefined],
  ])('%s', (name, value) => {
    expect(headerOf(text, name)).toBe(value);
  });

  test('a stray carriage return cannot pass into a header of ours', () => {
    expect(headerOf(head('x: a\rb'), 'x')).toBe('a b');
  });
});
