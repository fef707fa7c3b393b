/** Input that the body does not measure is bounded by the model's context, or refused to budgets if that is unknown. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { readLedger, settledLedger } from '../harness/ledger-rows.ts';
import { startMeteredUpstream } from '../harness/metered-upstream.ts';
import { createToken, type MadeToken } from '../harness/token.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const upstream = startMeteredUpstream();
const contextTokens = 200_000;
let weir: RunningWeir;
let poor: MadeToken;
let rich: MadeToken;

beforeAll(async () => {
  const kinds = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini-generate'];
  const provider = (kind: string) => ({
    kind,
    base_url: upstream.base,
    key: 'sk-upstream',
    models: [`at-${kind}`, `unknown-${kind}`],
  });
  // Tools whose price is not known would be left out.
  const price = { input: 1_000, output: 1_000, web_searches: 0, tools: { file_search: 0 } };
  weir = await startWeir({
    yaml: {
      providers: Object.fromEntries(kinds.map((kind) => [`p-${kind}`, provider(kind)])),
      prices: { 'at-*': { ...price, context_tokens: contextTokens }, 'unknown-*': price },
      // Whether the token owns the ids is not tested here.
      ids: { unknown: 'allow' },
      egress: { mcp_hosts: ['*'] },
    },
  });
  poor = await createToken(weir, '--budget-usd', '10', '--budget-period', 'total');
  rich = await createToken(weir, '--budget-usd', '100000', '--budget-period', 'total', '--may-explain');
});
afterAll(async () => {
  await weir.remove();
  await upstream.stop();
});
beforeEach(() => {
  upstream.reset();
  upstream.play({ inputTokens: 150_000, outputTokens: 5, words: 1, ending: 'whole' });
});

type Body = Readonly<Record<string, unknown>>;
/** Path, format of the provider, body without its model. */
type Ask = readonly [string, string, Body];

const user = (content: unknown) => ({ messages: [{ role: 'user', content }] });
const pdf = 'JVBERi0xLjQK';
const chat = (body: Body): Ask => ['/v1/chat/completions', 'openai-chat', { ...user('hi'), max_tokens: 5, ...body }];
const messages = (body: Body): Ask => ['/v1/messages', 'anthropic-messages', { ...user('hi'), max_tokens: 5, ...body }];
const responses = (body: Body): Ask => ['/v1/responses', 'openai-responses', { max_output_tokens: 5, ...body }];
const generate = (body: Body): Ask => [
  '/v1beta/models/MODEL:generateContent',
  'gemini-generate',
  { contents: [{ parts: [{ text: 'hi' }] }], generationConfig: { maxOutputTokens: 5 }, ...body },
];
const item = (part: object) => ({ input: [{ role: 'user', content: [part] }] });

/** What each references, and how often the context may be read for it. */
const cases: readonly (readonly [string, Ask, number?])[] = [
  ['chat file_id', chat(user([{ type: 'file', file: { file_id: 'file-1' } }]))],
  ['chat file_data', chat(user([{ type: 'file', file: { file_data: `data:application/pdf;base64,${pdf}` } }]))],
  ['chat input_audio', chat(user([{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }]))],
  ['chat video_url', chat(user([{ type: 'video_url', video_url: { url: 'https://example.com/v.mp4' } }]))],
  ['chat audio of an earlier reply', chat({ messages: [{ role: 'assistant', audio: { id: 'audio-1' } }] })],
  ['chat cached content', chat({ extra_body: { google: { cached_content: 'cachedContents/1' } } }), 2],
  ['chat web search', chat({ web_search_options: {} }), 2],
  ['chat data sources', chat({ data_sources: [{ type: 'azure_search' }] }), 2],
  [
    'messages document by url',
    messages(user([{ type: 'document', source: { type: 'url', url: 'https://x.test/a' } }])),
  ],
  ['messages document by id', messages(user([{ type: 'document', source: { type: 'file', file_id: 'f' } }]))],
  ['messages packed document', messages(user([{ type: 'document', source: { type: 'base64', data: pdf } }]))],
  ['messages container upload', messages(user([{ type: 'container_upload', file_id: 'f' }]))],
  ['messages web search', messages({ tools: [{ type: 'web_search_20250305', name: 'w' }] }), 10],
  ['messages web search, twice', messages({ tools: [{ type: 'web_search_20250305', name: 'w', max_uses: 2 }] }), 3],
  ['messages mcp servers', messages({ mcp_servers: [{ type: 'url', url: 'https://x.test' }] }), 10],
  ['responses file_url', responses(item({ type: 'input_file', file_url: 'https://x.test/a.pdf' }))],
  ['responses file_id', responses(item({ type: 'input_file', file_id: 'file-1' }))],
  ['responses conversation', responses({ conversation: 'conv_1' })],
  ['responses prompt', responses({ prompt: { id: 'pmpt_1' } })],
  ['responses item reference', responses({ input: [{ type: 'item_reference', id: 'msg_1' }] })],
  ['responses web search', responses({ input: 'hi', tools: [{ type: 'web_search' }] }), 4],
  ['responses file search', responses({ input: 'hi', max_tool_calls: 1, tools: [{ type: 'file_search' }] }), 2],
  ['generate cached content', generate({ cachedContent: 'cachedContents/1' })],
  ['generate cached content, snake case', generate({ cached_content: 'cachedContents/1' })],
  ['generate file', generate({ contents: [{ parts: [{ fileData: { fileUri: 'x', mimeType: 'image/png' } }] }] })],
  ['generate instruction file', generate({ systemInstruction: { parts: [{ file_data: { file_uri: 'x' } }] } })],
  ['generate video', generate({ contents: [{ parts: [{ inlineData: { mimeType: 'video/mp4', data: 'AAAA' } }] }] })],
  ['generate url context', generate({ tools: [{ urlContext: {} }] }), 2],
];

function call(token: { readonly token: string }, [path, format, body]: Ask, name: string, headers = {}) {
  const model = `${name}-${format}`;
  return fetch(`${weir.url}${path.replace('MODEL', model)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token.token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(path.includes('MODEL') ? body : { model, ...body }),
  });
}

describe.each(cases)('%s', (_name, ask, reads = 1) => {
  test('is reserved as the whole context, once for each time it is read', async () => {
    const replies = await Promise.all(Array.from({ length: 5 }, () => call(poor, ask, 'at')));
    expect(replies.map(({ status }) => status)).toEqual([402, 402, 402, 402, 402]);
    expect(upstream.requests).toEqual([]);
    const explained = await call(rich, ask, 'at', { 'x-weir-explain': '1' });
    const { candidates } = (await explained.json()) as { candidates: { price_bound_usd: string }[] };
    expect(candidates[0]?.price_bound_usd).toBe(`${((contextTokens * reads + 5) / 1_000).toFixed(3)}`);
  });

  test('is refused to a token with a budget if the context is unknown, and to no other', async () => {
    const refused = await call(rich, ask, 'unknown');
    expect([refused.status, refused.headers.get('x-should-retry')]).toEqual([402, 'false']);
    expect(await refused.text()).toContain('context_tokens');
    expect(upstream.requests).toEqual([]);
    expect((await call(weir, ask, 'unknown')).status).toBe(200);
  });
});

test('input inside the body is bounded by the body', async () => {
  upstream.play({ inputTokens: 10, outputTokens: 5, words: 1, ending: 'whole' });
  const image = `data:image/png;base64,${'A'.repeat(400)}`;
  const bounded = [
    chat({ tools: [{ type: 'function', function: { name: 'f' } }] }),
    chat(user([{ type: 'text', text: 'hi' }])),
    messages({
      tools: [
        { name: 'f', input_schema: {} },
        { type: 'bash_20250124', name: 'bash' },
      ],
    }),
    messages(user([{ type: 'document', source: { type: 'text', data: 'hi' } }])),
    responses({ input: 'hi', tools: [{ type: 'function', name: 'f' }, { type: 'local_shell' }] }),
    generate({ tools: [{ functionDeclarations: [{ name: 'f' }] }] }),
  ];
  for (const ask of bounded) expect((await call(poor, ask, 'unknown')).status).toBe(200);
  expect((await call(rich, chat(user([{ type: 'image_url', image_url: { url: image } }])), 'unknown')).status).toBe(
    200,
  );
});

test('nothing was spent beyond a budget', async () => {
  await settledLedger(weir);
  const { budgets } = await readLedger(weir);
  for (const { heldNano } of budgets) expect(heldNano).toBe(0n);
  expect(budgets.find(({ scope }) => scope === `token:${poor.id}`)?.spentNano).toBeLessThan(10_000_000_000n);
});
