/** The console behind a proxy that ends TLS: the session's cookie, and the warning about an untrusted proxy. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { ConsoleClient } from '../harness/console-client.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

/** Several processes start at once. */
setDefaultTimeout(300_000);

const password = `a-long-password-${crypto.randomUUID()}`;
const env = { WEIR_ADMIN_PASSWORD: password };
let trusting: RunningWeir;
let plain: RunningWeir;

beforeAll(async () => {
  [trusting, plain] = await Promise.all([
    startWeir({ env, yaml: { server: { trusted_proxies: ['127.0.0.1/32'] } } }),
    startWeir({ env }),
  ]);
});
afterAll(() => Promise.all([trusting.remove(), plain.remove()]));

async function cookieOf(weir: RunningWeir, headers: Record<string, string>): Promise<string> {
  const client = new ConsoleClient(weir);
  const reply = await client.signIn('admin', password, { headers });
  expect(reply.status).toBe(200);
  // The cookie works on a connection like the one that set it.
  expect((await client.get('/session', { headers })).status).toBe(200);
  return reply.headers.get('set-cookie') ?? '';
}

const tls = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '198.51.100.7' };

test('if a trusted proxy reports TLS the cookie is Secure and bound to the host', async () => {
  const cookie = await cookieOf(trusting, tls);
  expect([cookie.startsWith('__Host-weir_session='), cookie.includes('; Secure')]).toEqual([true, true]);
  const chain = await cookieOf(trusting, { ...tls, 'x-forwarded-proto': 'http, https' });
  expect(chain).toContain('; Secure');
});

test('without TLS, or without trust, it is not', async () => {
  for (const cookie of [
    await cookieOf(trusting, {}),
    await cookieOf(trusting, { ...tls, 'x-forwarded-proto': 'https, http' }),
    await cookieOf(plain, tls),
  ]) {
    expect([cookie.startsWith('weir_session='), cookie.includes('; Secure')]).toEqual([true, false]);
  }
});

test('a cookie that was set under TLS is not accepted without it', async () => {
  const client = new ConsoleClient(trusting);
  await client.signIn('admin', password, { headers: tls });
  expect((await client.get('/session')).status).toBe(401);
  client.cookie = client.cookie.replace('__Host-', '');
  expect((await client.get('/session', { headers: tls })).status).toBe(401);
});

test('an untrusted proxy is logged once', async () => {
  for (let count = 0; count < 3; count++) await new ConsoleClient(plain).get('/session', { headers: tls });
  await until(() => plain.output().includes('server.trusted_proxies'));
  expect(plain.output().split('server.trusted_proxies').length).toBe(2);
  expect(trusting.output()).not.toContain('server.trusted_proxies');
});
