/** The server with real sockets: bodies of requests, pipelines, clients that leave, malformed bytes, and its own end. */

import { afterEach, describe, expect, test } from 'bun:test';
import { echo, type Handle, startHttpServer } from '../../../test/harness/http-server.ts';
import { loopbackRounds } from '../../../test/harness/loopback.ts';
import { RawClient } from '../../../test/harness/raw-client.ts';
import { until } from '../../../test/harness/until.ts';
import { type Reply, StreamedReply, WholeReply } from '../reply.ts';
import type { IncomingRequest } from './incoming-request.ts';

const opened: (() => void)[] = [];
afterEach(() => {
  for (const stop of opened.splice(0).reverse()) stop();
});

function start(handle: Handle) {
  const started = startHttpServer(handle);
  opened.push(started.stop);
  return { ...started, client: () => openClient(started.port) };
}

async function openClient(port: number): Promise<RawClient> {
  const client = await RawClient.open(port);
  opened.push(() => client.leave());
  return client;
}

const head = (line: string, ...headers: string[]): string =>
  [`${line} HTTP/1.1`, 'host: h', ...headers, '', ''].join('\r\n');
const post = (path: string, body: string, ...headers: string[]): string =>
  head(`POST ${path}`, `content-length: ${body.length}`, ...headers) + body;
const chunked = (path: string, ...chunks: string[]): string =>
  head(`POST ${path}`, 'transfer-encoding: chunked') +
  [...chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`), '0\r\n\r\n'].join('');

const text = (body: string, headers: Record<string, string> = {}): Reply => new WholeReply(body, headers);
const megabyte = 1_048_576;
/** What the kernel's own buffers on both sides of a loopback connection may take. */
const kernelBytesMax = 16 * megabyte;

/** Requests that a test answers by hand. */
function held() {
  const requests: { request: IncomingRequest; answer: (reply: Reply) => void }[] = [];
  const handle: Handle = (request) => new Promise((answer) => requests.push({ request, answer }));
  const at = async (index: number) => {
    await until(() => requests.length > index);
    const found = requests[index];
    if (found === undefined) throw new Error('unreachable');
    return found;
  };
  return { requests, handle, at };
}

describe('a body', () => {
  const binary = String.fromCharCode(...Array.from({ length: 256 }, (_, code) => code));

  test.each([
    ['of no bytes', post('/a', ''), ''],
    ['of one byte', post('/a', 'x'), 'x'],
    ['that looks like a request', post('/a', head('GET /b')), head('GET /b')],
    ['of every byte', post('/a', binary), binary],
    ['in chunks', chunked('/a', 'one', binary, '\r\n'), `one${binary}\r\n`],
    ['in no chunks', chunked('/a'), ''],
    ['of a GET', `${head('GET /a', 'content-length: 2')}ok`, 'ok'],
  ])('%s arrives, whole and each byte alone', async (_name, request, body) => {
    const { client } = start(echo);
    const method = request.slice(0, request.indexOf(' '));
    const whole = await client();
    whole.send(request);
    const apart = await client();
    await apart.sendApart(request);
    for (const one of [whole, apart])
      expect(JSON.parse((await one.replied())[0]?.body ?? '')).toEqual([method, '/a', body]);
  });

  test('of 20 MB arrives, with a length and in chunks', async () => {
    const { client } = start(async (request) => text(String(Bun.hash(await request.bytes()))));
    const piece = 'weir'.repeat(megabyte / 4);
    const body = piece.repeat(20);
    const one = await client();
    one.send(post('/a', body));
    one.send(chunked('/a', ...Array.from({ length: 20 }, () => piece)));
    const digest = String(Bun.hash(Buffer.from(body)));
    expect((await one.replied(2)).map((reply) => reply.body)).toEqual([digest, digest]);
  });

  test('is given by pieces as it arrives', async () => {
    const pieces: string[] = [];
    const { client } = start(async (request) => {
      if (request.body !== null) for await (const piece of request.body) pieces.push(Buffer.from(piece).toString());
      return text(pieces.join('|'));
    });
    const one = await client();
    one.send(head('POST /a', 'content-length: 6'));
    one.send('abc');
    await until(() => pieces.join('') === 'abc');
    one.send('def');
    expect((await one.replied())[0]?.body.replaceAll('|', '')).toBe('abcdef');
  });

  test('that is absent is null, and its bytes are none', async () => {
    const { client } = start(async (request) => text(`${request.body} ${(await request.bytes()).length}`));
    const one = await client();
    one.send(head('GET /a') + post('/b', ''));
    expect((await one.replied(2)).map((reply) => reply.body)).toEqual(['null 0', 'null 0']);
  });

  test('that the handler does not read stops the client, and continues when it is read', async () => {
    const { handle, at } = held();
    const { client } = start(handle);
    const one = await client();
    const total = 64 * megabyte;
    one.send(head('POST /a', `content-length: ${total}`));
    const { request, answer } = await at(0);
    one.send(Buffer.alloc(total, 'x'));
    await until(() => request.isPaused);
    await loopbackRounds(100);
    expect(total - one.unsentBytes).toBeLessThan(kernelBytesMax);
    let read = 0;
    for await (const piece of request) read += piece.length;
    expect(read).toBe(total);
    answer(text('done'));
    expect((await one.replied())[0]?.body).toBe('done');
    one.send(head('GET /b'));
    (await at(1)).answer(text('next'));
    expect((await one.replied(2))[1]?.body).toBe('next');
  });

  test('that nothing reads any more is discarded', async () => {
    let second = '';
    const { client } = start(async (request) => {
      if (request.body === null) return text('next');
      for await (const piece of request.body) {
        if (piece.length > 0) break;
      }
      second = await request.bytes().then(
        () => 'read',
        () => 'refused',
      );
      return text('enough');
    });
    const one = await client();
    one.send(head('POST /a', `content-length: ${8 * megabyte}`));
    one.send(Buffer.alloc(8 * megabyte, 'x'));
    one.send(head('GET /b'));
    expect((await one.replied(2)).map((reply) => reply.body)).toEqual(['enough', 'next']);
    expect(second).toBe('refused');
  });

  test.each([
    ['with a length', head('POST /a', 'content-length: 10'), 'x'.repeat(10)],
    ['in chunks', head('POST /a', 'transfer-encoding: chunked'), 'a\r\n0123456789\r\n0\r\n\r\n'],
    ['larger than what may wait', head('POST /a', `content-length: ${megabyte}`), 'x'.repeat(megabyte)],
  ])('%s may come after the reply', async (_name, start1, rest) => {
    const { client } = start((request) => text(request.head.target));
    const one = await client();
    one.send(start1);
    expect((await one.replied())[0]).toMatchObject({ status: 200, body: '/a' });
    expect(one.text).not.toContain('connection: close');
    one.send(rest + head('GET /b'));
    expect((await one.replied(2))[1]).toMatchObject({ status: 200, body: '/b' });
  });

  test('that turns out malformed after the reply closes the connection, and the reply is not lost', async () => {
    const { client } = start((request) => text(request.head.target));
    const one = await client();
    one.send(head('POST /a', 'transfer-encoding: chunked'));
    await one.replied();
    one.send(`nonsense\r\n${head('GET /b')}`);
    await one.closed();
    expect(one.isReset).toBe(false);
    expect(one.replies().map((reply) => reply.body)).toEqual(['/a']);
  });
});

describe('100 Continue', () => {
  const asking = head('POST /a', 'content-length: 3', 'expect: 100-continue');

  test('is sent when the body is wanted', async () => {
    const { handle, at } = held();
    const { client } = start(handle);
    const one = await client();
    one.send(asking);
    const { request, answer } = await at(0);
    await loopbackRounds();
    expect(one.text).toBe('');
    const reading = request.bytes();
    expect((await one.replied())[0]).toMatchObject({ status: 100 });
    one.send('abc');
    answer(text(Buffer.from(await reading).toString()));
    const replies = await one.replied(2);
    expect(replies.map(({ status, body }) => [status, body])).toEqual([
      [100, ''],
      [200, 'abc'],
    ]);
    one.send(head('GET /b'));
    (await at(1)).answer(text('next'));
    expect((await one.replied(3))[2]?.body).toBe('next');
  });

  test('is sent once for a body that is read by pieces, in chunks too', async () => {
    const { client } = start(async (request) => {
      let body = '';
      for await (const piece of request) body += Buffer.from(piece).toString();
      return text(body);
    });
    const one = await client();
    one.send(head('POST /a', 'transfer-encoding: chunked', 'expect: 100-continue'));
    await one.replied();
    await one.sendApart('3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n');
    expect((await one.replied(2)).map(({ status }) => status)).toEqual([100, 200]);
    expect(one.replies()[1]?.body).toBe('abcd');
  });

  test('is not sent if the body came with its head', async () => {
    const { client } = start(echo);
    const one = await client();
    one.send(`${asking}abc`);
    expect((await one.replied()).map(({ status }) => status)).toEqual([200]);
  });

  test('is not sent before a reply that needs no body; what follows is not a request', async () => {
    const { client } = start(() => text('no', { 'x-reason': 'large' }));
    const one = await client();
    one.send(asking);
    const [reply] = await one.replied();
    expect(reply).toMatchObject({ status: 200, body: 'no' });
    expect(reply?.headers.get('connection')).toBe('close');
    one.send(head('GET /b'));
    await one.closed();
    expect(one.replies()).toHaveLength(1);
  });

  test('is not sent behind the head of the reply', async () => {
    let read: Promise<unknown> | undefined;
    const { client } = start(
      (request) =>
        new StreamedReply(
          {
            heldBytes: () => 0,
            pull(controller) {
              if (read !== undefined) return undefined;
              controller.enqueue(Buffer.from('first'));
              read = Promise.resolve().then(() => request.bytes());
              read.then(
                () => controller.close(),
                () => undefined,
              );
              return undefined;
            },
            cancel: () => undefined,
          },
          {},
        ),
    );
    const one = await client();
    one.send(asking);
    await one.when(() => one.text.includes('first'), 'the first piece');
    await loopbackRounds();
    expect(one.text).not.toContain('100 Continue');
    one.send('abc');
    await one.closed();
    expect(one.replies().map(({ status, body }) => [status, body])).toEqual([[200, 'first']]);
  });
});

describe('a pipeline', () => {
  test('of 100 requests in one write is answered in order', async () => {
    const { client } = start(async (request) => {
      // Later ones would be ready sooner.
      if (request.head.target.endsWith('0')) await loopbackRounds(2);
      return echo(request);
    });
    const one = await client();
    const bodies = Array.from({ length: 100 }, (_, at) => (at % 3 === 0 ? '' : `body ${at}`));
    one.send(bodies.map((body, at) => (at % 2 === 0 ? post(`/${at}`, body) : chunked(`/${at}`, body || '.'))).join(''));
    const replies = await one.replied(100);
    expect(replies.map(({ body }) => JSON.parse(body))).toEqual(
      bodies.map((body, at) => ['POST', `/${at}`, at % 2 === 0 ? body : body || '.']),
    );
  });

  test('of 100 that are answered at once', async () => {
    const { client } = start((request) => text(request.head.target));
    const one = await client();
    const paths = Array.from({ length: 100 }, (_, at) => `/${at}`);
    one.send(paths.map((path) => head(`GET ${path}`)).join(''));
    expect((await one.replied(100)).map(({ body }) => body)).toEqual(paths);
  });

  test('handles one request at a time, and stops a client that sends far ahead', async () => {
    const { handle, at, requests } = held();
    const { client } = start(handle);
    const one = await client();
    const body = 'x'.repeat(megabyte);
    const count = 40;
    // Nothing of the first one waits to be read: only what comes behind it stops the client.
    one.send(head('GET /0'));
    for (let index = 1; index < count; index += 1) one.send(post(`/${index}`, body));
    const first = await at(0);
    await until(() => one.unsentBytes > 0);
    await loopbackRounds(100);
    expect(requests).toHaveLength(1);
    expect(count * body.length - one.unsentBytes).toBeLessThan(kernelBytesMax);
    first.answer(text('/0'));
    for (let index = 1; index < count; index += 1) {
      const { request, answer } = await at(index);
      expect((await request.bytes()).length).toBe(body.length);
      answer(text(request.head.target));
    }
    const paths = Array.from({ length: count }, (_, index) => `/${index}`);
    expect((await one.replied(count)).map((reply) => reply.body)).toEqual(paths);
  });

  test('of a client that sent much ahead sees it leave', async () => {
    const { handle, at } = held();
    const { client } = start(handle);
    const one = await client();
    one.send(head('GET /0') + post('/1', 'x'.repeat(megabyte)));
    const { request } = await at(0);
    await until(() => one.unsentBytes === 0);
    one.leave();
    await until(() => request.left);
  });

  test('lets other connections have their turn', async () => {
    const { client } = start((request) => text(request.head.target));
    const [one, other] = [await client(), await client()];
    const many = 2_000;
    one.send(head('GET /many').repeat(many));
    other.send(head('GET /one'));
    await other.replied(1);
    expect(one.replies().length).toBeLessThan(many);
    await one.replied(many);
  });

  test('of a client that speaks TLS is refused at once', async () => {
    const { client } = start((request) => text(request.head.target));
    const one = await client();
    one.send(Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]));
    await one.closed();
    expect(one.replies().map(({ status }) => status)).toEqual([400]);
  });

  test('ends with the request that closes', async () => {
    const { client } = start((request) => text(request.head.target));
    const one = await client();
    one.send(head('GET /a') + head('GET /b', 'connection: close') + head('GET /c'));
    await one.closed();
    expect(one.replies().map(({ body }) => body)).toEqual(['/a', '/b']);
    expect(one.isEnded).toBe(true);
  });

  test('ends with a malformed request, behind the replies before it', async () => {
    const { client } = start(async (request) => {
      await loopbackRounds(2);
      return text(request.head.target);
    });
    const one = await client();
    one.send(`${head('GET /a') + head('GET /b')}nonsense\r\n\r\n${head('GET /c')}`);
    await one.closed();
    expect(one.replies().map(({ status, body }) => (status === 200 ? body : status))).toEqual(['/a', '/b', 400]);
    expect(one.isReset).toBe(false);
  });
});

describe('a client that leaves', () => {
  test('ends the body, and aborts the request', async () => {
    const { handle, at } = held();
    const { client } = start(handle);
    const one = await client();
    one.send(`${head('POST /a', 'content-length: 5')}ab`);
    const { request } = await at(0);
    const { signal } = request;
    const reading = request.bytes().then(
      () => 'read',
      () => 'failed',
    );
    expect([request.left, signal.aborted]).toEqual([false, false]);
    one.leave();
    expect(await reading).toBe('failed');
    expect([request.left, signal.aborted, request.signal.aborted]).toEqual([true, true, true]);
    await expect(request.bytes()).rejects.toThrow();
    await expect(request.next()).rejects.toThrow();
  });

  test('leaves a body that has arrived', async () => {
    const { handle, at } = held();
    const { client } = start(handle);
    const one = await client();
    one.send(post('/a', 'abc'));
    const { request, answer } = await at(0);
    one.leave();
    await until(() => request.left);
    // The signal is made only now.
    expect(request.signal.aborted).toBe(true);
    expect(Buffer.from(await request.bytes()).toString()).toBe('abc');
    answer(text('too late'));
  });

  test('while its next request waits has that one not handled', async () => {
    const { handle, at, requests } = held();
    const { client } = start(handle);
    const one = await client();
    one.send(head('GET /a') + head('GET /b'));
    const { request, answer } = await at(0);
    one.leave();
    await until(() => request.left);
    answer(text('too late'));
    await loopbackRounds();
    expect(requests).toHaveLength(1);
  });
});

describe('malformed bytes', () => {
  test.each([
    ['nonsense', 'nonsense\r\n\r\n', 400],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n', 400],
    ['two lengths', head('POST /a', 'content-length: 3', 'content-length: 4'), 400],
    ['a version', 'GET / HTTP/2.0\r\nhost: h\r\n\r\n', 505],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 505],
    ['many headers', head('GET /a', ...Array.from({ length: 201 }, () => 'x: 1')), 431],
    ['a large head', head('GET /a', `x: ${'y'.repeat(20_000)}`), 431],
    ['an endless head', `GET /${'a'.repeat(100_000)}`, 431],
    ['a malformed body together with its head', `${head('POST /a', 'transfer-encoding: chunked')}x\r\n`, 400],
    ['a trailer', `${head('POST /a', 'transfer-encoding: chunked')}0\r\nx: 1\r\n\r\n`, 400],
    ['a chunk extension', `${head('POST /a', 'transfer-encoding: chunked')}1;x\r\na\r\n0\r\n\r\n`, 400],
  ])('get an error in JSON, and a closed connection: %s', async (_name, bytes, status) => {
    let handled = 0;
    const { client, reported } = start((request) => {
      handled += 1;
      return text(request.head.target);
    });
    const one = await client();
    one.send(bytes + head('GET /b'));
    const [reply] = await one.replied();
    expect(reply).toMatchObject({ status });
    expect(reply?.headers.get('content-type')).toBe('application/json');
    expect(reply?.headers.get('connection')).toBe('close');
    expect(JSON.parse(reply?.body ?? '')).toMatchObject({ error: { message: expect.any(String) } });
    // What still comes is no request, and does not reset the connection before the reply was read.
    one.send(head('GET /c'));
    await one.closed();
    expect([one.isEnded, one.isReset, handled]).toEqual([true, false, 0]);
    expect(one.replies()).toHaveLength(1);
    expect(reported).toEqual([]);
  });

  test.each([
    ['a size that is none', 'x\r\n'],
    ['a chunk longer than its size', '1\r\nab\r\n'],
    ['a trailer', '0\r\nx: 1\r\n\r\n'],
    ['an extension', '1;x=y\r\na\r\n0\r\n\r\n'],
  ])('in the body of a request in flight are its handler’s error: %s', async (_name, bytes) => {
    const { handle, at, requests } = held();
    const { client } = start(handle);
    const one = await client();
    one.send(`${head('POST /a', 'transfer-encoding: chunked')}3\r\nabc\r\n`);
    const { request, answer } = await at(0);
    const reading = request.bytes().then(
      () => 'read',
      (error: Error) => error.name,
    );
    one.send(bytes + head('GET /b'));
    expect(await reading).toBe('FramingError');
    answer(text('broken'));
    const [reply] = await one.replied();
    expect(reply).toMatchObject({ body: 'broken' });
    expect(reply?.headers.get('connection')).toBe('close');
    await one.closed();
    expect([one.isReset, requests.length, one.replies().length]).toEqual([false, 1, 1]);
  });
});

describe('the end of the server', () => {
  test('closes idle connections at once, and others after their reply', async () => {
    const { handle, at } = held();
    const { server, client, port } = start(handle);
    const idle = await client();
    idle.send(head('GET /a'));
    (await at(0)).answer(text('a'));
    await idle.replied();
    const busy = await client();
    busy.send(head('GET /b') + head('GET /c'));
    const { answer } = await at(1);
    let isOver = false;
    server.close();
    const ended = server.ended().then(() => {
      isOver = true;
    });
    await idle.closed();
    expect(idle.isReset).toBe(false);
    await expect(RawClient.open(port)).rejects.toThrow();
    expect(isOver).toBe(false);
    answer(text('b'));
    const [reply] = await busy.replied();
    expect(reply?.headers.get('connection')).toBe('close');
    await busy.closed();
    expect(busy.replies().map(({ body }) => body)).toEqual(['b']);
    await ended;
    server.close();
    await server.ended();
  });

  test('lets a streamed reply finish', async () => {
    let finish = (): void => undefined;
    const { server, client } = start(
      () =>
        new StreamedReply(
          {
            heldBytes: () => 0,
            start(controller) {
              controller.enqueue(Buffer.from('one'));
              finish = () => {
                controller.enqueue(Buffer.from('two'));
                controller.close();
              };
            },
            pull: () => undefined,
            cancel: () => undefined,
          },
          {},
        ),
    );
    const one = await client();
    one.send(head('GET /a'));
    await one.when(() => one.text.includes('one'), 'the first piece');
    server.close();
    finish();
    await one.closed();
    expect(one.replies()[0]?.chunks).toEqual(['one', 'two']);
    await server.ended();
  });

  test('lets a request finish whose head has begun to arrive', async () => {
    const { server, client } = start(echo);
    const one = await client();
    const other = await client();
    const request = post('/a', 'abc');
    one.send(head('GET /first') + request.slice(0, 10));
    await one.replied();
    other.send(head('GET /other'));
    await other.replied();
    server.close();
    await other.closed();
    one.send(request.slice(10));
    expect((await one.replied(2))[1]?.body).toContain('abc');
    await server.ended();
  });

  test('with force resets everything', async () => {
    const { handle, at } = held();
    const { server, client } = start(handle);
    const clients = await Promise.all(Array.from({ length: 20 }, client));
    for (const one of clients) one.send(head('GET /a'));
    await at(19);
    server.close();
    server.terminateAll();
    await server.ended();
    for (const one of clients) {
      await one.closed();
      expect(one.text).toBe('');
    }
  });
});
