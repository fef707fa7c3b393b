/** What the official library makes of a provider's failure, on every endpoint and over every wire: the class, the words, and no second bill. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import OpenAI, {
  type APIError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  RateLimitError,
  UnprocessableEntityError,
} from 'openai';
import { speechWires, translationWires } from '../../../contract/operations/audio-rows.ts';
import { recording, spokenText } from '../../../contract/operations/audio-wires.ts';
import { type Bench, providerKey, type Row, startBench } from '../../../contract/operations/bench.ts';
import { pngBytes } from '../../../contract/operations/image-wires.ts';
import { failureOf, openaiOf } from '../../../harness/operation-clients.ts';
import { sampled } from '../../../harness/size.ts';
import { everyRow } from './every-row.ts';

/** A vendor's own envelope around the words; the chat family's where there is none of its own. */
const envelopes: Readonly<Record<string, (message: string, status: number) => object>> = {
  cohere: (message) => ({ id: 'x', message }),
  jina: (detail) => ({ detail }),
  voyage: (detail) => ({ detail }),
  mistral: (message) => ({ object: 'error', message, type: 'invalid_request_error', code: null }),
  gemini: (message, code) => ({ error: { code, message, status: 'FAILED' } }),
  bfl: (detail) => ({ detail }),
  replicate: (detail, status) => ({ title: 'It failed', detail, status }),
  fal: (msg) => ({ detail: [{ loc: ['body', 'prompt'], msg, type: 'value_error' }] }),
  elevenlabs: (message) => ({ detail: { status: 'failed', message } }),
  assemblyai: (error) => ({ error }),
  cartesia: (message) => ({ title: 'It failed', message, request_id: 'x' }),
  deepgram: (message) => ({ err_code: 'Failed', err_msg: message, request_id: 'x' }),
};

interface Failure {
  readonly status: number;
  readonly says: string;
  /** The status that the caller gets. */
  readonly callerStatus: number;
  readonly code: string;
  readonly type: new (...given: never[]) => APIError;
  readonly passesWords: boolean;
}

const failures: readonly Failure[] = [
  {
    status: 400,
    says: 'the request is odd',
    callerStatus: 400,
    code: 'upstream_refused',
    type: BadRequestError,
    passesWords: true,
  },
  // The caller's key is good; it is the operator's that is not.
  {
    status: 401,
    says: `no such key: ${providerKey}`,
    callerStatus: 503,
    code: 'provider_unavailable',
    type: InternalServerError,
    passesWords: false,
  },
  {
    status: 404,
    says: 'no such model here',
    callerStatus: 404,
    code: 'upstream_refused',
    type: NotFoundError,
    passesWords: true,
  },
  {
    status: 422,
    says: 'the size is wrong',
    callerStatus: 422,
    code: 'upstream_refused',
    type: UnprocessableEntityError,
    passesWords: true,
  },
  {
    status: 429,
    says: 'too many',
    callerStatus: 429,
    code: 'upstream_rate_limited',
    type: RateLimitError,
    passesWords: true,
  },
  {
    status: 500,
    says: 'it broke',
    callerStatus: 502,
    code: 'upstream_failed',
    type: InternalServerError,
    passesWords: false,
  },
];

/** One provider for each wire and failure, since a provider that failed is cooling down for a while. */
function failingRows(): Record<string, Row> {
  const rows: Record<string, Row> = {};
  const tried = new Set(
    asked.flatMap(([, name, , , index]) => failuresOf(index).map((one) => `${name}-${one.status}`)),
  );
  for (const [name, row] of Object.entries(everyRow())) {
    const wrap =
      envelopes[row.kind] ?? ((message: string) => ({ error: { message, type: 'x', param: null, code: null } }));
    for (const { status, says } of failures) {
      const answer = () =>
        Response.json(wrap(says, status), { status, headers: status === 429 ? { 'retry-after': '1' } : {} });
      if (tried.has(`${name}-${status}`)) rows[`${name}-${status}`] = { ...row, answer };
    }
    rows[`${name}-retried`] = { ...row, answer: () => Response.json(wrap('it broke', 500), { status: 500 }) };
  }
  return rows;
}

/** In the usual size half of them, in turns: a refusal in the vendor's words, and one that is not passed on. */
function failuresOf(index: number): readonly Failure[] {
  return sampled(failures, index, 3);
}

let bench: Bench;
beforeAll(async () => {
  bench = await startBench(failingRows(), {
    prices: { '*': { input: 1, output: 1, image: 1, minute: 1, characters: 1, searches: 1 } },
  });
});
afterAll(() => bench.remove());

type Call = (client: OpenAI, model: string, name: string) => PromiseLike<unknown>;
const imageFile = () => new File([pngBytes], 'a.png', { type: 'image/png' });
const talk = () => new File([recording], 'talk.wav', { type: 'audio/wav' });

const calls: Readonly<Record<string, Call>> = {
  embed: (client, model) => client.embeddings.create({ model, input: ['text 1', 'text 2'] }),
  rerank: (client, model) => client.post('/rerank', { body: { model, query: 'q', documents: ['a 0.1', 'b 0.2'] } }),
  moderate: (client, model) => client.moderations.create({ model, input: 'good' }),
  draw: (client, model) => client.images.generate({ model, prompt: 'a weir' }),
  edit: (client, model) => client.images.edit({ model, prompt: 'a weir', image: imageFile() }),
  'draw as a stream': (client, model) => client.images.generate({ model, prompt: 'a weir', stream: true }),
  speak: (client, model, name) => {
    const [, , voice = '', [response_format = 'mp3'] = []] = speechWires.find(([each]) => each === name) ?? [];
    return client.audio.speech.create({ model, voice, input: spokenText, response_format });
  },
  hear: (client, model) => client.audio.transcriptions.create({ model, file: talk() }),
  'hear as a stream': (client, model) => client.audio.transcriptions.create({ model, file: talk(), stream: true }),
  translate: (client, model) => client.audio.translations.create({ model, file: talk() }),
};

/** The endpoint, the provider without its failure, its vendor's name here, and the first of its models. */
const asked = Object.keys(calls)
  .flatMap((call) => {
    const prefix = { edit: 'draw', translate: 'hear' }[call] ?? call.split(' ')[0];
    return Object.entries(everyRow()).flatMap(([name, { models = [] }]) => {
      const vendor = name.slice(name.indexOf('-') + 1);
      if (!name.startsWith(`${prefix}-`)) return [];
      if (call === 'translate' && !translationWires.some(([each]) => each === vendor)) return [];
      return [[call, name, vendor, models[0] ?? ''] as const];
    });
  })
  .map((one, index) => [...one, index] as const);

describe.each(asked)('%s by %s', (call, name, vendor, model, index) => {
  const send = (client: OpenAI, status: number) =>
    calls[call]?.(client, `${name}-${status}/${model}`, vendor) ?? Promise.resolve();

  test.each([...failuresOf(index)])('$status', async ({ status, says, callerStatus, code, type, passesWords }) => {
    const error = await failureOf(send(openaiOf(bench.weir), status));
    expect([error.status, error.code]).toEqual([callerStatus, code]);
    expect(error).toBeInstanceOf(type);
    expect(error.message).not.toContain(providerKey);
    if (passesWords) expect(error.message).toContain(says);
    if (status === 429) expect(error.headers?.get('retry-after')).toBe('1');
  });
});

test('the library does not ask again for what may have been paid for', async () => {
  const client = new OpenAI({ apiKey: bench.weir.token, baseURL: bench.weir.base, maxRetries: 2 });
  for (const [call, name, vendor, model] of asked) {
    const up = bench.up(`${name}-retried`);
    const error = await failureOf(calls[call]?.(client, `${name}-retried/${model}`, vendor) ?? Promise.resolve());
    expect([call, name, error.status, up.seen.length]).toEqual([call, name, 502, 1]);
    up.forget();
  }
});
