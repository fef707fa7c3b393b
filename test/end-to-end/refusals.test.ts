/** Every refused request is found by the id that its client was sent, with the reason: whatever refused it, and before a token was known. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { IssuedTokenView } from '../../src/admin/contracts/account-contract.ts';
import type { OverviewView, RequestDetailView, RequestsView } from '../../src/admin/contracts/analytics-contract.ts';
import { ConsoleClient } from '../harness/console-client.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(300_000);

const password = 'a password for the owner';
let weir: RunningWeir;
let owner: ConsoleClient;

beforeAll(async () => {
  weir = await startWeir({ env: { WEIR_ADMIN_PASSWORD: password } });
  owner = new ConsoleClient(weir);
  await owner.signIn('admin', password);
});

afterAll(() => weir.remove());

const messages = [{ role: 'user', content: 'A secret prompt.' }];

interface Sent {
  readonly path?: string;
  readonly token?: string;
  readonly body?: unknown;
  readonly type?: string;
}

/** The reply's status and id. */
async function send({
  path = '/v1/chat/completions',
  token = weir.token,
  body,
  type,
}: Sent): Promise<[number, string]> {
  const reply = await fetch(weir.base + path, {
    method: 'POST',
    headers: { 'content-type': type ?? 'application/json', ...(token !== '' && { authorization: `Bearer ${token}` }) },
    body: typeof body === 'string' ? body : JSON.stringify(body ?? { model: 'sandbox-chat', messages }),
  });
  await reply.text();
  return [reply.status, reply.headers.get('x-request-id') ?? ''];
}

async function detailOf(id: string): Promise<RequestDetailView> {
  let detail: RequestDetailView | undefined;
  await until(
    async () => {
      const { status, body } = await owner.get(`/usage/requests/${id}`);
      detail = status === 200 ? (body as RequestDetailView) : undefined;
      return detail?.error !== undefined;
    },
    60_000,
    `the record of ${id}`,
  );
  if (detail === undefined) throw new Error(`no record of ${id}`);
  return detail;
}

/** A token of its own, so that its limits touch no other test. */
async function tokenOf(name: string, terms: object = {}): Promise<{ id: string; secret: string }> {
  const { id, token } = (await owner.post('/tokens', { name, ...terms })).body as IssuedTokenView;
  return { id, secret: token };
}

test.each([
  ['400', 400, 'field_invalid', { body: { model: 'sandbox-chat', messages: 7 } }, 'chat', 'sandbox-chat'],
  ['a body that is no JSON', 400, 'json_malformed', { body: '{' }, 'chat', ''],
  ['401 without a token', 401, 'token_missing', { token: '' }, 'chat', ''],
  ['401 with another gateway’s', 401, 'token_malformed', { token: 'sk-other' }, 'chat', ''],
  ['404 of a model', 404, 'model_not_found', { body: { model: 'no-such', messages } }, 'chat', 'no-such'],
  ['404 of a path', 404, 'path_not_found', { path: '/v1/nothing' }, '', ''],
  ['415', 415, 'content_type_unsupported', { type: 'text/plain' }, 'chat', ''],
  [
    'an operation',
    404,
    'model_not_found',
    { path: '/v1/embeddings', body: { model: 'nope', input: 'x' } },
    'embeddings',
    'nope',
  ],
] as const)('%s', async (_, status, code, sent, endpoint, model) => {
  const [seen, id] = await send(sent as Sent);
  expect(seen).toBe(status);
  const { row, error, attempts } = await detailOf(id);
  expect(row).toMatchObject({ status, code, endpoint, model, attempts: 0, costNano: '0' });
  expect([error?.code, (error?.message ?? '').length > 0, attempts]).toEqual([code, true, []]);
  expect(JSON.stringify([row, error])).not.toContain('secret prompt');
});

test('403 and 429 name the token, and it was used', async () => {
  const narrow = await tokenOf('narrow', { endpoints: ['embeddings'] });
  const slow = await tokenOf('slow', { rpm: 1 });
  await send({ token: slow.secret });
  const seen = [
    [await send({ token: narrow.secret }), 403, 'endpoint_not_allowed', narrow.id],
    [await send({ token: slow.secret }), 429, 'rate_limited', slow.id],
  ] as const;
  for (const [[status, id], expected, code, tokenId] of seen) {
    expect(status).toBe(expected);
    expect((await detailOf(id)).row).toMatchObject({ status: expected, code, tokenId, endpoint: 'chat' });
    const { body } = await owner.get(`/tokens/${tokenId}`);
    expect((body as { lastUsedAt?: string }).lastUsedAt).toBeDefined();
  }
});

test('an expired and a revoked token are named, though they may no longer call', async () => {
  const gone = await tokenOf('gone');
  await owner.call('DELETE', `/tokens/${gone.id}`);
  let last: readonly [number, string] = [0, ''];
  await until(
    async () => {
      last = await send({ token: gone.secret });
      return last[0] === 401;
    },
    60_000,
    'the refusal of a revoked token',
  );
  expect((await detailOf(last[1])).row).toMatchObject({ code: 'token_disabled', tokenId: gone.id });
});

test('the refusals are in the list, the figures, the export and the log', async () => {
  const noisy = await tokenOf('noisy');
  const [, id] = await send({ token: noisy.secret, body: { model: 'no-such', messages } });
  await detailOf(id);
  const list = (await owner.get(`/usage/requests?token=${noisy.id}`)).body as RequestsView;
  expect(list.items.map(({ requestId, code }) => [requestId, code])).toEqual([[id, 'model_not_found']]);
  const { total, codes } = (await owner.get(`/usage/overview?token=${noisy.id}`)).body as OverviewView;
  expect([total.requests, total.failures, codes.map(({ key }) => key)]).toEqual([1, 1, ['model_not_found']]);
  // It called no provider, so it is no measure of their speed.
  expect(total.totalP50Ms).toBeUndefined();
  expect(weir.output()).toContain(id);
});

test('a client in a loop: as many rows as the ceiling, the rest counted, and an id without a row says so', async () => {
  const loop = await tokenOf('loop', { endpoints: ['embeddings'] });
  const ids: string[] = [];
  for (let at = 0; at < 130; at += 1) ids.push((await send({ token: loop.secret }))[1]);
  // A minute's counts are written when it is over, and at shutdown.
  await weir.stop();
  await weir.restart();
  const { total } = (await owner.get(`/usage/overview?token=${loop.id}`)).body as OverviewView;
  expect([total.requests, total.failures]).toEqual([130, 130]);
  const { items } = (await owner.get(`/usage/requests?token=${loop.id}&limit=200`)).body as RequestsView;
  expect(items.length).toBeLessThan(130);
  const counted = items.filter(({ requests }) => requests !== undefined);
  expect(counted.length).toBeGreaterThan(0);
  const listed = new Set(items.map(({ requestId }) => requestId));
  const missing = ids.find((id) => !listed.has(id)) ?? '';
  const { status, body } = await owner.get(`/usage/requests/${missing}`);
  expect(status).toBe(404);
  expect(JSON.stringify(body)).toMatch(/counted together: \d+ × 403 endpoint_not_allowed at chat/);
});

test('monitoring and the console leave no rows', async () => {
  const before = ((await owner.get('/usage/overview')).body as OverviewView).total.requests;
  await fetch(`${weir.base}/console/api/tokens`);
  await fetch(`${weir.base}/favicon.ico`);
  await fetch(`${weir.base}/metrics`, { headers: { 'x-forwarded-for': '192.0.2.1' } });
  const [, id] = await send({ body: { model: 'last', messages } });
  await detailOf(id);
  const after = ((await owner.get('/usage/overview')).body as OverviewView).total.requests;
  expect(after - before).toBe(1);
});
