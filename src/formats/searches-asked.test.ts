/** How many searches of the web a request may make, and whether it rules priority out: money is held by both. */

import { describe, expect, test } from 'bun:test';
import { check as checkMessages } from './anthropic-messages/checks.ts';
import { check as checkContent } from './gemini-generate/checks.ts';
import { check as checkChat } from './openai-chat/checks.ts';
import { check as checkCompletion } from './openai-completions/checks.ts';
import { check as checkResponse } from './openai-responses/checks.ts';

const messages = [{ role: 'user', content: 'hi' }];
const chat = (fields: object) => checkChat({ model: 'm', messages, ...fields }, 100);
const message = (fields: object) => checkMessages({ model: 'm', max_tokens: 9, messages, ...fields }, 100);
const response = (fields: object) => checkResponse({ model: 'm', input: 'hi', ...fields }, 100);
const content = (fields: object) =>
  checkContent({ contents: [{ parts: [{ text: 'hi' }] }], ...fields }, 100, { model: 'm', stream: false });
const completion = (fields: object) => checkCompletion({ model: 'm', prompt: ['a', 'b'], ...fields }, 100);

describe('searches that may be made', () => {
  const tool = { type: 'web_search_20250305', name: 'web_search' };
  const own = { type: 'function', function: { name: 'web_search' } };

  test.each([
    ['messages, with a limit', message({ tools: [{ ...tool, max_uses: 3 }] }), 3],
    [
      'messages, two with limits',
      message({
        tools: [
          { ...tool, max_uses: 3 },
          { ...tool, max_uses: 4 },
        ],
      }),
      7,
    ],
    ['messages, without', message({ tools: [tool] }), 10],
    [
      'messages, another tool of the provider',
      message({ tools: [{ type: 'code_execution_20250522', name: 'c' }] }),
      undefined,
    ],
    ['messages, a tool of the caller', message({ tools: [{ name: 'web_search', input_schema: {} }] }), undefined],
    ['responses', response({ tools: [{ type: 'web_search' }] }), 10],
    ['responses, with a limit', response({ tools: [{ type: 'web_search_preview' }], max_tool_calls: 2 }), 2],
    ['responses, in a network', response({ tools: [{ type: 'x_search' }] }), 10],
    ['responses, another tool', response({ tools: [{ type: 'file_search', vector_store_ids: ['v'] }] }), undefined],
    ['chat, by its options', chat({ web_search_options: {} }), 10],
    ['chat, by a host’s own field', chat({ search_parameters: { mode: 'on' } }), 10],
    ['chat, by a host’s plugin', chat({ plugins: [{ id: 'web' }] }), 10],
    ['chat, by a tool of the host', chat({ tools: [{ type: 'web_search', web_search: {} }] }), 10],
    ['chat, a tool of the caller', chat({ tools: [own] }), undefined],
    ['chat, a model that always searches', chat({ model: 'gpt-5-search-api' }), 1],
    ['chat, a conversation that is kept elsewhere', chat({ conversation: 'c' }), undefined],
    ['content', content({ tools: [{ googleSearch: {} }] }), 10],
    ['content, in the other spelling', content({ tools: [{ google_search: {} }, { functionDeclarations: [] }] }), 10],
    ['content, for companies', content({ tools: [{ enterpriseWebSearch: {} }] }), 10],
    ['content, another tool of the provider', content({ tools: [{ codeExecution: {} }] }), undefined],
    ['completions, for each prompt', completion({ enable_search: true }), 20],
    ['completions', completion({}), undefined],
  ] as const)('%s', (_name, facts, searches) => {
    expect(facts.webSearchesMax).toBe(searches as never);
  });
});

test('priority is ruled out by the words of each format alone', () => {
  expect([chat, response, completion].map((check) => check({ service_tier: 'flex' }).neverPriority)).toEqual([
    true,
    true,
    true,
  ]);
  expect([chat, response].map((check) => check({ service_tier: 'default' }).neverPriority)).toEqual([true, true]);
  expect(message({ service_tier: 'standard_only' }).neverPriority).toBe(true);
  expect(content({ serviceTier: 'STANDARD' }).neverPriority).toBe(true);
  const silent = [
    chat({}),
    response({}),
    message({}),
    content({}),
    chat({ service_tier: 'auto' }),
    message({ service_tier: 'auto' }),
  ];
  expect(silent.filter((facts) => facts.neverPriority !== undefined)).toEqual([]);
  expect(chat({ service_tier: 'priority' }).neverPriority).toBeUndefined();
});

describe('what providers add of their own', () => {
  test('a faster service beside a tier that excludes it', () => {
    expect(message({ service_tier: 'standard_only' }).neverPriority).toBe(true);
    expect(message({ service_tier: 'standard_only', speed: 'standard' }).neverPriority).toBe(true);
    for (const faster of [
      { speed: 'fast' },
      { Speed: 'fast' },
      { extra_body: { speed: 'fast' } },
      { speed: 'turbo' },
    ]) {
      expect(message({ service_tier: 'standard_only', ...faster }).neverPriority).toBeUndefined();
      expect(chat({ service_tier: 'default', ...faster }).neverPriority).toBeUndefined();
      expect(response({ service_tier: 'flex', ...faster }).neverPriority).toBeUndefined();
    }
  });

  test('a prompt for tools, and one for each that the service describes', () => {
    const added = (tools: readonly object[]) => message({ tools }).inputTokensMax - message({}).inputTokensMax;
    const own = { name: 'f', input_schema: {} };
    expect(added([own])).toBe(346);
    expect(added([own, own])).toBe(346);
    const described = [{ type: 'computer_20251124' }, { type: 'bash_20250124' }, { type: 'text_editor_20250728' }];
    expect(added(described)).toBe(346 + 735 + 499 + 245 + 700);
    expect(added([{ type: 'next_year_20270101' }])).toBeGreaterThan(346 + 735 + 499);
  });

  test('a region that costs more', () => {
    expect(message({}).surchargePercent).toBeUndefined();
    expect(message({ inference_geo: 'us' }).surchargePercent).toBe(10);
  });
});
