/**
 * The same service of the same company at another host, whose accounts and keys are its own. Each is a row, so that all formats stay
 * and a variable of its own names the key: with `base_url` the formats at other paths of the host would fall away.
 */

import type { TableNames } from '../../prices/price.ts';
import type { FormatName, FormatPath, ProviderPreset } from '../provider.ts';
import { asianProviders } from './asia.ts';

/** The fields of another row; a mistake in its name shows when the table is loaded. */
export function rowOf(name: string, rows: readonly ProviderPreset[] = asianProviders): ProviderPreset {
  const row = rows.find((preset) => preset.name === name);
  if (row === undefined) throw new Error(`No preset is called ${name}.`);
  return row;
}

/** The URLs of a preset, once its host is another one. */
export function movedTo(
  host: string,
  { baseUrl, formats }: ProviderPreset,
): Pick<ProviderPreset, 'baseUrl' | 'formats'> {
  const from = new URL(baseUrl).host;
  const moved = (path: string): string => path.replace(`//${from}/`, `//${host}/`);
  const paths = (Object.entries(formats) as [FormatName, FormatPath][]).map(([format, path]) => [
    format,
    typeof path === 'string' ? moved(path) : { whole: moved(path.whole), stream: moved(path.stream) },
  ]);
  return { baseUrl: moved(baseUrl), formats: Object.fromEntries(paths) };
}

interface Twin {
  readonly name: string;
  readonly label: string;
  readonly of: string;
  readonly host: string;
  readonly keyVariables: readonly string[];
  readonly docs: string;
  /** Never those of the other host: prices differ by region. */
  readonly tables: TableNames;
}

function twin({ of, host, ...own }: Twin): ProviderPreset {
  const row = rowOf(of);
  return { ...row, ...movedTo(host, row), ...own, checked: '2026-11-16' };
}

export const regionalTwins: readonly ProviderPreset[] = [
  {
    name: 'moonshot-cn',
    label: 'Moonshot (Kimi), China',
    of: 'moonshot',
    host: 'api.moonshot.cn',
    keyVariables: ['MOONSHOT_CN_API_KEY'],
    docs: 'https://platform.kimi.com/docs/api/overview',
    tables: { genaiPrices: 'moonshotai', modelsDev: 'moonshotai-cn' },
  },
  {
    name: 'minimax-cn',
    label: 'MiniMax, China',
    of: 'minimax',
    host: 'api.minimaxi.com',
    keyVariables: ['MINIMAX_CN_API_KEY'],
    docs: 'https://platform.minimaxi.com/docs/api-reference/api-overview',
    tables: { genaiPrices: 'minimax', modelsDev: 'minimax-cn' },
  },
  {
    name: 'siliconflow-intl',
    label: 'SiliconFlow (international)',
    of: 'siliconflow',
    host: 'api.siliconflow.com',
    keyVariables: ['SILICONFLOW_INTL_API_KEY'],
    docs: 'https://docs.siliconflow.com/en/api-reference/chat-completions/chat-completions',
    tables: { modelsDev: 'siliconflow' },
  },
  {
    name: 'dashscope-intl',
    label: 'Alibaba DashScope, Singapore',
    of: 'dashscope',
    host: 'dashscope-intl.aliyuncs.com',
    keyVariables: ['DASHSCOPE_INTL_API_KEY'],
    docs: 'https://www.alibabacloud.com/help/en/model-studio/compatibility-of-openai-with-dashscope',
    tables: { modelsDev: 'alibaba', litellm: 'dashscope' },
  },
  {
    name: 'dashscope-us',
    label: 'Alibaba DashScope, Virginia',
    of: 'dashscope',
    host: 'dashscope-us.aliyuncs.com',
    keyVariables: ['DASHSCOPE_US_API_KEY'],
    docs: 'https://www.alibabacloud.com/help/en/model-studio/compatibility-of-openai-with-dashscope',
    tables: {},
  },
  {
    name: 'stepfun-intl',
    label: 'StepFun (international)',
    of: 'stepfun',
    host: 'api.stepfun.ai',
    keyVariables: ['STEPFUN_INTL_API_KEY'],
    docs: 'https://platform.stepfun.ai/docs/en/api-reference/chat/chat-completion-create',
    tables: { modelsDev: 'stepfun-ai' },
  },
].map(twin);
