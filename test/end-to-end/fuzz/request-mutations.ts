/** Pipelines of requests as bytes, and what may be done to them so that two readers could find different requests. */

import type { Random } from '../../harness/random.ts';

export interface SentRequest {
  readonly bytes: string;
  readonly method: string;
  readonly target: string;
  readonly body: string;
}

const crlf = '\r\n';
const methods = ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH'];
/** Headers that say nothing of the framing. */
const harmless = ['accept: */*', 'X-Empty:', 'cookie: a=1', 'Cookie: b=2', 'te: trailers', 'x-blank: \t a b \t'];
const bodyPieces = [
  'weir',
  '\r\n',
  '0\r\n\r\n',
  'GET /in-body HTTP/1.1\r\nhost: h\r\n\r\n',
  '\0',
  '\xff',
  '5\r\n',
  '{"a":1}',
];

/** Targets with `unread` are answered without a look at the body. */
export function randomRequest(random: Random, index: number): SentRequest {
  const method = random.pick(methods);
  const target = `/${random.chance(0.2) ? 'unread' : 'read'}/${index}/${random.token(6)}${random.chance(0.2) ? '?a=%20' : ''}`;
  const framing = random.int(0, 2);
  const body = framing === 0 ? '' : random.list(0, 6, () => random.pick(bodyPieces)).join('');
  const lines = [random.pick(['host: h', 'Host:h.test:81', 'HOST: \th ']), ...random.some(harmless, 0.3)];
  if (framing === 1) lines.push(random.pick([`content-length: ${body.length}`, `Content-Length:${body.length}`]));
  if (framing === 2) lines.push(random.pick(['transfer-encoding: chunked', 'Transfer-Encoding:\tChunked']));
  const head = [`${method} ${target} HTTP/1.1`, ...random.shuffled(lines), '', ''].join(crlf);
  return { bytes: head + (framing === 2 ? chunked(body, random) : body), method, target, body };
}

function chunked(text: string, random: Random): string {
  let chunks = '';
  for (let at = 0; at < text.length; ) {
    const piece = text.slice(at, at + random.int(1, 20));
    const size = piece.length.toString(16);
    chunks += `${random.chance(0.2) ? `00${size.toUpperCase()}` : size}${crlf}${piece}${crlf}`;
    at += piece.length;
  }
  return `${chunks}0${crlf}${crlf}`;
}

/** Up to so many writes, cut at any byte. */
export function cut(text: string, random: Random, cutsMax = 5): string[] {
  const places = random.list(0, cutsMax, () => random.int(0, text.length)).sort((one, other) => one - other);
  return [...places, text.length]
    .map((place, index) => text.slice(places[index - 1] ?? 0, place))
    .filter((piece) => piece !== '');
}

const snippets = [
  ...[
    '\r\n',
    '\n',
    '\r',
    '\r\r\n',
    '\n\n',
    '\r\n\r\n',
    ' ',
    '\t',
    ':',
    ',',
    ';',
    '\0',
    '\x7f',
    '\x80',
    '\xa0',
    '-',
    '+',
    '0',
  ],
  ...[
    'GET /inserted HTTP/1.1\r\nhost: h\r\n\r\n',
    'nonsense',
    '0\r\n\r\n',
    '5\r\n',
    ';x=y',
    ' chunked',
    ', chunked',
    '0x',
  ],
  ...[' HTTP/1.1', ' HTTP/1.0', ' HTTP/2.0', 'http://other', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '\x16\x03\x01\x02'],
];

const headers = [
  ...['content-length: 5', 'content-length: 0', 'Content-Length: +3', 'content-length: 3, 3', 'content-length : 4'],
  ...['content-length: 0x4', 'content-length: 99999999999999999999', 'content-length:', 'content-length\t: 4'],
  ...['transfer-encoding: chunked', 'Transfer-Encoding: xchunked', 'transfer-encoding: chunked, chunked'],
  ...['transfer-encoding: identity', 'transfer-encoding : chunked', 'transfer-encoding: gzip, chunked'],
  ...[
    'transfer-encoding:\x0bchunked',
    'transfer-encoding:',
    'x: 1\n transfer-encoding: chunked',
    ' chunked',
    '\tfolded: 1',
  ],
  ...['host: other', 'Host:', 'connection: close', 'connection: keep-alive', 'expect: 100-continue', ': empty', 'x'],
  ...['x: a\rb', 'x: a\0b', 'x y: 1', 'upgrade: h2c', `x: ${'y'.repeat(17_000)}`],
];

type Mutation = (text: string, random: Random) => string;

function place(text: string, random: Random): number {
  return random.int(0, text.length);
}

function insert(text: string, at: number, added: string): string {
  return text.slice(0, at) + added + text.slice(at);
}

/** The start of a line behind the first one. */
function lineStart(text: string, random: Random): number {
  const starts = [...text.matchAll(/\r\n/g)].map(({ index }) => index + 2);
  return starts.length === 0 ? 0 : random.pick(starts);
}

/** The text with one of the pattern's matches replaced. */
function replaceOne(text: string, random: Random, pattern: RegExp, make: (found: string) => string): string {
  const found = [...text.matchAll(pattern)];
  if (found.length === 0) return text;
  const { index, 0: match } = random.pick(found);
  return text.slice(0, index) + make(match) + text.slice(index + match.length);
}

const mutations: readonly Mutation[] = [
  (text, random) => insert(text, place(text, random), random.pick(snippets)),
  (text, random) => insert(text, lineStart(text, random), random.pick(snippets)),
  (text, random) => insert(text, lineStart(text, random), `${random.pick(headers)}${crlf}`),
  (text, random) => insert(text, place(text, random), String.fromCharCode(random.int(0, 255))),
  (text, random) => {
    const at = place(text, random);
    return text.slice(0, at) + text.slice(at + random.int(1, 20));
  },
  (text, random) => text.slice(0, place(text, random)),
  (text, random) => text.slice(place(text, random)),
  (text, random) => {
    const at = place(text, random);
    return insert(text, place(text, random), text.slice(at, at + random.int(1, 80)));
  },
  // A header twice.
  (text, random) => replaceOne(text, random, /\r\n[^\r\n]+(?=\r\n)/g, (line) => line + line),
  (text, random) => replaceOne(text, random, /\r\n/g, () => random.pick(['\n', '\r', '\r\r\n', '\n\r', ' ', ''])),
  (text, random) =>
    replaceOne(text, random, /content-length|transfer-encoding/gi, () => random.pick(['x', 'content-length'])),
  // A body that is framed in the other manner.
  (text, random) => replaceOne(text, random, /content-length:\d+|content-length: \d+/gi, () => random.pick(headers)),
  (text, random) => replaceOne(text, random, /transfer-encoding:.chunked/gi, () => random.pick(headers)),
  (text, random) => replaceOne(text, random, /\d+\r\n/g, (digits) => `${random.int(0, 40)}${digits.slice(-2)}`),
  (text, random) =>
    replaceOne(text, random, /HTTP\/1\.1/g, () => random.pick(['HTTP/1.0', 'HTTP/1.2', 'HTTP/0.9', 'http/1.1'])),
  (text, random) =>
    replaceOne(text, random, /[ :]/g, (found) => random.pick(['', `${found} `, ` ${found}`, '\t', '\xa0'])),
];

export function mutate(text: string, random: Random): string {
  return random.list(1, 3, () => random.pick(mutations)).reduce((changed, mutation) => mutation(changed, random), text);
}
