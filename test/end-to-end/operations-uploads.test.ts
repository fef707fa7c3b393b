/** Uploads: those that are malformed, too large, oddly named or cut off leave nothing behind. */

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readlinkSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { errorOf } from '../harness/chat.ts';
import { filePart, formBytes, formType, malformedForms, type Part, textPart } from '../harness/malformed-forms.ts';
import { type OperationsUpstream, startOperationsUpstream } from '../harness/operations-upstream.ts';
import { openSocket } from '../harness/raw-request.ts';
import { sized } from '../harness/size.ts';
import { until } from '../harness/until.ts';
import { descriptors, type RunningWeir, startWeir } from '../harness/weir.ts';

const megabyte = 1_000_000;
const smallLimit = 20_000;
/** Of each malformed body: together many more than the descriptors that may stay open for a while. */
const times = sized(20, 100);
let upstream: OperationsUpstream;
let weir: RunningWeir;
let small: RunningWeir;
beforeAll(async () => {
  upstream = startOperationsUpstream();
  const providers = { up: { kind: 'openai-chat', base_url: upstream.base, key: 'sk-upstream', models: ['m'] } };
  const start = (bytesMax: number) =>
    startWeir({ yaml: { providers }, env: { WEIR_LIMITS_MULTIPART_BODY_BYTES_MAX: `${bytesMax}` } });
  [weir, small] = await Promise.all([start(100 * megabyte), start(smallLimit)]);
});
afterAll(async () => {
  await weir?.remove();
  await small?.remove();
  await upstream?.stop();
});

/** Files of uploads, those with a name and those that are only open. */
function leftOf({ dataFolder, pid }: RunningWeir): { named: string[]; open: number } {
  const folder = join(dataFolder, 'uploads');
  const open = readdirSync(`/proc/${pid}/fd`).filter((name) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${name}`).startsWith(folder);
    } catch {
      return false;
    }
  });
  return { named: readdirSync(folder), open: open.length };
}

afterEach(async () => {
  // An upload has a name until it is unlinked, and an aborted request may not have begun yet: both end by themselves.
  const isEmpty = ({ named, open }: ReturnType<typeof leftOf>) => named.length === 0 && open === 0;
  await until(() => isEmpty(leftOf(weir)) && isEmpty(leftOf(small)), 60_000, 'the end of every upload');
  expect((await fetch(`${weir.url}/healthz`)).status).toBe(200);
  upstream.reset();
});

function post(
  target: RunningWeir,
  path: string,
  body: Buffer | ReadableStream<Uint8Array>,
  type = formType,
): Promise<Response> {
  const headers = { authorization: `Bearer ${target.token}`, 'content-type': type };
  return fetch(target.base + path, { method: 'POST', body: body as Uint8Array<ArrayBuffer>, headers });
}

const fields = [textPart('model', 'm'), textPart('prompt', '1')];
const endpoints: readonly [string, (content: string | Uint8Array, filename?: string) => Part[]][] = [
  ['/audio/transcriptions', (content, name) => [filePart('file', content, 'audio/wav', name), ...fields]],
  ['/images/edits', (content, name) => [filePart('image', content, 'image/png', name), ...fields]],
];

describe.each(endpoints)('%s', (path, partsOf) => {
  test('the form that the malformed ones are made from is served', async () => {
    const reply = await post(weir, path, formBytes(partsOf('sound')));
    await reply.text();
    expect([reply.status, upstream.entries.length]).toEqual([200, 1]);
  });

  const malformed = malformedForms(formBytes(partsOf('sound')));
  test(`${malformed.length} malformed bodies, each ${times} times over, are 400 and leave nothing`, async () => {
    expect(malformed.length).toBeGreaterThanOrEqual(30);
    const before = await descriptors(weir.pid);
    for (const { what, body, type } of malformed) {
      const replies = await Promise.all(Array.from({ length: times }, () => post(weir, path, body, type)));
      for (const reply of replies) {
        const { code } = await errorOf(reply);
        expect([what, reply.status, code]).toEqual([what, 400, 'field_invalid']);
      }
    }
    expect(upstream.entries).toEqual([]);
    await until(async () => (await descriptors(weir.pid)) <= before + 110, 60_000, 'the descriptors to come back');
  }, 300_000);

  test('a large one that is malformed at its end leaves nothing either', async () => {
    const whole = formBytes(partsOf(new Uint8Array(3 * megabyte)));
    for (const body of [whole.subarray(0, -3), Buffer.concat([whole.subarray(0, -4), Buffer.from('x')])]) {
      const reply = await post(weir, path, body);
      expect([reply.status, (await errorOf(reply)).code]).toEqual([400, 'field_invalid']);
    }
    expect(upstream.entries).toEqual([]);
  });

  test.each(['by length', 'chunked'])('one byte below, at and above the limit, %s', async (how) => {
    const empty = formBytes(partsOf('')).length;
    const send = (bytes: number) => {
      const body = formBytes(partsOf(new Uint8Array(bytes - empty).fill(0x61)));
      expect(body.length).toBe(bytes);
      return post(small, path, how === 'chunked' ? inPieces(body) : body);
    };
    for (const bytes of [smallLimit - 1, smallLimit]) expect((await send(bytes)).status).toBe(200);
    upstream.reset();
    for (const bytes of [smallLimit + 1, smallLimit + 100_000]) {
      const reply = await send(bytes);
      expect([reply.status, (await errorOf(reply)).code]).toEqual([413, 'body_too_large']);
    }
    expect(upstream.entries).toEqual([]);
  });

  test.each(
    [
      '../../etc/passwd',
      '/etc/passwd',
      '..\\..\\windows\\win.ini',
      'a\0b.wav',
      'x'.repeat(10_240),
      '',
      '.',
      '..',
      'weir.db',
      "'; rm -rf / #.wav",
      '%2e%2e%2fpasswd',
      'Ünï©ödé 漢字.png',
    ].map((name) => [name.slice(0, 20), name] as const),
  )('the file name %p is never a path', async (_, name) => {
    const before = filesBelow(weir.dataFolder);
    // Larger than what stays in memory, so that a file is written.
    const reply = await post(weir, path, formBytes(partsOf(new Uint8Array(2 * megabyte), name)));
    await reply.text();
    expect([200, 400]).toContain(reply.status);
    expect(filesBelow(weir.dataFolder)).toEqual(before);
    expect(upstream.entries.length).toBe(reply.status === 200 ? 1 : 0);
  });

  test('clients that disconnect leave nothing', async () => {
    const body = formBytes(partsOf(new Uint8Array(4 * megabyte)));
    for (let round = 0; round < 20; round += 1) {
      const socket = await begin(weir, path, `content-length: ${body.length}`);
      await written(socket, body.subarray(0, 100_000 + round * 150_000));
      if (round % 2 === 0) socket.resetAndDestroy();
      else socket.destroy();
    }
    await until(() => leftOf(weir).open === 0, 60_000, 'the end of broken uploads');
    expect(upstream.entries).toEqual([]);
  });

  describe('a gigabyte against a limit of 100 MB', () => {
    const total = 1_024 ** 3;
    const piece = Buffer.alloc(megabyte, 0x61);
    const framed = Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]);

    // A length is refused as soon as it is known, a body without one when it passes the limit.
    test.each([
      ['by length', `content-length: ${total}`, piece, 0],
      ['chunked', 'transfer-encoding: chunked', framed, 101],
    ] as const)('%s is a 413 that the client gets before it has sent all', async (how, header, bytes, pieces) => {
      const socket = await begin(weir, path, header);
      const received = receive(socket);
      const start = formBytes(partsOf('sound')).subarray(0, 120);
      await written(socket, how === 'chunked' ? chunk(start) : start);
      for (let sent = 0; received.text === '' && sent < pieces; sent += 1) await written(socket, bytes);
      await until(() => received.text.includes('body_too_large'));
      expect(received.text).toStartWith('HTTP/1.1 413 ');
      expect(upstream.entries).toEqual([]);
      socket.destroy();
    });

    test('is a 413 to a client that reads only when all is sent, and the connection can be reused', async () => {
      const large = 2 * 128 * megabyte;
      const socket = await begin(weir, path, `content-length: ${large}`);
      const received = receive(socket);
      for (let sent = 0; sent < large; sent += megabyte) await written(socket, piece.subarray(0, large - sent));
      await until(() => received.text.includes('body_too_large'));
      expect(received.text).toStartWith('HTTP/1.1 413 ');
      await written(socket, Buffer.from('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'));
      await until(() => received.text.includes('HTTP/1.1 200 '));
      socket.destroy();
    });
  });
});

function inPieces(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(new Uint8Array(bytes.subarray(at, at + 3_000)));
      at += 3_000;
    },
  });
}

const chunk = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);

function filesBelow(folder: string): string[] {
  const known = readdirSync(folder, { recursive: true }).map(String);
  return known.filter((name) => !/weir\.db|journal/.test(name)).sort();
}

async function begin(target: RunningWeir, path: string, header: string): Promise<Socket> {
  const socket = await openSocket(target.url);
  socket.setMaxListeners(0);
  socket.on('error', () => undefined);
  const lines = [`POST /v1${path} HTTP/1.1`, 'host: x', `authorization: Bearer ${target.token}`];
  socket.write([...lines, `content-type: ${formType}`, header, '', ''].join('\r\n'));
  return socket;
}

function receive(socket: Socket): { text: string } {
  const received = { text: '' };
  socket.on('data', (bytes: Buffer) => {
    received.text += bytes.toString('latin1');
  });
  return received;
}

/** Resolves when there is room for more, or the connection is closed. */
function written(socket: Socket, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed || socket.write(bytes)) return resolve();
    socket.once('drain', resolve);
    socket.once('close', resolve);
  });
}
