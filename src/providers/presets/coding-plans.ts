/**
 * Plans that are paid by the month: the same models at other URLs or with other keys, which must not be mixed with those that are
 * paid by use. They have no prices of their own; a price table that lists a plan gives the sizes of its models. Most plans allow coding tools
 * only, which their providers enforce: https://docs.bigmodel.cn/cn/coding-plan/overview, https://www.volcengine.com/docs/82379/1928261,
 * https://help.aliyun.com/zh/model-studio/coding-plan (read 2026-11-16).
 */

import { penalties, sampling } from '../families/parameter-groups.ts';
import type { ProviderPreset } from '../provider.ts';
import { chineseProviders } from './china.ts';
import { bearer, chat, messages, modelsPath, olderChat, responses } from './paths.ts';
import { movedTo, regionalTwins, rowOf } from './regional-twins.ts';

/** A plan's own fields; the rest comes from the row whose models it serves. */
type Plan = Pick<ProviderPreset, 'name' | 'label' | 'baseUrl' | 'formats' | 'keyVariables' | 'docs'> &
  Partial<Pick<ProviderPreset, 'modelsPath' | 'modelFormats' | 'quirks' | 'headers'>> & {
    /** The id of the plan at models.dev, where it has one. */
    readonly modelsDev?: string;
  };

function plan({ modelsDev, ...own }: Plan, like?: ProviderPreset): ProviderPreset {
  return {
    auth: bearer,
    operations: {},
    quirks: like?.quirks ?? olderChat,
    group: 'plan',
    checked: '2026-11-16',
    ...own,
    ...(modelsDev !== undefined && { tables: { modelsDev } }),
  };
}

const moonshot = rowOf('moonshot');
const zhipu = rowOf('zhipu');
const zai = rowOf('zai');
const dashscope = rowOf('dashscope');
const volcengine = rowOf('volcengine');
const minimax = rowOf('minimax');
const minimaxCn = rowOf('minimax-cn', regionalTwins);
const stepfun = rowOf('stepfun');
const xiaomi = rowOf('xiaomi', chineseProviders);
const tokenHub = rowOf('tokenhub', chineseProviders);

/**
 * The plan's names of models are not the platform's, but what these take is the same. Messages come first: thoughts of a chat reply
 * are refused when they are sent back ("must not contain streaming index", https://models.dev, kimi-code-plan-global).
 */
const kimi = {
  formats: { ...messages, ...chat, ...responses },
  modelFormats: [
    { models: ['k3*'], formats: ['anthropic-messages', 'openai-chat', 'openai-responses'] },
    { models: ['*'], formats: ['anthropic-messages', 'openai-chat'] },
  ],
  modelsPath,
  headers: { 'anthropic-version': '2023-06-01' },
  quirks: {
    ...moonshot.quirks,
    takesOf: [{ models: /^(?:k\d|kimi)/, profile: { refuses: [...sampling, ...penalties] } }],
  },
} as const;

const vendorPlans: readonly ProviderPreset[] = [
  plan({
    ...kimi,
    name: 'kimi-coding',
    label: 'Kimi Code plan',
    baseUrl: 'https://api.kimi.com/coding/v1',
    keyVariables: ['KIMI_API_KEY'],
    docs: 'https://www.kimi.com/code/docs/en/kimi-code/models.html',
    modelsDev: 'kimi-for-coding',
  }),
  plan({
    ...kimi,
    name: 'kimi-coding-intl',
    label: 'Kimi Code plan (international)',
    baseUrl: 'https://api.kimi.ai/coding/v1',
    keyVariables: ['KIMI_INTL_API_KEY'],
    docs: 'https://www.kimi.ai/code/docs/en/kimi-code/models.html',
    modelsDev: 'kimi-code-plan-global',
  }),
  plan(
    {
      name: 'zhipu-coding',
      label: 'Zhipu GLM Coding Plan',
      baseUrl: 'https://open.bigmodel.cn/api/coding/paas/v4',
      formats: zhipu.formats,
      modelsPath,
      keyVariables: ['ZHIPU_CODING_API_KEY', 'ZAI_CODING_CN_API_KEY'],
      docs: 'https://docs.bigmodel.cn/cn/coding-plan/overview',
      modelsDev: 'zhipuai-coding-plan',
    },
    zhipu,
  ),
  plan(
    {
      name: 'zai-coding',
      label: 'Z.ai GLM Coding Plan',
      baseUrl: 'https://api.z.ai/api/coding/paas/v4',
      formats: zai.formats,
      modelsPath,
      keyVariables: ['ZAI_CODING_API_KEY'],
      docs: 'https://docs.z.ai/devpack/overview',
      modelsDev: 'zai-coding-plan',
    },
    zai,
  ),
  plan(
    {
      name: 'minimax-coding',
      label: 'MiniMax Token Plan',
      ...placeOf(minimax),
      keyVariables: ['MINIMAX_CODING_API_KEY'],
      docs: 'https://platform.minimax.io/docs/token-plan/intro',
      modelsDev: 'minimax-coding-plan',
    },
    minimax,
  ),
  plan(
    {
      name: 'minimax-coding-cn',
      label: 'MiniMax Token Plan, China',
      ...placeOf(minimaxCn),
      keyVariables: ['MINIMAX_CN_CODING_API_KEY'],
      docs: 'https://platform.minimaxi.com/docs/token-plan/intro',
      modelsDev: 'minimax-cn-coding-plan',
    },
    minimaxCn,
  ),
  ...(
    [
      ['cn', 'China'],
      ['sgp', 'Singapore'],
      ['ams', 'Europe'],
    ] as const
  ).map(([region, place]) =>
    plan(
      {
        name: `xiaomi-token-plan-${region}`,
        label: `Xiaomi MiMo Token Plan, ${place}`,
        ...movedTo(`token-plan-${region}.xiaomimimo.com`, xiaomi),
        modelsPath,
        keyVariables: [`XIAOMI_TOKEN_PLAN_${region.toUpperCase()}_API_KEY`],
        docs: 'https://mimo.mi.com/docs/zh-CN/price/tokenplan/quick-access',
        modelsDev: `xiaomi-token-plan-${region}`,
      },
      xiaomi,
    ),
  ),
  plan(
    {
      name: 'stepfun-plan',
      label: 'StepFun Step Plan',
      baseUrl: 'https://api.stepfun.com/step_plan/v1',
      formats: { ...chat, ...messages },
      modelsPath,
      keyVariables: ['STEP_PLAN_API_KEY'],
      docs: 'https://platform.stepfun.com/docs/zh/step-plan/overview',
      modelsDev: 'stepfun-step-plan',
    },
    stepfun,
  ),
  plan(
    {
      name: 'stepfun-plan-intl',
      label: 'StepFun Step Plan (international)',
      baseUrl: 'https://api.stepfun.ai/step_plan/v1',
      formats: { ...chat, ...messages },
      modelsPath,
      keyVariables: ['STEP_PLAN_INTL_API_KEY'],
      docs: 'https://platform.stepfun.ai/docs/en/step-plan/quick-start',
      modelsDev: 'stepfun-ai-step-plan',
    },
    stepfun,
  ),
  plan({
    name: 'spark-coding',
    label: 'iFlytek Astron Coding Plan',
    baseUrl: 'https://maas-coding-api.cn-huabei-1.xf-yun.com/v2',
    formats: {
      ...chat,
      'anthropic-messages': 'https://maas-coding-api.cn-huabei-1.xf-yun.com/anthropic/v1/messages',
    },
    keyVariables: ['SPARK_CODING_API_KEY'],
    docs: 'https://www.xfyun.cn/doc/spark/CodingPlan.html',
  }),
];

/** Where a plan of Alibaba has the messages format, in both regions and for both of its plans. */
const alibaba = (host: string, path: string) => ({
  baseUrl: `https://${host}${path}`,
  formats: { ...chat, 'anthropic-messages': `https://${host}/apps/anthropic/v1/messages` },
});

const cloudsPlans: readonly ProviderPreset[] = [
  plan(
    {
      name: 'alibaba-coding',
      label: 'Alibaba Coding Plan (international)',
      ...alibaba('coding-intl.dashscope.aliyuncs.com', '/v1'),
      keyVariables: ['ALIBABA_CODING_PLAN_API_KEY'],
      docs: 'https://www.alibabacloud.com/help/en/model-studio/coding-plan',
      modelsDev: 'alibaba-coding-plan',
    },
    dashscope,
  ),
  plan(
    {
      name: 'alibaba-coding-cn',
      label: 'Alibaba Coding Plan, China',
      ...alibaba('coding.dashscope.aliyuncs.com', '/v1'),
      keyVariables: ['ALIBABA_CODING_PLAN_CN_API_KEY'],
      docs: 'https://help.aliyun.com/zh/model-studio/coding-plan',
      modelsDev: 'alibaba-coding-plan-cn',
    },
    dashscope,
  ),
  plan(
    {
      name: 'alibaba-token-plan',
      label: 'Alibaba Token Plan (international)',
      ...alibaba('token-plan.maas.qwencloudapi.com', '/compatible-mode/v1'),
      keyVariables: ['ALIBABA_TOKEN_PLAN_API_KEY'],
      docs: 'https://www.alibabacloud.com/help/en/model-studio/token-plan-overview',
      modelsDev: 'alibaba-token-plan',
    },
    dashscope,
  ),
  plan(
    {
      name: 'alibaba-token-plan-cn',
      label: 'Alibaba Token Plan, China',
      ...alibaba('token-plan.maas.qianwenaiapi.com', '/compatible-mode/v1'),
      keyVariables: ['ALIBABA_TOKEN_PLAN_CN_API_KEY'],
      docs: 'https://help.aliyun.com/zh/model-studio/token-plan-overview',
      modelsDev: 'alibaba-token-plan-cn',
    },
    dashscope,
  ),
  plan(
    {
      name: 'tencent-coding',
      label: 'Tencent Coding Plan',
      baseUrl: 'https://api.lkeap.cloud.tencent.com/coding/v3',
      formats: {
        ...chat,
        'anthropic-messages': 'https://api.lkeap.cloud.tencent.com/coding/anthropic/v1/messages',
      },
      modelsPath,
      keyVariables: ['TENCENT_CODING_PLAN_API_KEY'],
      docs: 'https://cloud.tencent.com/document/product/1823/130092',
      modelsDev: 'tencent-coding-plan',
    },
    tokenHub,
  ),
  plan(
    {
      name: 'tencent-token-plan',
      label: 'Tencent Token Plan',
      baseUrl: 'https://api.lkeap.cloud.tencent.com/plan/v3',
      formats: { ...chat, 'anthropic-messages': 'https://api.lkeap.cloud.tencent.com/plan/anthropic/v1/messages' },
      keyVariables: ['TENCENT_TOKEN_PLAN_API_KEY'],
      docs: 'https://cloud.tencent.com/document/product/1823/130060',
      modelsDev: 'tencent-token-plan',
    },
    tokenHub,
  ),
  plan(
    {
      name: 'volcengine-coding',
      label: 'Volcengine Ark Coding Plan',
      baseUrl: 'https://ark.cn-beijing.volces.com/api/coding/v3',
      formats: {
        ...chat,
        ...responses,
        'anthropic-messages': 'https://ark.cn-beijing.volces.com/api/coding/v1/messages',
      },
      modelsPath,
      keyVariables: ['ARK_CODING_PLAN_API_KEY'],
      docs: 'https://www.volcengine.com/docs/82379/1928261',
      modelsDev: 'volcengine-coding-plan',
    },
    volcengine,
  ),
  plan(
    {
      name: 'byteplus-coding',
      label: 'BytePlus ModelArk Coding Plan',
      baseUrl: 'https://ark.ap-southeast.bytepluses.com/api/coding/v3',
      formats: { ...chat, 'anthropic-messages': 'https://ark.ap-southeast.bytepluses.com/api/coding/v1/messages' },
      modelsPath,
      keyVariables: ['BYTEPLUS_CODING_API_KEY'],
      docs: 'https://docs.byteplus.com/en/docs/ModelArk/2160841',
    },
    volcengine,
  ),
  plan({
    name: 'jdcloud-coding',
    label: 'JD Cloud Coding Plan',
    baseUrl: 'https://modelservice.jdcloud.com/coding/openai/v1',
    formats: { ...chat, 'anthropic-messages': 'https://modelservice.jdcloud.com/coding/anthropic/v1/messages' },
    keyVariables: ['JDCLOUD_CODING_API_KEY'],
    docs: 'https://docs.jdcloud.com/cn/jdaip/PackageOverview',
  }),
];

/** A plan whose key alone differs from that of its row. */
function placeOf({ baseUrl, formats, modelFormats = [], headers = {} }: ProviderPreset) {
  return { baseUrl, formats, modelFormats, headers, modelsPath };
}

export const codingPlans: readonly ProviderPreset[] = [...vendorPlans, ...cloudsPlans];
