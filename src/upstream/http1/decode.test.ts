/** Compressed replies: decoded as they arrive, whole or in pieces, and never silently cut. */

import { afterEach, describe, expect, test } from 'bun:test';
import { brotliCompressSync, createGzip, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { type Answer, startServer, until } from '../../../test/harness/scripted-server.ts';
import { ReplyTooLargeError } from '../transport.ts';
import { createHttpTransport } from './http-transport.ts';

const opened: { stop(): void }[] = [];
afterEach(() => {
  for (const { stop } of opened.splice(0)) stop();
});

function start(answer: Answer) {
  const server = startServer(answer);
  const transport = createHttpTransport({ connectTimeoutMs: 60_000 });
  opened.push({ stop: () => transport.close() }, server);
  const ask = (signal = new AbortController().signal) =>
    transport({ url: server.url, method: 'GET', headers: {}, signal });
  return { server, ask };
}

const text = 'A weir regulates and measures the flow. '.repeat(5_000);
const codings: [string, Buffer][] = [
  ['gzip', gzipSync(text)],
  ['x-gzip', gzipSync(text)],
  ['deflate', deflateSync(text)],
  ['deflate', deflateRawSync(text)],
  ['br', brotliCompressSync(text)],
  ['zstd', zstdCompressSync(text)],
];

const lengthHead = (coding: string, length: number) =>
  `HTTP/1.1 200 OK\r\ncontent-encoding: ${coding}\r\ncontent-length: ${length}\r\n\r\n`;

describe.each(codings)('%s', (coding, compressed) => {
  test('is decoded whole and in pieces, on one connection', async () => {
    const { server, ask } = start((socket) =>
      socket.write(Buffer.concat([Buffer.from(lengthHead(coding, compressed.length)), compressed])),
    );
    expect(Buffer.from(await (await ask()).whole(1e6)).toString()).toBe(text);
    const answer = await ask();
    let read = '';
    for (let piece = await answer.read(); piece !== undefined; piece = await answer.read()) {
      read += Buffer.from(piece).toString();
    }
    expect(read).toBe(text);
    expect(server.accepted).toBe(1);
  });

  test('cut short inside a complete reply is an error', async () => {
    const part = compressed.subarray(0, compressed.length - 6);
    const { ask } = start((socket) =>
      socket.write(Buffer.concat([Buffer.from(lengthHead(coding, part.length)), part])),
    );
    await expect((await ask()).whole(1e6)).rejects.toMatchObject({ code: 'ERR_HTTP_FRAMING' });
  });

  test('given up in the middle lets go of the connection', async () => {
    const { server, ask } = start((socket) =>
      socket.write(Buffer.concat([Buffer.from(lengthHead(coding, 1e6)), compressed.subarray(0, 60)])),
    );
    const leaving = new AbortController();
    const reason = new Error('left');
    const pending = (await ask(leaving.signal)).whole(1e6).catch((error) => error);
    (await ask()).cancel();
    leaving.abort(reason);
    expect(await pending).toBe(reason);
    await until(() => server.open === 0);
  });

  test('damaged is an error, and the running connection is closed', async () => {
    const { server, ask } = start((socket) =>
      socket.write(Buffer.concat([Buffer.from(lengthHead(coding, 100_000)), Buffer.alloc(5_000, 0xff)])),
    );
    await expect((await ask()).whole(1e6)).rejects.toMatchObject({ code: 'ERR_HTTP_FRAMING' });
    await until(() => server.open === 0);
  });
});

test('an empty body is empty in every coding', async () => {
  const { ask } = start((socket) => socket.write(lengthHead('gzip', 0)));
  expect((await (await ask()).whole(1)).length).toBe(0);
});

test('what decodes to more than the limit is refused', async () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000));
  const { ask } = start((socket) => socket.write(Buffer.concat([Buffer.from(lengthHead('gzip', bomb.length)), bomb])));
  await expect((await ask()).whole(1e6)).rejects.toThrow(ReplyTooLargeError);
});

test('events that the server flushes come through one by one', async () => {
  const gzip = createGzip();
  const { ask } = start((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n');
    gzip.on('data', (bytes: Buffer) => {
      socket.write(Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]));
    });
    gzip.on('end', () => socket.write('0\r\n\r\n'));
  });
  const answer = await ask();
  for (const event of ['data: one\n\n', 'data: two\n\n']) {
    gzip.write(event);
    gzip.flush();
    expect(Buffer.from((await answer.read()) ?? []).toString()).toBe(event);
  }
  gzip.end();
  expect(await answer.read()).toBeUndefined();
});

describe('cut off', () => {
  const events = ['data: one\n\n', 'data: two\n\n'];

  async function readToTheFault(answer: { read(): Promise<Uint8Array | undefined> }) {
    let read = '';
    try {
      for (let piece = await answer.read(); piece !== undefined; piece = await answer.read()) {
        read += Buffer.from(piece).toString();
      }
      return { read, fault: undefined };
    } catch (error) {
      return { read, fault: (error as { code?: string }).code };
    }
  }

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('what arrived of a %s reply is decoded before the failure', async (coding, compress) => {
    // Random digits compress by half only, so nearly all of them have arrived when the end is missing.
    const text = Buffer.from(crypto.getRandomValues(new Uint8Array(30_000))).toString('hex');
    const compressed = compress(text);
    const { ask } = start((socket) => {
      socket.write(Buffer.concat([Buffer.from(lengthHead(coding, 1e6)), compressed.subarray(0, -12)]));
      socket.end();
    });
    const { read, fault } = await readToTheFault(await ask());
    expect(text.startsWith(read)).toBe(true);
    expect(read.length).toBeGreaterThan(text.length / 2);
    expect(fault).toBe('ECONNRESET');
  });

  test.each(['', 'content-encoding: gzip\r\n'])('the chunks before a broken one of the same read: %j', async (line) => {
    const { ask } = start((socket) => {
      const body = line === '' ? events.map((event) => Buffer.from(event)) : [gzipSync(events.join(''))];
      const chunks = body.map((bytes) => `${bytes.length.toString(16)}\r\n${bytes.toString('latin1')}\r\n`);
      const head = `HTTP/1.1 200 OK\r\n${line}transfer-encoding: chunked\r\n\r\n`;
      socket.write(Buffer.from(`${head}${chunks.join('')}broken`, 'latin1'));
    });
    expect(await readToTheFault(await ask())).toEqual({ read: events.join(''), fault: 'ERR_HTTP_FRAMING' });
  });

  test('a reply that is awaited whole fails', async () => {
    const { ask } = start((socket) => {
      socket.write(Buffer.concat([Buffer.from(lengthHead('gzip', 1e6)), gzipSync(events.join(''))]));
      socket.end();
    });
    await expect((await ask()).whole(1e6)).rejects.toMatchObject({ code: 'ECONNRESET' });
  });
});
