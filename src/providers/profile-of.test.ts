/** Proves who goes before whom in what is known of a model: family, preset, the provider's list, the operator. */

import { describe, expect, test } from 'bun:test';
import type { ListedModel } from '../conversation/model-profile.ts';
import { assembleProvider, type Provider } from './assemble.ts';
import { profileLayers, profileOf } from './profile-of.ts';
import { takenParameters } from './taken-parameters.ts';

const transport = () => Promise.reject(new Error('calls nobody'));

function providerOf(kind: string, profiles?: Parameters<typeof assembleProvider>[0]['profiles']): Provider {
  const config = { name: kind, kind, keys: [], models: undefined, headers: {}, enabled: true, origin: 'file' as const };
  return assembleProvider({ ...config, baseUrl: 'http://127.0.0.1:1/v1', profiles }, transport);
}

const listed: ListedModel = {
  name: 'kimi-k2.6',
  profile: { contextTokens: 200_000, outputTokensMax: 32_768, refuses: ['logprobs'] },
  takes: ['temperature'],
};

describe('the order', () => {
  test('a preset goes before the family', () => {
    expect(profileOf(providerOf('openrouter'), 'kimi-k2.6').refuses).toBeUndefined();
    expect(profileOf(providerOf('moonshot'), 'kimi-k2.6').refuses).toContain('temperature');
    expect(profileOf(providerOf('moonshot'), 'kimi-k2.6').contextTokens).toBe(262_144);
  });

  test('the provider’s list goes before both, but says nothing of what it does not know', () => {
    const { contextTokens, outputTokensMax, refuses, thinking } = profileOf(
      providerOf('moonshot'),
      'kimi-k2.6',
      listed,
    );
    expect([contextTokens, outputTokensMax, thinking?.kind]).toEqual([200_000, 32_768, 'switch']);
    expect(refuses).toEqual(['topP', 'topK', 'presencePenalty', 'frequencyPenalty', 'logprobs']);
  });

  test('the operator goes before everybody, the later pattern before the earlier', () => {
    const provider = providerOf('moonshot', {
      'kimi-*': { context_tokens: 50_000, refuses: [], thinking: { kind: 'never' }, text_lists: 'refused' },
      'kimi-k2.6': { output_tokens_max: 1_000 },
      other: { context_tokens: 1 },
    });
    expect(profileOf(provider, 'kimi-k2.6', listed)).toMatchObject({
      contextTokens: 50_000,
      outputTokensMax: 1_000,
      refuses: [],
      thinking: { kind: 'never' },
      textLists: 'refused',
      developerRole: 'refused',
    });
  });

  test('each layer says where it is written', () => {
    const provider = providerOf('openai', { 'gpt-*': { stops_max: 2 } });
    const layers = profileLayers(provider, 'gpt-5.4', { name: 'gpt-5.4', profile: { contextTokens: 7 } });
    expect(layers.map(({ from }) => from)).toEqual([
      expect.stringMatching(/^family OpenAI, seen 2026-\d\d-\d\d$/),
      'preset',
      'preset',
      "provider's list",
      'operator, gpt-*',
    ]);
    expect(layers[2]?.profile).toEqual({ toolsFormat: 'openai-responses' });
  });

  test('what nobody knows is unknown', () => {
    expect(profileOf(providerOf('anthropic-messages'), 'my-own-model')).toEqual({});
  });
});

describe('hosts have rules of their own', () => {
  test.each([
    ['openai', 'gpt-5.4', 'openai-responses'],
    ['openai', 'gpt-5.6-sol', 'openai-responses'],
    ['openai', 'gpt-6-astra', 'openai-responses'],
    ['azure', 'gpt-5.4', 'openai-responses'],
    ['openai', 'gpt-5.2', undefined],
    ['openai', 'gpt-4o', undefined],
    ['openrouter', 'openai/gpt-5.4', undefined],
  ])('%s wants tools for %s in %s', (kind, model, format) => {
    expect(profileOf(providerOf(kind), model).toolsFormat).toBe(format);
  });

  test.each([
    ['openai', { charactersMax: 64 }],
    ['azure', { charactersMax: 64 }],
    ['openrouter', { charactersMax: 128 }],
    ['zhipu', { charactersMin: 6, charactersMax: 128 }],
    ['volcengine', { charactersMin: 6, charactersMax: 128 }],
    ['deepseek', { charactersMax: 512, pattern: '^[a-zA-Z0-9_-]+$' }],
    ['groq', undefined],
  ])('%s takes ids of users like %p', (kind, userId) => {
    expect(profileOf(providerOf(kind), 'any').userId).toEqual(userId as never);
  });

  test('lists of texts, later instructions, developer turns and a choice among tools', () => {
    const of = (kind: string) => profileOf(providerOf(kind), 'any');
    expect(['deepseek', 'siliconflow', 'openai', 'groq'].map((kind) => of(kind).textLists)).toEqual([
      'refused',
      'refused',
      'taken',
      undefined,
    ]);
    const local = ['vllm', 'llama.cpp', 'ollama', 'lm-studio'];
    expect(new Set(local.map((kind) => of(kind).laterInstructions))).toEqual(new Set(['refused']));
    expect(['openai', 'azure', 'groq'].map((kind) => of(kind).laterInstructions)).toEqual([
      'taken',
      'taken',
      undefined,
    ]);
    expect(['openai', 'azure', 'mistral'].map((kind) => of(kind).developerRole)).toEqual(['taken', 'taken', 'refused']);
    expect(['openai', 'azure', 'groq'].map((kind) => of(kind).allowedTools)).toEqual(['taken', undefined, undefined]);
  });

  test('shapes of replies', () => {
    const refused = (kind: string) =>
      ['jsonOutput', 'schemaOutput'].filter((name) =>
        profileOf(providerOf(kind), 'any').refuses?.includes(name as never),
      );
    expect(['deepseek', 'zai', 'minimax', 'lm-studio', 'xai'].map(refused)).toEqual([
      ['schemaOutput'],
      ['schemaOutput'],
      ['jsonOutput', 'schemaOutput'],
      ['jsonOutput'],
      [],
    ]);
    const forced = (model: string) => profileOf(providerOf('deepseek'), model).forcedTools;
    expect(['deepseek-v4-pro', 'deepseek-chat'].map(forced)).toEqual(['refused', undefined]);
  });

  test('a maker’s own host writes less than others at once', () => {
    const largest = (kind: string, model: string) => profileOf(providerOf(kind), model).outputTokensMax;
    expect([largest('zai', 'glm-4.6'), largest('zai', 'glm-4.5-air'), largest('openrouter', 'z-ai/glm-4.6')]).toEqual([
      131_072, 98_304, 204_800,
    ]);
    expect([largest('dashscope', 'qwen3.5-plus'), largest('vllm', 'Qwen/Qwen3.5-27B')]).toEqual([65_536, 262_144]);
    expect([largest('minimax', 'MiniMax-M3'), largest('fireworks', 'minimax-m3')]).toEqual([131_072, 512_000]);
  });

  test('budgets of thinking are told at home alone', () => {
    expect(profileOf(providerOf('dashscope'), 'qwen3-235b-a22b').thinking?.kind).toBe('budget');
    expect(profileOf(providerOf('dashscope'), 'qwen3-coder-plus').thinking?.kind).toBe('never');
    expect(profileOf(providerOf('vllm'), 'Qwen/Qwen3-8B').thinking?.kind).toBe('switch');
    expect(profileOf(providerOf('cohere'), 'command-a-reasoning-08-2025').thinking?.kind).toBe('effort');
  });
});

test('a model that always thinks, or never, is not said to take thinking', () => {
  const takes = (kind: string, model: string): boolean => takenParameters(providerOf(kind), model).has('thinking');
  expect(takes('xai', 'grok-4')).toBe(false);
  expect(takes('xai', 'grok-4.3')).toBe(true);
  expect(takes('openai', 'gpt-4o')).toBe(false);
  expect(takes('openai-chat', 'my-own-model')).toBe(true);
});
