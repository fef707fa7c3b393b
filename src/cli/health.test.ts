/** `weir health` against real listeners: alive, not ready, closed port, proxy variables. */

import { afterAll, describe, expect, test } from 'bun:test';
import type { Config } from '../settings/config.ts';
import { healthOf } from './health.ts';

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: (request) =>
    new URL(request.url).pathname === '/healthz'
      ? Response.json({ status: 'ok' })
      : Response.json({ status: 'not ready', reason: 'shutting down' }, { status: 503 }),
});
afterAll(() => server.stop(true));

async function ask(path: string, settings: { host?: string; port?: number } = {}) {
  const texts: string[] = [];
  const write = (text: string): void => void texts.push(text);
  const place = { host: '127.0.0.1', port: server.port, ...settings } as Config['server'];
  const code = await healthOf({ server: place }, path, { out: write, err: write });
  return { code, text: texts.join('') };
}

describe('weir health', () => {
  test('is 0 while Weir is alive, also where it listens on all addresses', async () => {
    expect(await ask('/healthz')).toEqual({ code: 0, text: '{"status":"ok"}\n' });
    expect((await ask('/healthz', { host: '0.0.0.0' })).code).toBe(0);
  });

  test('is 1 and gives the reason while Weir is not ready', async () => {
    const { code, text } = await ask('/readyz');
    expect([code, text]).toEqual([1, expect.stringContaining('returned 503: {"status":"not ready"')]);
  });

  test('is 1 where the port is closed or unknown', async () => {
    const closed = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
    const { port } = closed;
    await closed.stop(true);
    expect(await ask('/healthz', { port: port ?? 1 })).toEqual({
      code: 1,
      text: expect.stringContaining('did not answer'),
    });
    expect(await ask('/healthz', { port: 0 })).toEqual({ code: 1, text: expect.stringContaining('WEIR_PORT is 0') });
  });

  test('does not go through a proxy', async () => {
    const before = process.env['HTTP_PROXY'];
    process.env['HTTP_PROXY'] = 'http://127.0.0.1:9';
    try {
      expect((await ask('/healthz')).code).toBe(0);
    } finally {
      if (before === undefined) delete process.env['HTTP_PROXY'];
      else process.env['HTTP_PROXY'] = before;
    }
  });
});
