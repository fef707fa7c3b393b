/**
 * WebSockets through TLS: certificates are checked before anything is sent, and bytes and pauses pass as over plain
 * sockets.
 */

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { makeCertificates } from '../../../test/harness/certificates.ts';
import { loopbackRounds } from '../../../test/harness/loopback.ts';
import { endAll, failureOf, open, openAndListen } from '../../../test/harness/recorded-client.ts';
import { closing, frame, type PeerServer, startPeer } from '../../../test/harness/scripted-peer.ts';
import { until } from '../../../test/harness/scripted-server.ts';
import { UnsentError } from '../transport.ts';

const { ca, tls, authority } = makeCertificates(['localhost', '127.0.0.1']);
const megabyte = 1_048_576;
let server: PeerServer;
let other: PeerServer;
const opened: { stop(force?: boolean): unknown }[] = [];

beforeAll(() => {
  server = startPeer(undefined, undefined, tls);
  other = startPeer(undefined, undefined, authority);
});
afterEach(() => {
  endAll();
  for (const one of opened.splice(0)) one.stop(true);
});
afterAll(() => {
  server.stop();
  other.stop();
});

const requestsOf = ({ peers }: PeerServer) => peers.filter(({ head }) => head !== '').length;

describe('certificates', () => {
  test('of an unknown authority are refused before anything is sent', async () => {
    const failure = await failureOf(open(`wss://localhost:${server.port}/?key=canary-key`));
    expect(failure).toBeInstanceOf(UnsentError);
    expect(failure['code']).toMatch(/VERIFY|SELF_SIGNED|ISSUER/);
    expect(failure.message).not.toContain('canary-key');
    await until(() => server.open === 0);
    expect(requestsOf(server)).toBe(0);
  });

  test('for another name are refused', async () => {
    const failure = await failureOf(open(`wss://localhost:${other.port}/`, { ca }));
    expect(failure['code']).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
    expect(requestsOf(other)).toBe(0);
  });

  test.each(['localhost', '127.0.0.1'])('of a given authority are accepted for %s', async (host) => {
    const { socket, recorded } = await openAndListen(`wss://${host}:${server.port}/`, { ca });
    const peer = server.peers.at(-1);
    socket.send('hello');
    await until(() => peer?.frames.length === 1);
    expect(peer?.frames[0]?.payload.toString()).toBe('hello');
    peer?.send(frame(1, 'and back'), frame(8, closing(1000, 'bye')));
    await until(() => recorded.ends.length === 1);
    expect([recorded.messages, recorded.ends]).toEqual([['and back'], [[1000, 'bye']]]);
  });
});

test('a server that speaks no TLS was never reached', async () => {
  const plain = startPeer();
  opened.push(plain);
  const failure = await failureOf(open(`wss://127.0.0.1:${plain.port}/`, { ca, connectTimeoutMs: 300 }));
  expect(failure).toBeInstanceOf(UnsentError);
});

test('an abort during the TLS handshake ends it', async () => {
  const leaving = new AbortController();
  const silent = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { data: () => leaving.abort(new Error('left')) },
  });
  opened.push(silent);
  const failure = await failureOf(open(`wss://127.0.0.1:${silent.port}/`, { ca, signal: leaving.signal }));
  expect(failure.message).toBe('left');
});

function serve(handlers: Partial<Bun.WebSocketHandler<undefined>>) {
  const secure = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    tls,
    fetch: (request, upgrading) => (upgrading.upgrade(request) ? undefined : new Response()),
    websocket: { message() {}, maxPayloadLength: 64 * megabyte, backpressureLimit: 1024 * megabyte, ...handlers },
  });
  opened.push(secure);
  return `wss://127.0.0.1:${secure.port}/`;
}

test('messages up to 8 MB come back as they went', async () => {
  const url = serve({ message: (socket, message) => void socket.send(message) });
  const { socket, recorded } = await openAndListen(url, { ca });
  const texts = [1, 126, 65_536, megabyte, 8 * megabyte].map((length) => 'y'.repeat(length));
  for (const text of texts) socket.send(text);
  await until(() => recorded.messages.length === texts.length);
  expect(recorded.messages.map((message, index) => message === texts[index])).toEqual(texts.map(() => true));
});

test('a client that pauses stops the server, and gets everything later', async () => {
  const piece = 'x'.repeat(megabyte);
  let sent = 0;
  const go = (socket: Bun.ServerWebSocket<undefined>) => {
    while (sent < 100) {
      sent += 1;
      if (socket.send(piece) === -1) return;
    }
  };
  const { socket, recorded } = await open(serve({ open: go, drain: go }), { ca });
  await until(() => sent > 0);
  await loopbackRounds(300);
  expect(sent).toBeLessThan(20);
  expect(recorded.messages).toHaveLength(0);
  socket.resume();
  await until(() => recorded.messages.length === 100);
  expect(recorded.messages.every((message) => message === piece)).toBe(true);
});
