/** Handshakes against servers that refuse, answer wrongly, are silent or disconnect; no error contains a credential. */

import { afterEach, describe, expect, test } from 'bun:test';
import { inspect } from 'node:util';
import { endAll, failureOf, open, openAndListen } from '../../../test/harness/recorded-client.ts';
import { type Answer, agree, frame, type PeerServer, startPeer } from '../../../test/harness/scripted-peer.ts';
import { until } from '../../../test/harness/scripted-server.ts';
import { acceptFor } from '../../framing/websocket/accept-key.ts';
import { SocketRefusedError } from '../socket-transport.ts';
import { UnsentError } from '../transport.ts';

const servers: { stop(): void }[] = [];
afterEach(() => {
  endAll();
  for (const server of servers.splice(0)) server.stop();
});

function start(answer?: Answer, connected?: Parameters<typeof startPeer>[1]): PeerServer {
  const server = startPeer(answer, connected);
  servers.push(server);
  return server;
}

test('the answer to the key of RFC 6455 is the one it gives', () => {
  expect(acceptFor('dGhlIHNhbXBsZSBub25jZQ==')).toBe('s3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
});

describe('the request', () => {
  test('has the target, the host, the headers and the offer', async () => {
    const answer: Answer = (accept) =>
      agree(accept, '').replace('\r\n\r\n', '\r\nSec-WebSocket-Protocol: realtime\r\n\r\n');
    const server = start(answer);
    const headers = { authorization: 'Bearer abc', 'x-extra': '1', connection: 'close', 'sec-websocket-key': 'mine' };
    const { socket } = await open(server.url, { headers, protocols: ['realtime', 'other.1'] });
    expect(socket.protocol).toBe('realtime');
    const lines = server.peers[0]?.head.split('\r\n') ?? [];
    expect(lines[0]).toBe('GET /v1/realtime?model=m HTTP/1.1');
    const named = (name: string) =>
      lines.filter((line) => line.toLowerCase().startsWith(`${name}: `)).map((line) => line.slice(name.length + 2));
    expect(named('host')).toEqual([`127.0.0.1:${server.port}`]);
    expect(named('authorization')).toEqual(['Bearer abc']);
    expect(named('x-extra')).toEqual(['1']);
    expect(named('connection')).toEqual(['Upgrade']);
    expect(named('upgrade')).toEqual(['websocket']);
    expect(named('sec-websocket-version')).toEqual(['13']);
    expect(named('sec-websocket-protocol')).toEqual(['realtime, other.1']);
    expect(named('sec-websocket-extensions')).toEqual([]);
    expect(named('sec-websocket-key')).toHaveLength(1);
    expect(Buffer.from(named('sec-websocket-key')[0] ?? '', 'base64')).toHaveLength(16);
  });

  test('has another key each time', async () => {
    const server = start();
    for (let count = 0; count < 3; count += 1) await open(server.url);
    expect(new Set(server.peers.map(({ head }) => /sec-websocket-key: (\S+)/.exec(head)?.[1])).size).toBe(3);
  });

  test.each([
    ['http://127.0.0.1/?key=canary-key', {}],
    ['canary-key', {}],
    ['ws://user:canary-key@127.0.0.1/', {}],
    ['ws://127.0.0.1/?key=canary-key', { headers: { authorization: 'canary-key\r\nx: y' } }],
    ['ws://127.0.0.1/?key=canary-key', { protocols: ['realtime', 'key.canary-key, other'] }],
    ['ws://127.0.0.1/?key=canary-key', { protocols: [''] }],
  ])('to %s that cannot be written is a TypeError without its secrets', async (url, options) => {
    const failure = await failureOf(open(url, options));
    expect(failure).toBeInstanceOf(TypeError);
    expect(inspect(failure, { depth: 9 }).split('\n    at ')[0]).not.toContain('canary-key');
  });
});

describe('a refusal', () => {
  const json = '{"error":{"message":"no such key","code":"invalid_api_key"}}';
  const withLength = (status: string, body: string, ...headers: string[]) =>
    [`HTTP/1.1 ${status}`, `content-length: ${Buffer.byteLength(body)}`, ...headers, '', body].join('\r\n');

  test.each([
    ['401 with JSON', withLength('401 Unauthorized', json), 401, json, null],
    ['429 with a time', withLength('429 Too Many Requests', '{}', 'Retry-After: 7'), 429, '{}', '7'],
    ['200 with a page', withLength('200 OK', '<html>hello</html>'), 200, '<html>hello</html>', null],
    ['301, which is not followed', withLength('301 Moved', '', 'Location: ws://127.0.0.1:1/'), 301, '', null],
    [
      '503 in chunks',
      `HTTP/1.1 503 No\r\ntransfer-encoding: chunked\r\n\r\n3\r\nnot\r\n4\r\n now\r\n0\r\n\r\n`,
      503,
      'not now',
      null,
    ],
    ['broken chunks', `HTTP/1.1 503 No\r\ntransfer-encoding: chunked\r\n\r\n3\r\nnot\r\nzz`, 503, '', null],
    ['a compressed body', withLength('500 No', 'x', 'content-encoding: gzip'), 500, '', null],
    [
      'one after an early hint',
      `HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${withLength('400 Bad', 'bad')}`,
      400,
      'bad',
      null,
    ],
    ['a body that never ends', 'HTTP/1.1 404 Not Found\r\ncontent-length: 100\r\n\r\npart', 404, 'part', null],
  ])('%s', async (_name, bytes, status, body, retryAfter) => {
    const server = start(() => bytes);
    const failure = await failureOf(open(server.url));
    expect(failure).toBeInstanceOf(SocketRefusedError);
    expect({ ...failure }).toMatchObject({ status, body, retryAfter });
    await until(() => server.open === 0);
  });

  test('is known in whatever pieces it comes', async () => {
    const bytes = withLength('429 Too Many Requests', json, 'Retry-After: 1');
    const server = start(
      () => '',
      async ({ socket }) => {
        for (const character of bytes) {
          socket.write(character);
          await Bun.sleep(0);
        }
      },
    );
    expect({ ...(await failureOf(open(server.url))) }).toMatchObject({ status: 429, body: json, retryAfter: '1' });
  });

  test('is kept up to 64 KB', async () => {
    const server = start(() => `HTTP/1.1 500 No\r\n\r\n${'x'.repeat(200_000)}`);
    const failure = await failureOf(open(server.url));
    expect(failure['body']).toBe('x'.repeat(65_536));
  });

  test('that ends with the connection keeps what came', async () => {
    const server = start(
      () => '',
      ({ socket }) => void socket.end('HTTP/1.1 403 No\r\ncontent-length: 99\r\n\r\ncut he'),
    );
    expect({ ...(await failureOf(open(server.url))) }).toMatchObject({ status: 403, body: 'cut he' });
  });
});

describe('an invalid acceptance', () => {
  const swap =
    (from: string | RegExp, to: string): Answer =>
    (accept) =>
      agree(accept, '').replace(from, to);
  test.each<[string, Answer]>([
    ['a wrong accept', swap(/Accept: .*/, 'Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=')],
    ['no accept', swap(/Sec-WebSocket-Accept: .*\r\n/, '')],
    ['two accepts', swap(/(Sec-WebSocket-Accept: .*\r\n)/, '$1$1')],
    ['another upgrade', swap('Upgrade: websocket', 'Upgrade: h2c')],
    ['no upgrade', swap('Upgrade: websocket\r\n', '')],
    ['no connection header', swap('Connection: Upgrade\r\n', '')],
    ['an extension', swap('\r\n\r\n', '\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n')],
    ['a sub-protocol that was not offered', swap('\r\n\r\n', '\r\nSec-WebSocket-Protocol: other\r\n\r\n')],
    ['two sub-protocols', swap('\r\n\r\n', '\r\nSec-WebSocket-Protocol: realtime, two\r\n\r\n')],
  ])('%s', async (_name, answer) => {
    const server = start(answer);
    const failure = await failureOf(open(server.url, { protocols: ['realtime', 'two'] }));
    expect(failure['code']).toBe('ERR_WEBSOCKET_HANDSHAKE');
    await until(() => server.open === 0);
  });

  test.each<[string, string, string]>([
    ['no HTTP', 'SSH-2.0-OpenSSH\r\n\r\n', 'ERR_HTTP_FRAMING'],
    ['an endless head', `HTTP/1.1 101 x\r\nx: ${'y'.repeat(70_000)}`, 'ERR_HTTP_FRAMING'],
  ])('%s', async (_name, bytes, code) => {
    const server = start(() => bytes);
    expect((await failureOf(open(server.url)))['code']).toBe(code);
    await until(() => server.open === 0);
  });

  test('spelled in any case it is one, in whatever pieces', async () => {
    const server = start(
      (accept) => agree(accept, '').slice(0, 10),
      async (peer) => {
        const key = /sec-websocket-key: (\S+)/.exec(peer.head)?.[1] ?? '';
        const rest = agree(acceptFor(key), '')
          .slice(10)
          .replace('Upgrade: websocket', 'UPGRADE: WebSocket')
          .replace('Connection: Upgrade', 'connection: keep-alive, UPGRADE');
        for (const character of rest) {
          peer.socket.write(character);
          await Bun.sleep(0);
        }
        peer.send(frame(1, 'here'));
      },
    );
    const { recorded, socket } = await openAndListen(server.url, { protocols: ['realtime'] });
    expect(socket.protocol).toBe('');
    await until(() => recorded.messages.length === 1);
    expect(recorded.messages).toEqual(['here']);
  });
});

describe('a server that goes away', () => {
  test.each<[string, (end: (text: string) => void) => void]>([
    ['without a word', (end) => end('')],
    ['in the middle of the head', (end) => end('HTTP/1.1 101 Switching Protocols\r\nUpgr')],
  ])('%s', async (_name, leave) => {
    const server = start(
      () => '',
      ({ socket }) => leave((text) => void socket.end(text)),
    );
    const failure = await failureOf(open(server.url, { headers: { authorization: 'canary-key' } }));
    expect(failure.name).toBe('ConnectionLostError');
    expect(inspect(failure, { depth: 9 })).not.toContain('canary-key');
  });

  test('that does not run was never reached', async () => {
    const { port, stop } = start();
    stop();
    const failure = await failureOf(open(`ws://127.0.0.1:${port}/?key=canary-key`));
    expect(failure).toBeInstanceOf(UnsentError);
    expect(failure['code']).toBe('ECONNREFUSED');
    expect(inspect(failure, { depth: 9 }).split('\n    at ')[0]).not.toContain('canary-key');
  });

  test('that never answers has a limited time', async () => {
    const server = start(() => '');
    const failure = await failureOf(open(server.url, { handshakeTimeoutMs: 30 }));
    expect(failure['code']).toBe('ETIMEDOUT');
    await until(() => server.open === 0);
  });

  test('may be at an address that is not allowed', async () => {
    const server = start();
    const refusal = new Error('not there');
    const checkAddress = () => {
      throw refusal;
    };
    expect(await failureOf(open(server.url, { checkAddress }))).toBe(refusal as never);
    expect(server.peers).toHaveLength(0);
  });
});

describe('the signal', () => {
  test('that is aborted already opens no connection', async () => {
    const server = start();
    const reason = new Error('left');
    expect(await failureOf(open(server.url, { signal: AbortSignal.abort(reason) }))).toBe(reason as never);
    expect(server.peers).toHaveLength(0);
  });

  test('ends a connection that waits for its answer', async () => {
    const server = start(() => '');
    const leaving = new AbortController();
    const opening = failureOf(open(server.url, { signal: leaving.signal }));
    await until(() => server.peers[0]?.head !== undefined && server.peers[0].head !== '');
    const reason = new Error('left');
    leaving.abort(reason);
    expect(await opening).toBe(reason as never);
    await until(() => server.open === 0);
  });

  test('ends a connection that is being made, at once', async () => {
    const server = start();
    const leaving = new AbortController();
    const opening = failureOf(open(server.url, { signal: leaving.signal }));
    const reason = new Error('left');
    leaving.abort(reason);
    expect(await opening).toBe(reason as never);
    await until(() => server.open === 0);
  });

  test('does not affect an open one', async () => {
    const server = start();
    const leaving = new AbortController();
    const { socket, recorded } = await openAndListen(server.url, { signal: leaving.signal });
    leaving.abort(new Error('late'));
    socket.send('still here');
    await until(() => server.peers[0]?.frames.length === 1);
    expect(recorded.ends).toEqual([]);
  });
});
