/** Presets of the providers whose first URL is in Asia; their other regions are rows of `regional-twins.ts`. */

import type { FamilyRow } from '../families/family.ts';
import { likelihoods, penalties, sampling } from '../families/parameter-groups.ts';
import type { ModelFormats, ProviderPreset } from '../provider.ts';
import {
  bearer,
  chat,
  embeddings,
  fewEmbeddings,
  madeImages,
  messages,
  modelsPath,
  olderChat,
  rerank,
  responses,
  speech,
  transcription,
} from './paths.ts';

/** Beside the compatible format below the base URL, in every region; only the transition between two frames is elsewhere. */
const synthesis = '/../../api/v1/services/aigc';
const wanVideos = [
  { models: ['wan*kf2v*'], wire: 'wan-video', path: `${synthesis}/image2video/video-synthesis` },
  { models: ['wan*'], wire: 'wan-video', path: `${synthesis}/video-generation/video-synthesis` },
] as const;

/** A deployment's name does not say which model it is. */
const seedanceVideos = {
  models: ['*seedance*', 'ep-*'],
  wire: 'seedance-video',
  path: '/contents/generations/tasks',
} as const;

/** Its other models converse. */
const hailuoVideos = {
  models: ['*hailuo*', '*Hailuo*', 'T2V-*', 'I2V-*', 'S2V-*'],
  wire: 'minimax-video',
  path: '/video_generation',
} as const;

/** "invalid temperature: only 1 is allowed for this model"; https://platform.kimi.ai/docs/api/models-overview (read 2026-11-15). */
const fixedSampling: FamilyRow = {
  models: /^kimi-k(?:2[.-][5-9]|[3-9])/,
  profile: { refuses: [...sampling, ...penalties] },
};

/** https://java.agentscope.io/v2/en/integration/model/glm, https://github.com/looplj/axonhub/issues/1669 (read 2026-11-15). */
const glmHost = {
  ...olderChat.takes,
  // Of shapes only JSON of any kind: https://github.com/hugalafutro/model-hotel/pull/896, quoting docs.z.ai.
  refuses: [...penalties, ...likelihoods, 'schemaOutput'],
  temperatureMax: 1,
  stopsMax: 1,
  forcedTools: 'refused',
  userId: { charactersMin: 6, charactersMax: 128 },
} as const;

/** Above it they answer 400; https://models.dev (zai, read 2026-11-15). Other hosts of the open models allow more. */
const glmReplies: readonly FamilyRow[] = [
  { models: /glm/, profile: { outputTokensMax: 131_072 } },
  { models: /glm-4[.-]5/, profile: { outputTokensMax: 98_304 } },
  { models: /glm-4[.-]6v/, profile: { outputTokensMax: 32_768 } },
  { models: /glm-4[.-]5v/, profile: { outputTokensMax: 16_384 } },
];

const budget = { kind: 'budget', tokensMin: 1, canBeOff: true } as const;

/** `thinking_budget`, which no other host of these models takes. */
const budgetsAtHome: readonly FamilyRow[] = [
  // The largest replies there; https://models.dev (alibaba, read 2026-11-15).
  { models: /^qwen/, profile: { outputTokensMax: 65_536 } },
  { models: /^qwen-?3\.8/, profile: { outputTokensMax: 131_072 } },
  {
    models: /^qwen-?3(?:\.[0-7])?-(?!.*(?:instruct|coder|thinking|max))/,
    profile: { thinking: { ...budget, byDefault: 'on' } },
  },
  { models: /^qwen(?:3-max|-plus|-flash|-turbo)/, profile: { thinking: { ...budget, byDefault: 'off' } } },
];

/** Only these models have the responses format. */
function responsesFor(...models: readonly string[]): readonly ModelFormats[] {
  return [
    { models, formats: ['openai-chat', 'anthropic-messages', 'openai-responses'] },
    { models: ['*'], formats: ['openai-chat', 'anthropic-messages'] },
  ];
}

/** https://docs.qwencloud.com/api-reference/chat/anthropic names the series that have the messages format (read 2026-11-16). */
const qwenFormats: readonly ModelFormats[] = [
  { models: ['*omni*', '*-mt-*', '*-asr*', '*-livetranslate*'], formats: ['openai-chat', 'openai-responses'] },
  {
    models: ['qwen3.*', 'qwen3-*', 'qwen-max*', 'qwen-plus*', 'qwen-flash*', 'qwen-turbo*', 'qwen-vl-*'],
    formats: ['openai-chat', 'openai-responses', 'anthropic-messages'],
  },
  { models: ['*'], formats: ['openai-chat', 'openai-responses'] },
];

/** https://platform.minimax.io/docs/api-reference/text-anthropic-api, https://intl.cloud.tencent.com/document/product/1300/80632 (read 2026-11-16). */
const minimaxFormats: readonly ModelFormats[] = [
  {
    models: ['MiniMax-M3*', 'MiniMax-M2.5*', 'MiniMax-M2.7*'],
    formats: ['anthropic-messages', 'openai-chat', 'openai-responses'],
  },
  { models: ['MiniMax-M2*'], formats: ['anthropic-messages', 'openai-chat'] },
  { models: ['*'], formats: ['openai-chat'] },
];

export const asianProviders: readonly ProviderPreset[] = [
  {
    name: 'moonshot',
    label: 'Moonshot (Kimi)',
    synonyms: ['kimi', 'k2'],
    group: 'maker',
    docs: 'https://platform.kimi.ai/docs/api/chat',
    checked: '2026-11-16',
    tables: { genaiPrices: 'moonshotai', modelsDev: 'moonshotai', litellm: 'moonshot' },
    baseUrl: 'https://api.moonshot.ai/v1',
    keyVariables: ['MOONSHOT_API_KEY'],
    auth: bearer,
    formats: {
      ...chat,
      'anthropic-messages': 'https://api.moonshot.ai/anthropic/v1/messages',
      'openai-responses': 'https://api.moonshot.ai/v1/responses',
    },
    // https://platform.kimi.ai/docs/api/responses (read 2026-11-16).
    modelFormats: responsesFor('kimi-k3*'),
    operations: {},
    modelsPath,
    quirks: {
      // https://github.com/BerriAI/litellm/blob/main/litellm/llms/moonshot/chat/transformation.py (read 2026-11-15).
      takes: { developerRole: 'refused', textLists: 'refused', forcedTools: 'refused' },
      takesOf: [fixedSampling],
      echoesThinkingAs: 'reasoning_content',
      thinkingAs: 'thinking-type',
    },
  },
  {
    name: 'zhipu',
    label: 'Zhipu (bigmodel.cn)',
    synonyms: ['glm', 'chatglm', 'cogview'],
    group: 'maker',
    docs: 'https://docs.bigmodel.cn/api-reference',
    checked: '2026-11-15',
    tables: { genaiPrices: 'zhipuai', modelsDev: 'zhipuai' },
    baseUrl: 'https://open.bigmodel.cn/api/paas/v4',
    keyVariables: ['ZHIPU_API_KEY', 'ZHIPUAI_API_KEY'],
    auth: bearer,
    formats: { ...chat, 'anthropic-messages': 'https://open.bigmodel.cn/api/anthropic/v1/messages' },
    operations: { ...fewEmbeddings(64), ...rerank, ...madeImages, ...speech, ...transcription },
    modelsPath,
    quirks: { ...olderChat, takes: glmHost, takesOf: glmReplies, thinkingAs: 'thinking-type' },
  },
  {
    name: 'zai',
    label: 'Z.ai',
    synonyms: ['glm', 'zhipu'],
    group: 'maker',
    docs: 'https://docs.z.ai/api-reference/introduction',
    checked: '2026-11-15',
    tables: { genaiPrices: 'zai', modelsDev: 'zai', litellm: 'zai' },
    baseUrl: 'https://api.z.ai/api/paas/v4',
    keyVariables: ['ZAI_API_KEY'],
    auth: bearer,
    formats: { ...chat, 'anthropic-messages': 'https://api.z.ai/api/anthropic/v1/messages' },
    operations: { ...madeImages, ...transcription },
    modelsPath,
    quirks: { ...olderChat, takes: glmHost, takesOf: glmReplies, thinkingAs: 'thinking-type' },
  },
  {
    name: 'dashscope',
    label: 'Alibaba DashScope',
    synonyms: ['qwen', 'tongyi', 'bailian', 'aliyun', 'wan'],
    group: 'maker',
    docs: 'https://help.aliyun.com/zh/model-studio/use-qwen-by-calling-api',
    checked: '2026-11-16',
    tables: { modelsDev: 'alibaba-cn' },
    baseUrl: 'https://dashscope.aliyuncs.com/compatible-mode/v1',
    keyVariables: ['DASHSCOPE_API_KEY'],
    auth: bearer,
    formats: {
      ...chat,
      ...responses,
      'anthropic-messages': 'https://dashscope.aliyuncs.com/apps/anthropic/v1/messages',
    },
    modelFormats: qwenFormats,
    operations: { ...fewEmbeddings(10), 'make-video': wanVideos },
    modelsPath,
    quirks: { thinkingBesideLimit: true, takesOf: budgetsAtHome, thinkingAs: 'enable_thinking' },
  },
  {
    name: 'volcengine',
    label: 'Volcengine Ark',
    synonyms: ['doubao', 'bytedance', 'seed'],
    group: 'maker',
    docs: 'https://www.volcengine.com/docs/82379/1585128',
    checked: '2026-11-16',
    tables: { modelsDev: 'volcengine', litellm: 'volcengine' },
    baseUrl: 'https://ark.cn-beijing.volces.com/api/v3',
    keyVariables: ['ARK_API_KEY'],
    auth: bearer,
    formats: {
      ...chat,
      'openai-responses': 'https://ark.cn-beijing.volces.com/api/v3/responses',
      'anthropic-messages': 'https://ark.cn-beijing.volces.com/api/compatible/v1/messages',
    },
    // The older ones are not documented to have more; https://www.volcengine.com/docs/82379/1569618, …/2655179 (read 2026-11-16).
    modelFormats: [{ models: ['doubao-1-*', 'doubao-pro-*', 'doubao-lite-*'], formats: ['openai-chat'] }],
    operations: { ...embeddings, ...madeImages, 'make-video': seedanceVideos },
    modelsPath,
    quirks: {
      thinkingBesideLimit: true,
      takes: { userId: { charactersMin: 6, charactersMax: 128 } },
      thinkingAs: 'thinking-type',
    },
  },
  {
    name: 'siliconflow',
    label: 'SiliconFlow',
    group: 'host',
    docs: 'https://docs.siliconflow.cn/cn/api-reference/chat-completions/chat-completions',
    checked: '2026-11-16',
    tables: { modelsDev: 'siliconflow-cn' },
    baseUrl: 'https://api.siliconflow.cn/v1',
    // Other tools read the key of this host from the first one, and that of `siliconflow-intl` from the second.
    keyVariables: ['SILICONFLOW_CN_API_KEY', 'SILICONFLOW_API_KEY'],
    auth: bearer,
    formats: { ...chat },
    operations: { ...fewEmbeddings(32), ...rerank, ...madeImages, ...speech, ...transcription },
    modelsPath,
    // https://github.com/BerriAI/litellm/issues/6642 (read 2026-11-15).
    quirks: { ...olderChat, takes: { ...olderChat.takes, textLists: 'refused' }, thinkingAs: 'enable_thinking' },
  },
  {
    name: 'minimax',
    label: 'MiniMax',
    synonyms: ['hailuo', 'abab'],
    group: 'maker',
    docs: 'https://platform.minimax.io/docs/api-reference/text-openai-api',
    checked: '2026-11-16',
    tables: { genaiPrices: 'minimax', modelsDev: 'minimax', litellm: 'minimax' },
    baseUrl: 'https://api.minimax.io/v1',
    keyVariables: ['MINIMAX_API_KEY'],
    auth: bearer,
    // In the chat format thoughts are part of the text.
    formats: {
      'anthropic-messages': 'https://api.minimax.io/anthropic/v1/messages',
      ...chat,
      'openai-responses': 'https://api.minimax.io/v1/responses',
    },
    modelFormats: minimaxFormats,
    headers: { 'anthropic-version': '2023-06-01' },
    operations: { 'make-video': hailuoVideos },
    modelsPath,
    // https://platform.minimax.io/docs/api-reference/text-openai-api, https://github.com/MiniMax-AI/MiniMax-M2.5/issues/4 and
    // https://github.com/decolua/9router/issues/817 (read 2026-11-15): ignored, or refused on the messages face.
    quirks: {
      ...olderChat,
      takes: {
        ...olderChat.takes,
        refuses: [...penalties, 'logitBias', 'jsonOutput', 'schemaOutput'],
        outputTokensMax: 131_072,
      },
    },
  },
  {
    name: 'qianfan',
    label: 'Baidu Qianfan',
    synonyms: ['ernie', 'wenxin'],
    group: 'maker',
    docs: 'https://cloud.baidu.com/doc/qianfan-api/s/3m7of64lb',
    checked: '2026-11-16',
    baseUrl: 'https://qianfan.baidubce.com/v2',
    keyVariables: ['QIANFAN_API_KEY'],
    auth: bearer,
    formats: { ...chat },
    operations: { ...fewEmbeddings(16), ...rerank, ...madeImages },
    modelsPath,
  },
  {
    name: 'stepfun',
    label: 'StepFun',
    group: 'maker',
    docs: 'https://platform.stepfun.com/docs/zh/api-reference/chat/chat-completion-create',
    checked: '2026-11-16',
    tables: { modelsDev: 'stepfun' },
    baseUrl: 'https://api.stepfun.com/v1',
    keyVariables: ['STEP_API_KEY', 'STEPFUN_API_KEY'],
    auth: bearer,
    formats: { ...chat, ...messages, 'openai-responses': 'https://api.stepfun.com/v1/responses' },
    // https://platform.stepfun.com/docs/zh/api-reference/responses/responses-create (read 2026-11-16).
    modelFormats: responsesFor('step-3.7*', 'step-5*'),
    // Images ended on 2026-10-10: https://platform.stepfun.com/docs/zh/guides/image-offline-notice.
    operations: { ...speech, ...transcription },
    modelsPath,
    quirks: olderChat,
  },
];
