/** Bodies for transports that do not stream: the same bytes, or an error where a body is not as long as it said. */

import { afterAll, describe, expect, test } from 'bun:test';
import { network } from './network.ts';
import type { StreamedBody } from './transport.ts';
import { wholeBody } from './whole-body.ts';

const streamed = (pieces: readonly string[], bytes: number): StreamedBody => ({
  bytes,
  async *open() {
    for (const piece of pieces) yield Buffer.from(piece);
  },
});

describe('a whole body', () => {
  test('is what was at hand', async () => {
    const bytes = new Uint8Array([1, 2]);
    expect(await wholeBody(bytes)).toBe(bytes);
    expect(await wholeBody('text')).toBe('text');
    expect(await wholeBody(undefined)).toBeUndefined();
  });

  test('is what streamed, to the byte', async () => {
    expect(Buffer.from((await wholeBody(streamed(['ab', '', 'c'], 3))) ?? '').toString()).toBe('abc');
    await expect(wholeBody(streamed(['ab'], 3))).rejects.toThrow('ended after 2 of 3');
    await expect(wholeBody(streamed(['ab', 'cd'], 3))).rejects.toThrow('longer than its 3');
  });
});

describe('through fetch', () => {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const length = request.headers.get('content-length');
      return new Response(`${length} ${request.headers.get('transfer-encoding')} ${(await request.bytes()).length}`);
    },
  });
  afterAll(() => server.stop(true));

  test('a streamed body has its length, and is no chunks', async () => {
    const body = streamed(
      Array.from({ length: 50 }, () => 'x'.repeat(100_000)),
      5_000_000,
    );
    const signal = new AbortController().signal;
    const reply = await network({ url: server.url.href, method: 'POST', headers: {}, body, signal });
    expect(Buffer.from(await reply.whole(999)).toString()).toBe('5000000 null 5000000');
  });
});
