/** Why a request failed, from its record alone: the provider's status and words without secrets, and who was not tried. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { RequestDetailView } from '../../src/admin/contracts/analytics-contract.ts';
import { post } from '../harness/chat.ts';
import { runHere } from '../harness/commands.ts';
import { ConsoleClient } from '../harness/console-client.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(300_000);

const password = 'a password for the owner';
const secret = 'sk-secret-0123456789abcdef';
const long = 'x'.repeat(5_000);

/** Replies by model; `ok` answers. */
const replies: Readonly<Record<string, readonly [status: number, message: string]>> = {
  dead: [401, `Incorrect API key provided: ${secret}.`],
  unpaid: [402, 'The organization org-acme has no credit.'],
  broken: [500, `The machine ${secret} is on fire.\nCall us.`],
  busy: [429, 'Slow down.'],
  limited: [429, 'Not now.'],
  picky: [400, 'The field `top_k` is not for you.'],
  wordy: [400, long],
};

const upstream = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    if (request.method === 'GET') return Response.json({ data: [] });
    const { model } = (await request.json()) as { model: string };
    const [status, message] = replies[model] ?? [200, ''];
    if (status !== 200) return Response.json({ error: { message, type: 'x', code: 'y' } }, { status });
    const choice = { index: 0, message: { role: 'assistant', content: 'ok', refusal: null }, finish_reason: 'stop' };
    return Response.json({ id: 'c', object: 'chat.completion', created: 1, model, choices: [choice] });
  },
});

let weir: RunningWeir;
let owner: ConsoleClient;

beforeAll(async () => {
  const base = `http://127.0.0.1:${upstream.port}/v1`;
  const provider = (model: string) => ({ kind: 'openai-chat', base_url: base, keys: [secret], models: [model] });
  const names = ['dead', 'unpaid', 'broken', 'busy', 'limited', 'picky', 'wordy', 'ok'];
  weir = await startWeir({
    yaml: {
      providers: {
        ...Object.fromEntries(names.map((name) => [name, provider(name)])),
        gone: { kind: 'openai-chat', base_url: 'http://127.0.0.1:1/v1', keys: [secret], models: ['gone'] },
      },
      models: {
        backed: { targets: ['limited', 'ok'].map((name, tier) => ({ provider: name, model: name, tier })) },
      },
    },
    env: { WEIR_ADMIN_PASSWORD: password, WEIR_CLOCKS_PATIENCE_MS: '0', WEIR_LOG_LEVEL: 'error' },
  });
  owner = new ConsoleClient(weir);
  await owner.signIn('admin', password);
});

afterAll(async () => {
  await weir.remove();
  await upstream.stop(true);
});

const messages = [{ role: 'user', content: 'hello' }];

/** Sends one request and reads its record, once its errors are written. */
async function recorded(
  model: string,
  client = owner,
  token = weir.token,
): Promise<{ status: number; text: string; detail: RequestDetailView }> {
  const reply = await post({ base: weir.base, token }, { model, messages });
  const [text, id] = [await reply.text(), reply.headers.get('x-request-id') ?? ''];
  let detail: RequestDetailView | undefined;
  await until(
    async () => {
      const { status, body } = await client.get(`/usage/requests/${id}`);
      detail = status === 200 ? (body as RequestDetailView) : undefined;
      const failed = detail?.attempts.filter(({ verdict }) => verdict !== '') ?? [];
      const isWritten = detail?.row?.code === '' || detail?.error !== undefined;
      return isWritten && failed.every(({ error }) => error !== undefined);
    },
    60_000,
    `the record of ${model}`,
  );
  if (detail === undefined) throw new Error(`no record of ${model}`);
  return { status: reply.status, text, detail };
}

test.each([
  ['broken', 500, 'The machine [key] is on fire.\nCall us.'],
  ['picky', 400, 'The field `top_k` is not for you.'],
  ['busy', 429, 'Slow down.'],
] as const)('%s: the provider’s status and message are kept', async (model, status, message) => {
  const { detail } = await recorded(model);
  expect(detail.attempts.at(-1)?.error).toMatchObject({ status, message });
  expect(detail.error?.message).toContain(message.split('\n')[0] ?? '');
});

test('a refused key: the operator reads what the provider said, the client does not, and the key is in neither', async () => {
  const { detail, text } = await recorded('dead');
  expect(detail.attempts[0]).toMatchObject({
    verdict: 'key-refused',
    error: { status: 401, message: 'Incorrect API key provided: [key].' },
  });
  expect(detail.error).toMatchObject({ code: 'provider_unavailable' });
  expect(text).not.toContain('Incorrect');
  expect(JSON.stringify(detail)).not.toContain(secret);
});

test('a member reads why, but not what the provider said about the account', async () => {
  await owner.post('/accounts', { name: 'mia', role: 'member', password });
  const member = new ConsoleClient(weir);
  await member.signIn('mia', password);
  const { token } = (await member.post('/tokens', { name: 'hers' })).body as { token: string };
  const { detail } = await recorded('unpaid', member, token);
  expect(detail.attempts[0]).toMatchObject({
    verdict: 'key-dead',
    error: { status: 402, message: 'The provider refused the key. Its message is shown to operators.' },
  });
  const whole = (await owner.get(`/usage/requests/${detail.requestId}`)).body as RequestDetailView;
  expect(whole.attempts[0]?.error?.message).toBe('The organization org-acme has no credit.');
});

test('a request that a fallback served keeps why the first provider failed', async () => {
  const { status, detail } = await recorded('backed');
  expect(status).toBe(200);
  expect(detail.error).toBeUndefined();
  expect(detail.row?.provider).toBe('ok');
  expect(detail.attempts.map(({ provider, error }) => [provider, error?.message])).toEqual([
    ['limited', 'Not now.'],
    ['ok', undefined],
  ]);
});

test('a provider that cannot be reached, and then is not tried: the record names it and why', async () => {
  expect((await recorded('gone')).detail.attempts[0]?.error?.message).toContain('could not be reached');
  let last: RequestDetailView | undefined;
  await until(
    async () => {
      // As many as open its circuit, without a pause in which it would be probed again.
      for (let sent = 0; sent < 20; sent += 1) await (await post(weir, { model: 'gone', messages })).text();
      last = (await recorded('gone')).detail;
      return last.attempts.length === 0;
    },
    60_000,
    'an open circuit',
  );
  expect(last?.error?.message).toMatch(
    /^No provider of this model can be used now: gone has an open circuit for \d+ s\./,
  );
});

test('a long message is cut', async () => {
  const { detail } = await recorded('wordy');
  expect(detail.attempts[0]?.error?.message).toBe(`${long.slice(0, 1_023)}…`);
});

test('`weir usage show` prints the reasons', async () => {
  const { detail } = await recorded('picky');
  const { stdout } = await runHere(weir, ['usage', 'show', detail.requestId]);
  expect(stdout).toContain('attempt 1: 400 The field `top_k` is not for you.');
});
