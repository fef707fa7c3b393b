/**
 * The requests of a coding agent that signs in to its gateway, as Claude Code 2.1.197 was seen to send them (2026-11-17):
 * no client id, a bearer token on every path, the messages format with its own headers.
 */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { ConsoleClient } from '../harness/console-client.ts';
import { ownerOf } from '../harness/console-session.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

/** Several processes start at once. */
setDefaultTimeout(300_000);

/** With keys out of order: the agent computes the checksum of the settings that it keeps with sorted keys. */
const managed = { model: 'sandbox-chat', env: { CLAUDE_CODE_ENABLE_GATEWAY_MODEL_DISCOVERY: '1' } };
const sortedText = '{"env":{"CLAUDE_CODE_ENABLE_GATEWAY_MODEL_DISCOVERY":"1"},"model":"sandbox-chat"}';

let weir: RunningWeir;
let owner: ConsoleClient;
let token: string;

beforeAll(async () => {
  weir = await startWeir({ yaml: { sign_in: { managed_settings: JSON.stringify(managed) } } });
  owner = await ownerOf(weir);
});
afterAll(() => weir.remove());

const axios = { accept: 'application/json, text/plain, */*', 'user-agent': 'axios/1.15.2' };
const post = (path: string, body = '') =>
  fetch(`${weir.url}${path}`, {
    method: 'POST',
    headers: { ...axios, 'content-type': 'application/x-www-form-urlencoded' },
    body,
  });
const bearer = () => ({ authorization: `Bearer ${token}`, 'user-agent': 'claude-code/2.1.197' });

test('discovery, a device code for an empty form, a poll without a client id', async () => {
  const found = (await (
    await fetch(`${weir.url}/.well-known/oauth-authorization-server`, { headers: axios })
  ).json()) as {
    device_authorization_endpoint: string;
    token_endpoint: string;
  };
  // The agent refuses endpoints of another origin.
  expect(new URL(found.device_authorization_endpoint).origin).toBe(weir.url);
  expect(new URL(found.token_endpoint).origin).toBe(weir.url);
  const begun = await post('/oauth/device_authorization');
  expect(begun.status).toBe(200);
  const { device_code: code, user_code: userCode } = (await begun.json()) as Record<string, string>;
  const poll = `grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=${code}`;
  const waiting = await post('/oauth/token', poll);
  expect([waiting.status, ((await waiting.json()) as { error: string }).error]).toEqual([400, 'authorization_pending']);
  const request = (await owner.post('/device', { code: userCode })).body as { clientName: string };
  expect(request.clientName).toBe('Claude Code');
  expect((await owner.post('/device/answer', { code: userCode, approve: true })).status).toBe(204);
  const issued = (await (await post('/oauth/token', poll)).json()) as Record<string, string>;
  const renewed = await post('/oauth/token', `grant_type=refresh_token&refresh_token=${issued['refresh_token']}`);
  expect(renewed.status).toBe(200);
  const tokens = (await renewed.json()) as Record<string, unknown>;
  expect(Object.keys(tokens).sort()).toEqual(['access_token', 'expires_in', 'refresh_token', 'token_type']);
  token = String(tokens['access_token']);
});

test('managed settings in their envelope, and 304 for those that are known', async () => {
  const read = (headers: Record<string, string> = {}) =>
    fetch(`${weir.url}/managed/settings`, { headers: { ...bearer(), ...headers } });
  const first = await read();
  expect(await first.json()).toEqual({ uuid: expect.any(String), checksum: expect.any(String), settings: managed });
  const known = `"sha256:${new Bun.CryptoHasher('sha256').update(sortedText).digest('hex')}"`;
  expect(first.headers.get('etag')).toBe(known);
  expect((await read({ 'if-none-match': known })).status).toBe(304);
  const spend = await fetch(`${weir.url}/managed/spend`, { headers: bearer() });
  expect(await spend.json()).toEqual({ month_usd: '0.00', month_resets_at: expect.stringMatching(/-01T00:00:00/) });
  const refused = await fetch(`${weir.url}/managed/settings`, { headers: { authorization: 'Bearer unknown' } });
  expect(refused.status).toBe(401);
  expect(await refused.json()).toMatchObject({ type: 'error', error: { type: 'authentication_error' } });
});

test('the list of models, in the shape of the messages format', async () => {
  const headers = { ...bearer(), 'anthropic-version': '2023-06-01' };
  const list = (await (await fetch(`${weir.url}/v1/models?limit=1000`, { headers })).json()) as { data: object[] };
  expect(list.data).toContainEqual(expect.objectContaining({ id: 'sandbox-chat', display_name: expect.any(String) }));
});

test('a streamed message of a model of any provider', async () => {
  const reply = await fetch(`${weir.url}/v1/messages?beta=true`, {
    method: 'POST',
    headers: {
      ...bearer(),
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'claude-code-20250219,interleaved-thinking-2025-05-14',
      'x-app': 'cli',
      'x-claude-code-session-id': 'ad33d148-415c-44e2-b9c4-c90fdb050c1e',
      'x-stainless-lang': 'js',
    },
    body: JSON.stringify({
      model: 'sandbox-chat',
      max_tokens: 100,
      stream: true,
      system: [{ type: 'text', text: 'You are a coding agent.', cache_control: { type: 'ephemeral' } }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'What is 6 * 7?' }] }],
      metadata: { user_id: 'user_1' },
    }),
  });
  expect(reply.status).toBe(200);
  const text = await reply.text();
  expect(text).toContain('event: message_start');
  expect(text).toContain('42');
  expect(text).toContain('event: message_stop');
});

test('telemetry is accepted in both encodings, within a limit, and only with a token', async () => {
  const send = (
    signal: string,
    type: string,
    body: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = bearer(),
  ) => fetch(`${weir.url}/v1/${signal}`, { method: 'POST', headers: { ...headers, 'content-type': type }, body });
  for (const signal of ['metrics', 'logs', 'traces']) {
    const json = await send(signal, 'application/json', '{"resourceMetrics":[]}');
    expect([json.status, await json.text()]).toEqual([200, '{}']);
    const binary = await send(signal, 'application/x-protobuf', new Uint8Array([10, 0]));
    expect([binary.status, (await binary.bytes()).length]).toEqual([200, 0]);
  }
  expect((await send('metrics', 'application/json', '{}', {})).status).toBe(401);
  expect((await send('metrics', 'application/json', ' '.repeat(4 * 1_024 * 1_024 + 1))).status).toBe(413);
});
