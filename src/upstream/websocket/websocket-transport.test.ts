/** The transport against the runtime's own WebSocket server: sizes, order and both directions under load. */

import { afterEach, describe, expect, test } from 'bun:test';
import { endAll, openAndListen } from '../../../test/harness/recorded-client.ts';
import { until } from '../../../test/harness/scripted-server.ts';

const servers: { stop(force: boolean): unknown }[] = [];
afterEach(() => {
  endAll();
  for (const server of servers.splice(0)) server.stop(true);
});

const megabyte = 1_048_576;

function serve(handlers: Partial<Bun.WebSocketHandler<undefined>>) {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request, upgrading) =>
      upgrading.upgrade(request) ? undefined : new Response('no socket here', { status: 400 }),
    websocket: { message() {}, maxPayloadLength: 64 * megabyte, backpressureLimit: 1024 * megabyte, ...handlers },
  });
  servers.push(server);
  return `ws://127.0.0.1:${server.port}/`;
}

const echo: Partial<Bun.WebSocketHandler<undefined>> = { message: (socket, message) => void socket.send(message) };

describe('messages come back as they went', () => {
  test.each([1, 125, 126, 65_535, 65_536, 100_003, megabyte, 8 * megabyte])('%d bytes of text', async (length) => {
    const { socket, recorded } = await openAndListen(serve(echo));
    const text = `${'abc€'.repeat(Math.floor(length / 6))}${'z'.repeat(length % 6)}`;
    expect(Buffer.byteLength(text)).toBe(length);
    for (let round = 0; round < 3; round += 1) socket.send(text);
    await until(() => recorded.messages.length === 3, 60_000);
    expect(recorded.messages.map((message) => message === text)).toEqual([true, true, true]);
  });

  test.each([0, 1, 126, 65_536, 8 * megabyte])('%d bytes that are no text', async (length) => {
    const bytes = crypto.getRandomValues(new Uint8Array(Math.min(length, 65_536)));
    const whole = Buffer.alloc(length, bytes.length === 0 ? 0 : bytes);
    const { recorded } = await openAndListen(serve({ open: (socket) => void socket.send(whole) }));
    await until(() => recorded.messages.length === 1, 60_000);
    expect(Buffer.compare(recorded.messages[0] as Uint8Array, whole)).toBe(0);
  });

  test('10,000 in order, in both directions at once', async () => {
    const seen: string[] = [];
    const url = serve({
      message(socket, message) {
        seen.push(String(message));
        socket.send(message);
      },
    });
    const { socket, recorded } = await openAndListen(url);
    const texts = Array.from({ length: 10_000 }, (_, count) => `${count} ${'x'.repeat((count * 31) % 700)}`);
    for (const text of texts) socket.send(text);
    await until(() => recorded.messages.length === texts.length, 60_000);
    expect(seen).toEqual(texts);
    expect(recorded.messages).toEqual(texts);
    expect(socket.bufferedBytes).toBe(0);
  });

  test('through 200 sockets with a word of their own each', async () => {
    const url = serve(echo);
    const clients = await Promise.all(Array.from({ length: 200 }, () => openAndListen(url)));
    for (let round = 0; round < 20; round += 1) {
      for (const [index, { socket }] of clients.entries()) socket.send(`${index}/${round}`);
    }
    await until(() => clients.every(({ recorded }) => recorded.messages.length === 20), 60_000);
    for (const [index, { recorded }] of clients.entries()) {
      expect(recorded.messages).toEqual(Array.from({ length: 20 }, (_, round) => `${index}/${round}`));
    }
  });
});

describe('closing', () => {
  test('by the server reports its code and reason', async () => {
    const { recorded } = await openAndListen(serve({ open: (socket) => socket.close(4123, 'for a reason') }));
    await until(() => recorded.ends.length === 1);
    expect(recorded.ends).toEqual([[4123, 'for a reason']]);
  });

  test('by the client reaches the server, which answers', async () => {
    const ends: unknown[] = [];
    const url = serve({ close: (_socket, code, reason) => void ends.push([code, reason]) });
    const { socket, recorded } = await openAndListen(url, { closeTimeoutMs: 5_000 });
    socket.close(4321, 'enough');
    await until(() => recorded.ends.length === 1 && ends.length === 1);
    expect(ends).toEqual([[4321, 'enough']]);
    expect(recorded.ends[0]?.[0]).toBe(4321);
  });

  test('of a server that stops is 1006 or its word', async () => {
    const { recorded } = await openAndListen(serve({}));
    for (const server of servers.splice(0)) server.stop(true);
    await until(() => recorded.ends.length === 1);
    expect([1001, 1006]).toContain(recorded.ends[0]?.[0] ?? 0);
  });
});

test('a message at the limit passes, one above it is 1009 for both', async () => {
  const ends: number[] = [];
  const url = serve({
    open(socket) {
      socket.send('x'.repeat(70_000));
      socket.send('x'.repeat(70_001));
    },
    close: (_socket, code) => void ends.push(code),
  });
  const { recorded } = await openAndListen(url, { messageBytesMax: 70_000 });
  await until(() => recorded.ends.length === 1 && ends.length === 1);
  expect(recorded.messages).toEqual(['x'.repeat(70_000)]);
  expect(recorded.ends[0]?.[0]).toBe(1009);
  expect(ends).toEqual([1009]);
});
