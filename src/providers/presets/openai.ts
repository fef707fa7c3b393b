/**
 * OpenAI: the Responses API first, since it carries reasoning; some models are served by one of its formats only.
 * https://developers.openai.com/api/reference/overview (read 2026-11-15).
 */

import type { FamilyRow } from '../families/family.ts';
import type { ModelFormats, ProviderPreset } from '../provider.ts';
import { bearer, chat, completions, familyOperations, live, modelsPath, responses } from './paths.ts';

/** Models that answer on the responses format alone. */
export const onlyOnResponses: ModelFormats = {
  models: [
    'o1-pro*',
    'o3-pro*',
    'gpt-*-pro',
    'gpt-*-pro-20*',
    '*codex*',
    '*deep-research*',
    'computer-use-preview*',
    'gpt-*-cyber*',
    'gpt-daybreak-*',
    'gpt-*rosalind*',
  ],
  formats: ['openai-responses'],
};

/**
 * The chat format has tools for the earlier ones only.
 * https://github.com/openai/openai-openapi/issues/541, https://github.com/BerriAI/litellm/issues/34569 (read 2026-11-15).
 */
export const toolsOnResponses: FamilyRow = {
  models: /^gpt-(?:5\.(?:[4-9]|\d\d)|[6-9])/,
  profile: { toolsFormat: 'openai-responses' },
};

/** What is known of this API alone; https://github.com/maximhq/bifrost/issues/1000 has the length of an id (read 2026-11-15). */
export const ownFormats = {
  developerRole: 'taken',
  laterInstructions: 'taken',
  textLists: 'taken',
  userId: { charactersMax: 64 },
} as const;

export const openai: ProviderPreset = {
  name: 'openai',
  label: 'OpenAI',
  synonyms: ['gpt', 'chatgpt', 'o-series', 'codex', 'dall-e', 'whisper', 'sora'],
  group: 'maker',
  docs: 'https://developers.openai.com/api/reference/overview',
  checked: '2026-11-15',
  tables: { genaiPrices: 'openai', modelsDev: 'openai', litellm: ['openai', 'text-completion-openai'] },
  baseUrl: 'https://api.openai.com/v1',
  keyVariables: ['OPENAI_API_KEY'],
  auth: bearer,
  formats: { ...responses, ...chat, ...completions },
  modelFormats: [
    {
      models: ['gpt-3.5-turbo-instruct*', 'davinci-002', 'babbage-002', 'ft:davinci-002:*', 'ft:babbage-002:*'],
      formats: ['openai-completions'],
    },
    onlyOnResponses,
    // Audio and the older search models are on the chat format alone.
    { models: ['gpt-audio*', '*-audio-preview*', '*-search-preview*', '*-search-api*'], formats: ['openai-chat'] },
    { models: ['*'], formats: ['openai-responses', 'openai-chat'] },
  ],
  operations: {
    ...familyOperations,
    'converse-live': { ...live['converse-live'], models: ['*realtime*'] },
  },
  modelsPath,
  quirks: {
    // https://platform.openai.com/docs/pricing (read 2026-11-19).
    toolFees: { web_search: 0.01, file_search: 0.0025, code_interpreter: 0.03 },
    keepsReplies: true,
    takes: { ...ownFormats, allowedTools: 'taken', freeformTools: 'taken' },
    takesOf: [toolsOnResponses],
  },
};
