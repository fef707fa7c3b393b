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
    // Its chat format returns no thoughts and its messages format has ended: https://docs.x.ai/developers/model-capabilities/text/comparison,
    // https://docs.x.ai/developers/rest-api-reference/inference/legacy.
    name: 'xai',
    label: 'xAI',
    group: 'maker',
    docs: 'https://docs.x.ai/developers/rest-api-reference/inference',
    checked: '2026-11-16',
    tables: { genaiPrices: 'x-ai', modelsDev: 'xai', litellm: 'xai' },
    baseUrl: 'https://api.x.ai/v1',
    keyVariables: ['XAI_API_KEY'],
    auth: bearer,
    formats: { ...responses, ...chat },
    operations: madeImages,
    modelsPath,
    quirks: { keepsReplies: true },
  },
  {
    // Fewer models, for a tenth more: none of the tables has its prices. https://www.developersdigest.tech/reference/api-compatibility/xai
    name: 'xai-us',
    label: 'xAI (United States)',
    group: 'maker',
    docs: 'https://docs.x.ai/developers/rest-api-reference/inference',
    checked: '2026-11-16',
    baseUrl: 'https://us.api.x.ai/v1',
    keyVariables: ['XAI_API_KEY'],
    // The variable wishes for the address above.
    keyVariableIsShared: true,
    auth: bearer,
    formats: { ...responses, ...chat },
    operations: {},
    modelsPath,
    quirks: { keepsReplies: true },
  },
  {
    // Of its model lists none is documented. Prices in the price library are those of the chat format that ended on 2026-09-27.
    name: 'perplexity',
    label: 'Perplexity Agent API',
    group: 'maker',
    docs: 'https://docs.perplexity.ai/docs/grounded-llm/openai-compatibility',
    checked: '2026-11-16',
    tables: { modelsDev: 'perplexity-agent', litellm: 'perplexity' },
    baseUrl: 'https://api.perplexity.ai/v1',
    keyVariables: ['PERPLEXITY_API_KEY'],
    auth: bearer,
    formats: { ...responses },
    operations: {},
  },
  {
    name: 'meta',
    label: 'Meta Model API',
    group: 'maker',
    docs: 'https://dev.meta.ai/docs/overview',
    checked: '2026-11-16',
    tables: { modelsDev: 'meta', litellm: 'meta' },
    baseUrl: 'https://api.meta.ai/v1',
    keyVariables: ['META_MODEL_API_KEY', 'MODEL_API_KEY'],
    // The second is Meta's own, and a name that any program may use for any key.
    keyVariableIsShared: true,
    auth: bearer,
    formats: { ...responses, ...chat, ...messages },
    operations: {},
    modelsPath,
    // https://ocaml.org/p/chatoyant/latest/doc/chatoyant.provider/Chatoyant_provider/Meta/index.html (read 2026-11-16).
    quirks: { takes: { refuses: ['stop'], forcedTools: 'refused' } },
  },
];
