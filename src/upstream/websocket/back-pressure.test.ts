/** A side that does not read stops the other, and gets everything in order once it reads again. */

import { afterEach, describe, expect, test } from 'bun:test';
import { loopbackRounds } from '../../../test/harness/loopback.ts';
import { endAll, open, openAndListen } from '../../../test/harness/recorded-client.ts';
import { startPeer } from '../../../test/harness/scripted-peer.ts';
import { until } from '../../../test/harness/scripted-server.ts';

const servers: { stop(force?: boolean): unknown }[] = [];
afterEach(() => {
  endAll();
  for (const server of servers.splice(0)) server.stop(true);
});

const megabyte = 1_048_576;
/** What the kernel's own buffers on both sides of a loopback connection may swallow; more where it saw the reader read fast. */
const kernelBytesMax = 16 * megabyte;
const widenedKernelBytesMax = 48 * megabyte;

/** Sends numbered messages as fast as they are taken, and no faster. */
function startSender(count: number, bytes: number) {
  const state = { sent: 0, held: 0 };
  const filler = 'x'.repeat(bytes - 10);
  const go = (socket: Bun.ServerWebSocket<undefined>) => {
    // The runtime calls `drain` after every bit that was taken; only an empty queue is a reason to send on.
    while (state.sent < count && socket.getBufferedAmount() === 0) {
      const taken = socket.send(String(state.sent).padStart(10, '0') + filler);
      state.sent += 1;
      // -1 says that it waits in the server's memory.
      if (taken === -1) state.held += 1;
    }
  };
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request, upgrading) => (upgrading.upgrade(request) ? undefined : new Response()),
    websocket: { message() {}, open: go, drain: go, backpressureLimit: 1024 * megabyte, idleTimeout: 0 },
  });
  servers.push(server);
  return { state, url: `ws://127.0.0.1:${server.port}/` };
}

/** Long enough for a client that would not pause: each round is a chance to read, and to send more. */
const idleRounds = 300;

describe('100 MB for a client that pauses', () => {
  test.each([
    ['in large messages', 100, megabyte],
    ['in small messages', 50_000, 2_097],
  ])('%s', async (_name, count, bytes) => {
    const { state, url } = startSender(count, bytes);
    let expected = 0;
    let wrong = 0;
    let pauseAt = 3;
    const { socket, recorded } = await open(url, {
      onMessage(message) {
        if (Number(String(message).slice(0, 10)) !== expected) wrong += 1;
        expected += 1;
        recorded.messages.length = 0;
        if (expected === pauseAt) socket.pause();
      },
    });
    socket.resume();
    await until(() => expected === pauseAt);
    await loopbackRounds(idleRounds);
    expect(state.sent * bytes).toBeLessThan(kernelBytesMax);
    expect(state.held).toBeGreaterThan(0);
    expect(expected).toBe(pauseAt);
    // Again in the middle, after it had run on.
    pauseAt = Math.floor(count / 4);
    socket.resume();
    await until(() => expected === pauseAt);
    await loopbackRounds(idleRounds);
    expect((state.sent - expected) * bytes).toBeLessThan(widenedKernelBytesMax);
    expect(expected).toBe(pauseAt);
    pauseAt = -1;
    socket.resume();
    await until(() => expected === count);
    expect(wrong).toBe(0);
    expect(recorded.ends).toEqual([]);
  });
});

test('a server that does not read lets bufferedBytes grow, and drained is called when it has read', async () => {
  const server = startPeer();
  servers.push(server);
  const { socket, recorded } = await openAndListen(server.url);
  const [peer] = server.peers;
  if (peer === undefined) throw new Error('no peer connected');
  peer.socket.pause();
  const texts = Array.from({ length: 200 }, (_, index) => `${index} ${'x'.repeat(100_000)}`);
  let grown = 0;
  for (const text of texts) {
    const before = socket.bufferedBytes;
    socket.send(text);
    if (socket.bufferedBytes > before) grown += 1;
  }
  expect(grown).toBeGreaterThan(20);
  const waiting = socket.bufferedBytes;
  await loopbackRounds();
  expect(socket.bufferedBytes).toBeGreaterThan(waiting / 2);
  expect(recorded.drains).toBe(0);
  peer.socket.resume();
  await until(() => recorded.drains === 1);
  expect(socket.bufferedBytes).toBe(0);
  await until(() => peer.frames.length === texts.length);
  expect(peer.frames.map(({ payload }) => payload.toString())).toEqual(texts);
  expect(recorded.drains).toBe(1);
});

test('a close behind much that waits still ends in time', async () => {
  const server = startPeer();
  servers.push(server);
  const { socket, recorded } = await openAndListen(server.url, { closeTimeoutMs: 100 });
  server.peers[0]?.socket.pause();
  while (socket.bufferedBytes < 4 * megabyte) socket.send('x'.repeat(megabyte));
  socket.close(1000, '');
  await until(() => recorded.ends.length === 1);
  expect(recorded.ends).toEqual([[1006, '']]);
  expect(socket.bufferedBytes).toBe(0);
});
