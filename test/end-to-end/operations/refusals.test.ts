/** Refusals on every endpoint except conversations: the same codes, classes and envelope, before anything is spent. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type OpenAI from 'openai';
import { AuthenticationError, BadRequestError, NotFoundError, PermissionDeniedError, RateLimitError } from 'openai';
import { noisyBitmap, pngFile } from '../../harness/bitmaps.ts';
import { errorOf } from '../../harness/chat.ts';
import { keptDatabase } from '../../harness/kept-database.ts';
import { failureOf, openaiOf } from '../../harness/operation-clients.ts';
import { createToken, json } from '../../harness/token.ts';
import { until } from '../../harness/until.ts';
import { type RunningWeir, startWeir } from '../../harness/weir.ts';

let weir: RunningWeir;
let wave: File;

beforeAll(async () => {
  weir = await startWeir();
  const speech = await openaiOf(weir).audio.speech.create({
    model: 'sandbox-speak',
    voice: 'alloy',
    input: 'Yes.',
    response_format: 'wav',
  });
  wave = new File([await speech.bytes()], 'a.wav');
});
afterAll(async () => {
  await weir?.remove();
});

interface Endpoint {
  readonly path: string;
  /** Its name in a token's list of endpoints. */
  readonly name: string;
  readonly model: string;
  /** A model of the sandbox for another operation. */
  readonly other: string;
  call(client: OpenAI, model: string): PromiseLike<unknown>;
}

interface UsageRow {
  readonly tokenId: string;
}

const image = () => pngFile(noisyBitmap(16, 16));
const endpoints: readonly Endpoint[] = [
  {
    path: '/v1/embeddings',
    name: 'embeddings',
    model: 'sandbox-embed',
    other: 'sandbox-chat',
    call: (client, model) => client.embeddings.create({ model, input: 'a' }),
  },
  {
    path: '/v1/moderations',
    name: 'moderations',
    model: 'sandbox-moderate',
    other: 'sandbox-embed',
    call: (client, model) => client.moderations.create({ model, input: 'a' }),
  },
  {
    path: '/v1/rerank',
    name: 'rerank',
    model: 'sandbox-rerank',
    other: 'sandbox-embed',
    call: (client, model) => client.post('/rerank', { body: { model, query: 'a', documents: ['a'] } }),
  },
  {
    path: '/v1/images/generations',
    name: 'images',
    model: 'sandbox-image',
    other: 'sandbox-speak',
    call: (client, model) => client.images.generate({ model, prompt: 'a sun', size: '32x32' }),
  },
  {
    path: '/v1/images/edits',
    name: 'images',
    model: 'sandbox-image',
    other: 'sandbox-moderate',
    call: (client, model) => client.images.edit({ model, prompt: 'invert it', image: image() }),
  },
  {
    path: '/v1/audio/speech',
    name: 'speech',
    model: 'sandbox-speak',
    other: 'sandbox-transcribe',
    call: (client, model) =>
      client.audio.speech.create({ model, voice: 'alloy', input: 'Yes.', response_format: 'pcm' }),
  },
  {
    path: '/v1/audio/transcriptions',
    name: 'transcriptions',
    model: 'sandbox-transcribe',
    other: 'sandbox-speak',
    call: (client, model) => client.audio.transcriptions.create({ model, file: wave }),
  },
  {
    path: '/v1/audio/translations',
    name: 'transcriptions',
    model: 'sandbox-transcribe',
    other: 'sandbox-chat',
    call: (client, model) => client.audio.translations.create({ model, file: wave }),
  },
];

describe.each(endpoints)('$path', ({ path, name, model, other, call }) => {
  test('answers its own model, by its plain and its full name', async () => {
    await call(openaiOf(weir), model);
    await call(openaiOf(weir), `sandbox/${model}`);
  });

  test('an unknown model is a NotFoundError', async () => {
    const error = await failureOf(call(openaiOf(weir), 'no-such-model'));
    expect(error).toBeInstanceOf(NotFoundError);
    expect([error.code, error.param]).toEqual(['model_not_found', 'model']);
    expect(error.message).toContain('no-such-model');
  });

  test('a model for another operation is a BadRequestError', async () => {
    for (const wrong of [other, 'sandbox-chat', `sandbox/${other}`]) {
      const error = await failureOf(call(openaiOf(weir), wrong));
      expect(error).toBeInstanceOf(BadRequestError);
      expect([error.code, error.param]).toEqual(['operation_unsupported', 'model']);
    }
  });

  test('no token, and one that was never issued', async () => {
    const error = await failureOf(call(openaiOf(weir, 'weir_thisisnotatokenofours00000000000000000000'), model));
    expect(error).toBeInstanceOf(AuthenticationError);
    const bare = await fetch(weir.url + path, { method: 'POST' });
    expect(bare.status).toBe(401);
    await errorOf(bare);
  });

  test('a token narrowed to other endpoints, and to this one', async () => {
    const elsewhere = await createToken(weir, '--endpoints', 'chat,models');
    const error = await failureOf(call(openaiOf(weir, elsewhere.token), model));
    expect(error).toBeInstanceOf(PermissionDeniedError);
    expect(error.code).toBe('endpoint_not_allowed');
    const here = await createToken(weir, '--endpoints', name);
    await call(openaiOf(weir, here.token), model);
  });

  test('a token narrowed to other models', async () => {
    const narrow = await createToken(weir, '--models', 'sandbox-chat');
    const error = await failureOf(call(openaiOf(weir, narrow.token), model));
    expect(error).toBeInstanceOf(PermissionDeniedError);
    expect([error.code, error.param]).toEqual(['model_not_allowed', 'model']);
  });

  test('a token that called too often', async () => {
    const brief = await createToken(weir, '--rpm', '1');
    await call(openaiOf(weir, brief.token), model);
    const error = await failureOf(call(openaiOf(weir, brief.token), model));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(Number(error.headers?.get('retry-after'))).toBeGreaterThan(0);
  });

  test('wrong method, wrong type, broken body', async () => {
    const send = (init: RequestInit) =>
      fetch(weir.url + path, { ...init, headers: { authorization: `Bearer ${weir.token}`, ...init.headers } });
    const got = await send({ method: 'GET' });
    expect(got.status).toBe(405);
    expect(got.headers.get('allow')).toBe('POST');
    await errorOf(got);
    const text = await send({ method: 'POST', body: 'hello', headers: { 'content-type': 'text/plain' } });
    expect(text.status).toBe(415);
    await errorOf(text);
    const isForm = path.includes('/transcriptions') || path.includes('/translations');
    const contentType = isForm ? 'multipart/form-data; boundary=x' : 'application/json';
    for (const body of ['', '{', '[]', 'null', '"text"']) {
      const broken = await send({ method: 'POST', body, headers: { 'content-type': contentType } });
      expect([body, broken.status]).toEqual([body, 400]);
      await errorOf(broken);
    }
  });

  test('a call is one row of usage, and free', async () => {
    const { id, token } = await createToken(weir);
    await call(openaiOf(weir, token), model);
    const written = keptDatabase(weir).query('SELECT 1 FROM usage_rows WHERE token_id = ?');
    await until(() => written.get(id) !== null, 60_000, 'the row of usage');
    const rows = (await json(weir, 'usage', '--limit', '50')) as UsageRow[];
    expect(rows.filter(({ tokenId }) => tokenId === id)).toMatchObject([
      { endpoint: name, model, status: 200, costNano: '0', attempts: 1 },
    ]);
  });
});

test('the models are listed with what they do', async () => {
  const listed = (await (
    await fetch(`${weir.base}/models`, { headers: { authorization: `Bearer ${weir.token}` } })
  ).json()) as { data: { id: string }[] };
  const ids = listed.data.map(({ id }) => id);
  for (const { model } of endpoints) expect(ids).toContain(model);
});
