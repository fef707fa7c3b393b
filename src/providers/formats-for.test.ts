/** Which model has which formats at the providers that tell them apart. */

import { describe, expect, test } from 'bun:test';
import { providerOf } from './assemble.ts';
import { formatsFor } from './formats-for.ts';
import { presetByName } from './presets.ts';
import type { FormatName } from './provider.ts';

function provider(kind: string) {
  const preset = presetByName(kind);
  if (preset === undefined) throw new Error(`no preset ${kind}`);
  const transport = () => Promise.reject(new Error('unused'));
  return providerOf({
    preset,
    name: kind,
    baseUrl: preset.baseUrl,
    keys: [],
    headers: {},
    models: undefined,
    transport,
  });
}

const rows: readonly [string, string, readonly FormatName[]][] = [
  ['openai', 'gpt-5.4', ['openai-responses', 'openai-chat']],
  ['openai', 'gpt-4.1-mini', ['openai-responses', 'openai-chat']],
  ['openai', 'o3', ['openai-responses', 'openai-chat']],
  ['openai', 'o3-pro-2025-06-10', ['openai-responses']],
  ['openai', 'o1-pro', ['openai-responses']],
  ['openai', 'gpt-5-pro', ['openai-responses']],
  ['openai', 'gpt-5.2-pro-2025-12-11', ['openai-responses']],
  ['openai', 'gpt-5.1-codex-max', ['openai-responses']],
  ['openai', 'codex-mini-latest', ['openai-responses']],
  ['openai', 'o4-mini-deep-research', ['openai-responses']],
  ['openai', 'computer-use-preview-2025-03-11', ['openai-responses']],
  ['openai', 'gpt-3.5-turbo', ['openai-responses', 'openai-chat']],
  ['openai', 'gpt-3.5-turbo-instruct', ['openai-completions']],
  ['openai', 'davinci-002', ['openai-completions']],
  ['openai', 'ft:babbage-002:acme::1', ['openai-completions']],
  ['openai', 'gpt-4o-audio-preview', ['openai-chat']],
  ['openai', 'gpt-4o-search-preview-2025-03-11', ['openai-chat']],
  ['azure', 'my-deployment', ['openai-chat', 'openai-responses']],
  ['azure', 'gpt-5-codex', ['openai-responses']],
  ['vertex', 'claude-sonnet-4-5@20250929', ['anthropic-messages']],
  ['vertex', 'gemini-2.5-pro', ['gemini-generate']],
  ['vertex', 'meta/llama-3.3-70b-instruct-maas', ['openai-chat']],
  ['bedrock', 'anthropic.claude-3-haiku-20240307-v1:0', ['anthropic-messages']],
  ['bedrock', 'us.anthropic.claude-sonnet-4-20250514-v1:0', ['anthropic-messages']],
  ['bedrock', 'arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-x', ['anthropic-messages']],
  ['bedrock', 'openai.gpt-oss-120b-1:0', ['openai-chat']],
  ['bedrock', 'openai.gpt-5.4', ['openai-responses', 'openai-chat']],
  ['bedrock', 'deepseek.v3-v1:0', ['openai-chat']],
  ['anthropic', 'claude-opus-4', ['anthropic-messages']],
  ['groq', 'anything', ['openai-chat', 'openai-responses']],
  ['mistral', 'mistral-medium-3-5', ['openai-chat', 'openai-responses']],
  ['poe', 'Claude-Opus-4.7', ['openai-chat', 'openai-responses']],
  ['llama.cpp', 'any', ['openai-chat', 'openai-completions', 'anthropic-messages']],
  ['azure-foundry', 'claude-opus-4-8', ['anthropic-messages']],
  ['azure-foundry', 'my-claude', ['anthropic-messages']],
  ['azure-foundry', 'DeepSeek-V3.2', ['openai-chat', 'openai-responses']],
  ['azure-foundry', 'gpt-5-codex', ['openai-responses']],
  ['bedrock-mantle', 'anthropic.claude-opus-4-8', ['anthropic-messages']],
  ['bedrock-mantle', 'openai.gpt-oss-120b', ['openai-chat']],
  ['bedrock-mantle', 'openai.gpt-5.6-sol', ['openai-responses']],
  ['bedrock-mantle', 'google.gemma-4-31b', ['openai-responses']],
  ['bedrock-mantle', 'qwen.qwen3-235b', ['openai-chat']],
  ['databricks', 'system.ai.claude-sonnet-4-5', ['anthropic-messages', 'openai-chat']],
  ['databricks', 'databricks-gpt-oss-120b', ['openai-chat']],
  ['databricks', 'system.ai.gpt-5-6-sol', ['openai-responses', 'openai-chat']],
  ['databricks', 'system.ai.gemini-3-pro', ['openai-chat']],
  ['snowflake', 'claude-opus-4-8', ['anthropic-messages', 'openai-chat']],
  ['snowflake', 'openai-gpt-5.5', ['openai-chat']],
  ['digitalocean', 'anthropic-claude-opus-4.8', ['openai-chat', 'openai-responses', 'anthropic-messages']],
  ['digitalocean', 'llama3.3-70b-instruct', ['openai-chat', 'openai-responses']],
  ['opencode-zen', 'gpt-5.5', ['openai-responses']],
  ['opencode-zen', 'claude-haiku-5-5', ['anthropic-messages']],
  ['opencode-zen', 'glm-5.3', ['openai-chat']],
  ['gmi', 'anthropic/claude-opus-4.6', ['openai-chat', 'anthropic-messages']],
  ['gmi', 'deepseek-ai/DeepSeek-V3.2', ['openai-chat']],
  // Thoughts come back in this format alone, so it is what others are translated into.
  ['xai', 'grok-4.7', ['openai-responses', 'openai-chat']],
  ['xai-us', 'grok-4.7', ['openai-responses', 'openai-chat']],
  ['perplexity', 'openai/gpt-5.5', ['openai-responses']],
  ['meta', 'muse-spark-1.1', ['openai-responses', 'openai-chat', 'anthropic-messages']],
  ['vercel', 'openai/gpt-5.5', ['openai-chat', 'openai-responses', 'anthropic-messages']],
  [
    'fireworks',
    'accounts/fireworks/models/kimi-k2p5',
    ['openai-chat', 'openai-responses', 'openai-completions', 'anthropic-messages'],
  ],
  ['sambanova', 'gpt-oss-120b', ['openai-chat', 'openai-responses', 'anthropic-messages']],
  ['novita', 'zai-org/glm-4.6', ['openai-chat', 'openai-completions', 'anthropic-messages']],
  ['novita', 'meta-llama/llama-3.3-70b-instruct', ['openai-chat', 'openai-completions']],
];

describe('formats of', () => {
  for (const [kind, model, expected] of rows) {
    test(`${kind} ${model}`, () => expect(formatsFor(provider(kind), model)).toEqual(expected));
  }

  test('a model are worked out once, and names without end do not pile up', () => {
    const openai = provider('openai');
    expect(formatsFor(openai, 'gpt-5')).toBe(formatsFor(openai, 'gpt-5'));
    const first = formatsFor(openai, 'gpt-5');
    for (let index = 0; index < 2_500; index++) formatsFor(openai, `made-up-${index}`);
    expect(formatsFor(openai, 'gpt-5')).not.toBe(first);
    expect(formatsFor(openai, 'gpt-5')).toEqual(first);
  });

  test('of a provider that does not distinguish models are always the same list', () => {
    const plain = provider('mistral');
    expect(formatsFor(plain, 'x')).toBe(plain.formats);
  });
});
