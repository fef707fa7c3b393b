/** Settings in the console: live ones affect the next request, also at replicas; those of the operator are locked. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { HomeTextView, SettingDetailView } from '../../src/admin/contracts/settings-contract.ts';
import { ConsoleClient, type ConsoleReply, codeOf } from '../harness/console-client.ts';
import { needing } from '../harness/needs.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(300_000);
const password = 'a password for all of them';
/** Starting a separate database server takes a while. */
const startTimeoutMs = 300_000;
const secretKey = `canary-secret-key-${crypto.randomUUID()}`;
let weir: RunningWeir;
let owner: ConsoleClient;

async function signedIn(at: RunningWeir, name = 'admin'): Promise<ConsoleClient> {
  const client = new ConsoleClient(at);
  await client.signIn(name, password);
  return client;
}

beforeAll(async () => {
  weir = await startWeir({
    yaml: { clocks: { patience_ms: 500, read_on_ms: 0 } },
    env: { WEIR_ADMIN_PASSWORD: password, WEIR_SECRET_KEY: secretKey, WEIR_LIMITS_ATTEMPTS_MAX: '3' },
  });
  owner = await signedIn(weir);
  for (const role of ['admin', 'member', 'viewer']) {
    await owner.post('/accounts', { name: `a ${role}`, role, password });
  }
});
afterAll(() => weir.remove());

const patch = (values: unknown, client = owner): Promise<ConsoleReply> =>
  client.call('PATCH', '/settings', { body: { values } });

async function setting(key: string, client = owner): Promise<SettingDetailView> {
  const { items } = (await client.get('/settings')).body as { items: SettingDetailView[] };
  const found = items.find((each) => each.key === key);
  if (found === undefined) throw new Error(`no setting ${key}`);
  return found;
}

function ask(
  model = 'sandbox-chat',
  stream = false,
  token = weir.token,
  signal: AbortSignal | null = null,
  at = weir,
): Promise<Response> {
  return fetch(`${at.base}/chat/completions`, {
    method: 'POST',
    signal,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'one two three four' }] }),
  });
}

describe('the list', () => {
  test('describes each setting, where its value comes from and what it allows', async () => {
    expect(await setting('limits.concurrent_requests_max')).toEqual({
      key: 'limits.concurrent_requests_max',
      variable: 'WEIR_LIMITS_CONCURRENT_REQUESTS_MAX',
      origin: 'default',
      shown: '20000',
      value: 20_000,
      defaultShown: '20000',
      unit: '',
      meaning: 'Max in-flight requests across all tokens.',
      allowed: 'a whole number from 1 to 1000000',
      control: { kind: 'number', min: 1, max: 1_000_000 },
      change: 'live',
    });
    expect(await setting('limits.attempts_max')).toMatchObject({ origin: 'environment', value: 3, change: 'locked' });
    expect(await setting('clocks.patience_ms')).toMatchObject({ origin: 'file', value: 500, change: 'locked' });
    expect(await setting('server.port')).toMatchObject({ change: 'start' });
    expect(await setting('log.level')).toMatchObject({ control: { kind: 'choice' } });
    expect(await setting('home.shown')).toMatchObject({ control: { kind: 'switch' } });
    expect(await setting('tokens.models')).toMatchObject({ control: { kind: 'list' }, shown: 'not set' });
  });

  test('never shows a secret', async () => {
    const reply = await owner.get('/settings');
    expect(JSON.stringify(reply.body)).not.toContain(secretKey);
    expect(JSON.stringify(reply.body)).not.toContain(password);
    const { value, shown } = await setting('secret_key');
    expect([value, shown]).toEqual([undefined, 'set']);
  });

  test('is for operators; changes are for administrators', async () => {
    const [admin, member, viewer] = await Promise.all(
      ['admin', 'member', 'viewer'].map((role) => signedIn(weir, `a ${role}`)),
    );
    const status = async (client: ConsoleClient | undefined) => [
      (await client?.get('/settings'))?.status,
      (await patch({}, client)).status,
      (await client?.get('/home'))?.status,
      (await client?.call('PATCH', '/home', { body: {} }))?.status,
    ];
    expect(await status(admin)).toEqual([200, 200, 200, 200]);
    expect(await status(viewer)).toEqual([200, 403, 200, 403]);
    expect(await status(member)).toEqual([403, 403, 403, 403]);
    expect(codeOf(await patch({}, new ConsoleClient(weir)))).toBe('sign_in_required');
    const foreign = await owner.call('PATCH', '/settings', {
      body: { values: { 'log.level': 'debug' } },
      headers: { origin: 'https://evil.example' },
    });
    expect(codeOf(foreign)).toBe('origin_not_allowed');
    expect((await setting('log.level')).value).toBe('info');
  });
});

describe('a change', () => {
  test('affects the next request: requests in flight', async () => {
    await patch({ 'sandbox.pace_ms': 400 });
    const leaving = new AbortController();
    const slow = await ask('sandbox-chat', true, weir.token, leaving.signal);
    expect(slow.status).toBe(200);
    expect((await patch({ 'limits.concurrent_requests_max': 1 })).status).toBe(200);
    const refused = await ask();
    expect([refused.status, ((await refused.json()) as { error: { code: string } }).error.code]).toEqual([
      503,
      'gateway_overloaded',
    ]);
    leaving.abort();
    await until(async () => (await patch({ 'limits.concurrent_requests_max': null })).status === 200, 60_000);
    await patch({ 'sandbox.pace_ms': null });
    expect((await ask()).status).toBe(200);
    expect(await setting('limits.concurrent_requests_max')).toMatchObject({ origin: 'default', value: 20_000 });
  });

  test('affects the next token: its defaults', async () => {
    const answer = await patch({ 'tokens.rpm': 1, 'tokens.expires_in_days': 3 });
    expect(answer.body).toMatchObject({
      items: [
        { key: 'tokens.rpm', origin: 'console', value: 1 },
        { key: 'tokens.expires_in_days', origin: 'console', shown: '3' },
      ],
    });
    const made = (await owner.post('/tokens', { name: 'limited' })).body as { token: string; rpm: number };
    expect(made.rpm).toBe(1);
    expect((await ask('sandbox-chat', false, made.token)).status).toBe(200);
    expect((await ask('sandbox-chat', false, made.token)).status).toBe(429);
    await patch({ 'tokens.rpm': null, 'tokens.expires_in_days': null });
    expect((await owner.post('/tokens', { name: 'free' })).body).not.toHaveProperty('rpm');
  });

  test('affects the next stream: the pace of the sandbox', async () => {
    await patch({ 'sandbox.pace_ms': 60_000 });
    const leaving = new AbortController();
    const slow = (await ask('sandbox-chat', true, weir.token, leaving.signal)).body?.getReader();
    let isOver = false;
    const reading = (async () => {
      while ((await slow?.read())?.done === false);
      isOver = true;
    })().catch(() => undefined);
    await patch({ 'sandbox.pace_ms': null });
    // One that began later is over, the earlier one waits for its next word.
    expect(await (await ask('sandbox-chat', true)).text()).toContain('[DONE]');
    expect(isOver).toBe(false);
    leaving.abort();
    await reading;
  });

  test('is refused if it is locked, read only at start, unknown or out of bounds; then nothing changes', async () => {
    const refusals: readonly [values: unknown, param: string, words: string][] = [
      [{ 'limits.attempts_max': 2 }, 'limits.attempts_max', 'the variable WEIR_LIMITS_ATTEMPTS_MAX'],
      [{ 'clocks.patience_ms': 2 }, 'clocks.patience_ms', 'weir.yaml'],
      [{ 'server.port': 1 }, 'server.port', 'requires a restart'],
      [{ 'no.such': 1 }, 'no.such', 'is not a setting'],
      [{ __proto__: null, constructor: 1 }, 'constructor', 'is not a setting'],
      [{ 'routing.retry_percent_max': 101 }, 'routing.retry_percent_max', 'from 0 to 100'],
      [{ 'routing.retry_percent_max': '20' }, 'routing.retry_percent_max', 'a whole number'],
      [{ 'log.level': 'loud' }, 'log.level', 'one of debug'],
      [{ 'tokens.models': 'all' }, 'tokens.models', 'a list'],
      [{ 'home.title': 'two\nlines' }, 'home.title', 'one line'],
    ];
    for (const [values, param, words] of refusals) {
      const reply = await patch({ 'routing.affinity_bytes_min': 9, ...(values as object) });
      const { error } = reply.body as { error: { code: string; param: string; message: string } };
      expect([reply.status, error.code, error.param]).toEqual([400, 'field_invalid', param]);
      expect(error.message).toContain(words);
    }
    expect(codeOf(await owner.call('PATCH', '/settings', { body: { values: 3 } }))).toBe('field_invalid');
    expect(codeOf(await owner.call('PATCH', '/settings', { body: {} }))).toBe('field_missing');
    expect(await setting('routing.affinity_bytes_min')).toMatchObject({ origin: 'default', value: 4_096 });
  });

  test('is audited with its author', async () => {
    await patch({ 'realtime.idle_ms': 60_000 });
    await patch({ 'realtime.idle_ms': null });
    const { items } = (await owner.get('/audit?action=settings-change&limit=2')).body as { items: object[] };
    expect(items).toMatchObject([
      { accountName: 'admin', subject: 'settings', detail: { 'realtime.idle_ms': 'default' } },
      { accountName: 'admin', subject: 'settings', detail: { 'realtime.idle_ms': 60_000 } },
    ]);
  });

  test('survives a restart', async () => {
    await patch({ 'routing.retry_percent_max': 7 });
    expect(await weir.stop()).toBe(0);
    await weir.restart();
    expect(await setting('routing.retry_percent_max')).toMatchObject({ origin: 'console', value: 7 });
    await patch({ 'routing.retry_percent_max': null });
  });
});

describe('the home page', () => {
  const home = async (): Promise<[status: number, text: string]> => {
    const reply = await fetch(`${weir.url}/`);
    return [reply.status, await reply.text()];
  };

  test('shows the operator’s text as text, and the default again when it is removed', async () => {
    expect((await owner.get('/home')).body).toEqual({ shown: true, locked: false } satisfies HomeTextView);
    const title = 'Models of <script>alert(1)</script> & Co. %api%';
    const changed = await owner.call('PATCH', '/home', {
      body: { title, text: 'First "line".\n\n<b>Second</b> line.' },
    });
    expect(changed.body).toMatchObject({ shown: true, title, locked: false });
    const [status, page] = await home();
    expect(status).toBe(200);
    expect(page).toContain('<h1>Models of &lt;script&gt;alert(1)&lt;/script&gt; &amp; Co. %api%</h1>');
    expect(page).toContain('<p class="lead">First &quot;line&quot;.</p>');
    expect(page).toContain('<p class="lead">&lt;b&gt;Second&lt;/b&gt; line.</p>');
    expect(page).not.toContain('One API for every model');
    await owner.call('PATCH', '/home', { body: { title: '', text: null, shown: true, locked: false } });
    expect((await home())[1]).toContain('<h1>One API for every model</h1>');
  });

  test('can be switched off, and then names nothing; the console stays available', async () => {
    await owner.call('PATCH', '/home', { body: { shown: false } });
    const [status, page] = await home();
    expect(status).toBe(404);
    expect(page).not.toMatch(/weir/i);
    expect((await fetch(`${weir.url}/console`)).status).not.toBe(404);
    expect((await owner.get('/home')).body).toMatchObject({ shown: false });
    await owner.call('PATCH', '/home', { body: { shown: true } });
    expect((await home())[0]).toBe(200);
  });

  test('refuses values that are not readable text', async () => {
    for (const body of [
      { title: 3 },
      { title: 'a\u202eb' },
      { text: 'x'.repeat(10_001) },
      { shown: 'yes' },
      { other: 1 },
    ]) {
      expect((await owner.call('PATCH', '/home', { body })).status).toBe(400);
    }
  });
});

needing('postgres').describe('several replicas', () => {
  const env = { WEIR_ADMIN_PASSWORD: password, WEIR_SECRET_KEY: secretKey };
  let first: RunningWeir;
  let second: RunningWeir;
  let here: ConsoleClient;

  beforeAll(async () => {
    first = await startWeir({ database: 'postgres', env });
    second = await startWeir({ env: { ...env, DATABASE_URL: first.databaseUrl ?? '', WEIR_HOME_TITLE: 'The second' } });
    here = await signedIn(first);
  }, startTimeoutMs);
  afterAll(async () => {
    await Promise.all([first?.remove(), second?.remove()]);
  });

  test('share changes, except for what one of them has from its environment', async () => {
    const there = await signedIn(second);
    await patch({ 'home.shown': false, 'log.level': 'debug', 'home.title': 'The first' }, here);
    const shownThere = async () => ((await there.get('/home')).body as HomeTextView).shown;
    await until(async () => !(await shownThere()), 60_000, 'the other replica');
    expect((await fetch(`${second.url}/`)).status).toBe(404);
    expect(await setting('log.level', there)).toMatchObject({ origin: 'console', value: 'debug', change: 'live' });
    expect(await setting('home.title', there)).toMatchObject({ value: 'The second', change: 'locked' });
    expect((await here.get('/home')).body).toEqual({ shown: false, title: 'The first', locked: false });
    expect((await there.get('/home')).body).toEqual({ shown: false, title: 'The second', locked: true });
    await patch({ 'home.shown': null }, there);
    await until(async () => ((await here.get('/home')).body as HomeTextView).shown, 60_000, 'the first replica');
  });

  test('share providers', async () => {
    await using provider = startProvider();
    const entry = { kind: 'openai-chat', base_url: `http://127.0.0.1:${provider.port}/v1` };
    const statusThere = async () => (await ask('up/one', false, second.token, null, second)).status;
    expect(await statusThere()).toBe(404);
    expect((await here.post('/providers', { name: 'up', entry, keys: [{ value: 'sk-good' }] })).status).toBe(200);
    await until(async () => (await statusThere()) === 200, 60_000, 'the other replica’s provider');
    await here.call('DELETE', '/providers/up');
    await until(async () => (await statusThere()) === 404, 60_000, 'the other replica’s removal');
  });
});

function startProvider() {
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      if (request.method === 'GET') return Response.json({ object: 'list', data: [{ id: 'one' }] });
      const message = { role: 'assistant', content: 'Good day', refusal: null };
      const choices = [{ index: 0, message, finish_reason: 'stop' }];
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
      return Response.json({ id: 'c', object: 'chat.completion', created: 1, model: 'one', choices, usage });
    },
  });
}
