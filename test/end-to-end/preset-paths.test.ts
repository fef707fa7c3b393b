/** Paths and credentials of requests to presets: a real Weir calls a server that only records them. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

interface Seen {
  readonly path: string;
  readonly headers: Headers;
}

const key = 'provider-key-0123456789';
const accessKey = 'AKIAIOSFODNN7EXAMPLE:wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';

/** Preset, path of its base URL, model, the caller's endpoint, path of the request, and header of the key. */
const rows: readonly (readonly [
  kind: string,
  base: string,
  model: string,
  endpoint: string,
  path: string,
  header: string,
])[] = [
  ['azure-foundry', '', 'claude-opus-4-8', 'messages', '/anthropic/v1/messages', 'api-key'],
  ['azure-foundry', '', 'claude-opus-4-8', 'chat/completions', '/anthropic/v1/messages', 'api-key'],
  ['azure-foundry', '', 'DeepSeek-V3.2', 'messages', '/openai/v1/chat/completions', 'api-key'],
  ['azure-foundry', '', 'gpt-5-codex', 'chat/completions', '/openai/v1/responses', 'api-key'],
  ['bedrock-mantle', '', 'anthropic.claude-opus-4-8', 'messages', '/anthropic/v1/messages', 'authorization'],
  ['bedrock-mantle', '', 'openai.gpt-oss-120b', 'messages', '/v1/chat/completions', 'authorization'],
  ['bedrock-mantle', '', 'openai.gpt-5.5', 'chat/completions', '/openai/v1/responses', 'authorization'],
  [
    'databricks',
    '/ai-gateway',
    'system.ai.claude-sonnet-4-5',
    'messages',
    '/ai-gateway/anthropic/v1/messages',
    'authorization',
  ],
  [
    'databricks',
    '/ai-gateway',
    'system.ai.llama-4',
    'messages',
    '/ai-gateway/mlflow/v1/chat/completions',
    'authorization',
  ],
  ['snowflake', '/api/v2/cortex/v1', 'claude-opus-4-8', 'messages', '/api/v2/cortex/v1/messages', 'authorization'],
  [
    'snowflake',
    '/api/v2/cortex/v1',
    'mistral-large2',
    'messages',
    '/api/v2/cortex/v1/chat/completions',
    'authorization',
  ],
  [
    'cloudflare-ai-gateway',
    '/v1/a/g/compat',
    'openai/gpt-5.5',
    'messages',
    '/v1/a/g/compat/chat/completions',
    'cf-aig-authorization',
  ],
  ['perplexity', '/v1', 'perplexity/sonar', 'chat/completions', '/v1/responses', 'authorization'],
  ['meta', '/v1', 'muse-spark-1.1', 'responses', '/v1/responses', 'authorization'],
  ['fireworks', '/inference/v1', 'kimi', 'messages', '/inference/v1/messages', 'authorization'],
  ['sambanova', '/v1', 'gpt-oss-120b', 'messages', '/v1/messages', 'authorization'],
  ['ollama-cloud', '/v1', 'gpt-oss:120b', 'messages', '/v1/messages', 'authorization'],
];

const settings: Readonly<Record<string, object>> = { 'bedrock-mantle': { region: 'eu-central-1' } };
/** As https://docs.perplexity.ai/docs/embeddings/standard-embeddings shows it: the base64 of signed bytes. */
const bytesOfVectors = {
  object: 'list',
  data: [{ object: 'embedding', index: 0, embedding: Buffer.from([127, 0, 255]).toString('base64') }],
  model: 'pplx-embed-v1-4b',
  usage: { prompt_tokens: 3, total_tokens: 3 },
};
/** As https://huggingface.co/docs/text-embeddings-inference/quick_tour shows it: a plain list. */
const bareRanking = [
  { index: 1, score: 0.9 },
  { index: 0, score: 0.1 },
];
const seen: Seen[] = [];
let upstream: ReturnType<typeof Bun.serve>;
let weir: RunningWeir;

beforeAll(async () => {
  upstream = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const path = new URL(request.url).pathname;
      seen.push({ path, headers: request.headers });
      if (path === '/v1/embeddings') return Response.json(bytesOfVectors);
      if (path.endsWith('/rerank')) return Response.json(bareRanking);
      return Response.json({ error: { message: 'seen', type: 'invalid_request_error' } }, { status: 400 });
    },
  });
  const providers = Object.fromEntries(
    rows.map(([kind, base]) => [
      kind,
      {
        kind,
        base_url: `http://127.0.0.1:${upstream.port}${base}`,
        key: kind === 'bedrock-mantle' ? accessKey : key,
        models: [
          ...(kind === 'perplexity' ? ['pplx-embed-v1-4b'] : []),
          ...new Set(rows.filter(([each]) => each === kind).map(([, , model]) => model)),
        ],
        ...(settings[kind] !== undefined && { settings: settings[kind] }),
      },
    ]),
  );
  const here = `http://127.0.0.1:${upstream.port}/v1`;
  const rankers = {
    tei: { kind: 'tei', base_url: here, models: ['bge-reranker-large'] },
    sglang: { kind: 'sglang', base_url: here, models: ['bge-reranker-v2-m3'] },
  };
  weir = await startWeir({
    env: { WEIR_LOG_LEVEL: 'error', WEIR_DISCOVERY_ENVIRONMENT: 'false' },
    yaml: { providers: { ...providers, ...rankers } },
  });
});
afterAll(async () => {
  await weir.remove();
  await upstream.stop(true);
});

function bodyFor(endpoint: string, model: string): object {
  const messages = [{ role: 'user', content: 'hi' }];
  return endpoint === 'responses' ? { model, input: 'hi' } : { model, messages, max_tokens: 16 };
}

for (const [kind, , model, endpoint, path, header] of rows) {
  test(`${kind}: ${model} asked for at ${endpoint}`, async () => {
    seen.length = 0;
    const reply = await fetch(`${weir.base}/${endpoint}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(bodyFor(endpoint, `${kind}/${model}`)),
    });
    expect([reply.status, seen.map((request) => request.path)]).toEqual([400, [path]]);
    const credential = seen[0]?.headers.get(header) ?? '';
    if (kind === 'bedrock-mantle') expect(credential).toContain('/eu-central-1/bedrock-mantle/aws4_request');
    else expect(credential.replace('Bearer ', '')).toBe(key);
  });
}

test('vectors sent as bytes are numbers for the caller, in either encoding', async () => {
  const embed = async (encoding: string) => {
    const reply = await fetch(`${weir.base}/embeddings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'perplexity/pplx-embed-v1-4b', input: 'hi', encoding_format: encoding }),
    });
    const { data } = (await reply.json()) as { data: { embedding: number[] | string }[] };
    return data[0]?.embedding;
  };
  expect(await embed('float')).toEqual([127, 0, -1]);
  expect(await embed('base64')).toBe(Buffer.from(Float32Array.of(127, 0, -1).buffer).toString('base64'));
});

for (const [name, path] of [
  ['tei/bge-reranker-large', '/rerank'],
  ['sglang/bge-reranker-v2-m3', '/v1/rerank'],
] as const) {
  test(`a ranking of ${name} that is a bare list is a whole reply for the caller`, async () => {
    seen.length = 0;
    const reply = await fetch(`${weir.base}/rerank`, {
      method: 'POST',
      headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: name, query: 'q', documents: ['a', 'b'], top_n: 1 }),
    });
    const { results } = (await reply.json()) as { results: { index: number; relevance_score: number }[] };
    expect(results.map(({ index, relevance_score: score }) => [index, score])).toEqual([[1, 0.9]]);
    expect(seen.map((request) => [request.path, request.headers.get('authorization')])).toEqual([[path, null]]);
  });
}
