/** Proves that a Response behaves as an upstream reply: its head, its bytes, its limit, and cancellation. */

import { describe, expect, test } from 'bun:test';
import { replyFromResponse } from './from-response.ts';
import { ReplyTooLargeError } from './transport.ts';

/** A body of pieces that records its cancellation. */
function bodyOf(pieces: readonly string[]): { stream: ReadableStream<Uint8Array>; cancelled: Promise<void> } {
  const { promise: cancelled, resolve } = Promise.withResolvers<void>();
  const left = pieces.map((piece) => new TextEncoder().encode(piece));
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = left.shift();
        if (piece === undefined) controller.close();
        else controller.enqueue(piece);
      },
      cancel: () => resolve(),
    },
    { highWaterMark: 0 },
  );
  return { stream, cancelled };
}

const textOf = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString();

test('status and headers are those of the response, an absent one is undefined', () => {
  const reply = replyFromResponse(new Response('', { status: 429, headers: { 'Retry-After': '3' } }));
  expect([reply.status, reply.header('retry-after'), reply.header('x-absent')]).toEqual([429, '3', undefined]);
});

describe('whole', () => {
  test('joins pieces of unknown length', async () => {
    expect(textOf(await replyFromResponse(new Response(bodyOf(['ab', 'c', 'de']).stream)).whole(5))).toBe('abcde');
  });

  test('takes a body whose length was announced', async () => {
    const response = new Response('abcde', { headers: { 'content-length': '5' } });
    expect(textOf(await replyFromResponse(response).whole(5))).toBe('abcde');
  });

  test('refuses one byte too many and lets go of the rest', async () => {
    const { stream, cancelled } = bodyOf(['abc', 'def', 'never read']);
    await expect(replyFromResponse(new Response(stream)).whole(5)).rejects.toBeInstanceOf(ReplyTooLargeError);
    await cancelled;
  });

  test('of no body is empty', async () => {
    expect(await replyFromResponse(new Response(null, { status: 204 })).whole(5)).toHaveLength(0);
  });
});

describe('read', () => {
  test('gives piece after piece, then undefined', async () => {
    const reply = replyFromResponse(new Response(bodyOf(['ab', 'c']).stream));
    expect([textOf(await reply.read()), textOf(await reply.read()), await reply.read()]).toEqual([
      'ab',
      'c',
      undefined,
    ]);
  });

  test('of no body is its end', async () => {
    expect(await replyFromResponse(new Response(null)).read()).toBeUndefined();
  });

  test('rejects where the body breaks off', async () => {
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('cut')) });
    await expect(replyFromResponse(new Response(broken)).read()).rejects.toThrow('cut');
  });
});

describe('cancel', () => {
  test('lets go of a body, begun or not', async () => {
    const fresh = bodyOf(['a']);
    replyFromResponse(new Response(fresh.stream)).cancel();
    await fresh.cancelled;
    const begun = bodyOf(['a', 'b']);
    const reply = replyFromResponse(new Response(begun.stream));
    await reply.read();
    reply.cancel();
    await begun.cancelled;
  });

  test('of no body does nothing', () => {
    expect(() => replyFromResponse(new Response(null)).cancel()).not.toThrow();
  });
});
