/** A reader that does not read stops the server, whatever the reply's form, and everything is there once it reads. */

import { afterEach, describe, expect, test } from 'bun:test';
import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createHttpTransport } from './http-transport.ts';
import { until } from './scripted-server.ts';

const opened: { stop(): void }[] = [];
afterEach(() => {
  for (const { stop } of opened.splice(0)) stop();
});

const megabyte = 1_048_576;
/** What the kernel's own buffers on both sides of a loopback connection may swallow. */
const kernelBytesMax = 16 * megabyte;

/** Sends a head and then a piece again and again, as fast as it is taken. */
async function startSender(head: string, piece: Buffer, count: number, end = '') {
  const sent = { bytes: 0 };
  const server = createServer((socket) => {
    let left = count;
    const go = () => {
      while (left > 0) {
        left -= 1;
        sent.bytes += piece.length;
        if (!socket.write(piece)) {
          socket.once('drain', go);
          return;
        }
      }
      socket.end(end);
    };
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write(head);
      go();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  opened.push({ stop: () => server.close() });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { sent, url: `http://127.0.0.1:${port}/` };
}

async function ask(url: string) {
  const transport = createHttpTransport({ connectTimeoutMs: 5_000 });
  const leaving = new AbortController();
  opened.push({ stop: () => leaving.abort() }, { stop: () => transport.close() });
  return transport({ url, method: 'GET', headers: {}, signal: leaving.signal });
}

/** Waits until nothing more is sent for a while. */
async function standstill(sent: { bytes: number }): Promise<number> {
  let before = -1;
  await until(() => sent.bytes > 0);
  while (before !== sent.bytes) {
    before = sent.bytes;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return before;
}

const piece = Buffer.alloc(megabyte, 'x');
const chunk = Buffer.concat([Buffer.from('100000\r\n'), piece, Buffer.from('\r\n')]);
const compressed = gzipSync(Buffer.alloc(64 * megabyte, 'x'));

describe('200 MB for a reader that waits', () => {
  test.each([
    ['of a known length', `HTTP/1.1 200 OK\r\ncontent-length: ${200 * megabyte}\r\n\r\n`, piece, ''],
    ['in chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', chunk, '0\r\n\r\n'],
    ['until the connection ends', 'HTTP/1.1 200 OK\r\n\r\n', piece, ''],
  ])('%s', async (_name, head, bytes, end) => {
    const before = process.memoryUsage.rss();
    const { sent, url } = await startSender(head, bytes, 200, end);
    const answer = await ask(url);
    expect(await standstill(sent)).toBeLessThan(kernelBytesMax);
    expect(process.memoryUsage.rss() - before).toBeLessThan(64 * megabyte);
    let total = 0;
    for (let next = await answer.read(); next !== undefined; next = await answer.read()) total += next.length;
    expect(total).toBe(200 * megabyte);
  });
});

test('compressed bytes that grow a thousandfold are decoded only as they are read', async () => {
  const head = `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${compressed.length}\r\n\r\n`;
  const before = process.memoryUsage.rss();
  const { url, sent } = await startSender(head, compressed, 1);
  const answer = await ask(url);
  await standstill(sent);
  expect(process.memoryUsage.rss() - before).toBeLessThan(32 * megabyte);
  let total = 0;
  for (let next = await answer.read(); next !== undefined; next = await answer.read()) total += next.length;
  expect(total).toBe(64 * megabyte);
});

test('whole() takes what had been stopped', async () => {
  const { sent, url } = await startSender(`HTTP/1.1 200 OK\r\ncontent-length: ${20 * megabyte}\r\n\r\n`, piece, 20);
  const answer = await ask(url);
  await standstill(sent);
  expect((await answer.whole(20 * megabyte)).length).toBe(20 * megabyte);
});
