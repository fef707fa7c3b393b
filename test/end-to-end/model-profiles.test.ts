/** Profiles from family, provider's list and operator: lists and explanations show them, and cost bounds use them. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { ExplainedFact, Explanation } from '../../src/relay/explain/explanation.ts';
import { createToken, type MadeToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const yes = { supported: true };
const no = { supported: false };

/** Lists in the formats of these providers. */
const lists: Readonly<Record<string, unknown>> = {
  '/router/v1/models': {
    data: [
      {
        id: 'vendor/claude-opus-4.8',
        context_length: 900_000,
        top_provider: { context_length: 900_000, max_completion_tokens: 100_000 },
        architecture: { input_modalities: ['text', 'image', 'file'], output_modalities: ['text'] },
        supported_parameters: ['max_tokens', 'tools', 'tool_choice', 'reasoning', 'stop'],
      },
    ],
  },
  '/messages/v1/models': {
    data: [
      {
        type: 'model',
        id: 'claude-next',
        max_input_tokens: 700_000,
        max_tokens: 90_000,
        capabilities: {
          image_input: yes,
          pdf_input: no,
          structured_outputs: no,
          effort: { supported: true, low: yes, medium: no, high: yes, xhigh: null, max: no },
          thinking: { supported: true, types: { adaptive: yes, enabled: no, disabled: no } },
        },
      },
    ],
  },
  '/generate/v1beta/models': {
    models: [
      { name: 'models/gemini-9-flash', inputTokenLimit: 2_000_000, outputTokenLimit: 99_000, maxTemperature: 1.5 },
    ],
  },
  '/local/v1/models': {
    data: [
      { id: 'qwen3-tiny', max_model_len: 16_384 },
      { id: 'held', max_model_len: 8_192 },
    ],
  },
};

/** Two of them return a first page only, unless more is requested. */
const pages: Readonly<Record<string, readonly [list: string, parameter: string, usual: number]>> = {
  '/messages/v1/models': ['data', 'limit', 20],
  '/generate/v1beta/models': ['models', 'pageSize', 50],
};

function answerTo({ pathname, searchParams }: URL): unknown {
  const list = lists[pathname] as Record<string, unknown[]> | undefined;
  const page = pages[pathname];
  if (list === undefined || page === undefined) return list ?? { error: { message: 'no such path' } };
  const [field, parameter, usual] = page;
  const others = Array.from({ length: usual }, (_, index) => ({ id: `other-${index}`, name: `other-${index}` }));
  const rows = [...others, ...(list[field] ?? [])];
  return { [field]: rows.slice(0, Number(searchParams.get(parameter) ?? usual)) };
}

let provider: ReturnType<typeof Bun.serve>;
let weir: RunningWeir;
let token: MadeToken;

beforeAll(async () => {
  provider = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) => Response.json(answerTo(new URL(url))),
  });
  const at = (path: string) => ({
    base_url: `http://127.0.0.1:${provider.port}${path}`,
    key: 'provider-key-0123456789',
  });
  const yaml = {
    ids: { unknown: 'allow' },
    providers: {
      router: { kind: 'openrouter', ...at('/router/v1') },
      messages: { kind: 'anthropic', ...at('/messages/v1') },
      generate: { kind: 'gemini', ...at('/generate/v1beta') },
      local: {
        kind: 'vllm',
        ...at('/local/v1'),
        profiles: {
          'h*': { context_tokens: 4_096, refuses: ['seed'], input: ['text', 'image'] },
          held: { output_tokens_max: 512 },
        },
      },
      fixed: { kind: 'openai-chat', ...at('/fixed/v1'), models: ['kimi-k3', 'unknown-model'] },
    },
    prices: {
      'kimi-k3': { input: 1, output: 1 },
      'unknown-model': { input: 1, output: 1 },
      'claude-next': { input: 1, output: 1 },
    },
  };
  weir = await startWeir({ yaml });
  token = await createToken(weir, '--may-explain', '--budget-usd', '50');
  await until(async () => {
    const { data } = (await get('/v1/models')) as { data: { id: string }[] };
    return ['vendor/claude-opus-4.8', 'claude-next', 'gemini-9-flash', 'held'].every((id) =>
      data.some((row) => row.id === id),
    );
  });
}, 300_000);

afterAll(async () => {
  await weir?.remove();
  await provider?.stop(true);
});

async function get(path: string, headers: Record<string, string> = {}): Promise<Record<string, unknown>> {
  const reply = await fetch(weir.url + path, { headers: { authorization: `Bearer ${token.token}`, ...headers } });
  return (await reply.json()) as Record<string, unknown>;
}

const ask = (body: object, headers: Record<string, string> = {}) =>
  fetch(`${weir.base}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token.token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }], ...body }),
  });

async function factsOf(model: string): Promise<ReadonlyMap<string, ExplainedFact>> {
  const explanation = (await (await ask({ model }, { 'x-weir-explain': '1' })).json()) as Explanation;
  return new Map((explanation.candidates[0]?.profile ?? []).map((fact) => [fact.field, fact]));
}

const pathOf = (model: string): string => encodeURIComponent(model);

describe('lists show what is known', () => {
  test('in the chat format: sizes, modalities and parameters of the provider’s list', async () => {
    const entry = await get(`/v1/models/${pathOf('vendor/claude-opus-4.8')}`);
    expect(entry).toMatchObject({
      context_length: 900_000,
      top_provider: { context_length: 900_000, max_completion_tokens: 100_000 },
      architecture: { input_modalities: ['text', 'image', 'file'], output_modalities: ['text'] },
    });
    const parameters = entry['supported_parameters'] as string[];
    expect(parameters).toContain('tools');
    expect(parameters).toContain('reasoning');
    expect(parameters).not.toContain('temperature');
    expect(parameters).not.toContain('seed');
  });

  test('of the family if the provider has none, and nothing for an unknown model', async () => {
    expect(await get('/v1/models/kimi-k3')).toMatchObject({
      context_length: 1_048_576,
      top_provider: { max_completion_tokens: 1_048_576 },
      architecture: { input_modalities: ['text', 'image', 'video'] },
    });
    const unknown = await get('/v1/models/unknown-model');
    for (const field of ['context_length', 'top_provider', 'architecture']) expect(unknown).not.toHaveProperty(field);
  });

  test('in the messages format and in the content-generation format', async () => {
    const version = { 'anthropic-version': '2023-06-01' };
    expect(await get('/v1/models/claude-next', version)).toMatchObject({
      max_input_tokens: 700_000,
      max_tokens: 90_000,
    });
    expect(await get('/v1beta/models/gemini-9-flash')).toMatchObject({
      inputTokenLimit: 2_000_000,
      outputTokenLimit: 99_000,
      maxTemperature: 1.5,
      thinking: true,
    });
  });

  test('the operator overrides the list', async () => {
    expect(await get('/v1/models/held')).toMatchObject({
      context_length: 4_096,
      top_provider: { max_completion_tokens: 512 },
      architecture: { input_modalities: ['text', 'image'] },
    });
    expect((await get('/v1/models/held'))['supported_parameters']).not.toContain('seed');
  });
});

describe('explanations name the source of each field', () => {
  test('family, preset and list', async () => {
    const facts = await factsOf('claude-next');
    expect(facts.get('context_tokens')).toEqual({ field: 'context_tokens', value: 700_000, from: "provider's list" });
    expect(facts.get('thinking')).toEqual({
      field: 'thinking',
      value: { kind: 'adaptive', efforts: ['low', 'high'], can_be_off: false },
      from: "provider's list",
    });
    expect(facts.get('refuses')?.value).toEqual(['temperature', 'top_p', 'top_k', 'schema_output']);
    expect(facts.get('temperature_max')?.from).toMatch(/^family Anthropic Claude, seen 2026-\d\d-\d\d$/);
    expect((await factsOf('qwen3-tiny')).get('later_instructions')).toEqual({
      field: 'later_instructions',
      value: 'refused',
      from: 'preset',
    });
  });

  test('the operator, with the pattern', async () => {
    const facts = await factsOf('held');
    expect(facts.get('context_tokens')?.from).toBe('operator, h*');
    expect(facts.get('output_tokens_max')).toEqual({ field: 'output_tokens_max', value: 512, from: 'operator, held' });
  });

  test('on the command line', async () => {
    const { code, stdout } = await weir.command('explain', 'held', '--url', weir.url, '--token', token.token);
    expect(code).toBe(0);
    expect(stdout).toContain('Facts about held at local:\n');
    expect(stdout).toContain('  operator, held: output_tokens_max 512\n');
  });
});

describe('money', () => {
  const file = { type: 'file', file: { file_id: 'file-of-any-size' } };
  const unmeasured = (model: string) => ({ model, messages: [{ role: 'user', content: [file] }] });

  test('a family’s context bounds input that is not in the body; without one the request is refused', async () => {
    const refused = (await (await ask(unmeasured('unknown-model'))).json()) as { error: { code: string } };
    expect(refused.error.code).toBe('context_unknown');
    const explained = await ask(unmeasured('kimi-k3'), { 'x-weir-explain': '1' });
    const { candidates } = (await explained.json()) as Explanation;
    expect(candidates[0]?.price_bound_usd).toBe('2.097152');
  });

  test('a request without a limit reserves the model’s largest reply', async () => {
    const bound = async (model: string) => {
      const { candidates } = (await (await ask({ model }, { 'x-weir-explain': '1' })).json()) as Explanation;
      return Number(candidates[0]?.price_bound_usd);
    };
    expect(await bound('kimi-k3')).toBeCloseTo(1.0486, 3);
    expect(await bound('claude-next')).toBeCloseTo(0.09, 3);
  });
});
