/** Large bodies that are read whole take turns for their room, in every form that a body has. */

import { afterEach, expect, test } from 'bun:test';
import { gzipSync } from 'node:zlib';
import { until } from '../../../test/harness/scripted-server.ts';
import { BodyWatch } from '../../relay/attempts/body-watch.ts';
import { ReplyRoom, roomStepBytes } from '../reply-room.ts';
import { createHttpTransport } from './http-transport.ts';

const body = 'x'.repeat(5 * roomStepBytes);
const forms: Readonly<Record<string, () => Response>> = {
  'with a length': () => new Response(body),
  chunked: () =>
    new Response(
      new ReadableStream({
        start(controller) {
          for (let from = 0; from < body.length; from += 100_000) controller.enqueue(body.slice(from, from + 100_000));
          controller.close();
        },
      }),
    ),
  compressed: () => new Response(gzipSync(body), { headers: { 'content-encoding': 'gzip' } }),
};

const opened: { stop(): void }[] = [];
afterEach(() => {
  for (const { stop } of opened.splice(0)) stop();
});

test.each(Object.entries(forms))('%s: each ends, and no more at a time than there is room for', async (_, answer) => {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => answer() });
  const transport = createHttpTransport({ connectTimeoutMs: 60_000 });
  opened.push({ stop: () => void server.stop(true) }, { stop: () => transport.close() });
  const room = new ReplyRoom(2 * roomStepBytes);
  const ended = new Set<number>();
  const replies = await Promise.all(
    Array.from({ length: 4 }, async (_each, index) => {
      const reply = await transport({
        url: `${server.url}`,
        method: 'GET',
        headers: {},
        signal: new AbortController().signal,
      });
      const whole = reply.whole(10 * body.length, 0, room).then((bytes) => {
        expect(bytes.length).toBe(body.length);
        ended.add(index);
      });
      return { reply, whole };
    }),
  );
  for (let count = 1; count <= replies.length; count += 1) {
    await until(() => ended.size >= count);
    // One that ended keeps its room until it is given back; the others wait, but for the oldest.
    expect(room.bytes).toBeLessThanOrEqual(body.length + 3 * roomStepBytes);
    for (const index of ended) replies[index]?.reply.leaveRoom?.();
  }
  await Promise.all(replies.map(({ whole }) => whole));
  for (const { reply } of replies) reply.leaveRoom?.();
  expect(room.bytes).toBe(0);
});

test('one that waits for room does not count as one that stopped growing', async () => {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(body) });
  const transport = createHttpTransport({ connectTimeoutMs: 60_000 });
  opened.push({ stop: () => void server.stop(true) }, { stop: () => transport.close() });
  const room = new ReplyRoom(0);
  const holder = room.enter();
  holder.grow(1);
  const reply = await transport({
    url: `${server.url}`,
    method: 'GET',
    headers: {},
    signal: new AbortController().signal,
  });
  const whole = reply.whole(10 * body.length, 0, room);
  const watch = new BodyWatch();
  await until(() => reply.awaitedBytes === undefined);
  expect([watch.isStuck(reply, 0, 10), watch.isStuck(reply, 1_000, 10)]).toEqual([false, false]);
  holder.release();
  expect(watch.isStuck(reply, 1_005, 10)).toBe(false);
  expect((await whole).length).toBe(body.length);
  reply.leaveRoom?.();
});

test('a body that breaks off gives its room back', async () => {
  const server = Bun.listen({
    port: 0,
    hostname: '127.0.0.1',
    socket: {
      data(socket) {
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 3 * roomStepBytes)}`);
        socket.end();
      },
    },
  });
  const transport = createHttpTransport({ connectTimeoutMs: 60_000 });
  opened.push({ stop: () => server.stop(true) }, { stop: () => transport.close() });
  const room = new ReplyRoom(100 * roomStepBytes);
  const url = `http://127.0.0.1:${server.port}/`;
  const reply = await transport({ url, method: 'GET', headers: {}, signal: new AbortController().signal });
  await expect(reply.whole(10 * body.length, 0, room)).rejects.toThrow();
  expect(room.bytes).toBe(0);
});
