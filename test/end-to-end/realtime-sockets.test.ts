/**
 * RELIABILITY part 3, "Sockets", for live conversations: bad handshakes, sizes, deaths, slow sides, clocks, and tokens
 * that must stay secret.
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { acceptFor } from '../../src/framing/websocket/accept-key.ts';
import { type RealtimeProvider, startRealtimeProvider } from '../fake-upstream/realtime/provider.ts';
import { properHandshake, RawSocket } from '../harness/raw-socket.ts';
import { sized } from '../harness/size.ts';
import { SocketClient, type SocketEvent, type SocketOptions } from '../harness/socket-client.ts';
import { createToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { descriptors, type RunningWeir, startWeir } from '../harness/weir.ts';

const messageBytesMax = 1_000_000;
const path = '/v1/realtime?model=up-realtime';
let provider: RealtimeProvider;
let deaf: { readonly port: number; stop(): void };
let weir: RunningWeir;

beforeAll(async () => {
  provider = startRealtimeProvider();
  deaf = startDeafProvider();
  weir = await startWeir({
    yaml: {
      providers: {
        up: { kind: 'openai', base_url: provider.base, key: 'sk-up', models: ['up-realtime'] },
        deaf: {
          kind: 'openai',
          base_url: `http://127.0.0.1:${deaf.port}/v1`,
          key: 'sk-deaf',
          models: ['deaf-realtime'],
        },
      },
      limits: { json_body_bytes_max: messageBytesMax, stream_event_bytes_max: 2_000_000 },
      clocks: { client_stall_timeout_ms: 1_500 },
    },
    env: { WEIR_LOG_LEVEL: 'debug' },
  });
});
afterAll(async () => {
  await weir?.remove();
  provider?.stop();
  deaf?.stop();
});

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

const bearer = () => ({ authorization: `Bearer ${weir.token}` });
const connect = (options: SocketOptions = { token: weir.token }, model = 'up-realtime', at = weir) =>
  new SocketClient(`${at.base}/realtime?model=${model}`, options);

async function lastOf(socket: SocketClient, type: string): Promise<SocketEvent> {
  for (;;) {
    const event = await socket.next();
    if (event.type === type) return event;
  }
}

const codeOf = (event: SocketEvent) => (event['error'] as { code: string }).code;

async function ready(): Promise<SocketClient> {
  const socket = connect();
  await lastOf(socket, 'session.created');
  return socket;
}

describe('a handshake', () => {
  test.each([
    ['without `connection`', { connection: undefined }, 400],
    ['with another `connection`', { connection: 'keep-alive' }, 400],
    ['without a version', { 'sec-websocket-version': undefined }, 400],
    ['of an old version', { 'sec-websocket-version': '8' }, 400],
    ['without a key', { 'sec-websocket-key': undefined }, 400],
    ['with a short key', { 'sec-websocket-key': 'AAAA' }, 400],
    ['with a key that is no base64', { 'sec-websocket-key': '!!!!!!!!!!!!!!!!!!!!!!==' }, 400],
    ['for something else', { upgrade: 'h2c' }, 426],
    ['for nothing', { upgrade: undefined }, 426],
    ['without a token', { authorization: undefined }, 401],
  ])('%s is refused, and no provider is asked', async (_, wrong, status) => {
    const before = provider.connections.length;
    const socket = await RawSocket.open(weir.url, path, { ...properHandshake, ...bearer(), ...wrong });
    expect(socket.status).toBe(status);
    await until(() => socket.body.toString().includes('"error"'), 60_000, 'the error');
    expect(provider.connections).toHaveLength(before);
    socket.end();
  });

  test('by another method is refused', async () => {
    const headers = { ...properHandshake, ...bearer(), 'content-length': '0' };
    const socket = await RawSocket.open(weir.url, path, headers, 'POST');
    expect(socket.status).toBe(405);
    socket.end();
  });

  test('with two different tokens is refused, with the same one twice it is not', async () => {
    const offer = (token: string) => ({ 'sec-websocket-protocol': `realtime, openai-insecure-api-key.${token}` });
    const { token } = await createToken(weir);
    const refused = await RawSocket.open(weir.url, path, { ...properHandshake, ...bearer(), ...offer(token) });
    expect(refused.status).toBe(400);
    const taken = await RawSocket.open(weir.url, path, { ...properHandshake, ...bearer(), ...offer(weir.token) });
    expect(taken.status).toBe(101);
    for (const socket of [refused, taken]) socket.end();
  });

  test('works with a doubled prefix or slash', async () => {
    for (const way of ['/v1/v1/realtime', '/v1//realtime', '//v1/realtime']) {
      const socket = await RawSocket.open(weir.url, `${way}?model=up-realtime`, { ...properHandshake, ...bearer() });
      expect(socket.status).toBe(101);
      socket.end();
    }
  });
});

describe('a message', () => {
  const empty = '{"type":"conversation.item.create","text":""}'.length;
  const message = (bytes: number, letter = 'x') => {
    const text = letter.repeat(Math.floor((bytes - empty) / Buffer.byteLength(letter)));
    return `{"type":"conversation.item.create","text":"${text}${'x'.repeat(bytes - empty - Buffer.byteLength(text))}"}`;
  };

  test.each([
    'x',
    'é',
    '漢',
    '😀',
  ])('of %s is measured in bytes: at the cap it passes, above it ends with 1009', async (letter) => {
    const socket = await ready();
    const whole = message(messageBytesMax, letter);
    expect(Buffer.byteLength(whole)).toBe(messageBytesMax);
    await socket.send(whole);
    expect((await lastOf(socket, 'echo'))['text']).toBe(whole);
    const seen = provider.last();
    await socket.send(message(messageBytesMax + 1, letter));
    expect((await socket.closed).code).toBe(1009);
    await until(() => seen.closed !== undefined, 60_000, 'the provider is left');
  });

  test('in pieces counts as a whole', async () => {
    for (const [bytes, passes] of [
      [messageBytesMax, true],
      [messageBytesMax + 1, false],
    ] as const) {
      const socket = await RawSocket.open(weir.url, path, { ...properHandshake, ...bearer() });
      await until(() => socket.body.includes('session.created'), 60_000);
      const seen = provider.last();
      const text = Buffer.from(message(bytes));
      const half = bytes >> 1;
      socket.send({ opcode: 1, final: false, payload: text.subarray(0, half) });
      socket.send({ opcode: 0, payload: text.subarray(half) });
      if (passes) await until(() => seen.frames.length === 1, 60_000, 'the message');
      else await until(() => socket.closed && seen.closed !== undefined, 60_000, 'the end');
      expect(seen.frames.length).toBe(passes ? 1 : 0);
      socket.end();
    }
  });

  test.each([
    ['without a mask', { opcode: 1, masked: false, payload: '{}' }],
    ['of an unknown kind', { opcode: 3, payload: '{}' }],
    ['that is no UTF-8', { opcode: 1, payload: new Uint8Array([0xc3, 0x28]) }],
  ])('%s ends the connection on both sides', async (_, frame) => {
    const socket = await RawSocket.open(weir.url, path, { ...properHandshake, ...bearer() });
    await until(() => socket.body.includes('session.created'), 60_000);
    const seen = provider.last();
    socket.send(frame);
    await until(() => socket.closed && seen.closed !== undefined, 60_000, 'the end');
    expect(seen.frames).toEqual([]);
    socket.end();
  });

  test('of the provider that is too large ends the session on both sides', async () => {
    const socket = await ready();
    const seen = provider.last();
    await socket.send({ type: 'conversation.item.create', script: { whole: 2_000_001 } });
    expect((await socket.closed).code).toBe(1009);
    await until(() => seen.closed !== undefined, 60_000, 'the provider is left');
  });

  test('that sends a ping gets a pong', async () => {
    const socket = await RawSocket.open(weir.url, path, { ...properHandshake, ...bearer() });
    socket.send({ opcode: 9, payload: 'there?' });
    await until(() => socket.body.includes(Buffer.from([0x8a, 6, ...Buffer.from('there?')])), 60_000, 'the pong');
    socket.end();
  });
});

describe('a death', () => {
  test('of the provider while nothing runs is an error event and 1011', async () => {
    const socket = await ready();
    await socket.send({ type: 'conversation.item.create', script: { vanish: true } });
    expect(codeOf(await lastOf(socket, 'error'))).toBe('upstream_failed');
    expect((await socket.closed).code).toBe(1011);
  });

  test('of many clients leaves nothing behind: providers are closed, descriptors come back', async () => {
    await (await ready()).close();
    await until(() => provider.connections.every(({ closed }) => closed !== undefined), 60_000, 'a quiet start');
    const before = await descriptors(weir.pid);
    const from = provider.connections.length;
    const sockets = await Promise.all(Array.from({ length: sized(30, 100) }, ready));
    for (const [index, socket] of sockets.entries()) {
      // Some in the middle of a response, which is cancelled first.
      if (index % 2 === 0) await socket.send({ type: 'response.create', script: { hang: true } });
    }
    await Promise.all(
      sockets.filter((_, index) => index % 2 === 0).map((socket) => lastOf(socket, 'response.created')),
    );
    for (const socket of sockets) socket.die();
    const all = () => provider.connections.slice(from);
    await until(() => all().every(({ closed }) => closed !== undefined), 60_000, 'every provider is left');
    await until(async () => (await descriptors(weir.pid)) <= before + 2, 60_000, 'the descriptors');
  });
});

describe('a peer that does not read', () => {
  const slowPeers = sized(6, 20);

  test('is cut off, one of many too, and the others are served meanwhile', async () => {
    const slow = await Promise.all(
      Array.from({ length: slowPeers }, () => RawSocket.open(weir.url, path, { ...properHandshake, ...bearer() })),
    );
    const flooded = provider.connections.slice(-slowPeers);
    for (const one of slow) {
      one.socket.pause();
      one.send({ opcode: 1, payload: JSON.stringify({ type: 'conversation.item.create', script: { flood: 50 } }) });
    }
    const quick = await ready();
    let echoes = 0;
    while (flooded.some(({ closed }) => closed === undefined)) {
      await quick.send({ type: 'conversation.item.create', text: 'quick' });
      await lastOf(quick, 'echo');
      echoes++;
    }
    expect(echoes).toBeGreaterThan(0);
    quick.close();
    for (const one of slow) one.end();
  });

  test('for a moment loses nothing: its provider waits for it', async () => {
    const patient = await startWeir({
      yaml: {
        providers: { up: { kind: 'openai', base_url: provider.base, key: 'sk-up', models: ['up-realtime'] } },
        clocks: { client_stall_timeout_ms: 600_000 },
      },
    });
    const headers = { ...properHandshake, authorization: `Bearer ${patient.token}` };
    const socket = await RawSocket.open(patient.url, path, headers);
    await until(() => socket.body.includes('session.created'));
    // More than the buffers of all connections on the way take.
    const megabytes = sized(20, 40);
    const frame = { type: 'conversation.item.create', script: { flood: megabytes } };
    socket.socket.pause();
    socket.send({ opcode: 1, payload: JSON.stringify(frame) });
    const other = connect({ token: patient.token }, 'up-realtime', patient);
    for (let echoes = 0; echoes < 50; echoes++) {
      await other.send({ type: 'conversation.item.create' });
      await lastOf(other, 'echo');
    }
    other.close();
    socket.socket.resume();
    const pieces = megabytes * 16;
    const piece = `"response.output_audio.delta","delta":"${'A'.repeat(65_536)}"}`;
    // More than all pieces but the last take up, and at the end of one.
    const whole = () => socket.body.length >= pieces * piece.length && socket.body.at(-1) === '}'.charCodeAt(0);
    await until(whole, 60_000, 'all that was sent');
    expect(socket.body.toString('latin1').split(piece)).toHaveLength(pieces + 1);
    expect(socket.closed).toBe(false);
    socket.end();
    await patient.remove();
  });

  test('where it is the provider, ends with 1008 before much is kept for it', async () => {
    const socket = connect(undefined, 'deaf-realtime');
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
    expect(await socket.closed).toEqual({ code: 1008, reason: 'rate_limited' });
    expect(codeOf(socket.events.at(-1) ?? { type: '' })).toBe('rate_limited');
  });
});

describe('the clocks', () => {
  /** One that ends by this clock and no other; the environment wins over the file. */
  const startWith = (clock: 'IDLE' | 'TOTAL'): Promise<RunningWeir> =>
    startWeir({
      yaml: {
        providers: { up: { kind: 'openai', base_url: provider.base, key: 'sk-up', models: ['up-realtime'] } },
        realtime: { idle_ms: 600_000, total_ms: 600_000 },
      },
      env: { [`WEIR_REALTIME_${clock}_MS`]: '700' },
    });

  test.each([
    ['a silent session', 'IDLE', 'session_idle'],
    ['one that has lasted', 'TOTAL', 'session_expired'],
  ] as const)('end %s', async (_what, clock, code) => {
    const own = await startWith(clock);
    try {
      const socket = connect({ token: own.token }, 'up-realtime', own);
      await lastOf(socket, 'session.created');
      const chatter =
        clock === 'IDLE' ? undefined : setInterval(() => void socket.send({ type: 'conversation.item.create' }), 50);
      expect((await socket.closed).code).toBe(1000);
      clearInterval(chatter);
      expect(codeOf(socket.events.at(-1) ?? { type: '' })).toBe(code);
    } finally {
      await own.remove();
    }
  });
});

describe('a token in a sub-protocol', () => {
  test('is in no answer, no line that Weir writes and no file that it keeps', async () => {
    const { token } = await createToken(weir);
    const unknown = `canary-${crypto.randomUUID()}`;
    const secret = await fetch(`${weir.base}/realtime/client_secrets`, {
      method: 'POST',
      headers: { ...bearer(), 'content-type': 'application/json' },
      body: JSON.stringify({ session: { type: 'realtime', model: 'up-realtime' } }),
    });
    const { value } = (await secret.json()) as { value: string };
    const expectations = [
      [token, 101],
      [value, 101],
      [unknown, 401],
      [`ek_${'B'.repeat(43)}`, 401],
      [`${value}x`, 401],
    ] as const;
    for (const [given, status] of expectations) {
      for (const offered of [`realtime, openai-insecure-api-key.${given}`, `openai-insecure-api-key.${given}`]) {
        const headers = { ...properHandshake, 'sec-websocket-protocol': offered };
        const socket = await RawSocket.open(weir.url, path, headers);
        expect(socket.status).toBe(status);
        expect(socket.head).not.toContain(given);
        expect(socket.body.toString()).not.toContain(given);
        const answered = status === 101 && offered.startsWith('realtime') ? 'realtime' : undefined;
        expect(/sec-websocket-protocol: *(\S+)/i.exec(socket.head)?.[1]).toBe(answered as string);
        // The error about an unknown model must not hold the token either.
        const wrong = await RawSocket.open(weir.url, '/v1/realtime?model=unknown', headers);
        expect(wrong.head + wrong.body.toString()).not.toContain(given);
        for (const one of [socket, wrong]) one.end();
      }
    }
    await until(() => provider.connections.every(({ closed }) => closed !== undefined), 60_000, 'the ends');
    const files = await readdir(weir.dataFolder, { recursive: true, withFileTypes: true });
    const kept = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
    expect(kept.length).toBeGreaterThan(0);
    const texts = await Promise.all(
      kept.map(async (file) => Buffer.from(await Bun.file(file).bytes()).toString('latin1')),
    );
    for (const [given] of expectations) {
      expect(weir.output()).not.toContain(given);
      expect(texts.some((text) => text.includes(given))).toBe(false);
      const passedOn = provider.connections.some(({ headers, url, frames }) =>
        JSON.stringify([headers, url.href, frames]).includes(given),
      );
      expect(passedOn).toBe(false);
    }
  });
});
