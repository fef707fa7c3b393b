/** Providers behind real proxies and with certificates of a private authority: what passes, what is refused, and that nothing was sent then. */

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { makeCertificates } from '../../test/harness/certificates.ts';
import { type ProxyScript, type ScriptedProxy, startProxy } from '../../test/harness/proxy.ts';
import { createEgressRoutes, type EgressRouteTerms } from './egress-routes.ts';
import { verdictOfThrow } from './faults/verdict.ts';
import { UnsentError } from './transport.ts';

/** Names that do not resolve: only the proxy can reach them. */
const named = makeCertificates(['provider.example', 'localhost', '127.0.0.1']);
const other = makeCertificates(['elsewhere.example']);

interface Seen {
  readonly host: string | null;
  readonly headers: Headers;
  readonly bytes: number;
}

const seen: Seen[] = [];
const answer = async (request: Request): Promise<Response> => {
  seen.push({ host: request.headers.get('host'), headers: request.headers, bytes: (await request.bytes()).length });
  return new Response('answered');
};
let secure: ReturnType<typeof Bun.serve>;
let plain: ReturnType<typeof Bun.serve>;
const opened: { stop(): void }[] = [];

beforeAll(() => {
  secure = Bun.serve({ port: 0, hostname: '127.0.0.1', tls: named.tls, fetch: answer });
  plain = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer });
});
afterEach(() => {
  for (const each of opened.splice(0)) each.stop();
  seen.splice(0);
});
afterAll(() => Promise.all([secure.stop(true), plain.stop(true)]));

async function proxyOf(script: ProxyScript = {}): Promise<ScriptedProxy> {
  const proxy = await startProxy(script);
  opened.push(proxy);
  return proxy;
}

interface Setting {
  readonly proxy?: string;
  readonly noProxy?: readonly string[];
  readonly ca?: string;
  readonly provider?: EgressRouteTerms;
}

async function ask(url: string, { proxy, noProxy = [], ca, provider = {} }: Setting): Promise<string> {
  const routes = createEgressRoutes({
    connectTimeoutMs: 60_000,
    egress: { proxy: { http: proxy, https: proxy }, noProxy, ca },
  });
  opened.push({ stop: () => routes.close() });
  const signal = AbortSignal.timeout(60_000);
  const reply = await routes
    .of(provider)
    .transport({ url, method: 'POST', headers: { 'x-a': 'b' }, body: 'hello', signal });
  return `${reply.status} ${Buffer.from(await reply.whole(1_000))}`;
}

const failureOf = (asked: Promise<unknown>): Promise<Error & { code?: string }> =>
  asked.then(
    (value) => new Error(`it did not fail: ${value}`),
    (error) => error,
  );

const httpsUrl = (host = 'provider.example'): string => `https://${host}:${secure.port}/v1/x`;
const httpUrl = (host = 'provider.example'): string => `http://${host}:${plain.port}/v1/x`;

describe('through a proxy', () => {
  test('an https provider is reached by a tunnel, its own certificate checked inside', async () => {
    const proxy = await proxyOf();
    expect(await ask(httpsUrl(), { proxy: proxy.url, ca: named.ca })).toBe('200 answered');
    expect(proxy.asked).toEqual([`CONNECT provider.example:${secure.port} HTTP/1.1`]);
    expect(seen[0]).toMatchObject({ host: `provider.example:${secure.port}`, bytes: 5 });
    // The provider's headers are not sent to the proxy, nor the proxy's to the provider.
    expect(proxy.heads.join()).not.toContain('x-a');
    expect([...(seen[0]?.headers.keys() ?? [])].filter((name) => name.startsWith('proxy'))).toEqual([]);
  });

  test('an http provider is called by the proxy itself', async () => {
    const proxy = await proxyOf();
    expect(await ask(httpUrl(), { proxy: proxy.url })).toBe('200 answered');
    expect(proxy.asked).toEqual([`POST ${httpUrl()} HTTP/1.1`]);
  });

  test('a proxy that is reached by TLS', async () => {
    const proxy = await proxyOf({ tls: named.tls, credential: 'u:p' });
    const url = proxy.url.replace('//', '//u:p@');
    expect(await ask(httpsUrl(), { proxy: url, ca: named.ca })).toBe('200 answered');
    expect(proxy.asked).toHaveLength(1);
    expect((await failureOf(ask(httpsUrl(), { proxy: url }))).message).toContain('certificate');
  });

  test('user and password are shown to the proxy, with their odd characters', async () => {
    const proxy = await proxyOf({ credential: 'us@er:pa:ss/#ö' });
    const url = proxy.url.replace('//', `//us%40er:${encodeURIComponent('pa:ss/#ö')}@`);
    expect(await ask(httpsUrl(), { proxy: url, ca: named.ca })).toBe('200 answered');
    expect(await ask(httpUrl(), { proxy: url })).toBe('200 answered');
  });

  test('a body that is streamed has its length', async () => {
    const proxy = await proxyOf();
    const routes = createEgressRoutes({
      connectTimeoutMs: 60_000,
      egress: { proxy: { http: undefined, https: proxy.url }, noProxy: [], ca: named.ca },
    });
    const piece = Buffer.alloc(100_000, 'x');
    const body = {
      bytes: 50 * piece.length,
      async *open() {
        for (let index = 0; index < 50; index++) yield piece;
      },
    };
    const signal = AbortSignal.timeout(60_000);
    const reply = await routes.of({}).transport({ url: httpsUrl(), method: 'POST', headers: {}, body, signal });
    expect(Buffer.from(await reply.whole(99)).toString()).toBe('answered');
    expect([seen[0]?.bytes, seen[0]?.headers.get('content-length')]).toEqual([5_000_000, '5000000']);
  });
});

describe('what cannot be reached', () => {
  test.each([
    ['a password that is missing', { credential: 'u:p' }, '407'],
    ['a proxy that forbids the host', { refusal: '403 Forbidden' }, '403'],
    ['a proxy that cannot reach the host', { refusal: '502 Bad Gateway' }, '502'],
  ])('was not sent: %s', async (_what, script, status) => {
    const proxy = await proxyOf(script);
    const failure = await failureOf(ask(httpsUrl(), { proxy: proxy.url, ca: named.ca }));
    expect(failure).toBeInstanceOf(UnsentError);
    expect(failure.message).toContain(status);
    // The provider's key is not at fault, and another target may be tried.
    expect(verdictOfThrow(failure, 'up').kind).toBe('target-down');
    expect(seen).toEqual([]);
  });

  test('was not sent: an http provider behind a proxy that wants a password', async () => {
    const proxy = await proxyOf({ credential: 'u:p' });
    const failure = await failureOf(ask(httpUrl(), { proxy: proxy.url }));
    expect([failure instanceof UnsentError, verdictOfThrow(failure, 'up').kind]).toEqual([true, 'target-down']);
    expect(seen).toEqual([]);
  });

  test('was not sent: a proxy that is not there', async () => {
    const failure = await failureOf(ask(httpsUrl(), { proxy: 'http://127.0.0.1:1' }));
    expect([failure instanceof UnsentError, verdictOfThrow(failure, 'up').kind]).toEqual([true, 'target-down']);
  });

  test('was not sent: a certificate that is not trusted, or for another name', async () => {
    const proxy = await proxyOf();
    for (const [url, ca] of [
      [httpsUrl(), undefined],
      [httpsUrl(), other.ca],
      [httpsUrl('other.example'), named.ca],
    ] as const) {
      const failure = await failureOf(ask(url, { proxy: proxy.url, ...(ca !== undefined && { ca }) }));
      expect(failure).toBeInstanceOf(UnsentError);
    }
    expect([proxy.asked.length, seen.length]).toEqual([3, 0]);
  });

  test('the error contains no password', async () => {
    const proxy = await proxyOf({ credential: 'u:else' });
    for (const url of [proxy.url.replace('//', '//u:secret-word@'), 'http://u:secret-word@127.0.0.1:1']) {
      const failure = await failureOf(ask(httpsUrl(), { proxy: url, ca: named.ca }));
      expect(Bun.inspect(failure)).not.toContain('secret-word');
    }
  });

  test('an abort while the proxy is silent ends the request', async () => {
    const proxy = await proxyOf({ isSilent: true });
    const routes = createEgressRoutes({
      connectTimeoutMs: 60_000,
      egress: { proxy: { http: undefined, https: proxy.url }, noProxy: [], ca: undefined },
    });
    const leaving = new AbortController();
    const asked = failureOf(
      routes.of({}).transport({ url: httpsUrl(), method: 'POST', headers: {}, body: 'x', signal: leaving.signal }),
    );
    while (proxy.heads.length === 0) await Bun.sleep(5);
    leaving.abort(new Error('left'));
    expect((await asked).message).toContain('left');
  });
});

describe('without the proxy', () => {
  test('are hosts that the operator excepts, and this machine', async () => {
    const proxy = await proxyOf();
    expect(await ask(httpsUrl('localhost'), { proxy: proxy.url, ca: named.ca })).toBe('200 answered');
    expect(await ask(httpUrl('127.0.0.1'), { proxy: proxy.url })).toBe('200 answered');
    const failure = await failureOf(ask(httpsUrl(), { proxy: proxy.url, noProxy: ['example'], ca: named.ca }));
    // Requested directly, this name does not resolve.
    expect(failure).toBeInstanceOf(UnsentError);
    expect(proxy.heads).toEqual([]);
  });

  test('is a provider without a proxy; another may have its own', async () => {
    const [forAll, own] = await Promise.all([proxyOf(), proxyOf()]);
    const none = await failureOf(ask(httpsUrl(), { proxy: forAll.url, ca: named.ca, provider: { proxy: 'none' } }));
    expect(none).toBeInstanceOf(UnsentError);
    await ask(httpsUrl(), { proxy: forAll.url, ca: named.ca, provider: { proxy: own.url } });
    expect([forAll.heads.length, own.asked.length]).toEqual([0, 1]);
  });
});

describe('certificates', () => {
  test('for all, for one provider, and of both together', async () => {
    expect(await ask(httpsUrl('localhost'), { ca: named.ca })).toBe('200 answered');
    expect(await ask(httpsUrl('localhost'), { provider: { ca: named.ca } })).toBe('200 answered');
    expect(await ask(httpsUrl('localhost'), { ca: named.ca, provider: { ca: other.ca } })).toBe('200 answered');
    expect(await failureOf(ask(httpsUrl('localhost'), { ca: other.ca }))).toBeInstanceOf(UnsentError);
    expect(await failureOf(ask(httpsUrl('localhost'), {}))).toBeInstanceOf(UnsentError);
  });

  test('of one provider are no other’s', async () => {
    const routes = createEgressRoutes({
      connectTimeoutMs: 60_000,
      egress: { proxy: { http: undefined, https: undefined }, noProxy: [], ca: undefined },
    });
    opened.push({ stop: () => routes.close() });
    const request = {
      url: httpsUrl('localhost'),
      method: 'GET',
      headers: {},
      signal: AbortSignal.timeout(60_000),
    } as const;
    const trusting = routes.of({ ca: named.ca });
    expect((await trusting.transport(request)).status).toBe(200);
    expect(await failureOf(routes.of({}).transport(request))).toBeInstanceOf(UnsentError);
    expect(routes.of({ ca: named.ca })).toBe(trusting);
  });
});
