/** Large bodies and replies pass through the transport and the form reader in little memory, whatever the other side does. */

import { describe, expect, test } from 'bun:test';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { startEagerSender } from '../harness/eager-sender.ts';
import { judgeMegabytes } from './figures.ts';
import { memoryAlone } from './memory-alone.ts';

const megabyte = 1_048_576;
const source = (path: string): string => JSON.stringify(join(import.meta.dir, '../../src', path));
const transport = `import { createHttpTransport } from ${source('upstream/http1/http-transport.ts')};
  const transport = createHttpTransport({ connectTimeoutMs: 60_000 });
  const signal = new AbortController().signal;`;

describe('a reply that is not read', () => {
  const piece = Buffer.alloc(megabyte, 'x');
  const chunk = Buffer.concat([Buffer.from('100000\r\n'), piece, Buffer.from('\r\n')]);
  test.each([
    ['200 MB of a known length', `HTTP/1.1 200 OK\r\ncontent-length: ${200 * megabyte}\r\n\r\n`, piece, 200, ''],
    ['200 MB in chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', chunk, 200, '0\r\n\r\n'],
    [
      '64 MB in 64 KB of gzip',
      'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\nconnection: close\r\n\r\n',
      gzipSync(Buffer.alloc(64 * megabyte, 'x')),
      1,
      '',
    ],
  ])('%s', async (name, head, bytes, count, end) => {
    const sender = await startEagerSender(head, bytes, count, end);
    const { result, grownBytes } = await memoryAlone<number>({
      imports: transport,
      warmUp: '',
      work: `
        const reply = await transport({ url: ${JSON.stringify(sender.url)}, method: 'GET', headers: {}, signal });
        await Bun.sleep(1_000);
        return reply.status;`,
    });
    sender.stop();
    expect(result).toBe(200);
    judgeMegabytes(`${name}, unread for a second`, grownBytes, 40);
  });
});

test('300 MB sent as a streamed body', async () => {
  const server = createServer((socket) => {
    let left = 0;
    socket.on('error', () => {});
    socket.on('data', (bytes: Buffer) => {
      const end = left === 0 ? bytes.indexOf('\r\n\r\n') + 4 : 0;
      if (end > 0) left = Number(/content-length: (\d+)/.exec(bytes.toString('latin1', 0, end))?.[1]);
      left -= bytes.length - end;
      if (left === 0) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.address() as { port: number };
  const { result, grownBytes } = await memoryAlone<string>({
    imports: `${transport}
      const bodyOf = (count) => ({
        bytes: count * 262144,
        async *open() {
          for (let index = 0; index < count; index += 1) yield Buffer.allocUnsafeSlow(262144);
        },
      });
      const url = 'http://127.0.0.1:${port}/';
      const send = async (count) => {
        const reply = await transport({ url, method: 'POST', headers: {}, body: bodyOf(count), signal });
        return Buffer.from(await reply.whole(99)).toString();
      };`,
    warmUp: 'await send(4);',
    work: 'return send(1200);',
  });
  server.close();
  expect(result).toBe('ok');
  judgeMegabytes('300 MB sent', grownBytes, 40);
});

test.each(['totalBytesMax', 'fileBytesMax'])('a form of 1 GB against %s of 100 MB', async (limit) => {
  const { result, grownBytes } = await memoryAlone<{ code: string; asked: number }>({
    imports: `
      import { bodyOf, boundary, file, read, SpoolFolder } from ${source('../test/harness/scripted-form.ts')};
      const folder = new SpoolFolder();
      let asked = 0;
      async function* lazy() {
        yield Buffer.from('--' + boundary + '\\r\\n' + file('file', '').head + '\\r\\n\\r\\n');
        for (; asked < 1024 * 1048576; asked += 65536) yield Buffer.allocUnsafeSlow(65536).fill('x');
        yield Buffer.from('\\r\\n--' + boundary + '--\\r\\n');
      }`,
    warmUp: 'await (await read(folder, bodyOf([file("file", Buffer.alloc(5_000_000))]))).dispose();',
    work: `
      const limits = { totalBytesMax: 2 ** 31, fileBytesMax: 2 ** 31, ${limit}: 100 * 1048576 };
      const code = await read(folder, lazy(), { limits }).then(() => 'taken', (error) => error.code);
      folder.remove();
      return { code, asked };`,
  });
  expect(result.code).toBe('body_too_large');
  expect(result.asked).toBeWithin(99 * megabyte, 101 * megabyte);
  judgeMegabytes(`1 GB refused by ${limit}`, grownBytes, 40);
});

test('200 WebSocket messages of 512 MB that are announced and never come', async () => {
  const { result, grownBytes } = await memoryAlone<number>({
    imports: `import { FrameReader } from ${source('framing/websocket/frames.ts')};
      const ignore = () => undefined;`,
    warmUp: '',
    work: `
      const readers = Array.from({ length: 200 }, () => {
        const reader = new FrameReader({ message: ignore, ping: ignore, pong: ignore, closeFrame: ignore }, 1e9, 'server');
        reader.take(Buffer.from([0x81, 127, 0, 0, 0, 0, 0x20, 0, 0, 0, 0x61]));
        return reader;
      });
      return readers.length;`,
  });
  expect(result).toBe(200);
  judgeMegabytes('200 announced messages', grownBytes, 300);
});

test('a hundred thousand unknown tokens', async () => {
  const { result, grownBytes } = await memoryAlone<string>({
    imports: `
      import { createMemoryTokenTable } from ${JSON.stringify(join(import.meta.dir, '../harness/token-table.ts'))};
      import { createAuthenticator } from ${source('access/authenticate.ts')};
      import { createDigests } from ${source('secrets/digests.ts')};
      import { fixedKeys } from ${JSON.stringify(join(import.meta.dir, '../harness/fixed-keys.ts'))};
      const digests = createDigests(fixedKeys(new Uint8Array(32).fill(1)));
      const options = { tokens: createMemoryTokenTable(), digests, nowMs: () => 1, cacheMax: 10, negativeMax: 1_000 };
      const authenticator = createAuthenticator(options);
      const flood = async (from, to) => {
        for (let index = from; index < to; index++) {
          const name = 'flood-of-bad-tokens-' + String(index).padStart(10, '0');
          await Promise.resolve().then(() => authenticator.authenticate(name, () => '10.0.0.1')).catch(() => undefined);
        }
      };`,
    warmUp: 'await flood(0, 20_000);',
    work: 'await flood(20_000, 120_000); Bun.gc(true); return "ok";',
  });
  expect(result).toBe('ok');
  // A hundred thousand remembered digests would be some 20 MB on top of what waits for the collector.
  judgeMegabytes('100,000 unknown tokens', grownBytes, 40);
});
