/** TLS: certificates are really checked, refusals differ from lost requests, and bytes pass as over plain sockets. */

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { makeCertificates } from '../../../test/harness/certificates.ts';
import { reply, type ScriptedServer, startServer, until } from '../../../test/harness/scripted-server.ts';
import { verdictOfThrow } from '../faults/verdict.ts';
import { UnsentError } from '../transport.ts';
import { createHttpTransport, type HttpTransportOptions } from './http-transport.ts';

const { ca, tls, authority } = makeCertificates(['localhost', '127.0.0.1']);
let server: ScriptedServer;
const opened: { close(): void }[] = [];

beforeAll(() => {
  server = startServer((socket, { body }) => socket.write(reply(body.toString())), tls);
});
afterEach(() => {
  for (const transport of opened.splice(0)) transport.close();
});
afterAll(() => server.stop());

function ask(host: string, options: Partial<HttpTransportOptions>, body: string | Uint8Array<ArrayBuffer> = 'hello') {
  const transport = createHttpTransport({ connectTimeoutMs: 60_000, ...options });
  opened.push(transport);
  const url = `https://${host}:${server.port}/`;
  const again = async (next = body) => {
    const signal = new AbortController().signal;
    const answer = await transport({ url, method: 'POST', headers: {}, body: next, signal });
    return Buffer.from(await answer.whole(1e9)).toString();
  };
  return { first: again(), again };
}

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => new Error('it did not fail'),
    (error) => error,
  );

describe('certificates', () => {
  test('of an unknown authority are refused before anything is sent', async () => {
    const before = server.requests;
    const failure = await failureOf(ask('localhost', {}).first);
    expect(failure).toBeInstanceOf(UnsentError);
    expect(failure.code).toMatch(
      /^(UNABLE_TO_VERIFY_LEAF_SIGNATURE|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT.*)$/,
    );
    expect(verdictOfThrow(failure, 'up').kind).toBe('target-down');
    await until(() => server.open === 0);
    expect(server.requests).toBe(before);
  });

  test('of a given authority are accepted by name and by address, and the connection is used again', async () => {
    for (const host of ['localhost', '127.0.0.1']) {
      const before = server.accepted;
      const { first, again } = ask(host, { ca });
      expect(await first).toBe('hello');
      expect(await again('again')).toBe('again');
      expect(server.accepted).toBe(before + 1);
    }
  });

  test('keep their name when the address was checked first', async () => {
    const checked: string[] = [];
    const { first } = ask('localhost', {
      ca,
      checkAddress: (host, address) => void checked.push(`${host} ${address}`),
    });
    expect(await first).toBe('hello');
    expect(checked.join()).toContain('localhost 127.0.0.1');
  });

  test('for another name are refused', async () => {
    const other = startServer((socket) => socket.write(reply('never')), authority);
    const transport = createHttpTransport({ connectTimeoutMs: 60_000, ca });
    opened.push(transport, { close: () => other.stop() });
    const url = `https://localhost:${other.port}/`;
    const failure = await failureOf(
      transport({ url, method: 'GET', headers: {}, signal: new AbortController().signal }),
    );
    expect(failure.code).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
    expect(other.requests).toBe(0);
  });
});

describe('handshakes', () => {
  test.each([
    ['speaks no TLS', (socket: { end(text: string): void }) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['hangs up', (socket: { terminate(): void }) => socket.terminate()],
  ])('a server that %s gives a clear error of something never sent', async (_name, answer) => {
    const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: answer } });
    const transport = createHttpTransport({ connectTimeoutMs: 60_000 });
    opened.push(transport, { close: () => listener.stop(true) });
    const url = `https://127.0.0.1:${listener.port}/`;
    const failure = await failureOf(
      transport({ url, method: 'GET', headers: {}, signal: new AbortController().signal }),
    );
    expect(failure).toBeInstanceOf(UnsentError);
    expect(['EPROTO', 'ECONNRESET']).toContain(failure.code);
    expect(failure.message).toContain('127.0.0.1');
  });
});

test('a streamed body passes as over plain sockets', async () => {
  const piece = Buffer.alloc(100_000, 'abcdefghij');
  const body = {
    bytes: 30 * piece.length,
    async *open() {
      for (let index = 0; index < 30; index += 1) yield piece;
    },
  };
  const sizes = startServer((socket, { body: seen }) => socket.write(reply(`${seen.length} ${Bun.hash(seen)}`)), tls);
  const transport = createHttpTransport({ connectTimeoutMs: 60_000, ca });
  opened.push(transport, { close: () => sizes.stop() });
  const signal = new AbortController().signal;
  for (let round = 0; round < 2; round += 1) {
    const answer = await transport({ url: sizes.url, method: 'POST', headers: {}, body, signal });
    const whole = Buffer.alloc(3_000_000, 'abcdefghij');
    expect(Buffer.from(await answer.whole(99)).toString()).toBe(`3000000 ${Bun.hash(whole)}`);
  }
  expect(sizes.accepted).toBe(1);
});

test('large bodies pass in both directions', async () => {
  const body = 'abcdefghij'.repeat(300_000);
  const digest = (text: string) => Bun.hash(text).toString();
  const echo = startServer((socket, { body: seen }) => socket.write(reply(digest(seen.toString()))), tls);
  const transport = createHttpTransport({ connectTimeoutMs: 60_000, ca });
  opened.push(transport, { close: () => echo.stop() });
  const signal = new AbortController().signal;
  const answer = await transport({ url: echo.url, method: 'POST', headers: {}, body, signal });
  expect(Buffer.from(await answer.whole(99)).toString()).toBe(digest(body));
});
