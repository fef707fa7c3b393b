/** One connection by data: requests cut at every position, and what happens when time passes. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { echo, type Handle } from '../../../test/harness/http-server.ts';
import { openConnection as open, silentTicksMax } from '../../../test/harness/scripted-connection.ts';
import { type Reply, type ReplyController, type ReplySource, StreamedReply, WholeReply } from '../reply.ts';
import type { IncomingRequest } from './incoming-request.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

const head = (start: string, ...headers: string[]): string =>
  [`${start} HTTP/1.1`, 'host: h', ...headers, '', ''].join('\r\n');

const pipeline: readonly (readonly [bytes: string, echoed: unknown])[] = [
  [head('GET /a'), ['GET', '/a', '']],
  [`${head('POST /b', 'content-length: 5')}a\r\nbc`, ['POST', '/b', 'a\r\nbc']],
  [
    `\r\n${head('PUT /c', 'transfer-encoding: chunked')}1\r\nd\r\n00A\r\n0123456789\r\n0\r\n\r\n`,
    ['PUT', '/c', 'd0123456789'],
  ],
  [`${head('POST /d', 'transfer-encoding: chunked')}0\r\n\r\n`, ['POST', '/d', '']],
  [`\r\n\r\n${head('GET /e', 'content-length: 0')}`, ['GET', '/e', '']],
];
const pipelineText = pipeline.map(([bytes]) => bytes).join('');
const pipelineEchoes = pipeline.map(([, echoed]) => echoed);

async function readByPieces(request: IncomingRequest): Promise<Reply> {
  let body = '';
  if (request.body !== null) for await (const piece of request.body) body += Buffer.from(piece).toString('latin1');
  return new WholeReply(JSON.stringify([request.method, request.head.target, body]), {});
}

/** Reads nothing of the body, and answers at once. */
function ignoreBody(request: IncomingRequest): Reply {
  return new WholeReply(JSON.stringify([request.method, request.head.target]), {});
}

async function ignoreBodyLater(request: IncomingRequest): Promise<Reply> {
  await turn();
  return ignoreBody(request);
}

async function exchange(handle: Handle, reads: readonly string[], waits: boolean): Promise<unknown[]> {
  const { read, replies, reported } = open(handle);
  for (const each of reads) {
    read(each);
    if (waits) await turn();
  }
  for (let turns = 0; replies().length < pipeline.length && turns < 100; turns += 1) await turn();
  expect(reported).toEqual([]);
  return replies().map(({ status, body }) => (status === 200 ? JSON.parse(body) : { status, body }));
}

describe('five requests, in every split', () => {
  const withoutBodies = pipeline.map(([, echoed]) => (echoed as unknown[]).slice(0, 2));
  const handles = [
    ['read whole', echo, pipelineEchoes],
    ['read by pieces', readByPieces, pipelineEchoes],
    ['not read', ignoreBody, withoutBodies],
    ['not read, and answered late', ignoreBodyLater, withoutBodies],
  ] as const;

  describe.each(handles)('with bodies that are %s', (_name, handle, expected) => {
    test('all in one read', async () => {
      expect(await exchange(handle, [pipelineText], false)).toEqual([...expected]);
    });

    test.each([true, false])('each byte alone; with replies between: %p', async (waits) => {
      expect(await exchange(handle, [...pipelineText], waits)).toEqual([...expected]);
    });

    test.each([true, false])('cut once, at every position; with replies between: %p', async (waits) => {
      for (let cut = 1; cut < pipelineText.length; cut += 1) {
        const echoes = await exchange(handle, [pipelineText.slice(0, cut), pipelineText.slice(cut)], waits);
        if (!Bun.deepEquals(echoes, [...expected])) throw new Error(`cut at ${cut}: ${JSON.stringify(echoes)}`);
      }
    });

    test('cut twice, at every pair of positions of the third request', async () => {
      const start = pipelineText.indexOf('\r\nPUT');
      const end = pipelineText.indexOf('POST /d');
      for (let first = start; first < end; first += 1) {
        for (let second = first + 1; second <= end; second += 11) {
          const reads = [pipelineText.slice(0, first), pipelineText.slice(first, second), pipelineText.slice(second)];
          const echoes = await exchange(handle, reads, false);
          if (!Bun.deepEquals(echoes, [...expected]))
            throw new Error(`cut at ${first} and ${second}: ${JSON.stringify(echoes)}`);
        }
      }
    });
  });
});

test('carriage returns before a head that are no empty line are refused, wherever they are cut', () => {
  for (const start of ['\r', '\r\r\n', '\r\n\r', '\r\n\r\r\n', '\r\n\r\r\n\n']) {
    const text = start + head('GET /a');
    for (let cut = 0; cut <= start.length + 1; cut += 1) {
      for (let second = cut; second <= start.length + 1; second += 1) {
        const { read, replies } = open(ignoreBody);
        for (const each of [text.slice(0, cut), text.slice(cut, second), text.slice(second)])
          if (each !== '') read(each);
        expect(replies().map(({ status }) => status)).toEqual([400]);
      }
    }
  }
});

describe('a head that comes in two reads', () => {
  const long = 'x'.repeat(40_000);
  const request = `${head('POST /a', `content-length: ${long.length}`)}${long}`;

  test.each([
    1,
    10,
    request.indexOf('\r\n\r\n') + 3,
  ])('the second of which has much of the body, cut at %p', async (cut) => {
    const { read, replies } = open(echo);
    read(request.slice(0, cut));
    read(request.slice(cut));
    await turn();
    expect(replies().map(({ body }) => JSON.parse(body))).toEqual([['POST', '/a', long]]);
  });

  const largest = (bytes: number): string => {
    const empty = head('GET /a', 'x: ');
    return head('GET /a', `x: ${'y'.repeat(bytes - empty.length + 4)}`);
  };

  test('may be as large as in one', async () => {
    const text = largest(16_384);
    for (const cut of [1, 2_048, 9_000, text.length - 4, text.length - 1, text.length]) {
      const { read, replies } = open(echo);
      read(text.slice(0, cut));
      read(text.slice(cut) + head('GET /b'));
      await turn();
      await turn();
      expect(replies().map(({ status }) => status)).toEqual([200, 200]);
    }
  });

  test('and no larger, wherever it is cut', () => {
    const text = largest(16_385);
    for (const cut of [1, 2_048, 9_000, text.length - 4, text.length - 1, text.length]) {
      const { read, replies, socket } = open(echo);
      read(text.slice(0, cut));
      read(text.slice(cut));
      expect(replies().map(({ status }) => status)).toEqual([431]);
      expect(socket.calls).toEqual(['shutdown']);
    }
  });
});

describe('the socket takes little', () => {
  test('and everything is sent in order', async () => {
    const { read, socket, connection, replies } = open(echo);
    socket.room = 1;
    read(pipelineText);
    for (let turns = 0; turns < 5_000 && replies().length < pipeline.length; turns += 1) {
      socket.room = 1;
      connection.drained();
      if (turns % 50 === 0) await turn();
    }
    expect(replies().map(({ body }) => JSON.parse(body))).toEqual([...pipelineEchoes]);
  });

  test('and the next request waits for that', async () => {
    let handled = 0;
    const { read, socket, connection } = open((request) => {
      handled += 1;
      return ignoreBody(request);
    });
    socket.room = 3;
    read(head('GET /a') + head('GET /b'));
    await turn();
    expect(handled).toBe(1);
    socket.room = 1_000;
    connection.drained();
    expect(handled).toBe(2);
  });
});

test('a handshake that the socket takes in part ends the connection, and no other reply follows', async () => {
  const upgraded: unknown[] = [];
  const { read, socket, reported } = open(async (_, connection) => {
    const became = connection.upgrade('HTTP/1.1 101 Switching Protocols\r\n\r\n', (raw) => {
      upgraded.push(raw);
      throw new Error('not reached');
    });
    return new WholeReply(String(became), {}, undefined, 400);
  });
  socket.room = 10;
  read(head('GET /a'));
  socket.room = Number.POSITIVE_INFINITY;
  await turn();
  expect(socket.text).toBe('HTTP/1.1 1');
  expect(socket.calls).toEqual(['terminate']);
  expect([upgraded, reported]).toEqual([[], []]);
});

test('the reads of a body that was refused are freed, and the next one is not asked for at once', async () => {
  const { read, socket, connection, replies } = open(ignoreBody);
  const bodyBytes = 1_000_000;
  read(head('POST /a', `content-length: ${bodyBytes}`));
  expect(replies()).toHaveLength(1);
  for (let left = bodyBytes; left > 0; ) {
    // As the runtime reads: in memory of its own, not in the pool of small buffers.
    const bytes = Buffer.from(new ArrayBuffer(Math.min(left, 65_536)));
    left -= bytes.length;
    connection.received(bytes);
    if (left === 0) break;
    expect(bytes.buffer.byteLength).toBe(0);
    expect(socket.isPaused).toBe(true);
    while (socket.isPaused) await turn();
  }
  read(head('GET /b'));
  expect(replies()).toHaveLength(2);
});

test('of a client that sends ahead without end little is kept, and its reply is not lost', async () => {
  const answer = Promise.withResolvers<Reply>();
  const { read, socket, connection, replies, tick } = open(() => answer.promise);
  read(head('GET /a'));
  const bytes = Buffer.alloc(600_000, 'x');
  for (let reads = 0; reads < 10; reads += 1) {
    if (!socket.isPaused) connection.received(Buffer.from(bytes));
    if (reads < 6) expect(socket.isPaused).toBe(reads > 0);
    // A read a second, until it is too much; then everything is discarded.
    tick(1);
    while (reads > 6 && socket.isPaused) await turn();
  }
  answer.resolve(new WholeReply('late', {}));
  await turn();
  expect(replies().map(({ body }) => body)).toEqual(['late']);
  expect(socket.calls).toEqual(['shutdown']);
});

describe('time', () => {
  const never: Handle = () => new Promise<Reply>(() => undefined);

  test('a connection without a head is closed after 10 seconds', () => {
    const { tick, socket } = open(never);
    tick(10);
    expect(socket.calls).toEqual([]);
    tick(1);
    expect(socket.calls).toEqual(['end']);
  });

  test('a head that drips in has no more time', () => {
    const { tick, read, socket, replies } = open(never);
    for (const byte of 'GET / HTTP/') {
      expect(socket.calls).toEqual([]);
      read(byte);
      tick(1);
    }
    expect(replies().map(({ body }) => body)).toEqual([expect.stringContaining('did not arrive in time')]);
    expect(socket.calls).toEqual(['shutdown']);
    tick(11);
    expect(socket.calls).toEqual(['shutdown', 'terminate']);
  });

  test('nor have empty lines', () => {
    const { tick, read, socket } = open(never);
    for (let count = 0; count < 11; count += 1) {
      read('\r\n');
      tick(1);
    }
    expect(socket.calls).toEqual(['end']);
  });

  test('an empty line behind a request begins no head, however it was cut', () => {
    for (const reads of [['\r', '\n'], ['\r\n'], ['\r', '\n\r'], ['\r\n\r']]) {
      const { tick, read, socket, replies } = open(ignoreBody);
      read(head('GET /a'));
      for (const each of reads) read(each);
      tick(silentTicksMax);
      expect(socket.calls).toEqual([]);
      tick(1);
      expect(socket.calls).toEqual(['end']);
      expect(replies()).toHaveLength(1);
    }
  });

  test('a head behind an empty line has its 10 seconds from its own first byte', () => {
    const { tick, read, socket, replies } = open(ignoreBody);
    read(head('GET /a'));
    read('\r');
    tick(silentTicksMax - 1);
    read('\nG');
    tick(10);
    read(head('ET /b'));
    expect(replies()).toHaveLength(2);
    read('\r');
    read('\nG');
    tick(11);
    expect(replies().at(-1)?.body).toContain('did not arrive in time');
    expect(socket.calls).toEqual(['shutdown']);
  });

  test('a later head has its own 10 seconds, from its first byte', () => {
    const { tick, read, socket, replies } = open(ignoreBody);
    read(head('GET /a'));
    tick(silentTicksMax - 1);
    read('GET');
    tick(9);
    read(head(' /b').slice(0, -2));
    tick(1);
    expect(socket.calls).toEqual([]);
    read('\r\n');
    expect(replies()).toHaveLength(2);
    tick(silentTicksMax);
    expect(socket.calls).toEqual([]);
    tick(1);
    expect(socket.calls).toEqual(['end']);
  });

  test('that a handler takes is no limit', () => {
    const { tick, read, socket } = open(never);
    read(head('GET /a'));
    tick(10 * silentTicksMax);
    expect(socket.calls).toEqual([]);
  });

  test('in which a body does not come ends the connection, and its request', () => {
    let request: IncomingRequest | undefined;
    const { tick, read, socket } = open((given) => {
      request = given;
      return echo(given);
    });
    read(`${head('POST /a', 'content-length: 5')}ab`);
    tick(silentTicksMax);
    read('c');
    tick(silentTicksMax);
    expect(socket.calls).toEqual([]);
    expect(request?.left).toBe(false);
    tick(1);
    expect(socket.calls).toEqual(['terminate']);
    expect(request?.left).toBe(true);
  });

  test('in which the client does not read ends the connection', () => {
    const { tick, read, socket, connection } = open(ignoreBody);
    socket.room = 5;
    read(head('GET /a'));
    tick(silentTicksMax);
    socket.room = 5;
    connection.drained();
    tick(silentTicksMax);
    expect(socket.calls).toEqual([]);
    tick(1);
    expect(socket.calls).toEqual(['terminate']);
  });

  test('that a stream lasts is not taken from its client when it is behind', () => {
    let controller: ReplyController | undefined;
    const source: ReplySource = {
      heldBytes: () => 0,
      start(given) {
        controller = given;
      },
      pull: () => undefined,
      cancel: () => undefined,
    };
    const { tick, read, socket, connection } = open(() => new StreamedReply(source, {}));
    read(head('GET /a'));
    for (let round = 0; round < 2; round += 1) {
      for (let count = 0; count < 3 * silentTicksMax; count += 1) {
        controller?.enqueue(Buffer.from('data'));
        tick(1);
      }
      socket.room = 0;
      controller?.enqueue(Buffer.from('waits'));
      tick(silentTicksMax);
      expect(socket.calls).toEqual([]);
      if (round > 0) break;
      socket.room = Number.POSITIVE_INFINITY;
      connection.drained();
    }
    tick(1);
    expect(socket.calls).toEqual(['terminate']);
  });

  test('until the body is wanted is not taken from a client that waits for the status 100', async () => {
    const wanted = Promise.withResolvers<void>();
    const { tick, read, socket, replies } = open(async (request) => {
      await wanted.promise;
      return echo(request);
    });
    read(head('POST /a', 'content-length: 2', 'expect: 100-continue'));
    tick(3 * silentTicksMax);
    wanted.resolve();
    await turn();
    expect(socket.text).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    tick(silentTicksMax);
    expect(socket.calls).toEqual([]);
    read('ab');
    await turn();
    expect(replies().at(-1)?.body).toContain('ab');
  });

  test('for what is sent behind a refused request ends after 10 silent seconds, and after a minute', () => {
    for (const seconds of [5, 60]) {
      const { tick, read, socket } = open(ignoreBody);
      read('nonsense\r\n\r\n');
      for (let count = 0; count < seconds; count += 1) {
        tick(1);
        read('more');
      }
      expect(socket.calls).toEqual(['shutdown']);
      tick(seconds === 60 ? 1 : 11);
      expect(socket.calls).toEqual(['shutdown', 'terminate']);
    }
  });
});

describe('rejections', () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => void unhandled.push(error);
  beforeEach(() => void process.on('unhandledRejection', note));
  afterEach(() => void process.off('unhandledRejection', note));

  test('of a head that cannot be sent are reported, once, and answered', async () => {
    let cancelled = 0;
    const source: ReplySource = {
      heldBytes: () => 0,
      pull: () => undefined,
      async cancel() {
        cancelled += 1;
      },
    };
    const value = { x: 'a\r\nb: c' };
    for (const bad of [new WholeReply('ok', value, undefined, 204), new StreamedReply(source, value)]) {
      for (const isLate of [false, true]) {
        const { read, socket, reported, replies } = open(() => (isLate ? Promise.resolve(bad) : bad));
        read(head('GET /a'));
        await turn();
        expect(reported).toEqual([expect.any(TypeError)]);
        expect(replies().map(({ status, body }) => [status, body])).toEqual([[500, 'unsendable']]);
        expect(socket.calls).toEqual(['end']);
      }
    }
    expect(cancelled).toBe(2);
    expect(unhandled).toEqual([]);
  });
});
