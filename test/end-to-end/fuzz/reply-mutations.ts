/** Replies of a provider as bytes: correct ones cut anywhere, and ones whose end two readers see differently. */

import type { Random } from '../../harness/random.ts';

export interface ScriptedReply {
  /** What is written at once, one write each. */
  readonly writes: readonly string[];
  /**
   * Written when another request arrives on the same connection, before that one is answered. A client that reuses the
   * connection takes it for the reply to the other request.
   */
  readonly held?: string;
  /** Ends the connection after the writes. */
  readonly closes?: boolean;
  /** The client must read exactly this body; absent where it may also fail. */
  readonly body?: string;
}

export interface Mutation {
  readonly name: string;
  make(nonce: string, random: Random): ScriptedReply;
}

const crlf = '\r\n';

function head(status: string, ...lines: string[]): string {
  return [`HTTP/1.1 ${status}`, ...lines, '', ''].join(crlf);
}

function whole(text: string, ...lines: string[]): string {
  return head('200 OK', `content-length: ${text.length}`, ...lines) + text;
}

/** A complete reply of this exchange to no request. */
function forged(nonce: string): string {
  return whole(`forged ${nonce}`);
}

function chunked(text: string, random: Random, extension = '', trailer = ''): string {
  let chunks = '';
  for (let at = 0; at < text.length; ) {
    const size = random.int(1, 9);
    const piece = text.slice(at, at + size);
    chunks += `${piece.length.toString(16)}${extension}${crlf}${piece}${crlf}`;
    at += size;
  }
  return `${chunks}0${crlf}${trailer}${crlf}`;
}

/** In up to six writes, cut at any byte. */
function cut(text: string, random: Random): string[] {
  const places = random.list(0, 5, () => random.int(0, text.length)).sort((one, other) => one - other);
  return [...places, text.length]
    .map((place, index) => text.slice(places[index - 1] ?? 0, place))
    .filter((piece) => piece !== '');
}

const correct: readonly Mutation[] = [
  { name: 'length', make: (nonce, random) => ({ writes: cut(whole(nonce), random), body: nonce }) },
  {
    name: 'chunks',
    make: (nonce, random) => ({
      writes: cut(head('200 OK', 'transfer-encoding: chunked') + chunked(nonce, random), random),
      body: nonce,
    }),
  },
  {
    name: 'interim replies',
    make: (nonce, random) => ({
      writes: cut(random.list(1, 4, () => head('103 Early Hints', 'link: </x>')).join('') + whole(nonce), random),
      body: nonce,
    }),
  },
  {
    name: 'until the connection ends',
    make: (nonce, random) => ({ writes: cut(head('200 OK') + nonce, random), closes: true, body: nonce }),
  },
  { name: 'empty 204', make: (_nonce, random) => ({ writes: cut(head('204 No Content'), random), body: '' }) },
];

/** Replies after which the connection cannot be trusted. Each holds back a forged reply for the next request. */
function untrusted(
  name: string,
  make: (nonce: string, random: Random) => readonly [now: string, held?: string],
): Mutation {
  return {
    name,
    make(nonce, random) {
      const [now, held = forged(nonce)] = make(nonce, random);
      return { writes: cut(now, random), held };
    },
  };
}

/** The reply's last byte comes with more: alone, it could not be distinguished from the reply to a later request. */
function withMore(nonce: string, more: string, random: Random): ScriptedReply {
  const text = whole(nonce);
  return { writes: [...cut(text.slice(0, -1), random), text.slice(-1) + more], held: forged(nonce) };
}

const bodiless = ['204 No Content', '304 Not Modified'];

const unclear: readonly Mutation[] = [
  untrusted('bodiless status with a length', (nonce, random) => {
    const text = forged(nonce);
    return [head(random.pick(bodiless), `content-length: ${text.length}`), text];
  }),
  untrusted('bodiless status with chunks', (nonce, random) => [
    head(random.pick(bodiless), 'transfer-encoding: chunked'),
    forged(nonce),
  ]),
  untrusted('205 with a body', (nonce, random) => [
    random.chance()
      ? head('205 Reset Content', `content-length: ${nonce.length}`) + nonce
      : head('205 Reset Content', 'transfer-encoding: chunked') + chunked(nonce, random),
  ]),
  untrusted('interim reply with a length', (nonce) => [
    head('103 Early Hints', `content-length: ${forged(nonce).length}`) + whole(nonce),
  ]),
  untrusted('interim reply with chunks', (nonce) => [
    head('100 Continue', 'transfer-encoding: chunked') + whole(nonce),
  ]),
  untrusted('length and chunks', (nonce, random) => [
    head('200 OK', `content-length: ${nonce.length}`, 'transfer-encoding: chunked') + chunked(nonce, random),
  ]),
  untrusted('equal lengths', (nonce) => [whole(nonce, `content-length: ${nonce.length}`)]),
  untrusted('list of lengths', (nonce) => [head('200 OK', `content-length: ${nonce.length}, ${nonce.length}`) + nonce]),
  untrusted('different lengths', (nonce) => [whole(nonce, `content-length: ${nonce.length + 5}`)]),
  untrusted('sign before the length', (nonce) => [head('200 OK', `content-length: +${nonce.length}`) + nonce]),
  untrusted('folded header', (nonce) => [
    head('200 OK', 'x: 1', ` content-length: 3`, `content-length: ${nonce.length}`) + nonce,
  ]),
  untrusted('bare carriage return', (nonce) => [
    head('200 OK', `x: 1\rtransfer-encoding: chunked`, `content-length: ${nonce.length}`) + nonce,
  ]),
  untrusted('bare line feed', (nonce) => [
    head('200 OK', `x: 1\ntransfer-encoding: chunked`, `content-length: ${nonce.length}`) + nonce,
  ]),
  untrusted('space before the colon', (nonce) => [head('200 OK', `content-length : ${nonce.length}`) + nonce]),
  {
    name: 'unknown transfer coding',
    make(nonce, random) {
      const coding = random.pick(['gzip, chunked', 'identity', 'chunked, chunked', 'xchunked']);
      const text = head('200 OK', `transfer-encoding: ${coding}`) + chunked(nonce, random);
      // Some readers wait for the connection's end, which is as good as a refusal.
      return { writes: cut(text, random), held: forged(nonce), closes: true };
    },
  },
  untrusted('chunk extensions', (nonce, random) => [
    head('200 OK', 'transfer-encoding: chunked') + chunked(nonce, random, `;a=${random.token(random.int(1, 400))}`),
  ]),
  untrusted('trailers', (nonce, random) => [
    head('200 OK', 'transfer-encoding: chunked') + chunked(nonce, random, '', `content-length: 5${crlf}`),
  ]),
  untrusted('bare line feed in a trailer', (nonce, random) => [
    head('200 OK', 'transfer-encoding: chunked') + chunked(nonce, random, '', 'x: y\n'),
  ]),
  untrusted('101', (nonce) => [head('101 Switching Protocols', 'upgrade: x', 'connection: upgrade') + whole(nonce)]),
  untrusted('HTTP/1.0', (nonce) => [
    `HTTP/1.0 200 OK${crlf}connection: keep-alive${crlf}content-length: ${nonce.length}${crlf}${crlf}${nonce}`,
  ]),
  untrusted('connection: close', (nonce, random) => [
    whole(nonce, `connection: ${random.pick(['close', 'x, Close', 'keep-alive, close'])}`),
  ]),
  {
    name: 'a second reply',
    make: (nonce, random) => withMore(nonce, forged(nonce), random),
  },
  {
    name: 'bytes after the end',
    make: (nonce, random) => withMore(nonce, random.pick([crlf, '\0', 'HTTP/1.1 ']), random),
  },
  untrusted('status beyond the classes', (nonce) => [head('799 Odd', `content-length: ${nonce.length}`) + nonce]),
];

/** Cut off: the client must fail, and never wait for another exchange's bytes. */
const ended: readonly Mutation[] = [
  {
    name: 'early end',
    make(nonce, random) {
      const text = whole(`${nonce} and more`);
      return { writes: cut(text.slice(0, random.int(0, text.length - 1)), random), closes: true };
    },
  },
  {
    name: 'early end of chunks',
    make(nonce, random) {
      const text = head('200 OK', 'transfer-encoding: chunked') + chunked(`${nonce} and more`, random);
      return { writes: cut(text.slice(0, random.int(0, text.length - 1)), random), closes: true };
    },
  },
  {
    name: 'random byte',
    make(nonce, random) {
      const text = head('200 OK', `content-length: ${nonce.length}`) + nonce;
      const place = random.int(0, text.indexOf(crlf + crlf) + 3);
      const byte = String.fromCharCode(random.int(0, 255));
      return { writes: cut(text.slice(0, place) + byte + text.slice(place + 1), random), closes: true };
    },
  },
];

export const mutations: readonly Mutation[] = [...correct, ...unclear, ...ended];
export const correctMutations = correct;
