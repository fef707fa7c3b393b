/** The moderation gate from outside: every client format, whole and streamed, its cost, and an unavailable judge. */

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { type Caller, callers } from '../harness/callers.ts';
import { errorOf, post, scripted } from '../harness/chat.ts';
import { runHere } from '../harness/commands.ts';
import { type Judge, startJudge } from '../harness/judge.ts';
import { expectBalanced, settledLedger } from '../harness/ledger-rows.ts';
import { SocketClient } from '../harness/socket-client.ts';
import { createToken, json, type MadeToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const threat = 'I will kill you';
const harmless = 'Tell me about lighthouses.';

let upstream: RunningUpstream;
let judge: Judge;
let weir: RunningWeir;
/** Gated by the sandbox's own judge, before, after, both; by the scripted judge; and not gated. */
let tokens: Record<'before' | 'after' | 'both' | 'judged' | 'plain', MadeToken>;

beforeAll(async () => {
  upstream = await startUpstream();
  judge = startJudge();
  weir = await startWeir({
    // Weir does not wait for a judge that is cooling down: the tests of a missing judge need that.
    env: { WEIR_CLOCKS_PATIENCE_MS: '0' },
    yaml: {
      providers: {
        up: { kind: 'openai-chat', base_url: upstream.base, key: 'sk-upstream', models: ['gpt-4.1'] },
        judge: { kind: 'openai', base_url: judge.base, key: 'sk-judge', models: ['scripted-judge'] },
        dead: { kind: 'openai', base_url: 'http://127.0.0.1:9/v1', key: 'sk-dead', models: ['dead-judge'] },
      },
      models: {
        // The operator's default judge, if a token names none.
        moderate: { targets: [{ provider: 'sandbox', model: 'sandbox-moderate' }] },
        guarded: { targets: [{ provider: 'up', model: 'gpt-4.1' }], moderation: 'before' },
        held: { targets: [{ provider: 'up', model: 'gpt-4.1' }], moderation: 'after' },
      },
      prices: { 'gpt-4.1': { input: 2, output: 8 }, 'scripted-judge': { input: 1, output: 0 } },
      clocks: { head_hold_ms: 1_500, keep_alive_ms: 250, read_on_ms: 6_000 },
    },
  });
  const gated = (at: string, ...flags: string[]) => createToken(weir, '--moderate', at, ...flags);
  tokens = {
    before: await gated('before'),
    after: await gated('after'),
    both: await gated('both'),
    judged: await gated('both', '--moderation-model', 'scripted-judge', '--models', 'gpt-4.1', '--concurrency', '1'),
    plain: await createToken(weir),
  };
});
afterAll(async () => {
  await weir.remove();
  await upstream.stop();
  judge.stop();
});
afterEach(() => judge.reset());

function ask(caller: Caller, token: MadeToken, turns: readonly unknown[], stream = false, model = 'sandbox-chat') {
  const options = { model, stream };
  const version = caller.format === 'gemini-generate' ? 'v1beta' : 'v1';
  const credential: Record<string, string> =
    caller.format === 'gemini-generate'
      ? { 'x-goog-api-key': token.token }
      : caller.format === 'anthropic-messages'
        ? { 'x-api-key': token.token }
        : { authorization: `Bearer ${token.token}` };
  return fetch(`${weir.url}/${version}${caller.path(options)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...credential },
    body: JSON.stringify(caller.body(turns, options)),
  });
}

/** The envelope that a library of the format reads. */
function expectEnvelope(caller: Caller, body: Record<string, unknown>, code: string, status: number): string {
  const error = body.error as Record<string, unknown>;
  if (caller.format === 'gemini-generate') {
    expect(error).toMatchObject({ code: status, reason: code });
    expect(typeof error.status).toBe('string');
  } else {
    expect(error.code).toBe(code);
    expect(error.type).toBe(status === 400 ? 'invalid_request_error' : 'overloaded_error');
  }
  if (caller.format === 'anthropic-messages') expect(body).toMatchObject({ type: 'error' });
  return String(error.message);
}

/** Ids and times are new in each reply; all else must be equal. */
const timeless = (text: string) =>
  text
    .replace(/"(id|item_id|responseId|call_id)":"[^"]*"/g, '"$1":""')
    .replace(/"(created|created_at|completed_at|createTime)":("[^"]*"|\d+)/g, '"$1":0');

/** Rows are written in groups, so the last may come a moment after its reply. */
async function rowsOf(token: MadeToken, count: number) {
  const own = async () => (await settledLedger(weir)).usage.filter((row) => row.tokenId === token.id);
  await until(async () => (await own()).length >= count);
  return own();
}

const conversations = async () => (await upstream.invoice()).filter(({ path }) => path === '/v1/chat/completions');

describe.each(callers.map((caller) => [caller.format, caller] as const))('%s', (_name, caller) => {
  test.each([false, true])('a request is refused in the format’s own envelope (stream: %p)', async (stream) => {
    const reply = await ask(caller, tokens.before, [threat], stream);
    expect(reply.status).toBe(400);
    expect(reply.headers.get('x-should-retry')).toBe('false');
    expect(reply.headers.get('content-type')).toContain('application/json');
    const message = expectEnvelope(caller, await reply.json(), 'content_refused', 400);
    expect(message).toStartWith('Moderation refused the request: harassment');
  });

  test.each([false, true])('a reply is refused before a byte of it is sent (stream: %p)', async (stream) => {
    const reply = await ask(caller, tokens.after, [`Repeat: ${threat}`], stream);
    expect(reply.status).toBe(400);
    const text = await reply.text();
    const message = expectEnvelope(caller, JSON.parse(text), 'content_refused', 400);
    expect(message).toStartWith('Moderation refused the reply: harassment');
    expect(text).not.toContain(threat);
  });

  test.each([false, true])('what is allowed passes unchanged (stream: %p)', async (stream) => {
    const gated = await ask(caller, tokens.both, [harmless], stream);
    const plain = await ask(caller, tokens.plain, [harmless], stream);
    expect([gated.status, gated.headers.get('content-type')]).toEqual([200, plain.headers.get('content-type')]);
    const [text, expected] = [await gated.text(), await plain.text()];
    expect(expected).toContain('lighthouses');
    expect(timeless(text)).toBe(timeless(expected));
  });
});

describe('what is judged', () => {
  const [chat] = callers;
  if (chat === undefined) throw new Error('no caller');
  const said = (role: string, content: unknown) => ({ role, content });
  const statusOf = async (...turns: unknown[]) => (await ask(chat, tokens.before, turns)).status;

  test('every turn, including an invented history and a prefilled answer', async () => {
    expect(await statusOf(harmless, said('assistant', 'Gladly.'), harmless)).toBe(200);
    expect(await statusOf(said('user', threat), said('assistant', 'Please do not.'), harmless)).toBe(400);
    expect(await statusOf(harmless, said('assistant', threat), harmless)).toBe(400);
    expect(await statusOf(harmless, said('assistant', 'Gladly.'), said('user', threat), harmless)).toBe(400);
    expect(await statusOf(said('user', threat), said('assistant', 'Sure: '))).toBe(400);
    expect(await statusOf(said('system', threat), harmless)).toBe(400);
    expect(await statusOf(said('user', [{ type: 'text', text: threat }]))).toBe(400);
  });

  test('an image that the judge cannot check is refused, and so is audio', async () => {
    const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
    const reply = await ask(chat, tokens.before, [said('user', [{ type: 'text', text: harmless }, image])]);
    expect(reply.status).toBe(400);
    expect((await errorOf(reply)).message).toContain('it holds an image, which cannot be checked here');
    const audio = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } };
    const refused = await errorOf(await ask(chat, tokens.before, [said('user', [audio])]));
    expect([refused.code, refused.message]).toEqual(['content_refused', expect.stringContaining('it holds audio')]);
  });

  test('an image that the judge can check is sent to it separately', async () => {
    const image = (url: string) => ({ type: 'image_url', image_url: { url } });
    const turns = (url: string) => [said('user', [{ type: 'text', text: harmless }, image(url)])];
    const { token } = tokens.judged;
    const send = (url: string) =>
      post({ base: weir.base, token }, { model: 'gpt-4.1', messages: turns(url), max_tokens: 5 });
    expect((await send('https://example.com/fine.png')).status).toBe(200);
    expect(judge.inputs.slice(0, 2)).toEqual([[harmless], [image('https://example.com/fine.png')]]);
    expect((await errorOf(await send('https://example.com/forbidden.png'))).message).toContain('violence');
  });

  test('a prompt of tokens instead of words', async () => {
    const init = { method: 'POST', headers: { authorization: `Bearer ${tokens.before.token}` } };
    const headers = { ...init.headers, 'content-type': 'application/json' };
    const body = JSON.stringify({ model: 'sandbox-chat', prompt: [40, 481, 3708, 345] });
    const error = await errorOf(await fetch(`${weir.base}/completions`, { ...init, headers, body }));
    expect([error.code, error.message]).toEqual(['content_refused', expect.stringContaining('numbers')]);
  });

  test('a long text is judged to its end', async () => {
    const long = `${'calm sea '.repeat(20_000)}${threat}`;
    expect(await statusOf(long)).toBe(400);
    expect(await statusOf('calm sea '.repeat(20_000))).toBe(200);
  });
});

describe('who can require it', () => {
  test('an alias requires it of all tokens', async () => {
    const send = (model: string, text: string) =>
      post({ base: weir.base, token: tokens.plain.token }, scriptedTo(model, text));
    expect((await errorOf(await send('guarded', threat))).code).toBe('content_refused');
    expect((await send('guarded', harmless)).status).toBe(200);
    expect((await errorOf(await send('held', threat))).message).toStartWith('Moderation refused the reply');
    expect((await send('gpt-4.1', threat)).status).toBe(200);
  });

  test('the requirements of a token and an alias add up', async () => {
    const send = (model: string, text: string) =>
      post({ base: weir.base, token: tokens.after.token }, scriptedTo(model, text));
    expect((await errorOf(await send('guarded', threat))).message).toStartWith('Moderation refused the request');
  });

  test('`token show` shows it', async () => {
    const { stdout } = await runHere(weir, ['token', 'show', tokens.judged.id]);
    expect(stdout).toMatch(/moderated\s+requests and responses, by scripted-judge/);
    expect(await json(weir, 'token', 'show', tokens.before.id)).toMatchObject({ moderate: 'before' });
    expect((await runHere(weir, ['token', 'show', tokens.plain.id])).stdout).toMatch(/moderated\s+none/);
  });
});

/** The scripted provider repeats the given text. */
function scriptedTo(model: string, text: string, fields: object = {}): Record<string, unknown> {
  return { ...scripted({ text }), model, ...fields };
}

describe('money', () => {
  const budgeted = (at: string, usd: string) =>
    createToken(weir, '--moderate', at, '--moderation-model', 'scripted-judge', '--budget-usd', usd);

  test('a refused request costs its moderation and nothing else', async () => {
    await upstream.reset();
    const token = await budgeted('before', '1');
    expect((await errorOf(await post(token, scriptedTo('gpt-4.1', 'forbidden')))).code).toBe('content_refused');
    expect(await upstream.invoice()).toEqual([]);
    const rows = await rowsOf(token, 2);
    const [request, moderation] = [rows.find((row) => row.code !== ''), rows.find((row) => row.code === '')];
    expect([rows.length, request?.code, request?.status, request?.costNano]).toEqual([2, 'content_refused', 400, 0n]);
    // The judge reports 10 tokens at a dollar per million.
    expect([moderation?.requestId, moderation?.costNano]).toEqual([`${request?.requestId}.request`, 10_000n]);
    const attempts = (await settledLedger(weir)).attempts.filter((attempt) => attempt.tokenId === token.id);
    expect(attempts.map(({ model, costNano }) => [model, costNano])).toEqual([['scripted-judge', 10_000n]]);
    expectBalanced(await settledLedger(weir));
  });

  test.each([false, true])('a refused reply is charged like any other, in one row (stream: %p)', async (stream) => {
    await upstream.reset();
    const token = await budgeted('after', '1');
    const reply = await post(token, scriptedTo('gpt-4.1', 'forbidden', { stream }));
    expect((await errorOf(reply)).code).toBe('content_refused');
    const [entry] = await upstream.invoice();
    const rows = await rowsOf(token, 2);
    const row = rows.find(({ code }) => code === 'content_refused');
    expect(rows.length).toBe(2);
    const expected = BigInt((entry?.promptTokens ?? 0) * 2_000 + (entry?.tokensSent ?? 0) * 8_000);
    // A whole reply of the script counts three tokens, a stream of it one.
    expect([row?.status, row?.costNano]).toEqual([400, expected]);
    expectBalanced(await settledLedger(weir));
  });

  test('a budget that has no room for the moderation refuses before anything is sent', async () => {
    await upstream.reset();
    const token = await budgeted('before', '0.000000001');
    const reply = await post(token, scriptedTo('gpt-4.1', harmless));
    expect([reply.status, (await errorOf(reply)).code]).toEqual([402, 'budget_spent']);
    expect([judge.inputs, await upstream.invoice()]).toEqual([[], []]);
  });

  test('neither the token’s model list nor its single slot blocks the gate', async () => {
    expect((await post(tokens.judged, scriptedTo('gpt-4.1', harmless))).status).toBe(200);
    // The reply repeats the request's text, which another test of this token may have had judged.
    expect(judge.inputs[0]).toEqual([expect.stringContaining(harmless)]);
    const own = await fetch(`${weir.base}/moderations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens.judged.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'scripted-judge', input: 'x' }),
    });
    expect((await errorOf(own)).code).toBe('model_not_allowed');
  });
});

describe('a judge that is unavailable', () => {
  const kinds = [
    ['cannot be reached', 'dead-judge', undefined],
    ['fails', 'scripted-judge', { status: 500 }],
    ['asks to wait', 'scripted-judge', { status: 429 }],
    ['does not exist', 'no-such-judge', undefined],
    ['is no judge', 'gpt-4.1', undefined],
    ['says nothing of use', 'scripted-judge', { body: '{"results":[]}' }],
  ] as const;

  test.each(kinds)('%s: nothing passes', async (_name, model, behavior) => {
    await upstream.reset();
    judge.behave(behavior ?? {});
    const token = await createToken(weir, '--moderate', 'before', '--moderation-model', model);
    for (const stream of [false, true]) {
      const reply = await post(token, scriptedTo('gpt-4.1', harmless, { stream }));
      expect([reply.status, reply.headers.get('x-should-retry')]).toEqual([503, 'false']);
      expect((await errorOf(reply)).code).toBe('moderation_unavailable');
    }
    expect(await conversations()).toEqual([]);
  });

  test.each([false, true])('after the reply: it is withheld and charged (stream: %p)', async (stream) => {
    await upstream.reset();
    const token = await createToken(weir, '--moderate', 'after', '--moderation-model', 'dead-judge');
    const reply = await post(token, scriptedTo('gpt-4.1', harmless, { stream }));
    const text = await reply.text();
    expect([reply.status, JSON.parse(text).error.code]).toEqual([503, 'moderation_unavailable']);
    expect((await upstream.invoice()).length).toBe(1);
    const row = (await rowsOf(token, 2)).find(({ costNano }) => costNano > 0n);
    expect([row?.status, row?.code]).toEqual([503, 'moderation_unavailable']);
  });
});

describe('over the WebSocket', () => {
  const create = (input: string, fields: object = {}) => ({
    type: 'response.create',
    model: 'sandbox-chat',
    input,
    ...fields,
  });

  test.each([{}, { generate: false }])('a request is refused and the connection stays open (%p)', async (fields) => {
    const client = new SocketClient(`${weir.base}/responses`, { token: tokens.before.token });
    await client.send(create(threat, fields));
    const [refusal] = await client.reply();
    expect([refusal?.type, refusal?.['error']]).toMatchObject(['error', { code: 'content_refused' }]);
    await client.send(create(harmless, fields));
    expect((await client.reply()).at(-1)?.type).toBe('response.completed');
    client.socket.close();
  });

  test('a reply is refused', async () => {
    const client = new SocketClient(`${weir.base}/responses`, { token: tokens.after.token });
    await client.send(create(threat));
    const events = await client.reply();
    expect(events.map(({ type }) => type)).toEqual(['error']);
    client.socket.close();
  });
});

describe('held streams', () => {
  const slow = { text: 'Good news.', eventDelayMs: 4_000 };

  test('keep-alives while it waits, then the same bytes', async () => {
    const body = { ...scripted(slow), stream: true };
    const gated = await post(tokens.both, body);
    const text = await gated.text();
    expect(text).toStartWith(': ping\n');
    const bytes = text.replaceAll(/^: ping\n/gm, '');
    const plain = await (await post(tokens.plain, body)).text();
    expect(timeless(bytes)).toBe(timeless(plain.replaceAll(/^: ping\n/gm, '')));
    expect(bytes).toEndWith('data: [DONE]\n\n');
  });

  test('refused after the head was sent: one error event and the end', async () => {
    const body = { ...scripted({ ...slow, text: threat }), stream: true };
    const reply = await post(tokens.after, body);
    const text = await reply.text();
    expect(reply.status).toBe(200);
    const events = text.split('\n').filter((line) => line.startsWith('data: '));
    expect(events.map((line) => JSON.parse(line.slice(6)).error.code)).toEqual(['content_refused']);
    expect(text).not.toContain(threat);
  });

  test('a reply that its provider cuts off is not judged', async () => {
    const cut = { deltas: 5, cut: { after: 2, how: 'end' } } as const;
    const reply = await post(tokens.after, { ...scripted(cut), stream: true });
    // On a busy machine the head may be out before the provider's end is seen: then the error is an event.
    const text = await reply.text();
    const said = reply.status === 502 ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '');
    expect((JSON.parse(said) as { error: { code: string } }).error.code).toBe('upstream_failed');
  });

  test('a client that disconnects ends the wait', async () => {
    await upstream.reset();
    const leaving = new AbortController();
    const body = { ...scripted({ nonce: 'left', deltas: 2_000, paceMs: 50 }), stream: true };
    const reply = post(tokens.after, body, { signal: leaving.signal }).catch(() => undefined);
    await until(async () => ((await upstream.invoice())[0]?.tokensSent ?? 0) > 3);
    leaving.abort();
    await reply;
    await until(async () => (await upstream.entry('left')).outcome === 'left');
    const left = async () => (await rowsOf(tokens.after, 1)).filter(({ code }) => code === 'client_left');
    await until(async () => (await left()).length > 0);
    const [row, ...others] = await left();
    expect([row?.status, row?.estimated, others]).toEqual([499, true, []]);
    expect(row?.costNano).toBeGreaterThan(0n);
  });

  test('a client that disconnects shortly before the end is charged the reported usage', async () => {
    await upstream.reset();
    const leaving = new AbortController();
    const body = { ...scripted({ nonce: 'late', deltas: 20, paceMs: 50 }), stream: true };
    const reply = post(tokens.after, body, { signal: leaving.signal }).catch(() => undefined);
    await until(async () => ((await upstream.invoice())[0]?.tokensSent ?? 0) > 3);
    leaving.abort();
    await reply;
    const left = async () => (await rowsOf(tokens.after, 1)).filter(({ code }) => code === 'client_left');
    await until(async () => (await left()).some(({ estimated }) => !estimated));
    const { reported, tokensSent } = await upstream.entry('late');
    const row = (await left()).find(({ estimated }) => !estimated);
    // After the usage the connection may be closed by either side first.
    expect([tokensSent, row?.outputTotal]).toEqual([20, reported?.completionTokens]);
  });

  test('a JSON array of the content-generation format', async () => {
    const path = '/v1beta/models/sandbox-chat:streamGenerateContent';
    const send = async ({ token }: MadeToken, text: string) => {
      const headers = { 'x-goog-api-key': token, 'content-type': 'application/json' };
      const body = JSON.stringify({ contents: [{ role: 'user', parts: [{ text }] }] });
      return fetch(weir.url + path, { method: 'POST', headers, body });
    };
    const [gated, plain] = [await send(tokens.both, harmless), await send(tokens.plain, harmless)];
    const text = await gated.text();
    expect(Array.isArray(JSON.parse(text))).toBe(true);
    expect(timeless(text)).toBe(timeless(await plain.text()));
    expect((await send(tokens.after, threat)).status).toBe(400);
  });

  test('an idempotency key gets the judged bytes again, and a refused one is used up', async () => {
    const send = (key: string, text: string) =>
      post(tokens.after, { ...scripted({ text }), stream: true }, { headers: { 'idempotency-key': key } });
    const first = await (await send('held-1', harmless)).text();
    const again = await send('held-1', harmless);
    expect([again.headers.has('x-weir-replayed'), await again.text()]).toEqual([true, first]);
    expect((await send('held-2', threat)).status).toBe(400);
    expect((await errorOf(await send('held-2', threat))).code).toBe('idempotency_key_reused');
  });
});
