/** A token that is revoked, expires, or whose owner is disabled: its requests end within a second and are charged. */

import { describe, expect, setDefaultTimeout } from 'bun:test';
import { type RealtimeProvider, startRealtimeProvider } from '../fake-upstream/realtime/provider.ts';
import { errorOf, post } from '../harness/chat.ts';
import { ConsoleClient } from '../harness/console-client.ts';
import { chatDelta, type HoldingUpstream, startHoldingUpstream, writtenStream } from '../harness/holding-upstream.ts';
import { expectBalanced, readLedger, settledLedger, type UsageRow } from '../harness/ledger-rows.ts';
import { needing } from '../harness/needs.ts';
import { postTo } from '../harness/operation-calls.ts';
import { isFullSize } from '../harness/size.ts';
import { SocketClient } from '../harness/socket-client.ts';
import { createToken, json, type MadeToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(300_000);
const budget = ['--budget-usd', '50', '--budget-period', 'total'];
const password = 'a password that is long enough';
const talk = { model: 'talk', messages: [{ role: 'user', content: 'How much is it?' }], max_tokens: 100 };

/** How the stream of each format reports its end. */
const streams = [
  { name: 'chat', path: '/chat/completions', body: { ...talk, stream: true }, ending: /^data: \{"error":.*token_/m },
  { name: 'messages', path: '/messages', body: { ...talk, stream: true }, ending: /^event: error\n.*was revoked/m },
  {
    name: 'responses',
    path: '/responses',
    body: { model: 'talk', input: 'How much is it?', stream: true },
    ending: /^event: response\.failed\n.*was revoked/m,
  },
  {
    name: 'generate content',
    path: '/v1beta/models/talk:streamGenerateContent?alt=sse',
    body: { contents: [{ role: 'user', parts: [{ text: 'How much is it?' }] }] },
    ending: /^data: \{"error":.*401/m,
  },
];

describe.each(['sqlite', 'postgres'] as const)('%s', (database) => {
  const { afterAll, beforeAll, test } = needing(database);
  let upstream: HoldingUpstream;
  let provider: RealtimeProvider;
  let weir: RunningWeir;
  beforeAll(async () => {
    upstream = startHoldingUpstream();
    provider = startRealtimeProvider();
    weir = await startWeir({
      database,
      yaml: {
        providers: {
          up: { kind: 'openai-chat', base_url: upstream.base, key: 'sk-upstream', models: ['talk', 'speech'] },
          live: { kind: 'openai', base_url: provider.base, key: 'sk-live', models: ['up-realtime'] },
        },
        prices: { talk: { input: 2, output: 8 }, speech: { characters: 15 } },
        clocks: { read_on_ms: 600_000 },
      },
      env: { WEIR_ADMIN_PASSWORD: password },
    });
  });
  afterAll(async () => {
    await weir?.remove();
    provider?.stop();
    await upstream?.stop();
  });

  const revoke = (token: MadeToken): Promise<unknown> => json(weir, 'token', 'revoke', token.id);

  async function rowOf(token: MadeToken): Promise<UsageRow | undefined> {
    const own = async () => (await readLedger(weir)).usage.filter(({ tokenId }) => tokenId === token.id);
    await until(async () => (await own()).length > 0, 60_000, 'a row');
    return (await own()).at(-1);
  }

  /** A stream that has begun; its provider holds the rest back. */
  async function openStream(token: MadeToken, path: string, body: object) {
    const before = upstream.requests.length;
    const asking = postTo({ ...token, base: path.startsWith('/v1beta') ? weir.url : token.base }, path, body);
    await until(() => upstream.requests.length > before, 60_000, 'the request at the provider');
    const held = upstream.requests[before];
    const stream = writtenStream();
    held?.answer(stream.reply);
    stream.write(chatDelta('So it is.'), chatDelta(' And so'));
    const reply = await asking;
    const reader = reply.body?.getReader();
    let text = '';
    const decoder = new TextDecoder();
    const read = (async () => {
      for (let part = await reader?.read(); part?.done === false; part = await reader?.read())
        text += decoder.decode(part.value, { stream: true });
    })();
    await until(() => text.includes('And so'), 60_000, 'the first words');
    return { held, ended: read.then(() => text) };
  }

  // The paths of a request are the same code on both; the news of a revocation and what is written are not.
  const isWhole = database === 'sqlite' || isFullSize;
  test.each(isWhole ? streams : streams.slice(0, 1))('a running stream of $name ends with its own error', async ({
    path,
    body,
    ending,
  }) => {
    const token = await createToken(weir, ...budget);
    const stream = await openStream(token, path, body);
    await revoke(token);
    expect(await stream.ended).toMatch(ending);
    await until(() => stream.held?.left === true, 60_000, 'the end of the connection to the provider');
    const row = await rowOf(token);
    expect(row).toMatchObject({ status: 401, code: 'token_disabled', estimated: true });
    expect(row?.costNano).toBeGreaterThan(0n);
    const next = await post(token, talk);
    expect([next.status, (await errorOf(next)).code]).toEqual([401, 'token_disabled']);
    expectBalanced(await settledLedger(weir));
  });

  test('a whole request gets that error, and is charged its estimate', async () => {
    const token = await createToken(weir, ...budget);
    const before = upstream.requests.length;
    const asking = post(token, talk);
    await until(() => upstream.requests.length > before);
    await revoke(token);
    const reply = await asking;
    expect([reply.status, (await errorOf(reply)).code]).toEqual([401, 'token_disabled']);
    await until(() => upstream.requests[before]?.left === true);
    const row = await rowOf(token);
    expect(row).toMatchObject({ status: 401, code: 'token_disabled', estimated: true });
    expect(row?.costNano).toBeGreaterThanOrEqual(800_000n);
  });

  if (isWhole)
    test('speech is cut off, and charged for its whole input', async () => {
      const token = await createToken(weir, ...budget);
      const before = upstream.requests.length;
      const asking = postTo(token, '/audio/speech', { model: 'speech', voice: 'rms', input: 'A weir.' });
      await until(() => upstream.requests.length > before);
      const body = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1_000)) });
      upstream.requests[before]?.answer(new Response(body, { headers: { 'content-type': 'audio/mpeg' } }));
      const reply = await asking;
      const reader = reply.body?.getReader();
      expect((await reader?.read())?.value?.length).toBe(1_000);
      await revoke(token);
      expect(reader?.read()).rejects.toThrow();
      expect(await rowOf(token)).toMatchObject({ status: 401, code: 'token_disabled', costNano: 105_000n });
      await until(() => upstream.requests[before]?.left === true);
    });

  if (isWhole)
    test('Weir does not keep reading from a provider for a revoked token', async () => {
      const token = await createToken(weir, ...budget);
      const before = upstream.requests.length;
      const leaving = new AbortController();
      const asking = post(token, talk, { signal: leaving.signal }).catch(() => undefined);
      await until(() => upstream.requests.length > before);
      leaving.abort();
      await asking;
      await revoke(token);
      await until(() => upstream.requests[before]?.left === true, 60_000, 'the end of the connection to the provider');
      expect((await rowOf(token))?.estimated).toBe(true);
    });

  test('a token that expires ends its stream', async () => {
    const token = await createToken(weir);
    const stream = await openStream(token, '/chat/completions', { ...talk, stream: true });
    const owner = new ConsoleClient(weir);
    await owner.signIn('admin', password);
    const soon = async () => {
      const expiresAt = new Date(Date.now() + 1_500).toISOString();
      return (await owner.call('PATCH', `/tokens/${token.id}`, { body: { expiresAt } })).status === 200;
    };
    await until(soon, 60_000, 'an expiry in the near future');
    expect(await stream.ended).toContain('token_expired');
    expect(await rowOf(token)).toMatchObject({ status: 401, code: 'token_expired' });
    await until(() => stream.held?.left === true);
  });

  test('an owner who is disabled with their tokens loses their streams', async () => {
    const owner = new ConsoleClient(weir);
    await owner.signIn('admin', password);
    const name = `nora-${database}`;
    const account = await owner.post('/accounts', { name, role: 'member', password: 'a long password' });
    const { id } = (account.body as { account: { id: string } }).account;
    const nora = new ConsoleClient(weir);
    await nora.signIn(name, 'a long password');
    const { token } = (await nora.post('/tokens', { name: 'of nora' })).body as { token: string };
    const made = { id: '', token, base: weir.base };
    const stream = await openStream(made, '/chat/completions', { ...talk, stream: true });
    await owner.call('PATCH', `/accounts/${id}`, { body: { disabled: true, revokeTokens: true } });
    expect(await stream.ended).toContain('token_disabled');
  });

  test('other tokens are not affected', async () => {
    const [token, other] = await Promise.all([createToken(weir), createToken(weir)]);
    const stream = await openStream(token, '/chat/completions', { ...talk, stream: true });
    await revoke(other);
    const refused = async () => (await post(other, talk)).status === 401;
    await until(refused, 60_000, 'the revocation');
    expect(stream.held?.left).toBe(false);
    await revoke(token);
    await stream.ended;
  });

  if (isWhole)
    test('a WebSocket of responses closes, idle or not', async () => {
      const token = await createToken(weir);
      const idle = new SocketClient(`${weir.base}/responses`, token);
      const busy = new SocketClient(`${weir.base}/responses`, token);
      const before = upstream.requests.length;
      await idle.opened;
      await busy.send({ type: 'response.create', model: 'talk', input: 'How much is it?' });
      await until(() => upstream.requests.length > before);
      await revoke(token);
      for (const socket of [idle, busy]) {
        expect((await socket.closed).code).toBe(1008);
        expect(socket.events.at(-1)).toMatchObject({ type: 'error', error: { code: 'token_disabled' } });
      }
      await until(() => upstream.requests[before]?.left === true);
    });

  const say = (text: string) => ({
    type: 'conversation.item.create',
    item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
  });

  test.each(
    isWhole ? ['a token', 'a client secret of it'] : ['a token'],
  )('a live session by %s closes', async (how) => {
    const token = await createToken(weir);
    let credential = token.token;
    if (how !== 'a token') {
      const minted = await postTo(token, '/realtime/client_secrets', {
        session: { type: 'realtime', model: 'up-realtime' },
      });
      credential = ((await minted.json()) as { value: string }).value;
    }
    const socket = new SocketClient(`${weir.base}/realtime?model=up-realtime`, { token: credential });
    await socket.send(say('before'));
    const seen = () => provider.last();
    await until(() => seen().frames.some((frame) => frame.includes('before')), 60_000, 'the first frame');
    const connection = seen();
    // Everything that is sent from here on is sent after the token was revoked.
    await revoke(token);
    const { code } = await socket.closed;
    expect(code).toBe(1008);
    expect(socket.events.at(-1)).toMatchObject({ type: 'error', error: { code: 'token_disabled' } });
    socket.socket.send(JSON.stringify(say('after')));
    await until(() => connection.closed !== undefined, 60_000, 'the end of the connection to the provider');
    expect(connection.frames.some((frame) => frame.includes('after'))).toBe(false);
  });

  if (isWhole)
    test('signed URLs of images and videos stop', async () => {
      const token = await createToken(weir);
      const image = await postTo(token, '/images/generations', {
        model: 'sandbox-image',
        prompt: 'A weir.',
        size: '64x64',
        response_format: 'url',
      });
      const { data } = (await image.json()) as { data: { url: string }[] };
      const ordered = await postTo(token, '/video/generations', {
        model: 'sandbox-video',
        prompt: 'A weir.',
        duration: 1,
        width: 64,
        height: 36,
        fps: 10,
      });
      const task = (await ordered.json()) as { task_id: string };
      let video: string | undefined;
      await until(
        async () => {
          const headers = { authorization: `Bearer ${token.token}` };
          const reply = await fetch(`${weir.base}/video/generations/${task.task_id}`, { headers });
          video = ((await reply.json()) as { url?: string }).url;
          return video !== undefined;
        },
        60_000,
        'the video',
      );
      const urls = [data[0]?.url ?? '', video ?? ''];
      for (const url of urls) expect((await fetch(url)).status).toBe(200);
      await revoke(token);
      for (const url of urls) {
        const reply = await fetch(url);
        expect([reply.status, (await errorOf(reply)).code]).toEqual([410, 'url_revoked']);
      }
    });
});
