/** Proves that a pack is read as it was written and refused when it is damaged, and that its files are served as browsers need them. */

import { describe, expect, test } from 'bun:test';
import { assetReply, bestEncoding } from './asset-reply.ts';
import { type ConsolePack, type PackedFile, readPack, writePack } from './console-pack.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

const script: PackedFile = {
  path: '/console/assets/main-1.js',
  type: 'text/javascript; charset=utf-8',
  etag: 'abc',
  bodies: { identity: bytes('const a = 1;'), gzip: Bun.gzipSync('const a = 1;'), br: bytes('br') },
};
const font: PackedFile = {
  path: '/console/assets/mono.woff2',
  type: 'font/woff2',
  etag: 'def',
  bodies: { identity: bytes('wOF2') },
};
const pack: ConsolePack = {
  entries: {
    firstPaint: '/console/assets/first.js',
    script: script.path,
    preloads: [],
    style: '/console/assets/main.css',
    foundation: '/console/assets/foundation.css',
    mainFont: font.path,
  },
  files: [script, font],
};

describe('a pack', () => {
  test('is read as it was written', () => expect(readPack(writePack(pack))).toEqual(pack));

  test('is no pack where any byte of it is missing, or something follows', () => {
    const whole = writePack(pack);
    for (let length = 0; length < whole.length; length++) expect(readPack(whole.slice(0, length))).toBeUndefined();
    expect(readPack(new Uint8Array([...whole, 0]))).toBeUndefined();
  });

  test('of another kind is none', () => {
    const other = writePack(pack);
    other.set(bytes('weir-console-0'), 0);
    expect(readPack(other)).toBeUndefined();
  });
});

describe('the form that is sent', () => {
  for (const [accepted, encoding] of [
    ['gzip, deflate, br, zstd', 'br'],
    ['GZIP', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['br; q=0', 'identity'],
    ['identity', 'identity'],
    ['', 'identity'],
  ] as const) {
    test(`for “${accepted}” is ${encoding}`, () => expect(bestEncoding(script, accepted)).toBe(encoding));
  }
  test('of what has one form is that one', () => expect(bestEncoding(font, 'br, gzip')).toBe('identity'));
});

describe('a reply', () => {
  const ask = (headers: Record<string, string>) => assetReply(script, new Headers(headers));

  test('is kept for good, is what it says it is, and names its form', () => {
    const reply = ask({ 'accept-encoding': 'br' });
    expect(reply.status).toBe(200);
    expect(reply.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(reply.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(reply.headers.get('content-encoding')).toBe('br');
    expect(reply.headers.get('vary')).toBe('accept-encoding');
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
    expect(reply.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(ask({}).headers.get('content-encoding')).toBeNull();
  });

  test('is empty for a client that has the same encoding already', () => {
    expect(ask({ 'if-none-match': '"abc"' }).status).toBe(304);
    expect(ask({ 'if-none-match': 'W/"x", W/"abc-br"', 'accept-encoding': 'br' }).status).toBe(304);
    expect(ask({ 'if-none-match': '"abc"', 'accept-encoding': 'br' }).status).toBe(200);
    expect(ask({ 'if-none-match': '*' }).status).toBe(304);
  });
});
