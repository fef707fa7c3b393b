/** A provider refuses a parameter: it gets the request again without it, and later requests omit it. */

import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import type { RequestView } from '../../src/admin/contracts/contract.ts';
import { type RefusingUpstream, type Seen, startRefusing } from '../harness/refusing-upstream.ts';
import { createToken, json } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(300_000);

/** Each case has its own model, so that no case is affected by what another one taught. */
const models = Array.from({ length: 16 }, (_, place) => `unknown-${place}`);
let upstream: RefusingUpstream;
let weir: RunningWeir;

beforeAll(async () => {
  upstream = startRefusing();
  const provider = (kind: string, base: string) => ({ kind, base_url: base, key: 'sk-any', models });
  weir = await startWeir({
    yaml: {
      providers: {
        chat: provider('openai-chat', `${upstream.base}/v1`),
        messages: provider('anthropic', `${upstream.base}`),
        both: provider('openai', `${upstream.base}/v1`),
      },
      prices: Object.fromEntries(models.map((model) => [model, { input: 1, output: 1 }])),
      clocks: { patience_ms: 0 },
    },
  });
});
afterAll(async () => {
  await weir.remove();
  await upstream.stop();
});
afterEach(() => upstream.reset());

const refusal = (message: string, param?: string) => ({
  status: 400,
  body: { error: { message, type: 'invalid_request_error', code: 'unsupported_parameter', param: param ?? null } },
});
const unsupported = (field: string) =>
  refusal(`Unsupported parameter: '${field}' is not supported with this model.`, field);
const refusing =
  (field: string) =>
  ({ body }: Seen) =>
    body[field] === undefined ? undefined : unsupported(field);

const anthropic = () => new Anthropic({ baseURL: weir.url, apiKey: weir.token, maxRetries: 0 });
const openai = () => new OpenAI({ baseURL: weir.base, apiKey: weir.token, maxRetries: 0 });
/** The libraries' promises are not native ones, which `rejects` needs. */
const awaited = async <Value>(call: PromiseLike<Value>): Promise<Value> => await call;
const messages = [{ role: 'user' as const, content: 'Good day' }];

const ask = (model: string, more: object = {}) =>
  anthropic()
    .messages.create({ model, max_tokens: 300, messages, ...more })
    .withResponse();

/** The request as the operator sees it, once both attempts are settled; rows are written in groups. */
async function detailOf(requestId: string | null): Promise<RequestView> {
  let detail: RequestView | undefined;
  const isWhole = async (): Promise<boolean> => {
    detail = await json(weir, 'usage', 'show', requestId ?? '').then(
      (shown) => shown as RequestView,
      () => undefined,
    );
    return detail?.row !== undefined && detail.attempts.every(({ settledAt }) => settledAt !== undefined);
  };
  await until(isWhole, 60_000, 'both attempts');
  return detail ?? expect.unreachable();
}

describe('the request is sent once more without it', () => {
  test('and so is the next one at once; the losses report it', async () => {
    const model = `chat/${models[0]}`;
    upstream.answer = refusing('temperature');
    const { data, response } = await ask(model, { temperature: 0.5 });
    expect(data.content).toMatchObject([{ type: 'text', text: 'Good day' }]);
    expect(upstream.seen.map(({ body }) => body['temperature'])).toEqual([0.5, undefined]);
    expect(response.headers.get('x-weir-losses')).toBe('temperature');
    expect(response.headers.get('x-weir-attempts')).toBe('2');
    const again = await ask(model, { temperature: 0.5 });
    expect(again.response.headers.get('x-weir-attempts')).toBe('1');
    expect(upstream.seen.map(({ body }) => body['temperature'])).toEqual([0.5, undefined, undefined]);
    expect(weir.output()).toContain('A provider refused a parameter');
  });

  test('in a stream too', async () => {
    upstream.answer = refusing('top_p');
    const stream = anthropic().messages.stream({ model: `chat/${models[1]}`, max_tokens: 300, messages, top_p: 0.5 });
    expect(await stream.finalText()).toBe('Good day');
    expect(upstream.seen.map(({ body }) => body['top_p'])).toEqual([0.5, undefined]);
  });

  test('thinking is requested in the form that the provider names', async () => {
    upstream.answer = ({ body }) =>
      (body['thinking'] as { type?: string } | undefined)?.type === 'adaptive'
        ? refusal('adaptive thinking is not supported on this model')
        : undefined;
    await openai().chat.completions.create({ model: `messages/${models[2]}`, messages, reasoning_effort: 'high' });
    expect(upstream.seen.map(({ body }) => (body['thinking'] as { type?: string }).type)).toEqual([
      'adaptive',
      'enabled',
    ]);
  });

  test('the limit is the one that the provider names', async () => {
    upstream.answer = ({ body }) =>
      Number(body['max_tokens']) > 16_384
        ? refusal('max_tokens: 32000 > 16384, which is the maximum allowed number of output tokens for x')
        : undefined;
    await openai().chat.completions.create({ model: `messages/${models[3]}`, messages, max_completion_tokens: 32_000 });
    expect(upstream.seen.map(({ body }) => body['max_tokens'])).toEqual([32_000, 16_384]);
  });

  test('tools go to the format that accepts them', async () => {
    upstream.answer = ({ path, body }) =>
      path.endsWith('/chat/completions') && body['tools'] !== undefined
        ? refusal(
            "Function tools with reasoning_effort are not supported for x in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
          )
        : undefined;
    const tool = {
      type: 'function' as const,
      function: { name: 'look', parameters: { type: 'object', properties: {} } },
    };
    await openai().chat.completions.create({ model: `both/${models[4]}`, messages, tools: [tool] });
    expect(upstream.seen.map(({ path }) => path)).toEqual(['/v1/chat/completions', '/v1/responses']);
    await anthropic().messages.create({
      ...{ model: `both/${models[4]}`, max_tokens: 300, messages },
      tools: [{ name: 'look', input_schema: { type: 'object' } }],
    });
    expect(upstream.seen.map(({ path }) => path).slice(2)).toEqual(['/v1/responses']);
  });
});

describe('if client and provider use one format', () => {
  const chat = (model: string, more: object = {}) =>
    openai()
      .chat.completions.create({ model, messages, ...more })
      .withResponse();

  test('only the field that was refused changes', async () => {
    const model = `chat/${models[11]}`;
    upstream.answer = refusing('temperature');
    const { response } = await chat(model, { temperature: 0.5, seed: 7, ...{ x_unknown: { of: [1] } } });
    expect(upstream.seen.map(({ body }) => body)).toEqual([
      { model: models[11], messages, temperature: 0.5, seed: 7, x_unknown: { of: [1] } },
      { model: models[11], messages, seed: 7, x_unknown: { of: [1] } },
    ]);
    expect(response.headers.get('x-weir-losses')).toBe('temperature');
    await chat(model, { temperature: 0.5 });
    expect(upstream.seen.length).toBe(3);
  });

  test('a limit is renamed, and an id replaced by its digest', async () => {
    const model = `both/${models[12]}`;
    upstream.answer = ({ body }) =>
      body['max_tokens'] === undefined
        ? undefined
        : refusal(
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
          );
    await chat(model, { max_tokens: 300 });
    expect(upstream.seen.map(({ body }) => [body['max_tokens'], body['max_completion_tokens']])).toEqual([
      [300, undefined],
      [undefined, 300],
    ]);
    upstream.reset();
    upstream.answer = ({ body }) =>
      String(body['user']).length > 64
        ? refusal(
            "Invalid 'user': string too long. Expected a string with maximum length 64, but got a string with length 150 instead.",
          )
        : undefined;
    await chat(`chat/${models[13]}`, { user: 'x'.repeat(150) });
    expect(upstream.seen.map(({ body }) => String(body['user']).length)).toEqual([150, 64]);
  });

  test('a parameter refused by one version of the provider’s API is still sent to another version', async () => {
    const model = `messages/${models[14]}`;
    upstream.answer = refusing('temperature');
    const version = (value: string) => ({ headers: { 'anthropic-version': value } });
    const body = { model, max_tokens: 300, messages, ...{ temperature: 0.5 } };
    await anthropic().messages.create(body, version('2026-10-21'));
    expect(upstream.seen.map(({ body: sent }) => sent['temperature'])).toEqual([0.5, undefined]);
    upstream.reset();
    await anthropic().messages.create(body, version('2023-06-01'));
    expect(upstream.seen.map(({ body: sent }) => sent['temperature'])).toEqual([0.5]);
  });
});

describe('no useless retries', () => {
  test('a second refusal is the reply, and is learned as well', async () => {
    const model = `chat/${models[5]}`;
    upstream.answer = ({ body }) => {
      const field = ['temperature', 'top_p'].find((name) => body[name] !== undefined);
      return field === undefined ? undefined : unsupported(field);
    };
    await expect(ask(model, { temperature: 0.5, top_p: 0.5 })).rejects.toThrow("'top_p' is not supported");
    expect(upstream.seen.length).toBe(2);
    await ask(model, { temperature: 0.5, top_p: 0.5 });
    expect(upstream.seen.length).toBe(3);
  });

  test('a provider that refuses it in any case gets one retry, and later requests omit it', async () => {
    const model = `chat/${models[6]}`;
    upstream.answer = () => unsupported('temperature');
    await expect(ask(model, { temperature: 0.5 })).rejects.toThrow("'temperature' is not supported");
    expect(upstream.seen.length).toBe(2);
    await expect(ask(model, { temperature: 0.5 })).rejects.toThrow("'temperature' is not supported");
    expect(upstream.seen.length).toBe(3);
  });

  test('a refusal of a field that was not in the body, or is in no profile, is not retried', async () => {
    const model = `chat/${models[7]}`;
    upstream.answer = () => unsupported('top_k');
    await expect(ask(model, { temperature: 0.5 })).rejects.toThrow("'top_k'");
    upstream.answer = () => refusal('messages: Extra inputs are not permitted');
    await expect(ask(model, { temperature: 0.5 })).rejects.toThrow('messages: Extra inputs');
    expect(upstream.seen.length).toBe(2);
  });

  test('one caller cannot make Weir omit a parameter of another', async () => {
    const model = `chat/${models[8]}`;
    const said = [
      "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 9 instead.",
      'temperature: range: 0..1',
      "Invalid type for 'temperature': expected a decimal, but got a string instead.",
    ];
    for (const message of said) {
      upstream.answer = () => refusal(message);
      await expect(ask(model, { temperature: 0.9, top_p: 0.5 })).rejects.toThrow(message.slice(0, 20));
    }
    expect(upstream.seen.length).toBe(said.length);
    upstream.answer = () => undefined;
    await ask(model, { temperature: 0.5 });
    expect(upstream.seen.at(-1)?.body['temperature']).toBe(0.5);
  });

  test('strict mode refuses a request with a loss', async () => {
    const model = `chat/${models[9]}`;
    upstream.answer = refusing('temperature');
    const strict = { headers: { 'x-weir-strict': 'true' } };
    const body = { model, max_tokens: 300, messages, ...{ temperature: 0.5 } };
    await expect(awaited(anthropic().messages.create(body, strict))).rejects.toThrow('Strict mode');
    expect(upstream.seen.length).toBe(1);
  });
});

test('the trail, the ledger and the explanation show it', async () => {
  const model = `chat/${models[10]}`;
  upstream.answer = refusing('temperature');
  const { response } = await ask(model, { temperature: 0.5 });
  const { row, attempts } = await detailOf(response.headers.get('x-request-id'));
  expect(row).toMatchObject({ attempts: 2, status: 200 });
  expect(attempts.map(({ verdict, costNano }) => [verdict, BigInt(costNano ?? 0) > 0n])).toEqual([
    ['parameter-refused', false],
    ['', true],
  ]);
  const { token } = await createToken(weir, '--may-explain');
  const explained = await fetch(`${weir.url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': token, 'content-type': 'application/json', 'x-weir-explain': '1' },
    body: JSON.stringify({ model, max_tokens: 300, messages, temperature: 0.5 }),
  });
  const { candidates } = (await explained.json()) as { candidates: Record<string, unknown>[] };
  expect(candidates[0]?.['profile']).toContainEqual({
    field: 'refuses',
    value: ['temperature'],
    from: expect.stringMatching(/^learned from a refusal at 20\d\d-/),
  });
  expect(candidates[0]?.['learned']).toMatchObject([{ what: 'temperature', at: expect.stringMatching(/^20\d\d-/) }]);
  expect(candidates[0]?.['losses']).toMatchObject([{ what: 'temperature', why: expect.stringContaining('refusal') }]);
});
