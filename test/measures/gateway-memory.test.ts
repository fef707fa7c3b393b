/** The memory of a running gateway under clients that flood it, never read, or send without end. */

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import type { Socket } from 'node:net';
import { acceptFor } from '../../src/framing/websocket/accept-key.ts';
import { type RealtimeProvider, startRealtimeProvider } from '../fake-upstream/realtime/provider.ts';
import { post, scripted } from '../harness/chat.ts';
import { floodTokens } from '../harness/flood-tokens.ts';
import { chatHead, openSocket, rawChat } from '../harness/raw-request.ts';
import { properHandshake, RawSocket } from '../harness/raw-socket.ts';
import { SocketClient } from '../harness/socket-client.ts';
import { until } from '../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { memoryBytes, type RunningWeir, startWeir } from '../harness/weir.ts';
import { judge, judgeMegabytes } from './figures.ts';

const megabyte = 1_048_576;
const streamOf = (script: object) => scripted(script, { stream: true });
let upstream: RunningUpstream;
let live: RealtimeProvider;
let deaf: { readonly port: number; stop(): void };
let weir: RunningWeir;

beforeAll(async () => {
  upstream = await startUpstream();
  live = startRealtimeProvider();
  deaf = startDeafProvider();
});
afterAll(async () => {
  await upstream.stop();
  live.stop();
  deaf.stop();
});

/** A fresh process for each: what another left behind would be measured too. */
beforeEach(async () => {
  const openai = (base_url: string, ...models: string[]) => ({ kind: 'openai', base_url, key: 'sk-upstream', models });
  weir = await startWeir({
    yaml: {
      providers: {
        up: openai(upstream.base, 'gpt-4.1'),
        live: openai(live.base, 'up-realtime'),
        deaf: openai(`http://127.0.0.1:${deaf.port}/v1`, 'deaf-realtime'),
      },
      clocks: { client_stall_timeout_ms: 1_500, read_on_ms: 0 },
    },
    env: { WEIR_LIMITS_MULTIPART_BODY_BYTES_MAX: `${100 * megabyte}` },
  });
  await rawChat(weir, streamOf({ deltas: 3 }));
});
afterEach(() => weir.remove());

/** Shakes hands and then never reads. */
function startDeafProvider(): typeof deaf {
  const listener = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data(socket, bytes) {
        const key = /sec-websocket-key: (\S+)/i.exec(bytes.toString('latin1'))?.[1] ?? '';
        socket.write(
          'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n' +
            `sec-websocket-accept: ${acceptFor(key)}\r\n\r\n`,
        );
        socket.pause();
      },
    },
  });
  return { port: listener.port, stop: () => listener.stop(true) };
}

/** The most that the process takes while something runs, above what it took before. */
async function growthWhile(run: () => Promise<unknown>): Promise<number> {
  const before = await memoryBytes(weir.pid);
  let most = before;
  let over = false;
  const watching = (async () => {
    while (!over) {
      most = Math.max(most, await memoryBytes(weir.pid));
      await Bun.sleep(10);
    }
  })();
  await run();
  over = true;
  await watching;
  return most - before;
}

test('20,000 unknown tokens, after the first 10,000', async () => {
  await floodTokens(weir, 10_000);
  // What is remembered of each would grow with every flood; garbage that waits for its collection does not.
  const growths: number[] = [];
  for (let round = 0; round < 4; round += 1) {
    const before = await memoryBytes(weir.pid);
    await floodTokens(weir, 20_000);
    growths.push((await memoryBytes(weir.pid)) - before);
  }
  judgeMegabytes('20,000 unknown tokens', Math.min(...growths), 40);
});

test('a body without end', async () => {
  const piece = new Uint8Array(1_000_000).fill(0x20);
  const body = new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(piece) });
  judgeMegabytes('a body without end', await growthWhile(() => post(weir, '', { body }).catch(() => undefined)), 150);
});

test.each(['content-length', 'transfer-encoding'])('an upload of 1 GB by %s against a limit of 100 MB', async (how) => {
  const total = 1_024 * megabyte;
  const piece = Buffer.alloc(megabyte, 0x61);
  const framed = Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]);
  const isChunked = how === 'transfer-encoding';
  const socket = await openSocket(weir.url);
  socket.on('error', () => undefined);
  let received = '';
  socket.on('data', (bytes: Buffer) => {
    received += bytes.toString('latin1');
  });
  const lines = ['POST /v1/images/edits HTTP/1.1', 'host: x', `authorization: Bearer ${weir.token}`];
  const length = isChunked ? 'transfer-encoding: chunked' : `content-length: ${total}`;
  socket.write([...lines, 'content-type: multipart/form-data; boundary=x', length, '', ''].join('\r\n'));
  const start = Buffer.from('--x\r\ncontent-disposition: form-data; name="image"; filename="a.png"\r\n\r\n');
  if (isChunked) socket.write(`${start.length.toString(16)}\r\n`);
  socket.write(start);
  if (isChunked) socket.write('\r\n');
  let sent = 0;
  const growth = await growthWhile(async () => {
    for (; received === '' && sent < total; sent += megabyte)
      if (!socket.write(isChunked ? framed : piece)) await new Promise((resolve) => socket.once('drain', resolve));
  });
  await until(() => received.includes('body_too_large'));
  socket.destroy();
  judge(`1 GB by ${how}: sent until it was refused`, sent / megabyte, 200, 'MB');
  judgeMegabytes(`1 GB by ${how}`, growth, 100);
});

test('100 clients that never read a stream of 200 MB', async () => {
  const sockets: Socket[] = [];
  const growth = await growthWhile(async () => {
    for (let index = 0; index < 100; index++) {
      const socket = await openSocket(weir.url);
      socket.pause();
      socket.on('error', () => socket.destroy());
      const script = { nonce: `deaf-${index}`, deltas: 10_000, deltaBytes: 20_000 };
      socket.write(chatHead(weir, JSON.stringify(streamOf(script))));
      sockets.push(socket);
    }
    await until(async () => (await upstream.invoice()).filter(({ nonce }) => nonce.startsWith('deaf-')).length === 100);
    await Bun.sleep(1_000);
  });
  for (const socket of sockets) socket.destroy();
  judgeMegabytes('100 streams that are not read', growth, 500);
});

test('a stream of 200 MB that is read', async () => {
  const growth = await growthWhile(async () => {
    const reply = await post(weir, streamOf({ deltas: 10_000, deltaBytes: 20_000 }));
    let bytes = 0;
    for await (const part of reply.body ?? []) bytes += part.length;
    expect(bytes).toBeGreaterThan(200_000_000);
  });
  judgeMegabytes('a stream of 200 MB', growth, 150);
});

test('20 realtime clients that never read 50 MB, and the waits of one that does', async () => {
  const path = '/v1/realtime?model=up-realtime';
  const headers = { ...properHandshake, authorization: `Bearer ${weir.token}` };
  const waits: number[] = [];
  const growth = await growthWhile(async () => {
    const slow = await Promise.all(Array.from({ length: 20 }, () => RawSocket.open(weir.url, path, headers)));
    const flooded = live.connections.slice(-20);
    for (const one of slow) {
      one.socket.pause();
      one.send({ opcode: 1, payload: JSON.stringify({ type: 'conversation.item.create', script: { flood: 50 } }) });
    }
    const quick = new SocketClient(`${weir.base}/realtime?model=up-realtime`, { token: weir.token });
    while (flooded.some(({ closed }) => closed === undefined)) {
      const startedAtMs = performance.now();
      await quick.send({ type: 'conversation.item.create', text: 'quick' });
      while ((await quick.next()).type !== 'echo');
      waits.push(performance.now() - startedAtMs);
      await Bun.sleep(10);
    }
    quick.close();
    for (const one of slow) one.end();
  });
  judgeMegabytes('20 realtime clients that do not read', growth, 150);
  const p90 = waits.toSorted((a, b) => a - b)[Math.floor(waits.length * 0.9)] ?? 0;
  judge('p90 of the echoes meanwhile', p90, 200, 'ms');
});

test('a realtime provider that never reads', async () => {
  const growth = await growthWhile(async () => {
    const socket = new SocketClient(`${weir.base}/realtime?model=deaf-realtime`, { token: weir.token });
    const frame = JSON.stringify({ type: 'input_audio_buffer.append', audio: 'A'.repeat(500_000) });
    await socket.opened;
    let ended = false;
    void socket.closed.then(() => {
      ended = true;
    });
    for (let count = 0; count < 200 && !ended; count++) {
      await socket.send(frame);
      await Bun.sleep(1);
    }
    expect((await socket.closed).code).toBe(1008);
  });
  judgeMegabytes('a realtime provider that does not read', growth, 120);
});
