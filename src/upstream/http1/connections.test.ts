/** The life of connections: used again, expired, limited, refused, given up, and never left behind. */

import { afterEach, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { type Answer, reply, startServer, until } from '../../../test/harness/scripted-server.ts';
import { sized } from '../../../test/harness/size.ts';
import { verdictOfThrow } from '../faults/verdict.ts';
import { UnsentError, type UpstreamRequest } from '../transport.ts';
import { createHttpTransport, type HttpTransportOptions } from './http-transport.ts';

const opened: { stop(): void }[] = [];
afterEach(() => {
  for (const { stop } of opened.splice(0)) stop();
});

function start(answer: Answer, options: Partial<HttpTransportOptions> = {}) {
  const server = startServer(answer);
  const transport = createHttpTransport({ connectTimeoutMs: 60_000, ...options });
  opened.push({ stop: () => transport.close() }, server);
  const ask = (given: Partial<UpstreamRequest> = {}) =>
    transport({
      url: server.url,
      method: 'POST',
      headers: {},
      body: '{}',
      signal: new AbortController().signal,
      ...given,
    });
  const text = async (given?: Partial<UpstreamRequest>) => Buffer.from(await (await ask(given)).whole(1e9)).toString();
  return { server, transport, ask, text };
}

const failureOf = (promise: Promise<unknown>): Promise<Error & { code?: string }> =>
  promise.then(
    () => {
      throw new Error('it did not fail');
    },
    (error) => error,
  );

const descriptors = () => readdirSync('/proc/self/fd').length;

describe('reuse', () => {
  test('thousands of requests in a row use one connection', async () => {
    const { server, text } = start((socket) => socket.write(reply('ok')));
    for (let index = 0; index < sized(2_000, 10_000); index += 1) expect(await text()).toBe('ok');
    expect(server.accepted).toBe(1);
  });

  test('more addresses than are remembered still share the connection', async () => {
    const { server, text } = start((socket, { head }) => socket.write(reply(head.split(' ')[1] ?? '')));
    for (let index = 0; index < 1_100; index += 1) {
      expect(await text({ url: `${server.url}/${index}` })).toBe(`/v1/chat/${index}`);
    }
    expect(server.accepted).toBe(1);
  });

  test('500 at once use 500, the next ones use those, and close() leaves nothing', async () => {
    const before = descriptors();
    const { server, text, transport } = start((socket, { body }) => socket.write(reply(body.toString())));
    for (let round = 0; round < 3; round += 1) {
      const bodies = Array.from({ length: 500 }, (_, index) => `${round}:${index}`);
      expect(await Promise.all(bodies.map((body) => text({ body })))).toEqual(bodies);
    }
    // 256 stay free between the rounds.
    expect(server.accepted).toBeLessThanOrEqual(500 + 2 * 244);
    transport.close();
    await until(() => server.open === 0);
    server.stop();
    await until(() => descriptors() <= before + 1);
    await expect(text()).rejects.toThrow('closed');
  });

  test('the last used connection is taken first', async () => {
    const indexes: number[] = [];
    const held: (() => void)[] = [];
    const { text } = start((socket) => {
      indexes.push(socket.data.index);
      if (indexes.length <= 2) held.push(() => socket.write(reply('ok')));
      else socket.write(reply('ok'));
    });
    const pair = [text(), text()];
    await until(() => held.length === 2);
    for (const [index, release] of held.entries()) {
      release();
      await pair[index];
    }
    await text();
    expect(indexes[2]).toBe(indexes[1] as number);
  });

  test('a server that closes after each reply gets a new connection each time', async () => {
    const { server, text } = start((socket) => {
      socket.write(reply('ok', 'connection: close'));
      socket.end();
    });
    for (let index = 0; index < 50; index += 1) expect(await text()).toBe('ok');
    expect(server.accepted).toBe(50);
  });

  test('a server that closes without announcing it gets no request on the dead connection', async () => {
    const { server, text } = start((socket) => {
      socket.write(reply('ok'));
      socket.end();
    });
    for (let index = 0; index < 20; index += 1) {
      expect(await text()).toBe('ok');
      await until(() => server.open === 0);
      // The server knows of its close first; a few turns of the loop bring it to us.
      for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(server.accepted).toBe(20);
  });

  test('bytes after a reply close the connection, in the same read or later', async () => {
    const { server, text } = start((socket) => {
      socket.write(reply('ok') + (socket.data.index === 0 ? reply('forged') : ''));
      if (socket.data.index === 1) setImmediate(() => socket.write(reply('forged')));
    });
    expect(await text()).toBe('ok');
    await until(() => server.open === 0);
    expect(await text()).toBe('ok');
    await until(() => server.open === 0);
    expect(await text()).toBe('ok');
    expect(server.accepted).toBe(3);
  });

  test('free connections expire', async () => {
    const { server, text } = start((socket) => socket.write(reply('ok')), { idleConnectionMs: 40 });
    await text();
    expect(server.open).toBe(1);
    await until(() => server.open === 0);
    expect(await text()).toBe('ok');
    expect(server.accepted).toBe(2);
  });

  test('no more connections than allowed; a request that stops waiting is forgotten', async () => {
    let active = 0;
    let activeMax = 0;
    const { server, text } = start(
      (socket) => {
        active += 1;
        activeMax = Math.max(activeMax, active);
        setImmediate(() => {
          active -= 1;
          socket.write(reply('ok', ...(server.requests % 5 === 0 ? ['connection: close'] : [])));
        });
      },
      { connectionsPerOriginMax: 3 },
    );
    const leaving = new AbortController();
    const asked = Array.from({ length: 60 }, () => text());
    const left = failureOf(text({ signal: leaving.signal }));
    leaving.abort(new Error('left'));
    expect((await left).message).toBe('left');
    expect(await Promise.all(asked)).toEqual(Array(60).fill('ok'));
    expect(activeMax).toBe(3);
    expect(server.requests).toBe(60);
  });
});

describe('failures', () => {
  test('a refused connection', async () => {
    const { server, ask } = start(() => {});
    server.stop();
    const failure = await failureOf(ask());
    expect(failure.code).toBe('ECONNREFUSED');
    expect(verdictOfThrow(failure, 'up').kind).toBe('target-down');
  });

  test('an unknown name', async () => {
    for (const checkAddress of [undefined, () => {}]) {
      const { ask } = start(() => {}, { checkAddress });
      const failure = await failureOf(ask({ url: 'http://nowhere.invalid/' }));
      expect(['ENOTFOUND', 'EAI_AGAIN']).toContain(failure.code ?? '');
      expect(failure).toBeInstanceOf(UnsentError);
    }
  });

  test('a server that accepts the connection and never answers the TLS handshake', async () => {
    const { server, ask } = start(() => {}, { connectTimeoutMs: 30 });
    const failure = await failureOf(ask({ url: `https://127.0.0.1:${server.port}/` }));
    expect(failure.code).toBe('ETIMEDOUT');
    expect(verdictOfThrow(failure, 'up').kind).toBe('target-down');
    await until(() => server.accepted === 1 && server.open === 0);
  });

  test('a kept connection that the server closes under the request: uncertain, and not sent again by us', async () => {
    const { server, ask, text } = start((socket) => {
      if (socket.data.requests === 1) socket.write(reply('ok'));
      else socket.terminate();
    });
    await text();
    const failure = await failureOf(ask());
    expect(failure.code).toBe('ECONNRESET');
    expect(verdictOfThrow(failure, 'up').kind).toBe('uncertain');
    expect(server.requests).toBe(2);
    expect(server.accepted).toBe(1);
  });

  test('an early answer, before the server has read the request, counts; its connection is not used again', async () => {
    const listener = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        data(socket) {
          socket.pause();
          socket.write('HTTP/1.1 413 Too Large\r\ncontent-length: 4\r\n\r\nstop');
        },
      },
    });
    opened.push({ stop: () => listener.stop(true) });
    const { transport } = start(() => {});
    const url = `http://127.0.0.1:${listener.port}/`;
    const body = new Uint8Array(50_000_000);
    const answer = await transport({ url, method: 'POST', headers: {}, body, signal: new AbortController().signal });
    expect(answer.status).toBe(413);
    expect(Buffer.from(await answer.whole(99)).toString()).toBe('stop');
  });

  test('an address that the check refuses is never connected to', async () => {
    const refusal = Object.assign(new Error('private address'), { code: 'address_refused' });
    const checked: string[] = [];
    const { server, ask, text, transport } = start((socket) => socket.write(reply('ok')), {
      checkAddress(host, address) {
        checked.push(`${host} ${address}`);
        if (host !== 'localhost') throw refusal;
      },
    });
    expect(await failureOf(ask())).toBe(refusal);
    expect(server.accepted).toBe(0);
    expect(checked).toEqual(['127.0.0.1 127.0.0.1']);
    expect(await text({ url: `http://localhost:${server.port}/` })).toBe('ok');
    expect(checked.at(-1)).toMatch(/^localhost (127\.0\.0\.1|::1)$/);
    transport.close();
  });

  test('an IPv6 address in brackets', async () => {
    const listener = Bun.listen({
      hostname: '::1',
      port: 0,
      socket: { data: (socket) => void socket.write(reply('six')) },
    });
    opened.push({ stop: () => listener.stop(true) });
    const { text } = start(() => {});
    expect(await text({ url: `http://[::1]:${listener.port}/` })).toBe('six');
  });
});

describe('abort', () => {
  const left = new Error('the client left');

  test.each([
    ['before the request', undefined],
    ['while connecting', ''],
  ])('%s', async (_name, bytes) => {
    const { server, ask } = start((socket) => socket.write(reply('ok')));
    const leaving = new AbortController();
    if (bytes === undefined) leaving.abort(left);
    const failure = failureOf(ask({ signal: leaving.signal }));
    leaving.abort(left);
    expect(await failure).toBe(left);
    await until(() => server.open === 0);
    expect(server.requests).toBe(0);
  });

  test.each([
    ['before the head', '', 'head'],
    ['in the head', 'HTTP/1.1 200 OK\r\n', 'head'],
    ['before the body', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n', 'read'],
    ['in the body', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf', 'read'],
    ['in a body that is taken whole', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf', 'whole'],
    ['in chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\nhalf', 'whole'],
  ])('%s closes the connection and rejects with the reason', async (_name, bytes, waiting) => {
    const { server, ask } = start((socket) => socket.write(bytes));
    const leaving = new AbortController();
    const head = ask({ signal: leaving.signal });
    let failing: Promise<unknown> = head;
    if (waiting !== 'head') {
      const answer = await head;
      if (bytes.endsWith('half') && waiting === 'read') await answer.read();
      failing = waiting === 'whole' ? answer.whole(99) : answer.read();
    }
    await until(() => server.requests === 1);
    const failure = failureOf(failing);
    leaving.abort(left);
    expect(await failure).toBe(left);
    await until(() => server.open === 0);
  });

  test('after the reply it changes nothing, and the connection stays in use', async () => {
    const { server, ask, text } = start((socket) => socket.write(reply('ok')));
    const leaving = new AbortController();
    const answer = await ask({ signal: leaving.signal });
    leaving.abort(left);
    expect(Buffer.from(await answer.whole(9)).toString()).toBe('ok');
    expect(await text()).toBe('ok');
    expect(server.accepted).toBe(1);
  });

  test('cancel closes a running reply and does not affect a finished one', async () => {
    const { server, ask, text } = start((socket) =>
      socket.write(socket.data.requests === 1 ? reply('ok') : 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf'),
    );
    (await ask()).cancel();
    expect(server.open).toBe(1);
    const running = await ask();
    running.cancel();
    await until(() => server.open === 0);
    await expect(running.read()).rejects.toThrow('cancelled');
    expect(await text()).toBe('ok');
    expect(server.accepted).toBe(2);
  });
});
