/** OpenAI's own models; its open ones are a family of their own. */

import type { Family, FamilyRow } from './family.ts';
import { documents, likelihoods, lowToHigh, lowToMax, penalties, sampling, text } from './parameter-groups.ts';

/** Models that always think refuse every sampling parameter. */
const unsampled = [...sampling, ...penalties, ...likelihoods] as const;

/** The later ones take these while they do not think. */
const sampledAtRest = ['temperature', 'topP', 'logprobs'] as const;
const neverTaken = ['topK', ...penalties, 'logitBias'] as const;

const chat: readonly FamilyRow[] = [
  {
    models: /^(gpt-3\.5|gpt-4|chatgpt-4o)/,
    profile: {
      refuses: ['topK', 'verbosity'],
      thinking: { kind: 'never' },
      contextTokens: 128_000,
      outputTokensMax: 16_384,
      olderLimit: 'taken',
    },
  },
  {
    models: /^gpt-(3\.5|4(-turbo|-vision|-\d|-32k|$))/,
    profile: { refuses: ['topK', 'verbosity', 'schemaOutput'], outputTokensMax: 4_096 },
  },
  { models: /^gpt-3\.5/, profile: { contextTokens: 16_385, input: text } },
  {
    models: /^gpt-4(-0\d{3}|-32k|$)(?!-preview)/,
    profile: { contextTokens: 32_768, outputTokensMax: 32_768, input: text },
  },
  { models: /^gpt-4(-0\d{3}|$)(?!-preview)/, profile: { contextTokens: 8_192, outputTokensMax: 8_192 } },
  { models: /^gpt-4o-2024-05-13/, profile: { refuses: ['topK', 'verbosity', 'schemaOutput'], outputTokensMax: 4_096 } },
  {
    models: /^gpt-4o.*-search-preview/,
    profile: { refuses: ['verbosity', ...unsampled], searchOption: 'taken' },
  },
  { models: /^gpt-(4o.*-)?audio/, profile: { input: ['text', 'audio'], output: ['text', 'audio'] } },
  // 2,833 and 5,667 for each of eight tiles: https://platform.openai.com/docs/guides/images-vision (read 2026-11-19).
  { models: /^gpt-4o-mini/, profile: { imageTokensMax: 48_169 } },
  { models: /^gpt-4\.1/, profile: { contextTokens: 1_047_576, outputTokensMax: 32_768 } },
];

const oSeries: readonly FamilyRow[] = [
  {
    models: /^o[134](-|$)/,
    profile: {
      refuses: [...unsampled, 'verbosity', 'parallelToolCalls'],
      thinking: { kind: 'effort', efforts: lowToHigh, byDefault: 'medium' },
      contextTokens: 200_000,
      outputTokensMax: 100_000,
    },
  },
  {
    models: /^o(3|4-mini)(-\d|-pro|$)/,
    profile: { refuses: [...unsampled, 'verbosity', 'parallelToolCalls', 'stop'] },
  },
  { models: /^o3-mini/, profile: { input: text } },
  {
    models: /^o1-(mini|preview)/,
    profile: { thinking: { kind: 'always' }, contextTokens: 128_000, outputTokensMax: 65_536, input: text },
  },
];

const fifth: readonly FamilyRow[] = [
  {
    models: /^gpt-5/,
    profile: {
      refuses: [...unsampled, 'stop'],
      thinking: { kind: 'effort', efforts: ['minimal', ...lowToHigh], byDefault: 'medium' },
      contextTokens: 400_000,
    },
  },
  { models: /^gpt-5-codex/, profile: { thinking: { kind: 'effort', efforts: lowToHigh, byDefault: 'medium' } } },
  {
    models: /^gpt-5-pro/,
    profile: { thinking: { kind: 'effort', efforts: ['high'], byDefault: 'high' }, outputTokensMax: 272_000 },
  },
  {
    models: /^gpt-5\.1/,
    profile: {
      refuses: [...neverTaken, 'stop'],
      refusesWhileThinking: sampledAtRest,
      thinking: { kind: 'effort', efforts: ['none', ...lowToHigh], byDefault: 'none' },
    },
  },
  {
    models: /^gpt-5\.[2-9]/,
    profile: {
      refuses: [...neverTaken, 'stop'],
      refusesWhileThinking: sampledAtRest,
      thinking: { kind: 'effort', efforts: ['none', ...lowToHigh, 'xhigh'], byDefault: 'none' },
    },
  },
  { models: /^gpt-5\.4(?!-(mini|nano))/, profile: { contextTokens: 1_050_000 } },
  {
    models: /^gpt-5\.[5-9]/,
    profile: {
      refuses: neverTaken,
      refusesWhileThinking: [...sampledAtRest, 'stop'],
      thinking: { kind: 'effort', efforts: ['none', ...lowToHigh, 'xhigh'], byDefault: 'medium' },
      contextTokens: 1_050_000,
    },
  },
  {
    models: /^gpt-5\.[6-9]/,
    profile: { thinking: { kind: 'effort', efforts: ['none', ...lowToMax], byDefault: 'medium' } },
  },
  {
    models: /^gpt-5\.\d+-(codex|pro)/,
    profile: {
      refuses: [...unsampled, 'stop'],
      thinking: { kind: 'effort', efforts: lowToHigh, byDefault: 'medium' },
    },
  },
  {
    models: /^gpt-5\.(1-codex-max|[2-9]-codex)/,
    profile: { thinking: { kind: 'effort', efforts: [...lowToHigh, 'xhigh'], byDefault: 'medium' } },
  },
  {
    models: /^gpt-5\.\d+-pro/,
    profile: { thinking: { kind: 'effort', efforts: ['medium', 'high', 'xhigh'], byDefault: 'medium' } },
  },
  {
    models: /^gpt-5(\.\d+)?-chat/,
    profile: {
      refuses: [...unsampled, 'stop'],
      thinking: { kind: 'effort', efforts: ['medium'], byDefault: 'medium' },
      contextTokens: 128_000,
      outputTokensMax: 16_384,
    },
  },
  {
    models: /^gpt-5-chat/,
    profile: { refuses: ['topK', 'verbosity', 'tools', 'toolChoice'], thinking: { kind: 'never' } },
  },
];

const sixth: readonly FamilyRow[] = [
  {
    models: /^gpt-6(\.1)?-(sol|terra|luna)|^gpt-6\.1-terra/,
    profile: {
      refuses: neverTaken,
      refusesWhileThinking: [...sampledAtRest, 'stop'],
      thinking: { kind: 'effort', efforts: ['none', ...lowToMax], byDefault: 'medium' },
    },
  },
  {
    models: /^gpt-6\.1-sol/,
    profile: { refuses: [...unsampled, 'stop'], thinking: { kind: 'effort', efforts: lowToMax, byDefault: 'medium' } },
  },
];

export const openaiFamily: Family = {
  title: 'OpenAI',
  names: /^(gpt-(?:\d|audio)|o[134](?:-|$)|chatgpt-4o)(?!.*(?:realtime|transcri|-tts|image|instruct))/,
  sources: [
    'https://models.dev (openai)',
    'https://github.com/vercel/ai/blob/main/packages/openai/src/openai-model-catalog.ts',
    'https://github.com/continuedev/continue/issues/7052 (max_tokens)',
    'https://github.com/huggingface/smolagents/issues/1893, https://github.com/BerriAI/litellm/pull/28650 (stop)',
    'https://github.com/BerriAI/litellm/blob/main/litellm/llms/openai/chat/o_series_transformation.py',
    'https://github.com/openai/openai-agents-python/issues/2089 (efforts of 5.1)',
    'https://learn.microsoft.com/en-us/javascript/api/@azure/ai-projects/reasoningeffort',
  ],
  seen: '2026-11-15',
  rows: [
    // A model that is newer than this table is taken to be like the newest in it.
    {
      models: /./,
      profile: {
        refuses: [...unsampled, 'stop'],
        thinking: { kind: 'effort', efforts: lowToMax, byDefault: 'medium' },
        contextTokens: 1_050_000,
        outputTokensMax: 128_000,
        temperatureMax: 2,
        stopsMax: 4,
        // Since the first models that think the limit has another name in the chat format.
        olderLimit: 'refused',
        input: documents,
        output: text,
      },
    },
    ...chat,
    ...oSeries,
    ...fifth,
    ...sixth,
  ],
};
