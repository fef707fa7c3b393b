import { afterAll, afterEach, describe, expect, test } from 'bun:test';
import { createEgressRoutes } from './egress-routes.ts';
import { fetchTable } from './fetch-table.ts';

const egressRoutes = createEgressRoutes({
  connectTimeoutMs: 60_000,
  egress: { proxy: { http: undefined, https: undefined }, noProxy: [], ca: undefined },
});
afterAll(() => egressRoutes.close());

let server: ReturnType<typeof Bun.serve> | undefined;
const asked: { path: string; authorization: string | null }[] = [];
afterEach(async () => {
  await server?.stop(true);
  asked.length = 0;
});

/** A server of this machine that answers by path. */
function serve(answers: Readonly<Record<string, () => Response>>): string {
  server = Bun.serve({
    port: 0,
    fetch(request) {
      const path = new URL(request.url).pathname;
      asked.push({ path, authorization: request.headers.get('authorization') });
      return answers[path]?.() ?? new Response('no', { status: 404 });
    },
  });
  return `http://127.0.0.1:${server.port}`;
}

const redirect = (location: string) => () => new Response(null, { status: 302, headers: { location } });
const get = async (url: string, bounds: { bytesMax?: number; timeoutMs?: number } = {}) => {
  const { transport } = egressRoutes.of({});
  return Buffer.from(
    await fetchTable(url, { transport, guarded: egressRoutes.of({ guarded: true }).transport, ...bounds }),
  ).toString();
};

describe('a price table at a URL', () => {
  test('is fetched, also behind redirects', async () => {
    const origin = serve({ '/a': redirect('/b'), '/b': redirect('c'), '/c': () => new Response('{"x":1}') });
    expect(await get(`${origin}/a`)).toBe('{"x":1}');
    expect(asked.map(({ path }) => path)).toEqual(['/a', '/b', '/c']);
  });

  test('a circle of redirects ends, and one that leads to no http address is not followed', async () => {
    const origin = serve({ '/a': redirect('/a'), '/f': redirect('file:///etc/passwd') });
    await expect(get(`${origin}/a`)).rejects.toThrow('more than 5 redirects');
    await expect(get(`${origin}/f`)).rejects.toThrow('no http address');
  });

  test('a redirect to a cloud metadata service is refused', async () => {
    const origin = serve({ '/a': redirect('http://169.254.169.254/latest/meta-data') });
    await expect(get(`${origin}/a`)).rejects.toThrow('asks for its own credentials');
  });

  test('a user name and password are sent to the URL and not to its redirects', async () => {
    const origin = serve({ '/a': redirect('/b'), '/b': () => new Response('{}') });
    await get(origin.replace('//', '//ann:s%40cret@').concat('/a'));
    expect(asked.map(({ authorization }) => authorization)).toEqual([
      `Basic ${Buffer.from('ann:s@cret').toString('base64')}`,
      null,
    ]);
  });

  test('what is too large or refused is not taken', async () => {
    const origin = serve({ '/large': () => new Response('x'.repeat(2_000)) });
    await expect(get(`${origin}/large`, { bytesMax: 1_999 })).rejects.toThrow('larger than 1999 bytes');
    expect((await get(`${origin}/large`, { bytesMax: 2_000 })).length).toBe(2_000);
    await expect(get(`${origin}/none`)).rejects.toThrow('The answer was 404.');
  });

  test('what breaks off is not taken for the whole', async () => {
    const reply = 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"cut":';
    const cutting = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: { data: (socket) => void socket.end(reply) },
    });
    await expect(get(`http://127.0.0.1:${cutting.port}/`)).rejects.toThrow();
    cutting.stop(true);
  });

  test('one that does not arrive in time is abandoned', async () => {
    const held = Promise.withResolvers<Response>();
    server = Bun.serve({ port: 0, fetch: () => held.promise });
    await expect(get(`http://127.0.0.1:${server.port}/`, { timeoutMs: 50 })).rejects.toThrow('timed out');
    held.resolve(new Response(''));
  });
});
