/** Presets of the companies that serve the models they made themselves, where one row says all there is to say. */

import { likelihoods, penalties } from '../families/parameter-groups.ts';
import type { ProviderPreset } from '../provider.ts';
import { bearer, chat, madeImages, messages, modelsPath, olderChat, responses } from './paths.ts';

export const modelMakers: readonly ProviderPreset[] = [
  {
    name: 'mistral',
    label: 'Mistral',
    group: 'maker',
    docs: 'https://docs.mistral.ai/api',
    checked: '2026-05-01',
    tables: { genaiPrices: 'mistral', modelsDev: 'mistral', litellm: 'mistral' },
    baseUrl: 'https://api.mistral.ai/v1',
    keyVariables: ['MISTRAL_API_KEY'],
    auth: bearer,
    formats: { ...chat },
    operations: {
      embed: { wire: 'mistral-embeddings', path: '/embeddings' },
      moderate: { wire: 'mistral-moderations', path: '/moderations' },
      transcribe: { wire: 'mistral-transcriptions', path: '/audio/transcriptions' },
    },
    modelsPath,
    // Its schema forbids unknown fields and answers 422; the last chunk carries usage unasked.
    quirks: {
      ...olderChat,
      rejectsStreamOptions: true,
      // "Extra inputs are not permitted": https://github.com/Gitlawb/openclaude/issues/739, https://github.com/Vali-98/ChatterUI/issues/143.
      rejectsFields: ['store'],
      takes: { ...olderChat.takes, refuses: ['topK', 'seed', 'verbosity', ...likelihoods] },
    },
  },
  {
    name: 'deepseek',
    label: 'DeepSeek',
    group: 'maker',
    docs: 'https://api-docs.deepseek.com/api/create-chat-completion',
    checked: '2026-11-15',
    tables: { genaiPrices: 'deepseek', modelsDev: 'deepseek', litellm: 'deepseek' },
    baseUrl: 'https://api.deepseek.com/v1',
    keyVariables: ['DEEPSEEK_API_KEY'],
    auth: bearer,
    formats: { ...chat, 'anthropic-messages': 'https://api.deepseek.com/anthropic/v1/messages' },
    operations: {},
    modelsPath,
    // Refuses a tool loop whose earlier thinking does not come back.
    quirks: {
      ...olderChat,
      echoesThinkingAs: 'reasoning_content',
      thinkingAs: 'thinking-type',
      takes: {
        ...olderChat.takes,
        // "This response_format type is unavailable now": https://github.com/llm-exe/llm-exe/issues/662.
        refuses: ['schemaOutput'],
        // https://api-docs.deepseek.com/guides/thinking_mode (read 2026-11-15): these do nothing then.
        refusesWhileThinking: ['temperature', ...penalties],
        // https://github.com/QwenLM/qwen-code/issues/2320: "invalid type: sequence, expected a string".
        textLists: 'refused',
        // https://github.com/aattaran/deepclaude/issues/17, on its messages face.
        userId: { charactersMax: 512, pattern: '^[a-zA-Z0-9_-]+$' },
      },
      // Those that think unless they are told not to: https://github.com/BerriAI/litellm/pull/31466.
      takesOf: [{ models: /^deepseek-(?!chat)/, profile: { forcedTools: 'refused' } }],
    },
  },
  {
    name: 'xai',
    label: 'xAI',
    group: 'maker',
    docs: 'https://docs.x.ai/developers/rest-api-reference/inference',
    checked: '2026-11-16',
    tables: { genaiPrices: 'x-ai', modelsDev: 'xai', litellm: 'xai' },
    baseUrl: 'https://api.x.ai/v1',
    keyVariables: ['XAI_API_KEY'],
    auth: bearer,
    formats: { ...chat, ...responses, ...messages },
    operations: madeImages,
    modelsPath,
  },
  {
    // Publishes no list of models.
    name: 'perplexity',
    label: 'Perplexity',
    group: 'maker',
    docs: 'https://docs.perplexity.ai/docs/agent-api/models',
    checked: '2026-11-16',
    tables: { genaiPrices: 'perplexity', modelsDev: 'perplexity-agent', litellm: 'perplexity' },
    baseUrl: 'https://api.perplexity.ai',
    keyVariables: ['PERPLEXITY_API_KEY'],
    auth: bearer,
    formats: { ...chat },
    operations: {},
    quirks: olderChat,
  },
  {
    name: 'meta',
    label: 'Meta Llama',
    group: 'maker',
    docs: 'https://dev.meta.ai/docs/overview',
    checked: '2026-11-16',
    tables: { modelsDev: 'meta', litellm: 'meta' },
    baseUrl: 'https://api.llama.com/compat/v1',
    keyVariables: ['LLAMA_API_KEY'],
    auth: bearer,
    formats: { ...chat },
    operations: {},
    modelsPath,
  },
];
