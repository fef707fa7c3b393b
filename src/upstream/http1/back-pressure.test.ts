/** A reader that does not read stops the server, whatever the reply's form, and everything is there once it reads. */

import { afterEach, describe, expect, test } from 'bun:test';
import { gzipSync } from 'node:zlib';
import { type EagerSender, startEagerSender } from '../../../test/harness/eager-sender.ts';
import { loopbackRounds } from '../../../test/harness/loopback.ts';
import { until } from '../../../test/harness/scripted-server.ts';
import type { UpstreamReply } from '../transport.ts';
import { createHttpTransport } from './http-transport.ts';

const opened: { stop(): void }[] = [];
afterEach(() => {
  for (const { stop } of opened.splice(0)) stop();
});

const megabyte = 1_048_576;
/** What the kernel's own buffers on both sides of a loopback connection may take; more where it saw the reader read fast. */
const kernelBytesMax = 16 * megabyte;
const widenedKernelBytesMax = 48 * megabyte;

async function startSender(...given: Parameters<typeof startEagerSender>): Promise<EagerSender> {
  const sender = await startEagerSender(...given);
  opened.push(sender);
  return sender;
}

async function ask(url: string) {
  const transport = createHttpTransport({ connectTimeoutMs: 60_000 });
  const leaving = new AbortController();
  opened.push({ stop: () => leaving.abort() }, { stop: () => transport.close() });
  return transport({ url, method: 'GET', headers: {}, signal: leaving.signal });
}

/** Long enough for a reader that would not wait: each round is a chance to read, and to send more. */
const idleRounds = 300;

/** Lets the server send while nothing is read, then reads all of it: the server is never further ahead than the kernel's buffers. */
async function readLate(answer: UpstreamReply, sent: { readonly bytes: number }): Promise<number> {
  await until(() => sent.bytes > 0);
  await loopbackRounds(idleRounds);
  expect(sent.bytes).toBeLessThan(kernelBytesMax);
  let total = 0;
  let ahead = 0;
  for (let next = await answer.read(); next !== undefined; next = await answer.read()) {
    total += next.length;
    ahead = Math.max(ahead, sent.bytes - total);
  }
  expect(ahead).toBeLessThan(widenedKernelBytesMax);
  return total;
}

const piece = Buffer.alloc(megabyte, 'x');
const chunk = Buffer.concat([Buffer.from('100000\r\n'), piece, Buffer.from('\r\n')]);
const compressed = gzipSync(Buffer.alloc(64 * megabyte, 'x'));

describe('80 MB for a reader that waits', () => {
  test.each([
    ['of a known length', `HTTP/1.1 200 OK\r\ncontent-length: ${80 * megabyte}\r\n\r\n`, piece, ''],
    ['in chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', chunk, '0\r\n\r\n'],
    ['until the connection ends', 'HTTP/1.1 200 OK\r\n\r\n', piece, ''],
  ])('%s', async (_name, head, bytes, end) => {
    const { sent, url } = await startSender(head, bytes, 80, end);
    expect(await readLate(await ask(url), sent)).toBe(80 * megabyte);
  });
});

test('compressed bytes that grow a thousandfold are decoded as they are read', async () => {
  const head = `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${compressed.length}\r\n\r\n`;
  const { url, sent } = await startSender(head, compressed, 1);
  const answer = await ask(url);
  await until(() => sent.bytes > 0);
  let total = 0;
  let largest = 0;
  for (let next = await answer.read(); next !== undefined; next = await answer.read()) {
    total += next.length;
    largest = Math.max(largest, next.length);
  }
  expect(total).toBe(64 * megabyte);
  expect(largest).toBeLessThan(4 * megabyte);
});

test('whole() takes what had been stopped', async () => {
  const { sent, url } = await startSender(`HTTP/1.1 200 OK\r\ncontent-length: ${20 * megabyte}\r\n\r\n`, piece, 20);
  const answer = await ask(url);
  await until(() => sent.bytes > 0);
  await loopbackRounds(idleRounds);
  expect(sent.bytes).toBeLessThan(kernelBytesMax);
  expect((await answer.whole(20 * megabyte)).length).toBe(20 * megabyte);
});
