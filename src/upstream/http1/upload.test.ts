/** Streamed request bodies against real sockets: servers that read, do not read, answer early or go away. */

import { afterEach, describe, expect, test } from 'bun:test';
import { createServer, type Socket } from 'node:net';
import { loopbackRounds } from '../../../test/harness/loopback.ts';
import { reply, until } from '../../../test/harness/scripted-server.ts';
import type { StreamedBody, UpstreamReply } from '../transport.ts';
import { createHttpTransport } from './http-transport.ts';

const opened: { stop(): void }[] = [];
afterEach(() => {
  for (const { stop } of opened.splice(0)) stop();
});

const megabyte = 1_048_576;
/** What the kernel's own buffers on both sides of a loopback connection may swallow. */
const kernelBytesMax = 16 * megabyte;

interface Seen {
  head: string;
  bodyBytes: number;
  digest: string;
  connections: number;
  open: number;
}

/** Tells `onBody` how much of the body has come with each read; what it does with the socket is the script. */
async function startReceiver(onBody: (socket: Socket, bodyBytes: number, expected: number) => void) {
  const seen: Seen = { head: '', bodyBytes: 0, digest: '', connections: 0, open: 0 };
  const server = createServer((socket) => {
    seen.connections += 1;
    seen.open += 1;
    let hasher = new Bun.CryptoHasher('sha1');
    let inBody = false;
    let expected = 0;
    socket.on('error', () => {});
    socket.on('close', () => {
      seen.open -= 1;
    });
    socket.on('data', (bytes) => {
      let body: Buffer = bytes as Buffer;
      if (!inBody) {
        const end = body.indexOf('\r\n\r\n');
        seen.head = body.toString('latin1', 0, end);
        expected = Number(/content-length: (\d+)/.exec(seen.head)?.[1]);
        body = body.subarray(end + 4);
        seen.bodyBytes = 0;
        hasher = new Bun.CryptoHasher('sha1');
        inBody = true;
      }
      seen.bodyBytes += body.length;
      hasher.update(body);
      if (seen.bodyBytes >= expected) {
        seen.digest = hasher.digest('hex');
        inBody = false;
      }
      onBody(socket, seen.bodyBytes, expected);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const transport = createHttpTransport({ connectTimeoutMs: 60_000 });
  const leaving = new AbortController();
  opened.push({ stop: () => leaving.abort() }, { stop: () => transport.close() }, { stop: () => server.close() });
  const url = `http://127.0.0.1:${port}/`;
  const send = (body: StreamedBody | string) =>
    transport({ url, method: 'POST', headers: {}, body, signal: leaving.signal });
  return { seen, send, leaving, url };
}

/** A body of equal pieces that records its use. */
class CountedBody implements StreamedBody {
  readonly bytes: number;
  readonly #piece: Buffer;
  readonly #count: number;
  opened = 0;
  given = 0;
  letGo = 0;

  constructor(count: number, pieceBytes: number, bytes = count * pieceBytes) {
    this.bytes = bytes;
    this.#count = count;
    this.#piece = Buffer.alloc(pieceBytes, 'The quick brown fox. ');
  }

  async *open(): AsyncGenerator<Uint8Array> {
    this.opened += 1;
    try {
      for (let index = 0; index < this.#count; index += 1) {
        this.given += this.#piece.length;
        yield this.#piece;
      }
    } finally {
      this.letGo += 1;
    }
  }

  get digest(): string {
    const hasher = new Bun.CryptoHasher('sha1');
    for (let index = 0; index < this.#count; index += 1) hasher.update(this.#piece);
    return hasher.digest('hex');
  }
}

const textOf = async (answer: UpstreamReply) => Buffer.from(await answer.whole(1e6)).toString();
const answerWhenWhole = (socket: Socket, bodyBytes: number, expected: number): void => {
  if (bodyBytes === expected) socket.write(reply('got it'));
};
const tooLarge = 'HTTP/1.1 413 Too Large\r\ncontent-length: 5\r\n\r\nlarge';

describe('a streamed body', () => {
  test.each([
    [0, 1],
    [1, 1],
    [1_000, 7],
    [3, 65_536],
    [5, 3_000_000],
  ])('of %d pieces of %d bytes arrives whole, and the connection is used again', async (count, pieceBytes) => {
    const { seen, send } = await startReceiver(answerWhenWhole);
    const body = new CountedBody(count, pieceBytes);
    for (let round = 1; round <= 3; round += 1) {
      expect(await textOf(await send(body))).toBe('got it');
      expect(seen.head).toContain(`content-length: ${body.bytes}`);
      expect(seen.digest).toBe(body.digest);
      if (count > 0) expect([body.opened, body.letGo]).toEqual([round, round]);
      expect(await textOf(await send('{}'))).toBe('got it');
    }
    expect(seen.connections).toBe(1);
  });

  test('waits for a server that does not read', async () => {
    let held: Socket | undefined;
    const { seen, send } = await startReceiver((socket, bodyBytes, expected) => {
      if (held === undefined) {
        held = socket;
        socket.pause();
      }
      answerWhenWhole(socket, bodyBytes, expected);
    });
    const body = new CountedBody(60, megabyte);
    const sending = send(body);
    await until(() => held !== undefined);
    await loopbackRounds(300);
    expect(body.given).toBeLessThan(kernelBytesMax);
    held?.resume();
    expect(await textOf(await sending)).toBe('got it');
    expect(seen.digest).toBe(body.digest);
  });
});

describe('a server that answers before it has the body', () => {
  test('is sent no more, its reply is read, and its connection is not used again', async () => {
    const { seen, send } = await startReceiver((socket, bodyBytes, expected) => {
      if (expected === 2) answerWhenWhole(socket, bodyBytes, expected);
      else if (!socket.isPaused()) {
        socket.pause();
        socket.write(tooLarge);
      }
    });
    const body = new CountedBody(200, megabyte);
    const answer = await send(body);
    expect(answer.status).toBe(413);
    const given = body.given;
    expect(await textOf(answer)).toBe('large');
    await until(() => body.letGo === 1);
    expect(body.given).toBe(given);
    expect(given).toBeLessThan(kernelBytesMax);
    expect(await textOf(await send('{}'))).toBe('got it');
    expect(seen.connections).toBe(2);
  });

  test('is sent no more, even while it reads on and its reply is not over', async () => {
    let held: Socket | undefined;
    const { seen, send } = await startReceiver((socket) => {
      if (held === undefined) socket.write('HTTP/1.1 400 Bad Request\r\ncontent-length: 3\r\n\r\n');
      held = socket;
    });
    const body = new CountedBody(2_000, 65_536);
    const answer = await send(body);
    expect(answer.status).toBe(400);
    await until(() => body.letGo === 1);
    held?.write('bad');
    expect(await textOf(answer)).toBe('bad');
    await until(() => seen.open === 0);
    expect(body.given).toBeLessThan(100 * megabyte);
  });

  test.each([
    ['hangs up politely', (socket: Socket) => void socket.end(tooLarge)],
    ['hangs up at once', (socket: Socket) => void socket.write(tooLarge, () => socket.destroy())],
  ])('and then %s is received', async (_how, hangUp) => {
    for (let round = 0; round < 20; round += 1) {
      let answered = false;
      const { send } = await startReceiver((socket) => {
        if (answered) return;
        answered = true;
        socket.pause();
        hangUp(socket);
      });
      const body = new CountedBody(200, megabyte);
      const answer = await send(body);
      expect(answer.status).toBe(413);
      expect(await textOf(answer)).toBe('large');
      await until(() => body.letGo === 1);
    }
  });

  test('well, and reads on, gets all of it, and its connection is not used again', async () => {
    let begun = false;
    const { seen, send } = await startReceiver((socket, bodyBytes, expected) => {
      if (expected === 2) answerWhenWhole(socket, bodyBytes, expected);
      else if (!begun) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n');
      begun = true;
      if (expected > 2 && bodyBytes === expected) socket.write('done');
    });
    const body = new CountedBody(50, megabyte);
    const answer = await send(body);
    expect(answer.status).toBe(200);
    expect(await textOf(answer)).toBe('done');
    expect(seen.digest).toBe(body.digest);
    expect(await textOf(await send('{}'))).toBe('got it');
    expect(seen.connections).toBe(2);
  });

  test('with an interim reply has not answered yet', async () => {
    let begun = false;
    const { send } = await startReceiver((socket, bodyBytes, expected) => {
      if (!begun) socket.write('HTTP/1.1 100 Continue\r\n\r\n');
      begun = true;
      answerWhenWhole(socket, bodyBytes, expected);
    });
    expect(await textOf(await send(new CountedBody(20, megabyte)))).toBe('got it');
  });

  test('stops a body that lies in memory too', async () => {
    let held: Socket | undefined;
    const { send, seen } = await startReceiver((socket) => {
      if (held !== undefined) return;
      held = socket;
      socket.pause();
      socket.write(tooLarge);
    });
    const answer = await send('x'.repeat(50 * megabyte));
    expect(answer.status).toBe(413);
    expect(await textOf(answer)).toBe('large');
    held?.resume();
    await until(() => seen.open === 0);
    expect(seen.bodyBytes).toBeLessThan(kernelBytesMax);
  });
});

describe('what breaks in the middle', () => {
  test('a reset rejects and lets the source go', async () => {
    const { send } = await startReceiver((socket, bodyBytes) => {
      if (bodyBytes > megabyte) socket.resetAndDestroy();
    });
    const body = new CountedBody(200, megabyte);
    await expect(send(body)).rejects.toMatchObject({ name: 'ConnectionLostError' });
    await until(() => body.letGo === 1);
    expect(body.given).toBeLessThan(200 * megabyte);
  });

  test('a cancellation closes the connection and lets the source go', async () => {
    let held: Socket | undefined;
    const { seen, send, leaving } = await startReceiver((socket) => {
      held = socket;
      socket.pause();
    });
    const body = new CountedBody(200, megabyte);
    const sending = send(body);
    await until(() => held !== undefined);
    leaving.abort(new Error('the client left'));
    await expect(sending).rejects.toThrow('the client left');
    await until(() => body.letGo === 1);
    held?.resume();
    await until(() => seen.open === 0);
  });

  test.each([
    ['ends early', new CountedBody(3, 1_000, 3_001), 'ended after 3000 of 3001'],
    ['is too long', new CountedBody(3, 1_000, 2_999), 'longer than its 2999'],
  ])('a source that %s is an error, and the server never takes it for a request', async (_how, body, message) => {
    const { seen, send } = await startReceiver(answerWhenWhole);
    await expect(send(body)).rejects.toThrow(message);
    await until(() => seen.open === 0 && body.letGo === 1);
    expect(seen.digest).toBe('');
  });

  test('a source that fails is that error', async () => {
    const { seen, send } = await startReceiver(answerWhenWhole);
    const body: StreamedBody = {
      bytes: 10,
      async *open() {
        yield Buffer.from('12345');
        throw new Error('the disk is gone');
      },
    };
    await expect(send(body)).rejects.toThrow('the disk is gone');
    await until(() => seen.open === 0);
  });

  test('a length that is none is refused before anything is opened', async () => {
    const { seen, send } = await startReceiver(answerWhenWhole);
    for (const bytes of [-1, 1.5, Number.NaN]) {
      await expect(send(new CountedBody(1, 1, bytes))).rejects.toThrow(TypeError);
    }
    expect(seen.connections).toBe(0);
  });
});
