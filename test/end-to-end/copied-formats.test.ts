/** A server's copy of another vendor's format gets what it takes; what it would drop goes through its own format, or is named. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { droppedBy } from '../../src/formats/fields/copied-format.ts';
import { presets } from '../../src/providers/presets.ts';
import { answerTo } from '../harness/taking-provider.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const seen: { path: string; body: string; connection: string | null }[] = [];
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    const { pathname } = new URL(request.url);
    const answer = answerTo(pathname);
    if (request.method !== 'POST' || answer === undefined) return Response.json({ data: [] });
    const connection = request.headers.get('connection');
    seen.push({ path: pathname.replace(/^.*\/v1/, ''), body: await request.text(), connection });
    return Response.json(answer);
  },
});

const copies = presets.filter(({ quirks }) => quirks?.copied !== undefined);
/** No family of models is known by it. */
const modelAt = (name: string): string => `some-${copies.findIndex((preset) => preset.name === name)}`;

let weir: RunningWeir;
beforeAll(async () => {
  const base_url = `http://127.0.0.1:${server.port}/v1`;
  const providers = Object.fromEntries(
    copies.map(({ name }) => [`up-${name}`, { kind: name, base_url, key: 'sk', models: [modelAt(name)] }]),
  );
  weir = await startWeir({ yaml: { providers } });
});
beforeEach(() => void seen.splice(0));
afterAll(async () => {
  await weir.remove();
  await server.stop(true);
});

async function send(path: string, body: object) {
  const reply = await fetch(`${weir.base}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const said = await reply.text();
  expect([reply.status, said]).toEqual([200, expect.any(String)]);
  return { losses: reply.headers.get('x-weir-losses') ?? '', at: seen.at(-1)?.path, sent: seen.at(-1)?.body ?? '' };
}

const text = { type: 'text', text: 'hi' };
const messages = [{ role: 'user', content: [text] }];
const f = { name: 'f', input_schema: { type: 'object' } };
const plain = { max_tokens: 9, messages };

describe('llama.cpp', () => {
  const model = modelAt('llama.cpp');
  const own: readonly (readonly [string, object])[] = [
    ['a question', plain],
    [
      'tools and marks',
      { ...plain, tools: [{ ...f, cache_control: { type: 'ephemeral' } }], tool_choice: { type: 'any' } },
    ],
    [
      'instructions, thinking and a user',
      { ...plain, system: [text], thinking: { type: 'enabled', budget_tokens: 2_000 }, metadata: { user_id: 'u' } },
    ],
  ];
  for (const [name, body] of own) {
    test(`takes ${name} in its copy of the messages format`, async () => {
      expect(await send('/messages', { model, ...body })).toMatchObject({ at: '/messages', losses: '' });
    });
  }

  const document = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'DOC' } };
  const found = { type: 'search_result', title: 't', source: 's', content: [{ type: 'text', text: 'RAG' }] };
  const schema = { type: 'object', properties: { ANSWER: { type: 'string' } } };
  /** What must reach the server, through its chat format. */
  const kept: readonly (readonly [string, object, readonly string[]])[] = [
    ['documents', { messages: [{ role: 'user', content: [text, document] }] }, ['DOC']],
    ['search results', { messages: [{ role: 'user', content: [found, text] }] }, ['RAG']],
    ['a schema', { output_config: { format: { type: 'json_schema', schema } } }, ['ANSWER', 'response_format']],
    ['a named tool', { tools: [f, { ...f, name: 'other' }], tool_choice: { type: 'tool', name: 'f' } }, ['"required"']],
    ['no call at all', { tools: [f], tool_choice: { type: 'none' } }, ['"none"']],
  ];
  for (const [name, fields, sent] of kept) {
    test(`gets ${name} of a messages client through its own format`, async () => {
      const result = await send('/messages', { model, ...plain, ...fields });
      expect([result.at, result.losses]).toEqual(['/chat/completions', '']);
      for (const words of sent) expect(result.sent).toContain(words);
    });
  }

  test('is not given what it cannot have, and the loss is named', async () => {
    const servers = [{ type: 'url', url: 'https://x.example', name: 'm' }];
    const result = await send('/messages', { model, ...plain, mcp_servers: servers });
    expect([result.at, result.losses]).toEqual(['/chat/completions', 'mcp_servers']);
  });

  test('is asked by responses clients in its own format, with freeform and grouped tools', async () => {
    const tools = [
      { type: 'custom', name: 'patch' },
      {
        type: 'namespace',
        name: 'files',
        description: 'd',
        tools: [{ type: 'function', name: 'read', parameters: {} }],
      },
    ];
    const { at, sent } = await send('/responses', { model, input: 'hi', tools });
    expect(at).toBe('/chat/completions');
    for (const words of ['patch', 'read']) expect(sent).toContain(words);
  });

  test('closes a connection after a stream without a word, so that it is not used again; another server keeps it', async () => {
    for (const name of ['llama.cpp', 'ollama']) {
      for (const stream of [false, true]) {
        const body = { model: modelAt(name), stream, messages: [{ role: 'user', content: 'hi' }] };
        await fetch(`${weir.base}/chat/completions`, {
          method: 'POST',
          headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }).then((reply) => reply.text());
      }
    }
    expect(seen.map(({ connection }) => connection)).toEqual(['keep-alive', 'close', 'keep-alive', 'keep-alive']);
  });

  test('a chat client’s named tool is the only one, and what its own format drops is named', async () => {
    const tool = (name: string) => ({ type: 'function', function: { name, parameters: { type: 'object' } } });
    const chosen = { type: 'function', function: { name: 'g' } };
    const body = { model, messages: [{ role: 'user', content: 'hi' }] };
    const named = await send('/chat/completions', { ...body, tools: [tool('f'), tool('g')], tool_choice: chosen });
    expect(named.losses).toBe('');
    expect(JSON.parse(named.sent)).toMatchObject({ tools: [tool('g')], tool_choice: 'required' });
    const searching = await send('/chat/completions', { ...body, web_search_options: {} });
    expect([searching.at, searching.losses]).toEqual(['/chat/completions', 'web_search_options']);
  });
});

describe('every preset with a copied format', () => {
  const unknown = { tomorrow: { any: 'thing' } };
  for (const { name, quirks, formats } of copies) {
    const [best] = Object.keys(formats);
    for (const format of Object.keys(quirks?.copied ?? {})) {
      // Another host of the same vendor is not reached by a base URL.
      const place = formats[format as keyof typeof formats];
      if (format === best || typeof place !== 'string' || !place.startsWith('/')) continue;
      const path = format === 'openai-responses' ? '/responses' : '/messages';
      const body = format === 'openai-responses' ? { input: 'hi' } : plain;
      test(`${name} is asked in its copy of ${format}, and above it for more`, async () => {
        expect(await send(path, { model: modelAt(name), ...body })).toMatchObject({ at: path, losses: '' });
        const more = await send(path, { model: modelAt(name), ...body, ...unknown });
        expect([more.at, more.losses]).toEqual(['/chat/completions', 'tomorrow']);
      });
    }
  }

  test('drops hosted tool servers in every copy of the messages format', () => {
    const rows = copies.flatMap(({ quirks }) => quirks?.copied?.['anthropic-messages'] ?? []);
    expect(rows.length).toBeGreaterThan(3);
    for (const row of rows) {
      expect(droppedBy(row, { ...plain, mcp_servers: [{}] }).map(({ what }) => what)).toEqual(['mcp_servers']);
      const document = { type: 'document', source: { type: 'url', url: 'u' } };
      expect(droppedBy(row, { messages: [{ role: 'user', content: [document] }] })).not.toEqual([]);
    }
  });

  test('says where its data is from, and when', () => {
    const rows = copies.flatMap(({ quirks }) => Object.values(quirks?.copied ?? {}));
    expect(rows.length).toBeGreaterThan(4);
    for (const { source, checked } of rows) {
      expect([URL.parse(source)?.protocol, /^\d{4}-\d\d-\d\d$/.test(checked)]).toEqual(['https:', true]);
    }
  });
});
