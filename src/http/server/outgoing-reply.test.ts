/** Replies as they are sent: their framing for every kind of body, their pace, and what a client sees of one that fails. */

import { afterEach, describe, expect, test } from 'bun:test';
import { type Handle, startHttpServer } from '../../../test/harness/http-server.ts';
import { loopbackRounds } from '../../../test/harness/loopback.ts';
import { RawClient } from '../../../test/harness/raw-client.ts';
import { until } from '../../../test/harness/until.ts';
import { type Reply, type ReplyController, type ReplySource, StreamedReply, WholeReply } from '../reply.ts';
import { withLines } from '../reply-headers.ts';

const opened: (() => void)[] = [];
afterEach(() => {
  for (const stop of opened.splice(0).reverse()) stop();
});

function start(handle: Handle) {
  const started = startHttpServer(handle);
  opened.push(started.stop);
  return started;
}

/** A connection to a server that answers so. */
async function open(handle: Handle) {
  const { port, reported } = start(handle);
  const client = await RawClient.open(port);
  opened.push(() => client.leave());
  return { client, reported };
}

const head = (line: string, ...headers: string[]): string => [line, 'host: h', ...headers, '', ''].join('\r\n');
const get = head('GET / HTTP/1.1');

/** The reply to one request of this method and version; another one on the same connection is answered alike. */
async function replyTo(handle: Handle, method = 'GET') {
  const { client } = await open(handle);
  client.send(head(`${method} /a HTTP/1.1`) + head(`${method} /b HTTP/1.1`));
  const [first, second] = await client.replied(2, [method, method]);
  if (first === undefined || second === undefined) throw new Error('unreachable');
  expect({ ...second, headers: new Map([...second.headers, ['date', '']]) }).toEqual({
    ...first,
    headers: new Map([...first.headers, ['date', '']]),
  });
  return first;
}

const megabyte = 1_048_576;
/** What the kernel's own buffers on both sides of a loopback connection may take. */
const kernelBytesMax = 16 * megabyte;
const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text));

/** Pieces that are there when they are pulled. */
function pieces(...all: readonly (string | Uint8Array)[]): ReplySource {
  let at = 0;
  return {
    heldBytes: () => 0,
    pull(controller) {
      const piece = all[at];
      at += 1;
      if (piece === undefined) controller.close();
      else controller.enqueue(Buffer.from(piece));
      return undefined;
    },
    cancel: () => undefined,
  };
}

function piecesLater(...all: readonly string[]): ReplySource {
  const source = pieces(...all);
  return {
    heldBytes: () => 0,
    async pull(controller) {
      await Promise.resolve();
      source.pull(controller);
    },
    cancel: () => undefined,
  };
}

const streamed = (source: ReplySource, headers: Record<string, string> = {}): Reply =>
  new StreamedReply(source, headers);

/** A source that a test feeds by hand. */
function fed() {
  const { promise, resolve } = Promise.withResolvers<ReplyController>();
  const seen = { pulls: 0, cancels: 0 };
  const source: ReplySource = {
    heldBytes: () => 0,
    start: resolve,
    pull() {
      seen.pulls += 1;
      return undefined;
    },
    cancel() {
      seen.cancels += 1;
      return undefined;
    },
  };
  return { source, seen, controller: promise };
}

function stream(...all: readonly (string | Error)[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0;
  return new ReadableStream({
    async pull(controller) {
      // Not all at once.
      await loopbackRounds(1);
      const piece = all[at];
      at += 1;
      if (piece === undefined) controller.close();
      else if (typeof piece === 'string') controller.enqueue(bytesOf(piece));
      else controller.error(piece);
    },
  });
}

describe('a body that is known', () => {
  test.each([
    ['a text', () => new WholeReply('grüße', { a: 'b' }), 'grüße'],
    ['an empty text', () => new WholeReply('', { a: 'b' }), ''],
    ['bytes', () => new WholeReply(bytesOf('bytes'), { a: 'b' }), 'bytes'],
    ['a large text', () => new WholeReply('€'.repeat(100_000), { a: 'b' }), '€'.repeat(100_000)],
    ['half of a pair', () => new WholeReply('\ud800', { a: 'b' }), '\ufffd'],
    ['a Response of a text', () => new Response('grüße', { headers: { a: 'b' } }), 'grüße'],
    ['a Response of bytes', () => new Response(bytesOf('bytes'), { headers: { a: 'b' } }), 'bytes'],
    ['a Response of a Blob', () => new Response(new Blob(['one', 'two']), { headers: { a: 'b' } }), 'onetwo'],
    ['a Response of nothing', () => new Response(null, { headers: { a: 'b' } }), ''],
    ['a Response of an empty text', () => new Response('', { headers: { a: 'b' } }), ''],
  ])('%s is sent with its length; to HEAD without itself', async (_name, make, body) => {
    const reply = await replyTo(make);
    expect(Buffer.from(reply.body, 'latin1').toString()).toBe(body);
    const length = String(Buffer.byteLength(body));
    expect(reply.headers.get('content-length')).toBe(length);
    expect(reply.headers.get('a')).toBe('b');
    expect(reply.headers.get('date')).toMatch(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/);
    expect(reply.headers.has('connection')).toBe(false);
    const toHead = await replyTo(make, 'HEAD');
    expect(toHead).toMatchObject({ status: 200, body: '' });
    expect(toHead.headers.get('content-length')).toBe(length);
  });

  test.each([204, 304])('is absent with the status %p, and so is its length', async (status) => {
    for (const make of [
      () => new WholeReply('', {}, undefined, status),
      () => new WholeReply('not sent', {}, undefined, status),
      () => new Response(null, { status }),
      () => new StreamedReply(pieces('not sent'), {}, status),
    ]) {
      const reply = await replyTo(make);
      expect(reply).toMatchObject({ status, body: '' });
      expect([reply.headers.has('content-length'), reply.headers.has('transfer-encoding')]).toEqual([false, false]);
    }
  });

  test.each([
    [404, 'Not Found'],
    [418, "I'm a Teapot"],
    [299, 'Status'],
    [599, 'Status'],
  ])('may have the status %p', async (status, reason) => {
    const { client } = await open(() => new WholeReply('', {}, undefined, status));
    client.send(get);
    await client.replied();
    expect(client.text).toStartWith(`HTTP/1.1 ${status} ${reason}\r\n`);
  });
});

describe('headers', () => {
  test('of framing are the server’s own', async () => {
    const own = { 'content-length': '99', 'transfer-encoding': 'gzip', date: 'never', connection: 'upgrade', a: 'b' };
    for (const make of [() => new WholeReply('abc', own), () => new WholeReply('abc', {}, withLines(own))]) {
      const { headers, body } = await replyTo(make);
      expect(body).toBe('abc');
      expect([...headers.keys()]).toEqual(['a', 'date', 'content-length']);
      expect(headers.get('content-length')).toBe('3');
    }
  });

  test('that are shared are replaced by own ones', async () => {
    const shared = withLines({ a: 'shared', b: 'shared' });
    const reply = await replyTo(() => {
      const whole = new WholeReply('', { c: 'own' }, shared);
      whole.headers.set('a', 'own');
      return whole;
    });
    expect(['a', 'b', 'c'].map((name) => reply.headers.get(name))).toEqual(['own', 'shared', 'own']);
    expect((await replyTo(() => new WholeReply('', { c: 'own' }, shared))).headers.get('a')).toBe('shared');
  });

  test('of several cookies stay apart', async () => {
    const headers = new Headers();
    headers.append('set-cookie', 'a=1');
    headers.append('set-cookie', 'b=2');
    const { client } = await open(() => new Response('', { headers }));
    client.send(get);
    await client.replied();
    expect(client.text).toContain('set-cookie: a=1\r\nset-cookie: b=2\r\n');
  });

  const values = ['a\r\nb: c', 'a\nb', 'a\rb', 'a\0b', 'a\x7fb', 'caf…', '\u010a'];
  const names = ['a b', 'a:', 'a\r\nb', 'ä', ''];
  test.each([
    ...values.map((value): [Record<string, string>] => [{ x: value }]),
    ...names.map((name): [Record<string, string>] => [{ [name]: 'x' }]),
  ])('that cannot be sent are reported, and the client gets a 500 without them: %j', async (fields) => {
    for (const make of [
      () => new WholeReply('body', fields),
      () => Promise.resolve(new WholeReply('body', fields)),
      () => new StreamedReply(pieces('body'), fields),
    ]) {
      const { client, reported } = await open(make);
      client.send(get);
      await client.closed();
      expect(client.text).toMatch(
        /^HTTP\/1.1 500 Internal Server Error\r\ndate: .*\r\nconnection: close\r\ncontent-length: 10\r\n\r\nunsendable$/,
      );
      expect(reported).toHaveLength(1);
      expect(String(reported[0])).toMatch(/^TypeError/);
    }
    expect(() => withLines(fields)).toThrow(TypeError);
  });

  test('may have bytes beyond ASCII', async () => {
    expect((await replyTo(() => new WholeReply('', { x: 'caf\xe9\t\xff' }))).headers.get('x')).toBe('caf\xe9\t\xff');
  });
});

describe('the connection', () => {
  const known: Handle = () => new WholeReply('known', {});
  const unknown: Handle = () => streamed(pieces('un', 'known'));

  test.each([
    ['HTTP/1.0', 'GET / HTTP/1.0', [], known, false],
    ['HTTP/1.0 that asks for it', 'GET / HTTP/1.0', ['connection: keep-alive'], known, true],
    ['HTTP/1.0, streamed', 'GET / HTTP/1.0', ['connection: keep-alive'], unknown, false],
    ['HTTP/1.1 that closes', 'GET / HTTP/1.1', ['connection: close'], known, false],
    ['HTTP/1.1 that closes, streamed', 'GET / HTTP/1.1', ['connection: close'], unknown, false],
    ['HTTP/1.1', 'GET / HTTP/1.1', [], known, true],
    ['HTTP/1.1, streamed', 'GET / HTTP/1.1', [], unknown, true],
  ] as const)('of %s', async (_name, line, headers, handle, keepsAlive) => {
    const { client } = await open(handle);
    client.send(head(line, ...headers));
    if (keepsAlive) {
      await client.replied();
      client.send(get);
      await client.replied(2);
      expect(client.text).not.toContain('connection: close');
      if (line.endsWith('1.0')) expect(client.replies()[0]?.headers.get('connection')).toBe('keep-alive');
      return;
    }
    await client.closed();
    expect([client.isEnded, client.isReset]).toEqual([true, false]);
    const [reply] = client.replies();
    expect(reply?.headers.get('connection')).toBe('close');
    expect(reply?.body).toEndWith('known');
    expect(reply?.headers.has('transfer-encoding')).toBe(line.endsWith('1.1') && handle === unknown);
  });

  test('closes if the reply says so, whatever its kind', async () => {
    const fields = { connection: 'Close' };
    for (const make of [
      () => new WholeReply('last', fields),
      () => streamed(pieces('last'), fields),
      () => new Response('last', { headers: fields }),
    ]) {
      const { client } = await open(make);
      client.send(get + get);
      await client.closed();
      expect(client.replies().map(({ body, headers }) => [body, headers.get('connection')])).toEqual([
        ['last', 'close'],
      ]);
    }
  });
});

describe('a Response', () => {
  test('of more than a megabyte of bytes is sent whole', async () => {
    const large = new Uint8Array(5 * megabyte).map((_, at) => at * 7);
    const { client } = await open(() => new Response(large));
    client.send(get + get);
    for (const { body } of await client.replied(2)) expect(Buffer.from(body, 'latin1').equals(large)).toBe(true);
  });

  test('of a stream is sent in chunks; to HEAD without them', async () => {
    const make = () => new Response(stream('one', 'two', 'three'));
    const reply = await replyTo(make);
    expect(reply.headers.get('transfer-encoding')).toBe('chunked');
    expect(reply.body).toBe('onetwothree');
    expect((await replyTo(make, 'HEAD')).headers.has('content-length')).toBe(false);
  });

  test('of a stream with an empty piece is sent to its end', async () => {
    expect((await replyTo(() => new Response(stream('one', '', '', 'two', '')))).body).toBe('onetwo');
  });

  test('of a stream that says its length is sent with it', async () => {
    const make = () => new Response(stream('one', 'two'), { headers: { 'content-length': '6' } });
    const reply = await replyTo(make);
    expect([reply.headers.get('content-length'), reply.body]).toEqual(['6', 'onetwo']);
    const toHead = await replyTo(make, 'HEAD');
    expect(toHead.headers.get('content-length')).toBe('6');
  });

  test.each(['5', '7', '0', '1'])('whose length of 6 is announced as %p resets the connection', async (length) => {
    const { client } = await open(() => new Response(stream('one', 'two'), { headers: { 'content-length': length } }));
    client.send(get + get);
    await client.closed();
    expect(client.isEnded).toBe(false);
    expect(client.replies()).toEqual([]);
  });

  test.each([
    ['HTTP/1.1', []],
    ['HTTP/1.1', ['one']],
    ['HTTP/1.0', []],
    ['HTTP/1.0', ['one']],
  ])('to %s whose stream fails resets the connection, behind the pieces %j', async (version, all) => {
    const { client } = await open(() => new Response(stream(...all, new Error('broken'))));
    client.send(head(`GET / ${version}`));
    await client.closed();
    // Whatever has arrived, it does not look complete.
    expect([client.isReset, client.isEnded]).toEqual([true, false]);
    expect(client.text).not.toContain('0\r\n\r\n');
  });

  test('is cancelled when the client leaves, also before its first piece', async () => {
    for (const first of ['one', undefined]) {
      let cancels = 0;
      const endless = new ReadableStream<Uint8Array<ArrayBuffer>>({
        start(controller) {
          if (first !== undefined) controller.enqueue(bytesOf(first));
        },
        cancel() {
          cancels += 1;
        },
      });
      let requests = 0;
      const { client } = await open(() => {
        requests += 1;
        return new Response(endless);
      });
      client.send(get);
      if (first === undefined) await until(() => requests === 1);
      else await client.when(() => client.text.includes(first), 'the first piece');
      client.leave();
      await until(() => cancels === 1);
    }
  });

  test('of a stream is pulled as fast as the client reads', async () => {
    let pulledBytes = 0;
    const total = 64 * megabyte;
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull(controller) {
        controller.enqueue(new Uint8Array(megabyte));
        pulledBytes += megabyte;
        if (pulledBytes === total) controller.close();
      },
    });
    const { client } = await open(() => new Response(body));
    client.pause();
    client.send(get);
    await until(() => pulledBytes > megabyte);
    await loopbackRounds(300);
    expect(pulledBytes).toBeLessThan(kernelBytesMax);
    client.resume();
    await client.when(
      () => client.bytes > total && client.received.subarray(-7).toString() === '\r\n0\r\n\r\n',
      'the end',
    );
  });
});

describe('a streamed reply', () => {
  test.each([
    ['at once', pieces],
    ['later', piecesLater],
  ])('has one chunk for each piece that comes %s, in order', async (_name, make) => {
    const all = Array.from({ length: 50 }, (_, at) => `piece ${at};`);
    const reply = await replyTo(() => streamed(make(...all)));
    expect(reply.chunks).toEqual(all);
    expect(reply.headers.get('transfer-encoding')).toBe('chunked');
    expect((await replyTo(() => streamed(make()))).chunks).toEqual([]);
    expect((await replyTo(() => streamed(make('a', '', 'b')))).chunks).toEqual(['a', 'b']);
  });

  test('may have several pieces of one pull, and its end with them', async () => {
    const source: ReplySource = {
      heldBytes: () => 0,
      start: (controller) => controller.enqueue(bytesOf('zero')),
      pull(controller) {
        for (const each of ['one', '', 'two', 'three']) controller.enqueue(bytesOf(each));
        controller.close();
        controller.enqueue(bytesOf('not sent'));
        controller.close();
        return undefined;
      },
      cancel: () => undefined,
    };
    expect((await replyTo(() => streamed(source))).chunks).toEqual(['zero', 'one', 'two', 'three']);
  });

  test('has pieces of any size, each unchanged', async () => {
    const sizes = [1, 15, 16, 4_095, 4_096, 65_527, 65_528, 65_529, 65_536, 200_000, 3 * megabyte];
    const all = sizes.map((size, at) => Buffer.alloc(size, `piece ${at};`));
    const { client } = await open(() => streamed(pieces(...all)));
    client.send(get);
    const [reply] = await client.replied();
    expect(reply?.chunks.map(({ length }) => length)).toEqual(sizes);
    expect(Bun.hash(reply?.body ?? '')).toBe(Bun.hash(Buffer.concat(all).toString()));
  });

  test('to HEAD is its head, and its source is cancelled', async () => {
    const { source, seen } = fed();
    const { client } = await open(() => streamed(source, { a: 'b' }));
    client.send(head('HEAD / HTTP/1.1'));
    const [reply] = await client.replied(1, ['HEAD']);
    expect([reply?.headers.get('a'), seen.pulls, seen.cancels]).toEqual(['b', 0, 1]);
  });

  test('may be fed at any time, by a source that enqueues by itself', async () => {
    const { source, seen, controller } = fed();
    const { client } = await open(() => streamed(source));
    client.send(get);
    const { enqueue, close } = bound(await controller);
    // The head is not kept back until there is a piece.
    await client.when(() => client.text.endsWith('\r\n\r\n'), 'the head');
    for (const piece of ['one', 'two']) {
      enqueue(piece);
      await client.when(() => client.text.includes(piece), piece);
    }
    enqueue('three');
    close();
    expect((await client.replied())[0]?.chunks).toEqual(['one', 'two', 'three']);
    expect(seen.cancels).toBe(0);
    enqueue('too late');
    client.send(get);
    await client.when(() => client.replies().length === 1, 'no more');
  });

  test('is not pulled for a client that does not read, and is when it reads', async () => {
    for (const isLate of [false, true]) {
      const piece = Buffer.alloc(megabyte / 2, 'x');
      const count = 128;
      let pulls = 0;
      const source: ReplySource = {
        heldBytes: () => 0,
        pull(controller) {
          pulls += 1;
          const enqueue = () => (pulls > count ? controller.close() : controller.enqueue(piece));
          if (isLate) return Promise.resolve().then(enqueue);
          enqueue();
          return undefined;
        },
        cancel: () => undefined,
      };
      const { client } = await open(() => streamed(source));
      client.pause();
      client.send(get);
      await until(() => pulls > 1);
      await loopbackRounds(300);
      expect(pulls * piece.length).toBeLessThan(kernelBytesMax);
      client.resume();
      await client.when(() => client.bytes > count * piece.length, 'all pieces');
      expect((await client.replied())[0]?.chunks).toHaveLength(count);
    }
  });

  test('says whether the client is behind, and pulls when it is no more', async () => {
    const { source, seen, controller } = fed();
    const { client } = await open(() => streamed(source));
    client.pause();
    client.send(get);
    const sink = await controller;
    await until(() => seen.pulls === 1);
    expect(sink.desiredSize).toBeGreaterThan(0);
    let enqueued = 0;
    for (; (sink.desiredSize ?? 0) > 0; enqueued += megabyte) {
      expect(enqueued).toBeLessThan(kernelBytesMax);
      sink.enqueue(new Uint8Array(megabyte));
      await loopbackRounds(1);
    }
    expect(seen.pulls).toBe(1);
    client.resume();
    await until(() => seen.pulls === 2);
    expect(sink.desiredSize).toBeGreaterThan(0);
    sink.close();
    await client.when(() => client.bytes > enqueued, 'all pieces');
    expect((await client.replied())[0]?.body).toHaveLength(enqueued);
  });

  test.each([
    ['before its first piece', false],
    ['between its pieces', true],
  ])('is cancelled once when the client leaves %s', async (_name, isBegun) => {
    const { source, seen, controller } = fed();
    const { client } = await open(() => streamed(source));
    client.send(get);
    const { enqueue, close } = bound(await controller);
    if (isBegun) enqueue('one');
    await client.when(() => client.text.includes(isBegun ? 'one' : 'chunked\r\n\r\n'), 'the beginning');
    client.leave();
    await until(() => seen.cancels > 0);
    enqueue('too late');
    close();
    expect(seen.cancels).toBe(1);
  });

  test('is cancelled when the client left before it was ready', async () => {
    const { source, seen } = fed();
    const { promise, resolve } = Promise.withResolvers<Reply>();
    let hasLeft = false;
    const { client } = await open((request) => {
      request.signal.addEventListener('abort', () => {
        hasLeft = true;
      });
      return promise;
    });
    client.send(get);
    await loopbackRounds();
    client.leave();
    await until(() => hasLeft);
    resolve(streamed(source));
    await until(() => seen.cancels === 1);
    expect(seen.pulls).toBe(0);
  });

  const failures: readonly [name: string, source: ReplySource][] = [
    ['reports an error', { ...pieces(), pull: (controller) => void controller.error(new Error('broken')) }],
    ['rejects', { ...pieces(), pull: () => Promise.reject(new Error('broken')) }],
    ['throws', thrower('one', 0)],
    ['throws after a piece', thrower('one', 1)],
    ['throws after a piece that came late', { ...thrower('one', 1, true) }],
  ];
  test.each(failures)('whose source %s resets the connection', async (_name, source) => {
    for (const version of ['HTTP/1.1', 'HTTP/1.0']) {
      const { client } = await open(() => streamed({ ...source }));
      client.send(head(`GET / ${version}`));
      await client.closed();
      expect([client.isReset, client.isEnded]).toEqual([true, false]);
      expect(client.text).not.toContain('0\r\n\r\n');
    }
  });

  test('that fails from outside a pull resets the connection', async () => {
    const { source, controller } = fed();
    const { client } = await open(() => streamed(source));
    client.send(get);
    const sink = await controller;
    sink.enqueue(bytesOf('one'));
    await client.when(() => client.text.includes('one'), 'the first piece');
    sink.error(new Error('broken'));
    sink.close();
    await client.closed();
    expect([client.isReset, client.isEnded]).toEqual([true, false]);
  });
});

function bound(controller: ReplyController) {
  return { enqueue: (text: string) => controller.enqueue(bytesOf(text)), close: () => controller.close() };
}

/** Enqueues a piece so many times, and then throws. */
function thrower(piece: string, times: number, isLate = false): ReplySource {
  let pulls = 0;
  return {
    heldBytes: () => 0,
    pull(controller) {
      pulls += 1;
      if (pulls % (times + 1) === 0) throw new Error('broken');
      if (isLate) return Promise.resolve().then(() => controller.enqueue(bytesOf(piece)));
      controller.enqueue(bytesOf(piece));
      return undefined;
    },
    cancel: () => undefined,
  };
}
