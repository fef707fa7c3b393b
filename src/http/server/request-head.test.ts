/** Heads of requests by data: what is refused, because another parser might read it differently, and how the rest is read. */

import { describe, expect, test } from 'bun:test';
import { chunkedBody } from '../../framing/body-framing.ts';
import { FramingError, HeadTooLargeError } from '../../framing/framing-error.ts';
import { readRequestHead, VersionError } from './request-head.ts';

const lines = (...all: string[]): string => all.join('\r\n');
/** A request with these headers besides its host. */
const get = (...headers: string[]): string => lines('GET / HTTP/1.1', 'host: h', ...headers);
const old = (...headers: string[]): string => lines('GET / HTTP/1.0', ...headers);

function failure(text: string): unknown {
  try {
    readRequestHead(text);
  } catch (error) {
    return error;
  }
  return undefined;
}

/** Every byte that a text in Latin-1 can have. */
const characters = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));
const hexOf = (character: string): string => character.charCodeAt(0).toString(16).padStart(2, '0');
const isLetterOrMark = (character: string): boolean => /[!#$%&'*+\-.^_`|~0-9A-Za-z]/.test(character);

describe('lines', () => {
  test.each([
    ['a line feed alone behind the first line', 'GET / HTTP/1.1\nhost: h'],
    ['a line feed alone behind a header', 'GET / HTTP/1.1\r\nhost: h\nx: 1'],
    ['a line feed alone behind the last header', 'GET / HTTP/1.1\r\nhost: h\n'],
    ['a line feed alone at the very beginning', '\nGET / HTTP/1.1\r\nhost: h'],
    ['two line feeds, as an end of the head', 'GET / HTTP/1.1\r\nhost: h\n\nGET /other HTTP/1.1\r\nhost: h'],
    ['an empty line of a line feed alone', 'GET / HTTP/1.1\r\nhost: h\r\n\nx: 1'],
    ['a carriage return inside a value', get('x: 1\ry: 2')],
    ['a carriage return inside a name', get('x\ry: 2')],
    ['a carriage return inside the target', 'GET /a\rb HTTP/1.1\r\nhost: h'],
    ['a carriage return before the line’s own', get('x: 1\r', 'y: 2')],
    ['a carriage return at the end of the head', get('x: 1\r')],
    ['a carriage return behind the version', 'GET / HTTP/1.1\r'],
    ['an empty line before the first', lines('', 'GET / HTTP/1.1', 'host: h')],
    ['a continued line with a space', get('x: 1', ' y: 2')],
    ['a continued line with a tab', get('x: 1', '\ty: 2')],
    ['a continued line without a colon', get('x: 1', ' chunked')],
    ['a continuation of the first line', lines('GET / HTTP/1.1', ' host: h')],
    ['a continued line of blanks', get('x: 1', '  ')],
    ['a header without a colon', get('x')],
    ['a header without a colon, before another', get('x', 'y: 1')],
    ['an empty name', get(': 1')],
    ['a space before the colon', get('x : 1')],
    ['a tab before the colon', get('x\t: 1')],
    ['a space before the colon of a length', get('content-length : 5')],
    ['a space before the colon of an encoding', get('transfer-encoding : chunked')],
    ['a space in a name', get('a b: 1')],
    ['a quoted name', get('"x": 1')],
    ['a second first line', get('GET /other HTTP/1.1')],
  ])('refuses %s', (_name, text) => {
    expect(failure(text)).toBeInstanceOf(FramingError);
  });

  test('refuses every character in a name but those of a token', () => {
    const accepted = characters.filter((each) => failure(get(`a${each}b: 1`)) === undefined);
    // A colon ends the name.
    expect(accepted.sort()).toEqual([...characters.filter(isLetterOrMark), ':'].sort());
    expect(characters.filter((each) => failure(get(`${each}: 1`)) === undefined)).toEqual(
      characters.filter(isLetterOrMark),
    );
  });

  test('refuses every control character in a value but the tab', () => {
    const refused = characters.filter((each) => failure(get(`x: a${each}b`)) !== undefined).map(hexOf);
    const controls = characters.filter((each) => /[\0-\x08\n-\x1f\x7f]/.test(each)).map(hexOf);
    expect(refused).toEqual(controls);
    // Also where trimming might drop it.
    expect(characters.filter((each) => failure(get(`x:${each}`)) !== undefined).map(hexOf)).toEqual(controls);
    expect(characters.filter((each) => failure(get(`content-length:${each}5`)) === undefined).map(hexOf)).toEqual([
      hexOf('\t'),
      hexOf(' '),
      ...[...'0123456789'].map(hexOf),
    ]);
  });

  test('takes so many headers and no more', () => {
    const some = (count: number): string => get(...Array.from({ length: count - 1 }, (_, at) => `x-${at}: ${at}`));
    expect([...readRequestHead(some(200)).headers]).toHaveLength(200);
    expect(failure(some(201))).toBeInstanceOf(HeadTooLargeError);
    expect(failure(some(5_000))).toBeInstanceOf(HeadTooLargeError);
  });
});

describe('the first line', () => {
  test.each([
    ['nothing', ''],
    ['a method alone', 'GET'],
    ['no version, as in HTTP/0.9', 'GET /'],
    ['no target', 'GET HTTP/1.1'],
    ['an empty target', 'GET  HTTP/1.1'],
    ['two spaces before the target', 'GET  / HTTP/1.1'],
    ['two spaces before the version', 'GET /  HTTP/1.1'],
    ['a space at the end', 'GET / HTTP/1.1 '],
    ['a space at the beginning', ' GET / HTTP/1.1'],
    ['a tab for a space', 'GET\t/ HTTP/1.1'],
    ['tabs for both spaces', 'GET\t/\tHTTP/1.1'],
    ['a tab before the version', 'GET /\tHTTP/1.1'],
    ['a space in the target', 'GET /a b HTTP/1.1'],
    ['no method', '/ HTTP/1.1'],
    ['an empty method', ' / HTTP/1.1'],
    ['a method with a colon', 'GET: / HTTP/1.1'],
    ['a method in quotes', '"GET" / HTTP/1.1'],
    ['a version in small letters', 'GET / http/1.1'],
    ['a version without a number', 'GET / HTTP/'],
    ['a version with a letter', 'GET / HTTP/1.x'],
    ['a version with more than two numbers', 'GET / HTTP/1.1.1'],
    ['a version with a sign', 'GET / HTTP/+1.1'],
    ['a version with a comma', 'GET / HTTP/1,1'],
    ['a version of another protocol', 'GET / HTTPS/1.1'],
    ['a target without a slash', 'GET a HTTP/1.1'],
    ['a target that is a query', 'GET ?a=1 HTTP/1.1'],
    ['a host and a port', 'CONNECT h:443 HTTP/1.1'],
    ['a URL of another protocol', 'GET ftp://h/a HTTP/1.1'],
    ['a URL without a protocol', 'GET h.test/a HTTP/1.1'],
    ['two stars', 'OPTIONS ** HTTP/1.1'],
    ['a star with a path', 'OPTIONS */a HTTP/1.1'],
    ['a header', 'host: h'],
    ['a status line', 'HTTP/1.1 200 OK'],
    ['the beginning of TLS', '\x16\x03\x01\x02\x00\x01\x00'],
  ])('refuses %s', (_name, line) => {
    const error = failure(lines(line, 'host: h'));
    expect(error).toBeInstanceOf(FramingError);
    expect(error).not.toBeInstanceOf(VersionError);
  });

  test.each([
    'HTTP/0.9',
    'HTTP/1.2',
    'HTTP/1.10',
    'HTTP/01.1',
    'HTTP/2',
    'HTTP/2.0',
    'HTTP/3',
    'HTTP/11',
  ])('names the version of %s', (version) => {
    expect(failure(lines(`GET / ${version}`, 'host: h'))).toBeInstanceOf(VersionError);
  });

  test('names the version of a client that begins HTTP/2 without asking', () => {
    expect(failure('PRI * HTTP/2.0')).toBeInstanceOf(VersionError);
  });

  test('refuses every character in a method but those of a token', () => {
    const accepted = characters.filter((each) => failure(lines(`A${each}B / HTTP/1.1`, 'host: h')) === undefined);
    expect(accepted).toEqual(characters.filter(isLetterOrMark));
  });

  test('refuses every blank and control character in a target', () => {
    for (const target of [(each: string) => `/a${each}b`, (each: string) => `/${each}`]) {
      const refused = characters.filter(
        (each) => failure(lines(`GET ${target(each)} HTTP/1.1`, 'host: h')) !== undefined,
      );
      expect(refused.map(hexOf)).toEqual(characters.filter((each) => /[\0- \x7f]/.test(each)).map(hexOf));
    }
  });

  test.each([
    ['GET /', 'GET', '/'],
    ['POST /v1/chat?a=b&c=%20#d', 'POST', '/v1/chat?a=b&c=%20#d'],
    ['get /a', 'get', '/a'],
    ["M-SEARCH!#$%&'*+.^_`|~ /a", "M-SEARCH!#$%&'*+.^_`|~", '/a'],
    ['OPTIONS *', 'OPTIONS', '*'],
    ['GET //a//b', 'GET', '//a//b'],
    ['GET /../a/./b', 'GET', '/../a/./b'],
    ['GET /%2e%2E/%00', 'GET', '/%2e%2E/%00'],
    ['GET /a\\b"<>{}', 'GET', '/a\\b"<>{}'],
    ['GET http://h.test/a?b', 'GET', '/a?b'],
    ['GET HTTPS://h.test:81/a', 'GET', '/a'],
    ['GET http://h.test', 'GET', '/'],
    ['GET http://h.test?b', 'GET', '/?b'],
    ['GET http://user@h.test/a', 'GET', '/a'],
    ['GET http://[::1]:8080/a', 'GET', '/a'],
    ['GET /http://h.test/a', 'GET', '/http://h.test/a'],
    ['GET /caf\xc3\xa9?\xe2\x82\xac', 'GET', '/café?€'],
    ['GET /caf\xe9', 'GET', '/caf\ufffd'],
    ['GET http://h.test/\xf0\x9f\x98\x80', 'GET', '/😀'],
  ])('reads %s', (start, method, target) => {
    expect(readRequestHead(lines(`${start} HTTP/1.1`, 'host: h'))).toMatchObject({ method, target, isOld: false });
    expect(readRequestHead(`${start} HTTP/1.0`)).toMatchObject({ method, target, isOld: true });
  });
});

describe('the host', () => {
  test.each([
    ['none', 'GET / HTTP/1.1'],
    ['none among other headers', lines('GET / HTTP/1.1', 'x: 1')],
    ['one that only looks alike', lines('GET / HTTP/1.1', 'hosts: h', 'x-host: h')],
    ['two', get('host: other')],
    ['two that are equal', get('Host: h')],
    ['two in one', lines('GET / HTTP/1.1', 'host: h, other')],
    ['two that are empty', lines('GET / HTTP/1.1', 'host:', 'host:')],
    ['two in HTTP/1.0', old('host: h', 'host: other')],
    ['none in a request to a proxy', 'GET http://h.test/ HTTP/1.1'],
  ])('refuses %s', (_name, text) => {
    expect(failure(text)).toBeInstanceOf(FramingError);
  });

  test.each([
    ['one', get(), 'h'],
    ['an empty one', lines('GET / HTTP/1.1', 'host:'), ''],
    ['one with a port', lines('GET / HTTP/1.1', 'HOST:  h.test:81 '), 'h.test:81'],
    ['none in HTTP/1.0', old(), null],
    ['one in HTTP/1.0', old('host: h'), 'h'],
  ])('takes %s', (_name, text, host) => {
    expect(readRequestHead(text).headers.get('host')).toBe(host);
  });
});

describe('the length of the body', () => {
  test.each([
    ['two lengths', ['content-length: 5', 'content-length: 6']],
    ['two equal lengths', ['content-length: 5', 'content-length: 5']],
    ['two lengths whose names differ in case', ['Content-Length: 5', 'content-length: 5']],
    ['a list of lengths', ['content-length: 5, 6']],
    ['a list of equal lengths', ['content-length: 5,5']],
    ['a length with a comma', ['content-length: 5,']],
    ['an empty length', ['content-length:']],
    ['a blank length', ['content-length: \t ']],
    ['a length and an empty one', ['content-length: 5', 'content-length:']],
    ['a plus sign', ['content-length: +5']],
    ['a minus sign', ['content-length: -5']],
    ['a negative nothing', ['content-length: -0']],
    ['a hexadecimal number', ['content-length: 0x5']],
    ['hexadecimal digits', ['content-length: a']],
    ['a fraction', ['content-length: 5.0']],
    ['an exponent', ['content-length: 1e1']],
    ['a separator', ['content-length: 1_0']],
    ['a space inside', ['content-length: 1 0']],
    ['a quoted number', ['content-length: "5"']],
    ['words', ['content-length: chunked']],
    ['a superscript digit', ['content-length: \xb2']],
    ['a no-break space', ['content-length: \xa05']],
    ['digits of another script, in UTF-8', ['content-length: \xd9\xa5']],
    ['a digit more than there may be', [`content-length: ${'1'.repeat(16)}`]],
    ['leading zeros beyond that', [`content-length: ${'0'.repeat(15)}5`]],
    ['2 to the 64, and 5', ['content-length: 18446744073709551621']],
    ['a length with an encoding', ['content-length: 5', 'transfer-encoding: chunked']],
    ['an encoding with a length', ['transfer-encoding: chunked', 'content-length: 5']],
    ['a length of 0 with an encoding', ['content-length: 0', 'transfer-encoding: chunked']],
    ['a length with an encoding that is empty', ['content-length: 5', 'transfer-encoding:']],
    ['a length with an encoding that is none', ['content-length: 5', 'transfer-encoding: identity']],
  ])('refuses %s', (_name, headers) => {
    expect(failure(get(...headers))).toBeInstanceOf(FramingError);
    expect(failure(old(...headers))).toBeInstanceOf(FramingError);
  });

  const encodings = [
    ...['', 'identity', 'gzip', 'gzip, chunked', 'chunked, gzip', 'chunked, chunked', 'chunked,', ',chunked'],
    ...['xchunked', 'chunkedx', 'chunk', 'chunked;q=1', 'chunked; a=b', 'chunked ;', '"chunked"', "'chunked'"],
    ...['chunked\xa0', '\xa0chunked', 'chunked identity', 'x chunked', '(chunked)', 'chunked, identity'],
  ];

  test.each(encodings)('refuses the encoding %j', (value) => {
    expect(failure(get(`transfer-encoding: ${value}`))).toBeInstanceOf(FramingError);
  });

  test.each([
    ['twice', ['transfer-encoding: chunked', 'transfer-encoding: chunked']],
    ['then another', ['transfer-encoding: chunked', 'transfer-encoding: identity']],
    ['behind another', ['transfer-encoding: identity', 'Transfer-Encoding: chunked']],
    ['behind an empty one', ['transfer-encoding:', 'transfer-encoding: chunked']],
  ])('refuses chunks %s', (_name, headers) => {
    expect(failure(get(...headers))).toBeInstanceOf(FramingError);
  });

  test('refuses chunks in HTTP/1.0', () => {
    expect(failure(old('transfer-encoding: chunked'))).toBeInstanceOf(FramingError);
    expect(failure(old('host: h', 'connection: keep-alive', 'transfer-encoding: chunked'))).toBeInstanceOf(
      FramingError,
    );
  });

  test.each([
    ['nothing', [], 0],
    ['0', ['content-length: 0'], 0],
    ['a number', ['content-length: 12'], 12],
    ['a number between blanks', ['Content-Length:\t 12 \t'], 12],
    ['zeros before a number', ['content-length: 0012'], 12],
    ['as many digits as there may be', [`content-length: ${'9'.repeat(15)}`], 999_999_999_999_999],
    ['names that only look alike', ['content-lengths: 1', 'x-content-length: 2', 'content_length: 3'], 0],
    ['an encoding that only looks like one', ['transfer_encoding: chunked', 'te: chunked'], 0],
  ])('reads %s', (_name, headers, length) => {
    expect(readRequestHead(get(...headers)).length).toBe(length);
    expect(readRequestHead(old(...headers)).length).toBe(length);
  });

  test.each(['chunked', 'Chunked', 'CHUNKED', '\tchunked  '])('reads the encoding %j', (value) => {
    expect(readRequestHead(get(`Transfer-Encoding:${value}`)).length).toBe(chunkedBody);
  });
});

describe('headers', () => {
  test('have names in lower case, and values without the blanks around them', () => {
    const { headers } = readRequestHead(get('X-Some-Name:  a \t b\t ', 'EMPTY:', 'blank: \t ', 'x:y:z', 'q:"a, b"'));
    expect([...headers]).toEqual([
      ['host', 'h'],
      ['x-some-name', 'a \t b'],
      ['empty', ''],
      ['blank', ''],
      ['x', 'y:z'],
      ['q', '"a, b"'],
    ]);
  });

  test('keep bytes beyond ASCII, one character each', () => {
    const { headers } = readRequestHead(get('x: caf\xc3\xa9', 'y: \xa0\xff\x85'));
    expect(headers.get('x')).toBe('caf\xc3\xa9');
    expect(headers.get('y')).toBe('\xa0\xff\x85');
  });

  test('join values of one name in their order, whatever the case of the name', () => {
    const { headers } = readRequestHead(get('accept: a', 'x: 1', 'Accept: b, c', 'ACCEPT:'));
    expect(headers.get('accept')).toBe('a, b, c, ');
    expect([...headers].filter(([name]) => name === 'accept')).toHaveLength(3);
  });

  test('join cookies as cookies', () => {
    expect(readRequestHead(get('cookie: a=1', 'Cookie: b=2; c=3')).headers.get('cookie')).toBe('a=1; b=2; c=3');
  });

  test('that are absent are null, also where objects have a member of that name', () => {
    const { headers } = readRequestHead(get('x: 1'));
    for (const name of ['y', '__proto__', 'constructor', 'toString']) {
      expect(headers.get(name)).toBeNull();
      expect(headers.has(name)).toBe(false);
    }
    expect(headers.has('x')).toBe(true);
    expect(readRequestHead(get('__proto__: 1', 'constructor: 2')).headers.get('__proto__')).toBe('1');
  });

  test('are the same when their names come a second time, and when thousands of other names came between', () => {
    const read = () => [...readRequestHead(get('X-Twice: 1', `${'X-Long'.repeat(30)}: 2`)).headers];
    const first = read();
    for (let at = 0; at < 3_000; at += 1) readRequestHead(get(`X-Other-${at}: 1`));
    expect(read()).toEqual(first);
    expect(failure(get('x-twice : 1'))).toBeInstanceOf(FramingError);
  });
});

describe('the connection', () => {
  test.each([
    ['nothing', [], true, false],
    ['close', ['connection: close'], false, false],
    ['Close', ['Connection: Close'], false, false],
    ['close in a list', ['connection: x , close'], false, false],
    ['close in a second header', ['connection: x', 'connection: close'], false, false],
    ['keep-alive', ['connection: keep-alive'], true, true],
    ['Keep-Alive in a list', ['connection: te, Keep-Alive'], true, true],
    ['close and keep-alive', ['connection: keep-alive, close'], false, undefined],
    ['something else', ['connection: upgrade'], true, false],
    ['a word that only contains it', ['connection: closed, keep-alived'], true, false],
    ['an empty one', ['connection:'], true, false],
    ['one of a proxy', ['proxy-connection: keep-alive'], true, false],
  ] as const)('with %s', (_name, headers, keepsNew, keepsOld) => {
    expect(readRequestHead(get(...headers)).keepsAlive).toBe(keepsNew);
    // What a client of HTTP/1.0 wants that says both is not known.
    if (keepsOld !== undefined) expect(readRequestHead(old(...headers)).keepsAlive).toBe(keepsOld);
  });

  test.each([
    ['nothing', [], false],
    ['100-continue', ['expect: 100-continue'], true],
    ['100-Continue', ['Expect: 100-Continue '], true],
    ['another number', ['expect: 200-ok'], false],
    ['a list', ['expect: 100-continue, x'], false],
  ])('expects with %s', (_name, headers, expects) => {
    expect(readRequestHead(get('content-length: 5', ...headers)).expectsContinue).toBe(expects);
    expect(readRequestHead(old('content-length: 5', ...headers)).expectsContinue).toBe(false);
  });
});
