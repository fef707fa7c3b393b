/** Live conversations against a scripted provider: frames, credentials, refusals and how either side ends. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type RealtimeProvider, startRealtimeProvider } from '../fake-upstream/realtime/provider.ts';
import { type LedgerRows, settledLedger } from '../harness/ledger-rows.ts';
import { rawRequest } from '../harness/raw-request.ts';
import { SocketClient, type SocketEvent, type SocketOptions } from '../harness/socket-client.ts';
import { createToken, json } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const messageBytesMax = 3_000_000;
let provider: RealtimeProvider;
let spare: RealtimeProvider;
let weir: RunningWeir;

const home = (name: string, model: string, tier: number) => ({ provider: name, model, tier });

beforeAll(async () => {
  provider = startRealtimeProvider();
  spare = startRealtimeProvider();
  const dead = 'http://127.0.0.1:1/v1';
  weir = await startWeir({
    yaml: {
      providers: {
        live: {
          kind: 'openai',
          base_url: provider.base,
          key: 'sk-live',
          models: ['gpt-realtime', 'mini-realtime', 'gpt-4.1', 'ears-1'],
        },
        spare: { kind: 'openai-chat', base_url: spare.base, key: 'sk-spare', models: ['spare-live'] },
        dead: { kind: 'openai', base_url: dead, key: 'sk-dead', models: ['dead-realtime'] },
      },
      models: {
        both: { targets: [home('live', 'gpt-realtime', 0), home('spare', 'spare-live', 1)] },
        'any-realtime': {
          targets: [home('dead', 'dead-realtime', 0), home('live', 'gpt-realtime', 1), home('spare', 'spare-live', 2)],
        },
      },
      prices: { '*': { input: 0, output: 8 } },
      limits: { json_body_bytes_max: messageBytesMax },
      clocks: { connect_timeout_ms: 60_000, client_stall_timeout_ms: 2_000 },
    },
  });
});
afterAll(async () => {
  await weir.remove();
  provider.stop();
  spare.stop();
});

const connect = (query = 'model=gpt-realtime', options: SocketOptions = { token: weir.token }) =>
  new SocketClient(`${weir.base}/realtime?${query}`, options);

/** Events up to and with the first of this type. */
async function upTo(socket: SocketClient, type: string): Promise<SocketEvent[]> {
  const seen: SocketEvent[] = [];
  for (;;) {
    const event = await socket.next();
    seen.push(event);
    if (event.type === type) return seen;
  }
}

async function lastOf(socket: SocketClient, type: string): Promise<SocketEvent> {
  return (await upTo(socket, type)).at(-1) as SocketEvent;
}

const errorOf = (event: SocketEvent) =>
  event['error'] as { type: string; code: string; message: string; param: string | null; event_id: string | null };

/** The handshake's answer where it is no 101. */
async function refusal(query: string, headers: Record<string, string>, path = '/v1/realtime', at = weir) {
  const reply = await rawRequest(at.base, [
    `GET ${path}${query === '' ? '' : `?${query}`} HTTP/1.1\r\nhost: weir\r\nupgrade: websocket\r\nconnection: Upgrade\r\n` +
      'sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n' +
      `${Object.entries(headers)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('')}\r\n`,
  ]);
  const body = reply.text.slice(reply.text.indexOf('\r\n\r\n') + 4);
  const error = body.startsWith('{')
    ? (JSON.parse(body) as { error: { code: string; param: string } }).error
    : undefined;
  return { status: reply.status, code: error?.code, param: error?.param };
}

async function rowsOf(tokenId: string, count: number): Promise<LedgerRows['usage']> {
  let rows: LedgerRows['usage'] = [];
  const come = async () => {
    rows = (await settledLedger(weir)).usage.filter((row) => row.tokenId === tokenId);
    return rows.length >= count;
  };
  await until(come, 60_000, `${count} usage rows`);
  expect(rows).toHaveLength(count);
  return rows;
}

describe('frames', () => {
  test('pass in order and byte by byte, in both directions', async () => {
    const socket = connect();
    await lastOf(socket, 'session.created');
    const frames = Array.from(
      { length: 200 },
      (_, index) =>
        `{ "type":"conversation.item.create", "n": ${index}.0, "text":"\\u00e9 ü ${'x'.repeat(index * 7)}" }`,
    );
    for (const frame of frames) await socket.send(frame);
    const echoes = [];
    while (echoes.length < frames.length) echoes.push((await lastOf(socket, 'echo'))['text']);
    expect(echoes).toEqual(frames);
    expect(provider.last().frames).toEqual(frames);
    socket.close();
  });

  test('wait for the row of their response and keep their order', async () => {
    const socket = connect();
    for (let turn = 0; turn < 5; turn++) {
      await socket.send({ type: 'response.create', turn });
      await socket.send({ type: 'conversation.item.create', turn });
      await lastOf(socket, 'response.done');
      await lastOf(socket, 'echo');
    }
    const seen = provider.last().frames.map((text) => JSON.parse(text) as { type: string; turn: number });
    expect(seen.map(({ type, turn }) => `${type} ${turn}`)).toEqual(
      Array.from({ length: 5 }, (_, turn) => [`response.create ${turn}`, `conversation.item.create ${turn}`]).flat(),
    );
    socket.close();
  });

  test('at the size limit pass, above it end the connection with 1009', async () => {
    const socket = connect();
    await lastOf(socket, 'session.created');
    const frame = (length: number) => {
      const empty = JSON.stringify({ type: 'conversation.item.create', text: '' }).length;
      return JSON.stringify({ type: 'conversation.item.create', text: 'x'.repeat(length - empty) });
    };
    await socket.send(frame(messageBytesMax));
    expect(String((await lastOf(socket, 'echo'))['text'])).toHaveLength(messageBytesMax);
    await socket.send(frame(messageBytesMax + 1));
    expect((await socket.closed).code).toBe(1009);
  });

  test('that are no text, from either side, end it', async () => {
    const socket = connect();
    await socket.opened;
    socket.socket.send(new Uint8Array([1]));
    expect((await socket.closed).code).toBe(1003);
    const other = connect();
    await other.send({ type: 'conversation.item.create', script: { binary: true } });
    expect(errorOf(await lastOf(other, 'error')).code).toBe('upstream_failed');
    expect((await other.closed).code).toBe(1011);
  });

  test('that cannot be read are refused, and the session continues', async () => {
    const socket = connect();
    await lastOf(socket, 'session.created');
    const before = provider.last().frames.length;
    for (const text of ['{', '[]', '{}', '{"type":"a","type":"b"}']) await socket.send(text);
    for (let count = 0; count < 4; count++) {
      const { error, ...rest } = await lastOf(socket, 'error');
      expect(rest).toEqual({ type: 'error', event_id: expect.stringMatching(/^event_/) });
      expect(Object.keys(error as object).toSorted()).toEqual(['code', 'event_id', 'message', 'param', 'type']);
    }
    expect(provider.last().frames).toHaveLength(before);
    await socket.send({ type: 'response.create' });
    await lastOf(socket, 'response.done');
    socket.close();
  });
});

describe('the handshake', () => {
  test('takes the token from each of its places and never forwards it', async () => {
    const secret = `openai-insecure-api-key.${weir.token}`;
    const credentials: SocketOptions[] = [
      { token: weir.token },
      { protocols: ['realtime', secret] },
      { protocols: [secret, 'realtime', 'openai-beta.realtime-v1'] },
      { token: weir.token, protocols: ['realtime'] },
    ];
    for (const credential of credentials) {
      const socket = connect('model=gpt-realtime', credential);
      await lastOf(socket, 'session.created');
      expect(socket.socket.protocol).toBe(credential.protocols === undefined ? '' : 'realtime');
      const { headers, url } = provider.last();
      expect(headers['authorization']).toBe('Bearer sk-live');
      expect(JSON.stringify([headers, url.href])).not.toContain(weir.token);
      expect(headers['openai-beta']).toBe(credential.protocols?.length === 3 ? 'realtime=v1' : undefined);
      expect(url.search).toBe('?model=gpt-realtime');
      socket.close();
    }
    expect(weir.output()).not.toContain(weir.token);
  });

  test('is refused with a status where it is no handshake', async () => {
    const headers = { authorization: `Bearer ${weir.token}` };
    const plain = await fetch(`${weir.base}/realtime?model=gpt-realtime`, { headers });
    expect(plain.status).toBe(426);
    expect((await fetch(`${weir.base}/realtime`)).status).toBe(401);
    const bad = await refusal('model=gpt-realtime', { ...headers, 'sec-websocket-version': '12' });
    expect(bad.status).toBe(400);
  });

  test.each([
    ['model=gpt-realtime', {}, 401, 'token_missing'],
    ['model=gpt-realtime', { authorization: 'Bearer no-such-token-at-all-here' }, 401, 'token_unknown'],
    ['model=unknown-model', undefined, 404, 'model_not_found'],
    ['model=gpt-4.1', undefined, 400, 'operation_unsupported'],
    ['model=spare-live', undefined, 400, 'operation_unsupported'],
    ['model=dead-realtime', undefined, 503, 'provider_unavailable'],
  ] as const)('%s %j is %d %s', async (query, headers, status, code) => {
    const given = headers ?? { authorization: `Bearer ${weir.token}` };
    expect(await refusal(query, given)).toMatchObject({ status, code });
  });

  test('needs the scope and the model', async () => {
    const narrow = await createToken(weir, '--endpoints', 'chat');
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    expect(await refusal('model=gpt-realtime', bearer(narrow.token))).toMatchObject({
      status: 403,
      code: 'endpoint_not_allowed',
    });
    const other = await createToken(weir, '--models', 'gpt-4*', '--endpoints', 'realtime');
    expect(await refusal('model=gpt-realtime', bearer(other.token))).toMatchObject({
      status: 403,
      code: 'model_not_allowed',
    });
  });

  test('without a model takes the first realtime model', async () => {
    const socket = connect('');
    await lastOf(socket, 'session.created');
    socket.close();
  });

  test('falls back to the next provider where one is unreachable or refuses', async () => {
    provider.refuse(500);
    const socket = connect('model=any-realtime');
    await lastOf(socket, 'session.created');
    expect(spare.last().url.search).toBe('?model=spare-live');
    expect(spare.last().headers['authorization']).toBe('Bearer sk-spare');
    socket.close();
  });

  test('gives up a provider that does not answer', async () => {
    const hasty = await startWeir({
      yaml: {
        providers: { live: { kind: 'openai', base_url: provider.base, key: 'sk-1', models: ['x-realtime'] } },
        clocks: { connect_timeout_ms: 300 },
      },
    });
    try {
      provider.refuse(0);
      const headers = { authorization: `Bearer ${hasty.token}` };
      const given = await refusal('model=x-realtime', headers, '/v1/realtime', hasty);
      expect(given).toMatchObject({ status: 504, code: 'upstream_timeout' });
    } finally {
      await hasty.remove();
    }
  });

  test('does not wait for a client that left', async () => {
    const { id, token } = await createToken(weir);
    const before = provider.unanswered;
    provider.refuse(0);
    const socket = connect('model=gpt-realtime', { token });
    await until(() => provider.unanswered > before);
    socket.die();
    const [row] = await rowsOf(id, 1);
    expect(row).toMatchObject({ status: 499, code: 'client_left', costNano: 0n });
  });

  test.each([
    [429, 429, 'scripted'],
    [404, 404, 'scripted'],
    [401, 503, 'provider_unavailable'],
    [500, 502, 'upstream_failed'],
  ])('a provider’s %d is the client’s %d', async (given, status, code) => {
    const fresh = await startWeir({
      yaml: { providers: { live: { kind: 'openai', base_url: spare.base, key: 'sk-1', models: ['x-realtime'] } } },
    });
    try {
      spare.refuse(given);
      const reply = await rawRequest(fresh.base, [
        'GET /v1/realtime?model=x-realtime HTTP/1.1\r\nhost: weir\r\nupgrade: websocket\r\nconnection: Upgrade\r\n' +
          `sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\nauthorization: Bearer ${fresh.token}\r\n\r\n`,
      ]);
      expect(reply.status).toBe(status);
      expect(reply.text).toContain(`"code":"${code}"`);
    } finally {
      await fresh.remove();
    }
  });
});

describe('models named during a session', () => {
  test('must be allowed, and of the same provider; they are spelled as it spells them', async () => {
    const { token } = await createToken(weir, '--models', 'both,gpt-realtime,any-realtime,spare-*');
    const socket = connect('model=any-realtime', { token });
    await lastOf(socket, 'session.created');
    const seen = [provider, spare].find(({ connections }) => connections.at(-1)?.closed === undefined);
    const before = seen?.last().frames.length ?? 0;
    const update = (session: object) => socket.send({ type: 'session.update', event_id: 'mine', session });
    await update({ model: 'mini-realtime' });
    expect(errorOf(await lastOf(socket, 'error'))).toMatchObject({
      code: 'model_not_allowed',
      param: 'session.model',
      event_id: 'mine',
    });
    await update({ audio: { input: { transcription: { model: 'ears-1' } } } });
    expect(errorOf(await lastOf(socket, 'error')).code).toBe('model_not_allowed');
    await update({ input_audio_transcription: { model: 'ears-1' } });
    expect(errorOf(await lastOf(socket, 'error')).code).toBe('model_not_allowed');
    await update({ model: 'any-realtime', instructions: 'carry on' });
    const updated = await lastOf(socket, 'session.updated');
    expect(updated['session']).toMatchObject({ model: expect.stringMatching(/^(gpt-realtime|spare-live)$/) });
    expect(seen?.last().frames).toHaveLength(before + 1);
    socket.close();
  });
});

describe('the end', () => {
  test.each([
    [1000, 1000],
    [1001, 1001],
    [4001, 4001],
    [3000, 3000],
  ])('the provider’s close with %d is the client’s %d', async (given, code) => {
    const socket = connect();
    await socket.send({ type: 'response.create', script: { die: given } });
    expect(await socket.closed).toEqual({ code, reason: 'as scripted' });
  });

  test('a provider that dies is an error event and 1011', async () => {
    const { id, token } = await createToken(weir);
    const socket = connect('model=gpt-realtime', { token });
    await lastOf(socket, 'session.created');
    await socket.send({ type: 'response.create', script: { die: 'silently' } });
    expect(errorOf(await lastOf(socket, 'error')).code).toBe('upstream_failed');
    expect((await socket.closed).code).toBe(1011);
    expect(await rowsOf(id, 1)).toMatchObject([{ status: 502, code: 'upstream_failed', estimated: true }]);
  });

  test('the client’s close reaches the provider with its code', async () => {
    const socket = connect();
    await lastOf(socket, 'session.created');
    socket.close(4321);
    await until(() => provider.last().closed !== undefined, 60_000, 'the close');
    expect(provider.last().closed?.code).toBe(4321);
  });

  test('a slow reader is cut off', async () => {
    const path = '/v1/realtime?model=gpt-realtime';
    const upgraded = Promise.withResolvers<void>();
    const slow = await Bun.connect({
      hostname: '127.0.0.1',
      port: Number(new URL(weir.base).port),
      socket: {
        data(self) {
          self.pause();
          upgraded.resolve();
        },
      },
    });
    slow.write(
      `GET ${path} HTTP/1.1\r\nhost: weir\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-version: 13\r\n` +
        `sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\nauthorization: Bearer ${weir.token}\r\n\r\n`,
    );
    const count = provider.connections.length;
    await until(() => provider.connections.length > count, 60_000, 'the connection');
    const seen = provider.last();
    await upgraded.promise;
    slow.write(clientFrame(JSON.stringify({ type: 'conversation.item.create', script: { flood: 300 } })));
    await until(() => seen.closed !== undefined, 60_000, 'the end of the slow reader');
    slow.end();
  });
});

describe('client secrets', () => {
  const mint = (token: string, body: object = {}, path = 'client_secrets') =>
    fetch(`${weir.base}/realtime/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  test('open a session of their token, with the settings they were made with', async () => {
    const { id, token } = await createToken(weir);
    const session = { type: 'realtime', model: 'both', instructions: 'be brief', audio: { output: { voice: 'alto' } } };
    // The alias has one provider whose model is marked as live and one whose model is not.
    const reply = await mint(token, { session, expires_after: { anchor: 'created_at', seconds: 30 } });
    expect(reply.status).toBe(200);
    const made = (await reply.json()) as { value: string; expires_at: number; session: object };
    expect(made.value).toMatch(/^ek_[\w-]{43}$/);
    expect(Math.abs(made.expires_at - Date.now() / 1_000 - 30)).toBeLessThan(30);
    expect(made.session).toEqual({ ...session, object: 'realtime.session', id: expect.stringMatching(/^sess_/) });
    for (const query of ['', 'model=both']) {
      const socket = connect(query, { protocols: ['realtime', `openai-insecure-api-key.${made.value}`] });
      expect((await lastOf(socket, 'session.updated'))['session']).toEqual({
        type: 'realtime',
        instructions: 'be brief',
        audio: { output: { voice: 'alto' } },
      });
      await socket.send({ type: 'response.create' });
      await lastOf(socket, 'response.done');
      socket.close();
    }
    expect(await rowsOf(id, 2)).toMatchObject([{ status: 200 }, { status: 200 }]);
    const bearer = { authorization: `Bearer ${made.value}` };
    expect(await refusal('model=gpt-realtime', bearer)).toMatchObject({ status: 403, code: 'model_not_allowed' });
    const elsewhere = await fetch(`${weir.base}/models`, { headers: bearer });
    expect(elsewhere.status).toBe(401);
    expect((await mint(made.value)).status).toBe(401);
    await json(weir, 'token', 'revoke', id);
    expect(await refusal('model=both', bearer)).toMatchObject({ status: 401, code: 'token_disabled' });
    expect(weir.output()).not.toContain(made.value);
    const found = new TextDecoder('latin1').decode(await Bun.file(`${weir.dataFolder}/weir.db`).bytes());
    expect(found).not.toContain(made.value);
    expect(found).not.toContain('be brief');
  });

  test('are refused for what their token may not do, and for invalid settings', async () => {
    const { token } = await createToken(weir, '--models', 'gpt-realtime');
    const codeOf = async (body: object) => {
      const reply = await mint(token, body);
      return `${reply.status} ${((await reply.json()) as { error: { code: string } }).error.code}`;
    };
    expect(await codeOf({ session: { type: 'realtime', model: 'mini-realtime' } })).toBe('403 model_not_allowed');
    const ears = { audio: { input: { transcription: { model: 'ears-1' } } } };
    expect(await codeOf({ session: { model: 'gpt-realtime', ...ears } })).toBe('403 model_not_allowed');
    expect(await codeOf({ session: [] })).toBe('400 field_invalid');
    expect(await codeOf({ session: { type: 'other' } })).toBe('400 field_invalid');
    for (const seconds of [9, 7_201, 1.5, '60', -1]) {
      expect(await codeOf({ expires_after: { seconds } })).toBe('400 field_invalid');
    }
    expect((await mint('ek_nothing-that-anybody-ever-made-here-0000000000')).status).toBe(401);
    expect(await refusal('', { authorization: `Bearer ek_${'A'.repeat(43)}` })).toMatchObject({
      status: 401,
      code: 'token_unknown',
    });
  });

  test('count as requests, are bounded in size and number, and need a budget', async () => {
    const codeOf = async (reply: Response) =>
      reply.ok ? '200' : `${reply.status} ${((await reply.json()) as { error: { code: string } }).error.code}`;
    const slow = await createToken(weir, '--rpm', '2');
    const session = (length: number) => ({ session: { model: 'gpt-realtime', instructions: 'x'.repeat(length) } });
    const codes = [];
    for (let count = 0; count < 4; count++) codes.push(await codeOf(await mint(slow.token, session(1))));
    expect(codes).toEqual(['200', '200', '429 rate_limited', '429 rate_limited']);
    const { token } = await createToken(weir);
    expect(await codeOf(await mint(token, session(65_000)))).toBe('200');
    expect(await codeOf(await mint(token, session(65_536)))).toBe('400 field_invalid');
    expect(await codeOf(await mint(token, session(250_000)))).toBe('413 body_too_large');
    for (let count = 1; count < 100; count++) await mint(token, session(1));
    expect(await codeOf(await mint(token, session(1)))).toBe('429 storage_limited');
    expect(await codeOf(await mint(weir.token, session(1)))).toBe('200');
  });

  test('of the beta are the session with a secret inside', async () => {
    const reply = await mint(weir.token, { model: 'gpt-realtime', voice: 'alto' }, 'sessions');
    const made = (await reply.json()) as { client_secret: { value: string; expires_at: number } };
    expect(made).toMatchObject({ object: 'realtime.session', model: 'gpt-realtime', voice: 'alto' });
    const socket = connect('model=gpt-realtime', { token: made.client_secret.value });
    expect((await lastOf(socket, 'session.updated'))['session']).toEqual({ voice: 'alto' });
    socket.close();
  });
});

/** A masked text frame with a mask of zeros. */
function clientFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  return Buffer.concat([Buffer.from([0x81, 0x80 | payload.length, 0, 0, 0, 0]), payload]);
}
