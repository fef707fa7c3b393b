/** The responses format over a WebSocket: the same events, its own memory, and a correct end for every failure. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import OpenAI from 'openai';
import { ResponsesWS } from 'openai/resources/responses/ws';
import { type Script, scriptText } from '../fake-upstream/script.ts';
import { type KeepingProvider, startKeepingProvider } from '../harness/keeping-provider.ts';
import { settledLedger, type UsageRow } from '../harness/ledger-rows.ts';
import { rawRequest } from '../harness/raw-request.ts';
import { SocketClient, type SocketEvent, type SocketOptions } from '../harness/socket-client.ts';
import { createToken, json } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const messageBytesMax = 100_000;
let upstream: RunningUpstream;
let keeper: KeepingProvider;
let weir: RunningWeir;
/** Lets clients go that do not read, and is shut down in the end. */
let other: RunningWeir;

beforeAll(async () => {
  upstream = await startUpstream();
  keeper = startKeepingProvider();
  weir = await startSocketWeir();
  other = await startSocketWeir({ clocks: { client_stall_timeout_ms: 1_500 } });
});
afterAll(async () => {
  await weir.remove();
  await other.remove();
  await upstream.stop();
  keeper.stop();
});

function startSocketWeir(more: object = {}): Promise<RunningWeir> {
  return startWeir({
    env: { WEIR_CLOCKS_READ_ON_MS: '0' },
    yaml: {
      providers: {
        chatty: { kind: 'openai-chat', base_url: upstream.base, key: 'sk-chat', models: ['gpt-4.1'] },
        keeper: { kind: 'openai', base_url: keeper.base, key: 'sk-one', models: ['gpt-kept'] },
      },
      limits: { json_body_bytes_max: messageBytesMax },
      ...more,
    },
  });
}

const connect = (options: SocketOptions = { token: weir.token }, at = weir): SocketClient =>
  new SocketClient(`${at.base}/responses`, options);
const scripted = (script: Script) => ({ model: 'gpt-4.1', input: scriptText(script) });
const replyOf = (event: SocketEvent) =>
  event['response'] as { id: string; output: unknown[]; store: boolean; usage: { input_tokens: number } };
const errorOf = (event: SocketEvent) => event['error'] as { code: string; message: string; param: string | null };

async function chatTexts(): Promise<string[]> {
  const entry = (await upstream.invoice()).at(-1);
  const body = JSON.parse(Buffer.from(entry?.bodyBase64 ?? '', 'base64').toString('utf8')) as {
    messages: { content: unknown }[];
  };
  return body.messages.map(({ content }) => String(content));
}

/** A token's usage rows once there are so many. */
async function rowsOf(token: string, most: number): Promise<readonly UsageRow[]> {
  let rows: readonly UsageRow[] = [];
  const come = async () => {
    rows = (await settledLedger(weir)).usage.filter(({ tokenId }) => tokenId === token);
    return rows.length >= most;
  };
  await until(come, 60_000, `${most} usage rows`);
  expect(rows).toHaveLength(most);
  return rows;
}

describe('a conversation', () => {
  test('gives the events of the stream, one by one', async () => {
    const socket = connect();
    await socket.send({ type: 'response.create', ...scripted({ deltas: 3 }) });
    const events = await socket.reply();
    expect(events[0]?.type).toBe('response.created');
    expect(events.at(-1)?.type).toBe('response.completed');
    expect(events.filter(({ type }) => type === 'response.output_text.delta')).toHaveLength(3);
    expect(events.map((event) => event['sequence_number'])).toEqual(events.map((_, index) => index));
    socket.close();
    expect((await socket.closed).code).toBe(1000);
  });

  test('does not wait for a piece of the provider’s reply of which nothing is sent', async () => {
    const chunk = (fields: object): string =>
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', ...fields })}\n\n`;
    const choice = (delta: object, finish_reason: string | null = null): string =>
      chunk({ choices: [{ index: 0, delta, finish_reason }] });
    // The end of the text is an event only together with the usage behind it.
    const pieces = [
      choice({ role: 'assistant', content: 'one' }),
      choice({}, 'stop'),
      chunk({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }),
      'data: [DONE]\n\n',
    ];
    const socket = connect();
    const piecesBase64 = pieces.map((piece) => Buffer.from(piece).toString('base64'));
    const last = await socket.create(scripted({ piecesBase64, paceMs: 30, contentType: 'text/event-stream' }));
    expect(last.type).toBe('response.completed');
    socket.close();
  });

  test('continues by id from its own memory, though nothing is stored', async () => {
    const socket = connect();
    const first = await socket.create({
      model: 'gpt-4.1',
      store: false,
      input: `first ${scriptText({ text: 'one' })}`,
    });
    expect(replyOf(first).store).toBe(false);
    const rest = { model: 'gpt-4.1', input: [{ role: 'user', content: `second ${scriptText({ text: 'two' })}` }] };
    const second = await socket.create({ ...rest, previous_response_id: replyOf(first).id });
    expect((await chatTexts()).map((text) => text.slice(0, 6))).toEqual(['first ', 'one', 'second']);
    // From an earlier one again: a conversation may fork.
    await socket.create({ model: 'sandbox-chat', input: 'third', previous_response_id: replyOf(first).id });
    const other = connect();
    const lost = await other.create({ ...rest, previous_response_id: replyOf(second).id });
    expect(lost).toMatchObject({ type: 'error', status: 400 });
    expect(errorOf(lost)).toMatchObject({ code: 'previous_response_not_found', param: 'previous_response_id' });
    expect(errorOf(lost).message).toContain('content_storage.responses');
    // The connection stays open after a refusal.
    expect((await other.create(scripted({ text: 'fine' }))).type).toBe('response.completed');
    socket.close();
    other.close();
  });

  test.each([
    ['gpt-4.1'],
    ['sandbox-chat'],
    ['gpt-kept'],
  ])('on %s a result without its call is refused, and the reply that it continued is forgotten', async (model) => {
    const socket = connect();
    const first = await socket.create({ model, store: false, input: `ember ${scriptText({ text: 'OK' })}` });
    const previous_response_id = replyOf(first).id;
    const orphan = { type: 'function_call_output', call_id: 'call_missing', output: 'x' };
    const refused = await socket.create({ model, store: false, previous_response_id, input: [orphan] });
    expect(refused).toMatchObject({ type: 'error', status: 400 });
    expect(errorOf(refused).message).toContain('No tool call found for function call output with call_id call_missing');
    const lost = await socket.create({ model, store: false, previous_response_id, input: 'And?' });
    expect(lost).toMatchObject({ type: 'error', status: 400, error: { code: 'previous_response_not_found' } });
    socket.close();
  });

  test('warms up without a provider, without cost, and continues from there', async () => {
    const before = (await upstream.invoice()).length;
    const { token, id } = await createToken(weir);
    const socket = connect({ token });
    const input = [{ role: 'developer', content: 'Be brief.' }];
    await socket.send({ type: 'response.create', model: 'gpt-4.1', input, tools: [], generate: false });
    const events = await socket.reply();
    expect(events.map(({ type }) => type)).toEqual(['response.created', 'response.in_progress', 'response.completed']);
    const warm = replyOf(events.at(-1) as SocketEvent);
    expect(warm).toMatchObject({ output: [], store: false, usage: { input_tokens: 0 } });
    expect((await upstream.invoice()).length).toBe(before);
    const next = { model: 'gpt-4.1', input: scriptText({ text: 'yes' }), previous_response_id: warm.id };
    expect((await socket.create(next)).type).toBe('response.completed');
    expect((await chatTexts())[0]).toBe('Be brief.');
    socket.close();
    expect(await rowsOf(id, 1)).toMatchObject([{ status: 200 }]);
  });

  test('sends the id to a provider that stores replies, and the turns if it does not have them', async () => {
    const socket = connect();
    const first = await socket.create({ model: 'gpt-kept', input: 'one' });
    await socket.create({ model: 'gpt-kept', input: 'two', previous_response_id: replyOf(first).id });
    expect(keeper.seen.at(-1)?.body).toMatchObject({
      previous_response_id: replyOf(first).id,
      stream: true,
      input: 'two',
    });
    expect(Object.keys(keeper.seen.at(-1)?.body ?? {})).not.toContain('type');
    const third = await socket.create({ model: 'gpt-kept', input: 'three', store: false });
    await socket.create({ model: 'gpt-kept', input: 'four', previous_response_id: replyOf(third).id });
    const sent = keeper.seen.at(-1)?.body;
    expect(sent).not.toHaveProperty('previous_response_id');
    expect(sent?.['input']).toHaveLength(3);
    await socket.create({ model: 'sandbox-chat', input: 'five', previous_response_id: replyOf(first).id });
    socket.close();
  });

  test('runs the requests of a lane one after the other, and lanes side by side', async () => {
    const socket = connect();
    const create = (stream_id: string | undefined, script: Script) =>
      socket.send({ type: 'response.create', ...scripted(script), ...(stream_id === undefined ? {} : { stream_id }) });
    await create('slow', { nonce: 'lane-1', headDelayMs: 3_000, text: 'slow' });
    await create('slow', { nonce: 'lane-2', text: 'after' });
    await create('quick', { nonce: 'lane-3', text: 'quick' });
    const ends: unknown[] = [];
    while (ends.length < 3) {
      const event = await socket.next();
      expect(event['stream_id']).toBeOneOf(['slow', 'quick']);
      if (event.type === 'response.completed') ends.push(event['stream_id']);
    }
    expect(ends).toEqual(['quick', 'slow', 'slow']);
    const [first, second] = await Promise.all([upstream.entry('lane-1'), upstream.entry('lane-2')]);
    expect(second.atMs).toBeGreaterThanOrEqual(first.endedAtMs ?? Number.POSITIVE_INFINITY);
    socket.close();
  });

  test('counts every request separately', async () => {
    const { token, id } = await createToken(weir, '--rpm', '2');
    const socket = connect({ token });
    await socket.create(scripted({ text: 'a' }));
    await socket.create(scripted({ text: 'b' }));
    const third = await socket.create(scripted({ text: 'c' }));
    expect(third).toMatchObject({ type: 'error', status: 429, error: { code: 'rate_limited' } });
    socket.close();
    const rows = await rowsOf(id, 3);
    expect(new Set(rows.map(({ requestId }) => requestId)).size).toBe(3);
    const costs = rows.map(({ status, costNano }) => [status, costNano > 0n] as const);
    expect(costs.sort(([a], [b]) => a - b)).toEqual([
      [200, true],
      [200, true],
      [429, false],
    ]);
  });

  test('works with the official library', async () => {
    const client = new OpenAI({ apiKey: weir.token, baseURL: weir.base });
    const socket = new ResponsesWS(client);
    const texts: string[] = [];
    const ids: string[] = [];
    socket.on('response.output_text.done', (event) => texts.push(event.text));
    socket.on('error', (error) => texts.push(String(error)));
    socket.on('response.completed', ({ response }) => {
      ids.push(response.id);
      if (ids.length === 2) return socket.close();
      socket.send({ type: 'response.create', ...scripted({ text: 'two' }), previous_response_id: response.id });
    });
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket.send({ type: 'response.create', ...scripted({ text: 'one' }) });
    await closed;
    expect(texts).toEqual(['one', 'two']);
    expect(await chatTexts()).toHaveLength(3);
  });
});

describe('the handshake', () => {
  const handshake = async (...lines: string[]): Promise<string> => {
    const head = ['GET /v1/responses HTTP/1.1', 'host: weir', ...lines, '', ''].join('\r\n');
    return (await rawRequest(weir.url, [head])).text;
  };
  const proper = [
    'connection: Upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
  ];

  test('a plain GET is a 426, at once', async () => {
    const reply = await fetch(`${weir.base}/responses`, { headers: { authorization: `Bearer ${weir.token}` } });
    expect(reply.status).toBe(426);
    expect(reply.headers.get('upgrade')).toBe('websocket');
    expect(await reply.json()).toMatchObject({ error: { code: 'upgrade_required' } });
    expect((await fetch(`${weir.base}/responses`)).status).toBe(401);
  });

  test('a bad handshake is a 400 or 426, a bad credential a 401', async () => {
    const bearer = `authorization: Bearer ${weir.token}`;
    expect(await handshake(...proper)).toStartWith('HTTP/1.1 401');
    expect(await handshake(bearer, ...proper.slice(0, 3))).toStartWith('HTTP/1.1 400');
    expect(await handshake(bearer, ...proper.slice(0, 3), 'sec-websocket-key: short')).toStartWith('HTTP/1.1 400');
    const old = proper.map((line) => line.replace(': 13', ': 8'));
    expect(await handshake(bearer, ...old)).toMatch(/^HTTP\/1\.1 4(00|26)/);
    expect(await handshake(bearer, ...proper)).toStartWith('HTTP/1.1 101');
  });

  test('a token in a sub-protocol opens it and is neither echoed nor logged', async () => {
    const secret = `sec-websocket-protocol: openai-insecure-api-key.${weir.token}`;
    for (const [offered, answered] of [
      [`${secret}, realtime`, 'realtime'],
      [`${secret}`, undefined],
    ] as const) {
      const reply = await handshake(...proper, offered);
      expect(reply).toStartWith('HTTP/1.1 101');
      expect(reply).not.toContain(weir.token);
      expect(/sec-websocket-protocol: (\S+)/i.exec(reply)?.[1]).toBe(answered as string);
    }
    const socket = connect({ protocols: ['realtime', `openai-insecure-api-key.${weir.token}`] });
    expect((await socket.create(scripted({ text: 'in' }))).type).toBe('response.completed');
    expect(socket.socket.protocol).toBe('realtime');
    socket.close();
    expect(weir.output()).not.toContain(weir.token);
  });

  test('doubled prefixes and slashes work too', async () => {
    for (const path of ['/v1/v1/responses', '/v1//responses']) {
      const socket = new SocketClient(weir.url + path, { token: weir.token });
      await socket.opened;
      socket.close();
    }
  });

  test('a token that may not use it or a model gets an error', async () => {
    const chatOnly = await createToken(weir, '--endpoints', 'chat');
    expect(await handshake(`authorization: Bearer ${chatOnly.token}`, ...proper)).toStartWith('HTTP/1.1 403');
    const socket = connect({ token: (await createToken(weir, '--models', 'sandbox-*')).token });
    for (const generate of [true, false]) {
      const refused = await socket.create({ ...scripted({ text: 'no' }), generate });
      expect(refused).toMatchObject({
        type: 'error',
        status: 403,
        error: { code: 'model_not_allowed', param: 'model' },
      });
    }
    expect((await socket.create({ model: 'sandbox-chat', input: 'yes' })).type).toBe('response.completed');
    socket.close();
  });

  test('a revoked token opens no connection', async () => {
    const { token, id } = await createToken(weir);
    const socket = connect({ token });
    expect((await socket.create(scripted({ text: 'in' }))).type).toBe('response.completed');
    await json(weir, 'token', 'revoke', id);
    let last: SocketEvent | undefined;
    await until(
      async () => {
        last = await socket.create(scripted({ text: 'still in' }));
        return last.type === 'error';
      },
      60_000,
      'a refusal',
    );
    expect(last).toMatchObject({ status: 401, error: { code: 'token_disabled' } });
    expect((await socket.closed).code).toBe(1008);
  });
});

describe('limits and faults', () => {
  test('a message at the cap passes, one above it closes with 1009', async () => {
    const frame = (bytes: number) => {
      const text = (input: string) => JSON.stringify({ type: 'response.create', model: 'sandbox-chat', input });
      return text('x'.repeat(bytes - text('').length));
    };
    const socket = connect();
    await socket.send(frame(messageBytesMax));
    expect((await socket.reply()).at(-1)?.type).toBe('response.completed');
    await socket.send(frame(messageBytesMax + 1));
    expect((await socket.closed).code).toBe(1009);
  });

  test('an invalid message is an error event, and the connection stays open', async () => {
    const socket = connect();
    const cases: [object | string, string][] = [
      ['{', 'json_malformed'],
      ['[]', 'json_malformed'],
      ['null', 'json_malformed'],
      [`{"type":"response.create","model":"x","input":${'['.repeat(70)}${']'.repeat(70)}}`, 'json_malformed'],
      [{}, 'field_missing'],
      [{ type: 'session.update' }, 'field_invalid'],
      [{ type: 'response.create', input: 'x' }, 'field_missing'],
      [{ type: 'response.create', model: 'gpt-4.1' }, 'field_missing'],
      [{ type: 'response.create', model: 'gpt-4.1', input: 'x', generate: 'no' }, 'field_invalid'],
      [{ type: 'response.create', model: 'gpt-4.1', input: 'x', background: true }, 'field_invalid'],
      [{ type: 'response.create', model: 'gpt-4.1', input: 'x', stream_id: 7 }, 'field_invalid'],
      [{ type: 'response.create', model: 'no-such-model', input: 'x' }, 'model_not_found'],
    ];
    for (const [frame, code] of cases) {
      await socket.send(frame);
      const [event] = await socket.reply();
      expect([frame, event?.type, event && errorOf(event).code]).toEqual([frame, 'error', code]);
    }
    await socket.send({ type: 'response.steer', previous_response_id: 'resp_1', input: 'left' });
    expect((await socket.reply())[0]).toMatchObject({
      type: 'response.steer.failed',
      steer: { input: 'left' },
      error: { code: 'steering_not_supported' },
    });
    expect((await socket.create(scripted({ text: 'fine' }))).type).toBe('response.completed');
    socket.socket.send(new Uint8Array([1, 2, 3]));
    expect((await socket.closed).code).toBe(1003);
  });

  test('too many requests at once are refused, those before them answered', async () => {
    const socket = connect();
    for (let index = 0; index < 17; index++)
      await socket.send({ type: 'response.create', ...scripted({ headDelayMs: index === 0 ? 200 : 0, text: 'ok' }) });
    const ends: string[] = [];
    while (ends.length < 17) ends.push((await socket.reply()).at(-1)?.type ?? '');
    expect(ends.filter((type) => type === 'error')).toHaveLength(1);
    expect(ends[0]).toBe('error');
    socket.close();
  });

  test('a provider that fails, before or after its first event, is reported in an event', async () => {
    const socket = connect();
    const before = await socket.create(scripted({ status: 500, body: '{}' }));
    expect(before).toMatchObject({ type: 'error', status: 502, error: { code: 'upstream_failed' } });
    await socket.send({ type: 'response.create', ...scripted({ deltas: 5, cut: { after: 2, how: 'reset' } }) });
    const events = await socket.reply();
    expect(events.at(-1)?.type).toBe('response.failed');
    expect(events.filter(({ type }) => type === 'response.output_text.delta')).toHaveLength(2);
    expect((await socket.create(scripted({ text: 'fine' }))).type).toBe('response.completed');
    socket.close();
  });

  test.each([
    ['before the first event', { head: 'never' as const }, 0],
    ['in the middle', { deltas: 10_000, paceMs: 20 }, 3],
  ])('a client that disconnects %s closes the provider’s connection', async (when, script, eventsSeen) => {
    const nonce = `dead ${when}`;
    const { token, id } = await createToken(weir);
    const socket = connect({ token });
    await socket.send({ type: 'response.create', ...scripted({ ...script, nonce }) });
    await until(async () => socket.events.length >= eventsSeen, 60_000, 'events');
    await until(async () => (await upstream.invoice()).some((entry) => entry.nonce === nonce), 60_000, 'the request');
    socket.die();
    const over = async () => (await upstream.entry(nonce)).outcome !== 'open';
    await until(over, 60_000, 'the provider to be closed');
    expect(await rowsOf(id, 1)).toMatchObject([{ status: 499, code: 'client_left' }]);
  });

  test('a client that does not read is disconnected', async () => {
    const upgraded = Promise.withResolvers<void>();
    const reader = await Bun.connect({
      hostname: '127.0.0.1',
      port: Number(new URL(other.url).port),
      socket: {
        data(socket) {
          socket.pause();
          upgraded.resolve();
        },
      },
    });
    const request = JSON.stringify({
      type: 'response.create',
      ...scripted({ nonce: 'unread', deltas: 20_000, deltaBytes: 10_000 }),
    });
    reader.write(
      `GET /v1/responses HTTP/1.1\r\nhost: weir\r\nauthorization: Bearer ${other.token}\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    );
    await upgraded.promise;
    reader.write(maskedText(request));
    const over = async () => {
      const entry = (await upstream.invoice()).find(({ nonce }) => nonce === 'unread');
      return entry !== undefined && entry.outcome !== 'open';
    };
    await until(over, 60_000, 'the stalled client to be let go');
    reader.end();
  });
});

describe('shutting down', () => {
  test('idle connections close with 1001, running replies end first, and the process exits with 0', async () => {
    const leaving = other;
    const idle = connect({ token: leaving.token }, leaving);
    await idle.opened;
    const busy = connect({ token: leaving.token }, leaving);
    await busy.send({ type: 'response.create', ...scripted({ deltas: 20, paceMs: 30 }) });
    await until(async () => busy.events.length > 3, 60_000, 'the first events');
    const stopped = leaving.stop();
    expect((await idle.closed).code).toBe(1001);
    expect((await busy.reply()).at(-1)?.type).toBe('response.completed');
    expect((await busy.closed).code).toBe(1001);
    expect(await stopped).toBe(0);
  });
});

/** One text frame as a client sends it. */
function maskedText(text: string): Uint8Array {
  const payload = Buffer.from(text);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(payload.length);
  const head =
    payload.length < 126
      ? Buffer.from([0x81, 0x80 | payload.length])
      : Buffer.concat([Buffer.from([0x81, 0xfe]), length]);
  return Buffer.concat([head, Buffer.alloc(4), payload]);
}
