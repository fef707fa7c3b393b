/** Access: who may call what, for every route that exists, checked against the provider's invoice. */

import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { errorOf, post, scripted } from '../harness/chat.ts';
import { floodTokens } from '../harness/flood-tokens.ts';
import { sized } from '../harness/size.ts';
import { createToken, json, type MadeToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

let upstream: RunningUpstream;
let weir: RunningWeir;
let revoked: MadeToken;
let expired: MadeToken;
let elsewhere: MadeToken;
let here: MadeToken;
beforeAll(async () => {
  upstream = await startUpstream();
  weir = await startWeir({
    yaml: {
      providers: { up: { kind: 'openai', base_url: upstream.base, key: 'sk-upstream', models: ['gpt-4.1'] } },
      models: { fast: { targets: [{ provider: 'up', model: 'gpt-4.1' }] } },
    },
  });
  [revoked, expired, elsewhere, here] = await Promise.all([
    createToken(weir),
    soonExpired(),
    createToken(weir, '--addresses', '203.0.113.0/24,2001:db8::/32'),
    createToken(weir, '--addresses', '127.0.0.0/8,::1/128'),
  ]);
  await json(weir, 'token', 'revoke', revoked.id);
  for (const token of [revoked, expired])
    await until(async () => (await call('GET', '/v1/models', bearer(token))).status === 401, 60_000, 'its end');
});
afterAll(async () => {
  await weir.remove();
  await upstream.stop();
});
beforeEach(() => upstream.reset());

/** The command may take longer than the token's lifetime; then the token gets a longer one. */
async function soonExpired(): Promise<MadeToken> {
  for (const lifetimeMs of [3_000, 10_000]) {
    const expires = new Date(Date.now() + lifetimeMs).toISOString();
    const made = await createToken(weir, '--expires', expires).catch(() => undefined);
    if (made !== undefined) return made;
  }
  return createToken(weir, '--expires', new Date(Date.now() + 30_000).toISOString());
}

const body = JSON.stringify(scripted({}));
const routes = [
  ['POST', '/v1/chat/completions'],
  ['POST', '/v1/v1/chat/completions'],
  ['GET', '/v1/models'],
  ['GET', '/v1/models/gpt-4.1'],
] as const;

function call(method: string, path: string, headers: Record<string, string>): Promise<Response> {
  const init = method === 'POST' ? { body, headers: { 'content-type': 'application/json', ...headers } } : { headers };
  return fetch(weir.url + path, { method, ...init });
}

/** Refused with this status and code, and nothing reached the provider. */
async function refused(reply: Response, status: number, code: string): Promise<void> {
  const error = await errorOf(reply);
  expect([reply.status, error.code]).toEqual([status, code]);
  expect(reply.headers.get('x-request-id')).toBeTruthy();
  expect(await upstream.invoice()).toEqual([]);
}

describe.each(routes)('%s %s', (method, path) => {
  test('no credential is a 401', async () => {
    await refused(await call(method, path, {}), 401, 'token_missing');
    for (const authorization of ['', 'Bearer', 'Bearer ', `Basic ${btoa(`user:${weir.token}`)}`, weir.token])
      await refused(await call(method, path, { authorization }), 401, 'token_missing');
  });

  test('a token that was never issued is a 401', async () => {
    for (const token of ['x', 'short', 'weir_', 'a'.repeat(300), `${weir.token}x`, 'null', "' OR 1=1 --", 'tök', '%00'])
      for (const authorization of [`Bearer ${encodeURI(token)}`]) {
        const reply = await call(method, path, { authorization });
        expect(reply.status).toBe(401);
        expect((await errorOf(reply)).code).toMatch(/^token_(malformed|unknown)$/);
      }
    expect(await upstream.invoice()).toEqual([]);
  });

  test('every spelling of the authorization scheme is accepted', async () => {
    for (const scheme of ['Bearer ', 'bearer ', 'BEARER ', 'Bearer  ', 'Bearer\t', ' Bearer '])
      expect((await call(method, path, { authorization: scheme + weir.token })).status).toBe(200);
  });

  test('a revoked and an expired token get different errors', async () => {
    await refused(await call(method, path, bearer(revoked)), 401, 'token_disabled');
    await refused(await call(method, path, bearer(expired)), 401, 'token_expired');
  });

  test('a client IP outside the allow-list is a 403', async () => {
    await refused(await call(method, path, bearer(elsewhere)), 403, 'address_not_allowed');
    const claimed = await call(method, path, { ...bearer(elsewhere), 'x-forwarded-for': '203.0.113.5' });
    await refused(claimed, 403, 'address_not_allowed');
    expect((await call(method, path, bearer(here))).status).toBe(200);
  });
});

const bearer = (token: { readonly token: string }) => ({ authorization: `Bearer ${token.token}` });

test('the model list also takes x-api-key; two credentials are refused, the same one twice is not', async () => {
  const headers = { 'x-api-key': weir.token };
  expect((await call('GET', '/v1/models', headers)).status).toBe(200);
  expect((await call('GET', '/v1/models', { ...headers, ...bearer(weir) })).status).toBe(200);
  const other = await createToken(weir);
  await refused(await call('GET', '/v1/models', { ...headers, ...bearer(other) }), 400, 'credentials_conflict');
});

test('a token in the query or in a cookie of the chat route does not count', async () => {
  await refused(await call('POST', `/v1/chat/completions?key=${weir.token}`, {}), 401, 'token_missing');
  await refused(await call('POST', '/v1/chat/completions', { cookie: `token=${weir.token}` }), 401, 'token_missing');
});

test('a spent budget is a 402 that says not to retry', async () => {
  const poor = await createToken(weir, '--budget-usd', '0.000001', '--budget-period', 'total');
  const reply = await post(poor, scripted({}));
  expect(reply.headers.get('x-should-retry')).toBe('false');
  await refused(reply, 402, 'budget_spent');
  expect((await call('GET', '/v1/models', bearer(poor))).status).toBe(200);
});

test('a request that a budget has no room for is refused in numbers, and fits as the message says', async () => {
  const poor = await createToken(weir, '--budget-usd', '0.01', '--budget-period', 'day');
  const { code, message } = await errorOf(await post(poor, scripted({})));
  expect(code).toBe('budget_spent');
  expect(message).toMatch(
    /^This request could cost up to \$0\.\d+, and \$0\.01 is left of the token's budget of \$0\.01 a day\. It fits with an output limit of \d+ tokens or less\. The budget resets at \d{4}-\d\d-\d\dT00:00:00\.000Z\.$/,
  );
  const fitting = Number(/limit of (\d+)/.exec(message)?.[1]);
  expect((await post(poor, scripted({}, { max_tokens: fitting + 100 }))).status).toBe(402);
  expect((await post(poor, scripted({}, { max_tokens: fitting }))).status).toBe(200);
});

test('a revocation by the command line acts on the running gateway', async () => {
  const token = await createToken(weir);
  expect((await post(token, scripted({}))).status).toBe(200);
  await json(weir, 'token', 'revoke', token.id);
  await until(async () => (await call('GET', '/v1/models', bearer(token))).status === 401, 60_000, 'the revocation');
});

test('a rotated token works with its new secret', async () => {
  const token = await createToken(weir);
  const rotated = (await json(weir, 'token', 'rotate', token.id)) as { token: string };
  expect(rotated.token).not.toBe(token.token);
  expect((await post({ base: weir.base, token: rotated.token }, scripted({}))).status).toBe(200);
});

describe('a token for some models', () => {
  test('is refused every other name of a model that it may not use', async () => {
    const token = await createToken(weir, '--models', 'sandbox-*');
    for (const model of ['gpt-4.1', 'fast', 'up/gpt-4.1'])
      await refused(await post(token, scripted({}, { model })), 403, 'model_not_allowed');
    expect((await post(token, scripted({}, { model: 'sandbox-chat' }))).status).toBe(200);
    const listed = (await (await call('GET', '/v1/models', bearer(token))).json()) as { data: { id: string }[] };
    expect(listed.data.length).toBeGreaterThan(0);
    for (const { id } of listed.data) expect(id).toStartWith('sandbox-');
    const hidden = await call('GET', '/v1/models/fast', bearer(token));
    expect([403, 404]).toContain(hidden.status);
  });

  test('may use a listed alias, and only by that name', async () => {
    const token = await createToken(weir, '--models', 'fast');
    expect((await post(token, scripted({}, { model: 'fast' }))).status).toBe(200);
    await upstream.reset();
    await refused(await post(token, scripted({}, { model: 'gpt-4.1' })), 403, 'model_not_allowed');
  });
});

test('a token for some endpoints is refused at the others', async () => {
  const token = await createToken(weir, '--endpoints', 'models');
  expect((await call('GET', '/v1/models', bearer(token))).status).toBe(200);
  await refused(await post(token, scripted({})), 403, 'endpoint_not_allowed');
});

test('nothing in the database is a token', async () => {
  const token = await createToken(weir);
  const database = new Database(join(weir.dataFolder, 'weir.db'), { readonly: true });
  database.run('PRAGMA busy_timeout = 60000');
  const rows = database.query<Record<string, string>, []>('SELECT * FROM tokens').all();
  database.close();
  expect(JSON.stringify(rows)).not.toContain(token.token);
  // The hint ends with an ellipsis, which is not allowed in a header.
  for (const row of rows)
    for (const value of [row['digest'], row['hint']?.replace('…', ''), row['id']]) {
      const reply = await call('GET', '/v1/models', { authorization: `Bearer ${value}` });
      expect(reply.status).toBe(401);
    }
});

test('a flood of random tokens is refused, and a good one is served', async () => {
  await floodTokens(weir, sized(300, 2_000));
  expect((await call('GET', '/v1/models', bearer(weir))).status).toBe(200);
});
