/** The transport against real sockets: replies of every framing, cut anywhere, and connections that are used again or not. */

import { afterEach, describe, expect, test } from 'bun:test';
import { type Answer, reply, type ScriptedServer, startServer, until } from '../../../test/harness/scripted-server.ts';
import { sized } from '../../../test/harness/size.ts';
import { ReplyTooLargeError, type UpstreamReply, type UpstreamRequest } from '../transport.ts';
import { createHttpTransport, type HttpTransport, type HttpTransportOptions } from './http-transport.ts';

const opened: { stop(): void }[] = [];
afterEach(() => {
  for (const { stop } of opened.splice(0)) stop();
});

function start(answer: Answer, options: Partial<HttpTransportOptions> = {}) {
  const server = startServer(answer);
  const transport = createHttpTransport({ connectTimeoutMs: 60_000, ...options });
  opened.push({ stop: () => transport.close() }, server);
  return { server, transport, ask: (given?: Partial<UpstreamRequest>) => ask(transport, server, given) };
}

function ask(transport: HttpTransport, server: ScriptedServer, given: Partial<UpstreamRequest> = {}) {
  const signal = new AbortController().signal;
  return transport({ url: server.url, method: 'POST', headers: {}, body: '{}', signal, ...given });
}

const textOf = async (answer: UpstreamReply, bytesMax = 1e9) => Buffer.from(await answer.whole(bytesMax)).toString();

async function readAll(answer: UpstreamReply): Promise<string> {
  let text = '';
  for (let piece = await answer.read(); piece !== undefined; piece = await answer.read()) {
    text += Buffer.from(piece).toString('latin1');
  }
  return text;
}

const codeOf = async (promise: Promise<unknown>) => {
  try {
    await promise;
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  }
  return 'no error';
};

const chunks = (...pieces: string[]) =>
  `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('')}0\r\n\r\n`;

describe('requests', () => {
  test('arrive as they were given', async () => {
    const seen: { head: string; body: Buffer }[] = [];
    const { ask } = start((socket, request) => {
      seen.push(request);
      socket.write(reply('ok'));
    });
    await textOf(await ask({ headers: { 'x-a': 'b' }, body: 'häßlich €' }));
    await textOf(await ask({ body: new Uint8Array([0, 255, 10]) }));
    expect(seen[0]?.head).toContain('x-a: b');
    expect(seen[0]?.body.toString('utf8')).toBe('häßlich €');
    expect([...(seen[1]?.body ?? [])]).toEqual([0, 255, 10]);
    await textOf(await ask({ body: '' }));
    expect(seen[2]?.head).toContain('content-length: 0');
  });

  test('a bad header rejects and opens nothing', async () => {
    const { ask, server } = start((socket) => socket.write(reply('ok')));
    await expect(ask({ headers: { a: 'b\r\nc: d' } })).rejects.toThrow(TypeError);
    expect(server.accepted).toBe(0);
  });

  test.each([
    65_400,
    65_536,
    1_000_000,
    sized(20_000_000, 100_000_000),
  ])('a body of %d bytes arrives whole', async (bytes) => {
    let digest = '';
    const received = { bytes: 0, hasher: new Bun.CryptoHasher('sha1'), headSeen: false };
    const listener = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        data(socket, read) {
          let body: Buffer = read;
          if (!received.headSeen) {
            received.headSeen = true;
            body = read.subarray(read.indexOf('\r\n\r\n') + 4);
          }
          received.bytes += body.length;
          received.hasher.update(body);
          if (received.bytes < bytes) return;
          digest = received.hasher.digest('hex');
          socket.write(reply('got it'));
        },
      },
    });
    const transport = createHttpTransport({ connectTimeoutMs: 60_000 });
    opened.push({ stop: () => listener.stop(true) }, { stop: () => transport.close() });
    const body = Buffer.alloc(bytes, 'The quick brown fox. ');
    const url = `http://127.0.0.1:${listener.port}/`;
    const answer = await transport({ url, method: 'POST', headers: {}, body, signal: new AbortController().signal });
    expect(await textOf(answer)).toBe('got it');
    expect(digest).toBe(new Bun.CryptoHasher('sha1').update(body).digest('hex'));
  });
});

describe('replies', () => {
  test.each([
    ['with a length', reply('hello'), 'hello'],
    ['without a body', reply(''), ''],
    ['in chunks', chunks('hel', 'lo'), 'hello'],
    ['in no chunk', chunks(), ''],
    [
      'after interim replies',
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nlink: x\r\n\r\n${reply('hello')}`,
      'hello',
    ],
  ])('%s are the same in one read and cut anywhere, and the connection is used again', async (_name, bytes, body) => {
    let cut = 0;
    const { ask, server } = start(async (socket) => {
      if (cut === 0) {
        socket.write(bytes);
        return;
      }
      socket.write(bytes.slice(0, cut));
      // The kernel may still join both parts; a turn of the loop makes that rare, and `byte by byte` is tested apart.
      await new Promise((resolve) => setImmediate(resolve));
      socket.write(bytes.slice(cut));
    });
    for (; cut < bytes.length; cut += 1) {
      const answer = await ask();
      expect(answer.status).toBe(200);
      expect(cut % 2 === 0 ? await textOf(answer) : await readAll(answer)).toBe(body);
    }
    expect(server.accepted).toBe(1);
  });

  test('drip in byte by byte', async () => {
    const bytes = chunks('hel', 'lo');
    const { ask } = start(async (socket) => {
      for (const byte of bytes) {
        socket.write(byte);
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    expect(await textOf(await ask())).toBe('hello');
    expect(await readAll(await ask())).toBe('hello');
  });

  test('until the connection ends', async () => {
    const { ask, server } = start((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\nall of it');
      socket.end();
    });
    expect(await textOf(await ask())).toBe('all of it');
    expect(await readAll(await ask())).toBe('all of it');
    expect(server.accepted).toBe(2);
  });

  test.each([
    ['a length', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nshort'],
    ['chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nshort\r\n'],
    ['chunks in a chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\nshort'],
  ])('cut short against %s are errors after what arrived', async (_name, bytes) => {
    const { ask } = start((socket) => {
      socket.write(bytes);
      socket.end();
    });
    const pieces = await ask();
    expect(Buffer.from((await pieces.read()) ?? []).toString()).toBe('short');
    expect(await codeOf(pieces.read())).toBe('ECONNRESET');
    expect(await codeOf(pieces.read())).toBe('ECONNRESET');
    expect(await codeOf(textOf(await ask()))).toBe('ECONNRESET');
  });

  test.each([
    ['no HTTP', 'nonsense\r\n\r\n'],
    ['a bad chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'],
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n'],
    ['an unknown content coding', reply('x', 'content-encoding: rot13')],
  ])('that are %s are refused, and the connection with them', async (_name, bytes) => {
    const { ask, server } = start((socket) => socket.write(bytes));
    expect(await codeOf(ask().then((answer) => answer.whole(99)))).toBe('ERR_HTTP_FRAMING');
    await until(() => server.open === 0);
  });

  test('a head may be as large as its limit and no larger, in one read or many', async () => {
    const base = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\nx: ';
    let bytes = '';
    let drips = false;
    const { ask } = start(
      async (socket) => {
        for (const part of drips ? (bytes.match(/[\s\S]{1,100}/g) ?? []) : [bytes]) {
          socket.write(part);
          if (drips) await new Promise((resolve) => setImmediate(resolve));
        }
      },
      { headBytesMax: 1_000 },
    );
    for (drips of [false, true]) {
      bytes = `${base}${'y'.repeat(1_000 - base.length)}\r\n\r\n`;
      expect((await ask()).status).toBe(200);
      bytes = `${base}${'y'.repeat(1_001 - base.length)}\r\n\r\n`;
      expect(await codeOf(ask())).toBe('ERR_HTTP_FRAMING');
      bytes = `${base}${'y'.repeat(5_000)}`;
      expect(await codeOf(ask())).toBe('ERR_HTTP_FRAMING');
    }
  });

  test('one chunk of 16 MB', async () => {
    const body = 'x'.repeat(16_777_216);
    const bytes = Buffer.from(chunks(body));
    const unsent = new Map<unknown, number>();
    const listener = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        data: (socket) => void unsent.set(socket, socket.write(bytes)),
        drain(socket) {
          const at = unsent.get(socket) ?? 0;
          if (at < bytes.length) unsent.set(socket, at + socket.write(bytes, at, bytes.length - at));
        },
      },
    });
    const transport = createHttpTransport({ connectTimeoutMs: 60_000 });
    opened.push({ stop: () => listener.stop(true) }, { stop: () => transport.close() });
    const url = `http://127.0.0.1:${listener.port}/`;
    const given: UpstreamRequest = { url, method: 'GET', headers: {}, signal: new AbortController().signal };
    expect(await textOf(await transport(given))).toBe(body);
    expect(await readAll(await transport(given))).toBe(body);
  });

  test('whole() takes a body of its limit and refuses a larger one, announced or not', async () => {
    let bytes = reply('x'.repeat(100));
    const { ask, server } = start((socket) => socket.write(bytes));
    expect((await textOf(await ask(), 100)).length).toBe(100);
    await expect((await ask()).whole(99)).rejects.toThrow(ReplyTooLargeError);
    bytes = chunks('x'.repeat(50), 'x'.repeat(50));
    expect((await textOf(await ask(), 100)).length).toBe(100);
    await expect((await ask()).whole(99)).rejects.toThrow(ReplyTooLargeError);
    bytes = 'HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n';
    await expect((await ask()).whole(99)).rejects.toThrow(ReplyTooLargeError);
    await until(() => server.open <= 1);
  });

  test('each read of the network is one piece as it came', async () => {
    let socketOfServer: { write(text: string): void } | undefined;
    const { ask } = start((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      socketOfServer = socket;
    });
    const answer = await ask();
    for (const piece of ['one', 'two', 'three']) {
      const next = answer.read();
      socketOfServer?.write(`${piece.length}\r\n${piece}\r\n`);
      expect(Buffer.from((await next) ?? []).toString()).toBe(piece);
    }
    const last = answer.read();
    socketOfServer?.write('0\r\n\r\n');
    expect(await last).toBeUndefined();
    expect(await answer.read()).toBeUndefined();
  });
});
