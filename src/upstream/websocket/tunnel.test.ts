/**
 * WebSockets inside a proxy's tunnel: the same checks, bytes and pauses as without, and nothing sent to the server
 * without a tunnel.
 */

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { makeCertificates } from '../../../test/harness/certificates.ts';
import { loopbackRounds } from '../../../test/harness/loopback.ts';
import { type ProxyScript, type ScriptedProxy, startProxy } from '../../../test/harness/proxy.ts';
import { endAll, failureOf, open, openAndListen } from '../../../test/harness/recorded-client.ts';
import { closing, frame, type PeerServer, startPeer } from '../../../test/harness/scripted-peer.ts';
import { until } from '../../../test/harness/scripted-server.ts';
import { createConnector } from '../http1/connect.ts';
import { UnsentError } from '../transport.ts';

const megabyte = 1_048_576;
/** Neither the proxy's name nor its address: a certificate is compared with the server that was meant. */
const { ca, tls } = makeCertificates(['live.example', '192.0.2.7']);
let plain: PeerServer;
let secure: PeerServer;
const opened: { stop(force?: boolean): unknown }[] = [];

beforeAll(() => {
  plain = startPeer();
  secure = startPeer(undefined, undefined, tls);
});
afterEach(() => {
  endAll();
  for (const one of opened.splice(0)) one.stop(true);
});
afterAll(() => {
  plain.stop();
  secure.stop();
});

async function through(
  script: ProxyScript = {},
  credential = '',
): Promise<{ proxy: ScriptedProxy; proxyFor(): string }> {
  const proxy = await startProxy(script);
  opened.push(proxy);
  return { proxy, proxyFor: () => proxy.url.replace('//', `//${credential}`) };
}

const requestsOf = ({ peers }: PeerServer) => peers.filter(({ head }) => head !== '').length;

describe('a tunnel', () => {
  test.each([
    ['without TLS', () => `ws://live.example:${plain.port}/v1?model=m`, () => plain],
    ['with TLS', () => `wss://live.example:${secure.port}/v1?model=m`, () => secure],
    ['with TLS to an address', () => `wss://192.0.2.7:${secure.port}/v1?model=m`, () => secure],
  ])('carries a conversation %s', async (_how, url, server) => {
    const { proxy, proxyFor } = await through({ credential: 'u@x:p:w' }, 'u%40x:p%3Aw@');
    const { socket, recorded } = await openAndListen(url(), { ca, proxyFor, headers: { authorization: 'Bearer k' } });
    const peer = server().peers.at(-1);
    expect(peer?.head).toContain('GET /v1?model=m HTTP/1.1');
    expect(peer?.head).toContain('authorization: Bearer k');
    expect(peer?.head).not.toContain('proxy-authorization');
    expect(proxy.heads.join()).not.toContain('Bearer k');
    socket.send('hello');
    await until(() => peer?.frames.length === 1);
    peer?.send(frame(1, 'and back'), frame(8, closing(1000, 'bye')));
    await until(() => recorded.ends.length === 1);
    expect([peer?.frames[0]?.payload.toString(), recorded.messages, recorded.ends]).toEqual([
      'hello',
      ['and back'],
      [[1000, 'bye']],
    ]);
    await until(() => proxy.open === 0);
  });

  test.each(['ws', 'wss'])('passes pauses and large messages on (%s)', async (scheme) => {
    const piece = 'x'.repeat(megabyte);
    let sent = 0;
    const go = (socket: Bun.ServerWebSocket<undefined>): void => {
      while (sent < 60) {
        sent += 1;
        if (socket.send(piece) === -1) return;
      }
    };
    const server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      ...(scheme === 'wss' && { tls }),
      fetch: (request, upgrading) => (upgrading.upgrade(request) ? undefined : new Response()),
      websocket: { message() {}, backpressureLimit: 1024 * megabyte, open: go, drain: go },
    });
    opened.push(server);
    const { proxyFor } = await through();
    const { socket, recorded } = await open(`${scheme}://live.example:${server.port}/`, { ca, proxyFor });
    await until(() => sent > 0);
    await loopbackRounds(300);
    expect(sent).toBeLessThan(30);
    expect(recorded.messages).toHaveLength(0);
    socket.resume();
    await until(() => recorded.messages.length === 60);
    expect(recorded.messages.every((message) => message === piece)).toBe(true);
    socket.send(piece.repeat(4));
    socket.close(1000, '');
    await until(() => recorded.ends.length === 1);
  });

  test('ends with the server, and with the socket that opened it', async () => {
    const { proxy, proxyFor } = await through();
    const one = await openAndListen(`wss://live.example:${secure.port}/`, { ca, proxyFor });
    secure.peers.at(-1)?.socket.terminate();
    await until(() => one.recorded.ends.length === 1);
    expect(one.recorded.ends[0]?.[0]).toBe(1006);
    const other = await openAndListen(`wss://live.example:${secure.port}/`, { ca, proxyFor });
    other.socket.terminate();
    await until(() => proxy.open === 0 && secure.open === 0);
  });
});

describe('no tunnel', () => {
  const cases: readonly [string, ProxyScript, string][] = [
    ['a password that is missing', { credential: 'u:p' }, '407'],
    ['a host that is forbidden', { refusal: '403 Forbidden' }, '403'],
  ];
  test.each(cases)('says why, and that nothing was sent: %s', async (_what, script, status) => {
    const { proxy, proxyFor } = await through(script, script.credential === undefined ? '' : 'u:wrong-word@');
    const before = requestsOf(secure);
    const failure = await failureOf(open(`wss://live.example:${secure.port}/?key=canary`, { ca, proxyFor }));
    expect(failure).toBeInstanceOf(UnsentError);
    expect(failure.message).toContain(status);
    expect(Bun.inspect(failure)).not.toMatch(/canary|wrong-word/);
    expect(requestsOf(secure)).toBe(before);
    await until(() => proxy.open === 0);
  });

  test('a certificate that is not the server’s is refused inside it too', async () => {
    const { proxy, proxyFor } = await through();
    const before = requestsOf(secure);
    for (const [host, trusted] of [
      ['live.example', undefined],
      ['other.example', ca],
      ['192.0.2.8', ca],
      ['127.0.0.1', ca],
    ] as const) {
      const failure = await failureOf(open(`wss://${host}:${secure.port}/`, { ca: trusted, proxyFor }));
      expect([host, failure instanceof UnsentError]).toEqual([host, true]);
    }
    expect(requestsOf(secure)).toBe(before);
    await until(() => proxy.open === 0);
  });

  test('a proxy that is silent, gone, or reached by TLS', async () => {
    const { proxy, proxyFor } = await through({ isSilent: true });
    const silent = await failureOf(open(`wss://live.example:1/`, { proxyFor, connectTimeoutMs: 150 }));
    expect(silent['code']).toBe('ETIMEDOUT');
    await until(() => proxy.open === 0);
    const leaving = new AbortController();
    const left = failureOf(open(`wss://live.example:1/`, { proxyFor, signal: leaving.signal }));
    await until(() => proxy.open === 1);
    leaving.abort(new Error('left'));
    expect((await left).message).toBe('left');
    await until(() => proxy.open === 0);
    for (const url of ['http://127.0.0.1:1', 'https://127.0.0.1:1']) {
      expect(await failureOf(open(`wss://live.example:1/`, { proxyFor: () => url }))).toBeInstanceOf(UnsentError);
    }
  });
});

test('an address that must be checked cannot be reached through a proxy', () => {
  expect(() => createConnector({ connectTimeoutMs: 1, checkAddress: () => {}, proxyFor: () => undefined })).toThrow(
    'cannot be reached through a proxy',
  );
});
