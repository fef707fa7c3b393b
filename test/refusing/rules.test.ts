/**
 * The refusing provider itself: for each rule a request that is refused in the service's words, and a
 * similar one that is accepted.
 */

import { describe, expect, test } from 'bun:test';
import { anthropicRules } from './rules/anthropic-rules.ts';
import { geminiRules } from './rules/gemini-rules.ts';
import { deepseekRules, moonshotRules, qwenTemplateRules, zhipuRules } from './rules/open-server-rules.ts';
import { openaiRules } from './rules/openai-rules.ts';
import { Refusal, type Rules, type WireName } from './rules/refusal.ts';

type Row = readonly [model: string, wire: WireName, refused: object, words: string, taken: object];

/** A signature names its model here. */
const issuedBy = (seal: string): string | undefined => /^of (.+)$/.exec(seal)?.[1];

/** The refusal that the rules give for the body, if any. */
function saidOf(rules: Rules, wire: WireName, model: string, fields: object): string | undefined {
  const plain = {
    chat: { messages: [{ role: 'user', content: 'hi' }] },
    responses: { input: 'hi' },
    messages: { max_tokens: 4_096, messages: [{ role: 'user', content: 'hi' }] },
    generate: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
  }[wire];
  try {
    rules(wire, model, { ...(wire !== 'generate' && { model }), ...plain, ...fields }, issuedBy);
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.message;
  }
}

function check(rules: Rules, rows: readonly Row[]): void {
  test.each(rows.map((row) => [`${row[0]} (${row[1]}): ${row[3]}`, row] as const))('%s', (_, row) => {
    const [model, wire, refused, words, taken] = row;
    expect(saidOf(rules, wire, model, refused)).toContain(words);
    expect(saidOf(rules, wire, model, taken)).toBeUndefined();
  });
}

const tool = { type: 'function', function: { name: 'f', parameters: {} } };
const config = (generationConfig: object): object => ({ generationConfig });
const thinking = (thinkingConfig: object): object => config({ thinkingConfig });

describe('OpenAI', () => {
  check(openaiRules, [
    ['gpt-4.1', 'chat', { user: 'x'.repeat(65) }, "Invalid 'user': string too long", { user: 'x'.repeat(64) }],
    ['gpt-4.1', 'chat', { top_k: 1 }, 'Unrecognized request argument supplied: top_k', { top_p: 0.5 }],
    ['gpt-4.1', 'chat', { reasoning_effort: 'low' }, "'reasoning_effort' is not supported", { temperature: 0 }],
    ['gpt-4.1', 'responses', { reasoning: { effort: 'low' } }, "'reasoning.effort'", { reasoning: { effort: null } }],
    ['gpt-4.1', 'responses', { include: ['reasoning.encrypted_content'] }, 'Encrypted content', { include: [] }],
    ['gpt-4.1', 'responses', { text: { verbosity: 'low' } }, 'Supported values', { text: { verbosity: 'medium' } }],
    ['gpt-4o', 'chat', { max_tokens: 32_000 }, 'max_tokens is too large: 32000', { max_tokens: 16_384 }],
    ['gpt-5', 'chat', { max_tokens: 9 }, "Use 'max_completion_tokens' instead", { max_completion_tokens: 9 }],
    ['gpt-5', 'chat', { temperature: 0.2 }, "'temperature' does not support 0.2", { temperature: 1 }],
    ['gpt-5', 'responses', { top_p: 0.9 }, "'top_p' is not supported", {}],
    ['gpt-5', 'chat', { stop: ['x'] }, "'stop' is not supported", {}],
    ['gpt-5', 'chat', { reasoning_effort: 'xhigh' }, 'Supported values are', { reasoning_effort: 'minimal' }],
    ['gpt-5.1', 'chat', { top_p: 0.9, reasoning_effort: 'low' }, "'top_p'", { top_p: 0.9 }],
    ['gpt-5.6-sol', 'chat', { tools: [tool] }, 'use /v1/responses', { tools: [tool], reasoning_effort: 'none' }],
    ['gpt-6.1-sol', 'chat', { reasoning_effort: 'none' }, 'Supported values are', { reasoning_effort: 'low' }],
    ['gpt-6.1-sol', 'chat', { reasoning_effort: 'max' }, 'only supported in /v1/responses', {}],
    ['gpt-6.1-sol', 'chat', { temperature: 0.2 }, "'temperature' does not support 0.2", { temperature: 1 }],
    ['gpt-6.1-sol', 'chat', { tools: [tool] }, 'use /v1/responses', {}],
    ['gpt-6-sol', 'chat', { tools: [tool] }, 'use /v1/responses', { tools: [tool], reasoning_effort: 'none' }],
    ['o3', 'chat', { tools: [tool], parallel_tool_calls: true }, "'parallel_tool_calls'", { tools: [tool] }],
    ['gpt-4.1', 'chat', { tool_choice: 'auto' }, "only allowed when 'tools'", { tools: [tool], tool_choice: 'auto' }],
    ['gpt-4.1', 'chat', { messages: [{ role: 'tool', tool_call_id: 'c' }] }, 'must be a response', {}],
  ]);
});

describe('Anthropic', () => {
  const adaptive = { thinking: { type: 'adaptive' } };
  const budget = { thinking: { type: 'enabled', budget_tokens: 1_024 } };
  const off = { thinking: { type: 'disabled' } };
  const turns = (...messages: object[]): object => ({ messages: [{ role: 'user', content: 'hi' }, ...messages] });
  const effort = (word: string): object => ({ output_config: { effort: word } });
  const thoughtOf = (model: string): object => {
    const content = [{ type: 'thinking', thinking: 'hm', signature: `of ${model}` }];
    return turns({ role: 'assistant', content }, { role: 'user', content: 'so?' });
  };
  check(anthropicRules, [
    ['claude-sonnet-4-5', 'messages', adaptive, 'adaptive thinking is not supported', budget],
    ['claude-sonnet-4-5', 'messages', { output_config: { effort: 'low' } }, 'does not support the effort', off],
    ['claude-sonnet-4-5', 'messages', { ...budget, max_tokens: 1_024 }, 'must be greater than', budget],
    ['claude-sonnet-4-5', 'messages', { ...budget, temperature: 0 }, 'only be set to 1', { ...budget, temperature: 1 }],
    ['claude-sonnet-4-5', 'messages', { temperature: 0, top_p: 0.9 }, 'cannot both be specified', { temperature: 0 }],
    ['claude-sonnet-4-5', 'messages', { ...budget, tool_choice: { type: 'any' } }, 'forces tool use', budget],
    ['claude-sonnet-4-5', 'messages', { max_tokens: 64_001 }, '64001 > 64000', { max_tokens: 64_000 }],
    ['claude-sonnet-4-5', 'messages', turns({ role: 'system', content: 'x' }), 'Unexpected role "system"', {}],
    [
      'claude-opus-4-6',
      'messages',
      { output_config: { effort: 'xhigh' } },
      'is not supported',
      { output_config: { effort: 'max' } },
    ],
    ['claude-opus-4-8', 'messages', budget, '"thinking.type.enabled" is not supported', adaptive],
    ['claude-opus-4-8', 'messages', { temperature: 0.5 }, '`temperature` is deprecated', { temperature: 1 }],
    [
      'claude-opus-4-8',
      'messages',
      turns({ role: 'user', content: ' ' }),
      'non-whitespace',
      turns({ role: 'system', content: 'x' }),
    ],
    ['claude-opus-5-5', 'messages', off, '"thinking.type.disabled" is not supported', adaptive],
    ['claude-fable-5-1', 'messages', { tool_choice: { type: 'tool', name: 'f' } }, 'is not supported', adaptive],
    ['claude-sonnet-5-5', 'messages', turns({ role: 'assistant', content: 'x' }), 'prefill', {}],
    ['claude-opus-5-5', 'messages', thoughtOf('claude-opus-5'), 'not issued for', thoughtOf('claude-opus-5-5')],
    ['claude-opus-5', 'messages', { ...off, ...effort('xhigh') }, 'cannot be disabled', { ...off, ...effort('high') }],
    [
      'claude-sonnet-4-5',
      'messages',
      { context_management: { edits: [{ type: 'clear_thinking_20251015' }] } },
      'strategy requires `thinking`',
      { ...budget, context_management: { edits: [{ type: 'clear_thinking_20251015' }] } },
    ],
    ['claude-3-5-haiku', 'messages', budget, 'is not supported for this model', off],
    ['claude-3-5-haiku', 'messages', { verbosity: 'low' }, 'verbosity: Extra inputs are not permitted', {}],
  ]);
});

describe('Gemini', () => {
  const declare = (parameters: object): object => ({ tools: [{ functionDeclarations: [{ name: 'f', parameters }] }] });
  check(geminiRules, [
    ['gemini-2.0-flash', 'generate', thinking({ includeThoughts: true }), 'thinking_config is not supported', {}],
    [
      'gemini-2.0-flash',
      'generate',
      config({ maxOutputTokens: 8_193 }),
      'supported range',
      config({ maxOutputTokens: 8_192 }),
    ],
    [
      'gemini-2.5-pro',
      'generate',
      thinking({ thinkingBudget: 0 }),
      'Budget 0 is invalid',
      thinking({ thinkingBudget: 128 }),
    ],
    [
      'gemini-2.5-pro',
      'generate',
      thinking({ thinkingBudget: 127 }),
      'between 128 and 32768',
      thinking({ thinkingBudget: -1 }),
    ],
    ['gemini-2.5-pro', 'generate', thinking({ thinkingLevel: 'LOW' }), 'Thinking level is not supported', {}],
    [
      'gemini-2.5-flash',
      'generate',
      thinking({ thinkingBudget: 24_577 }),
      'between 1 and 24576',
      thinking({ thinkingBudget: 0 }),
    ],
    [
      'gemini-3-pro-preview',
      'generate',
      thinking({ thinkingLevel: 'MEDIUM' }),
      'MEDIUM is not supported',
      thinking({ thinkingLevel: 'low' }),
    ],
    [
      'gemini-2.5-pro',
      'generate',
      declare({ type: 'object', $schema: 'x' }),
      'Unknown name "$schema"',
      declare({ type: 'object' }),
    ],
    ['gemini-2.5-pro', 'generate', { user: 'x' }, 'Unknown name "user"', {}],
    [
      'gemini-3.8-flash',
      'generate',
      thinking({ thinkingLevel: 'MINIMAL' }),
      'MINIMAL is not supported',
      thinking({ thinkingLevel: 'medium' }),
    ],
    ['gemini-3.8-flash', 'generate', config({ candidateCount: 1 }), 'candidateCount', {}],
    ['gemini-3.8-flash', 'generate', { contents: [{ role: 'model', parts: [{ text: 'x' }] }] }, 'a user turn', {}],
  ]);
});

describe('servers of open models', () => {
  const turns = (...roles: string[]): object => ({ messages: roles.map((role) => ({ role, content: 'x' })) });
  const list = [{ role: 'user', content: [{ type: 'text', text: 'x' }] }];
  check(deepseekRules, [
    ['deepseek-chat', 'chat', { messages: list }, 'invalid type: sequence, expected a string', {}],
    [
      'deepseek-chat',
      'chat',
      turns('developer', 'user'),
      'unknown variant `developer`',
      turns('system', 'user', 'system'),
    ],
  ]);
  const call = { role: 'assistant', content: null, tool_calls: [{ id: 'c', function: { name: 'f' } }] };
  const thoughtful = { messages: [{ ...call, reasoning_content: 'hm' }] };
  for (const [rules, model] of [
    [deepseekRules, 'deepseek-v4-pro'],
    [moonshotRules, 'kimi-k3'],
  ] as const) {
    check(rules, [
      [model, 'chat', { messages: [call] }, '`reasoning_content` in the thinking mode must', thoughtful],
      [model, 'chat', { tool_choice: 'required' }, 'a forced choice', { tool_choice: 'auto' }],
      [
        model,
        'chat',
        { tool_choice: 'required' },
        'a forced choice',
        { tool_choice: 'required', reasoning_effort: 'none' },
      ],
    ]);
  }
  check(moonshotRules, [['kimi-k3', 'chat', turns('developer', 'user'), 'invalid role', turns('system', 'user')]]);
  check(qwenTemplateRules, [
    ['qwen3.8-27b', 'chat', turns('system', 'user', 'system'), 'must be at the beginning', turns('system', 'user')],
    ['qwen3.8-27b', 'chat', turns('developer', 'user'), 'Unexpected message role', { messages: list }],
    [
      'qwen3.8-27b',
      'responses',
      { instructions: 'a', input: [{ role: 'developer' }] },
      'at the beginning',
      { instructions: 'a' },
    ],
  ]);
  check(zhipuRules, [['glm-4.6', 'chat', { user: 'x'.repeat(129) }, 'between 6 and 128', { user: 'x'.repeat(128) }]]);
});
