/** Rows that are derived from others: a twin differs from its row in place, key and prices alone, and a plan is never taken for what is paid by use. */

import { describe, expect, test } from 'bun:test';
import { pathsOf } from '../address.ts';
import { formatsFor } from '../formats-for.ts';
import { presets } from '../presets.ts';
import type { FormatName, ProviderPreset } from '../provider.ts';
import { asianProviders } from './asia.ts';
import { chineseProviders } from './china.ts';
import { codingPlans } from './coding-plans.ts';
import { movedTo, regionalTwins, rowOf } from './regional-twins.ts';

const addressesOf = ({ baseUrl, formats }: ProviderPreset): string[] => [
  baseUrl,
  ...Object.values(formats).flatMap(pathsOf),
];
const hostsOf = (preset: ProviderPreset): string[] => [
  ...new Set(
    addressesOf(preset)
      .filter((address) => !address.startsWith('/'))
      .map((address) => new URL(address).host),
  ),
];

function formatsOf(name: string, model: string): readonly FormatName[] {
  const preset = presets.find((row) => row.name === name);
  if (preset === undefined) throw new Error(`no preset ${name}`);
  const formats = Object.keys(preset.formats) as FormatName[];
  return formatsFor({ formats, modelFormats: preset.modelFormats ?? [] }, model);
}

describe('a regional twin', () => {
  test.each(
    regionalTwins.map((preset) => [preset.name, preset] as const),
  )('%s has everything of its row, at another host', (name, preset) => {
    const row = rowOf(name.slice(0, name.lastIndexOf('-')));
    const own = ['name', 'label', 'baseUrl', 'formats', 'keyVariables', 'docs', 'checked', 'tables'];
    const rest = (of: ProviderPreset) => Object.entries(of).filter(([key]) => !own.includes(key));
    expect(rest(preset)).toEqual(rest(row));
    expect(Object.keys(preset.formats)).toEqual(Object.keys(row.formats));
    expect(hostsOf(preset).length).toBe(1);
    expect(hostsOf(preset)).not.toEqual(hostsOf(row));
    expect(preset.keyVariables.filter((variable) => row.keyVariables.includes(variable))).toEqual([]);
    expect(preset.tables?.modelsDev ?? 'none').not.toBe(row.tables?.modelsDev);
  });

  test('moves URLs for whole replies and for streams', () => {
    const row = rowOf('moonshot');
    const formats = { 'gemini-generate': { whole: '/a', stream: 'https://api.moonshot.ai/b' } };
    expect(movedTo('c.example', { ...row, formats })).toEqual({
      baseUrl: 'https://c.example/v1',
      formats: { 'gemini-generate': { whole: '/a', stream: 'https://c.example/b' } },
    });
    expect(() => rowOf('nobody')).toThrow('nobody');
  });
});

describe('a plan', () => {
  test('has a key of its own, no price by use, and conversations only', () => {
    const others = presets.filter((preset) => preset.group !== 'plan').flatMap(({ keyVariables }) => keyVariables);
    for (const preset of codingPlans) {
      expect([preset.name, preset.group, preset.operations]).toEqual([preset.name, 'plan', {}]);
      expect([preset.name, Object.keys(preset.tables ?? {}).filter((table) => table !== 'modelsDev')]).toEqual([
        preset.name,
        [],
      ]);
      expect(preset.keyVariables.filter((variable) => others.includes(variable))).toEqual([]);
      expect([preset.name, preset.formats['openai-chat'], preset.formats['anthropic-messages'] === undefined]).toEqual([
        preset.name,
        '/chat/completions',
        false,
      ]);
    }
    expect(codingPlans.filter(({ tables }) => tables?.modelsDev === undefined).map(({ name }) => name)).toEqual([
      'spark-coding',
      'byteplus-coding',
      'jdcloud-coding',
    ]);
  });

  test('is where its provider says', () => {
    const places = Object.fromEntries(
      codingPlans.map(({ name, baseUrl, formats }) => [name, [baseUrl, formats['anthropic-messages']]]),
    );
    expect(places).toMatchObject({
      'kimi-coding': ['https://api.kimi.com/coding/v1', '/messages'],
      'zhipu-coding': [
        'https://open.bigmodel.cn/api/coding/paas/v4',
        'https://open.bigmodel.cn/api/anthropic/v1/messages',
      ],
      'zai-coding': ['https://api.z.ai/api/coding/paas/v4', 'https://api.z.ai/api/anthropic/v1/messages'],
      'minimax-coding-cn': ['https://api.minimaxi.com/v1', 'https://api.minimaxi.com/anthropic/v1/messages'],
      'xiaomi-token-plan-ams': [
        'https://token-plan-ams.xiaomimimo.com/v1',
        'https://token-plan-ams.xiaomimimo.com/anthropic/v1/messages',
      ],
      'alibaba-coding': [
        'https://coding-intl.dashscope.aliyuncs.com/v1',
        'https://coding-intl.dashscope.aliyuncs.com/apps/anthropic/v1/messages',
      ],
      'tencent-coding': [
        'https://api.lkeap.cloud.tencent.com/coding/v3',
        'https://api.lkeap.cloud.tencent.com/coding/anthropic/v1/messages',
      ],
      'volcengine-coding': [
        'https://ark.cn-beijing.volces.com/api/coding/v3',
        'https://ark.cn-beijing.volces.com/api/coding/v1/messages',
      ],
    });
  });
});

describe('a format that only some models have', () => {
  const [chat, messages, responses] = ['openai-chat', 'anthropic-messages', 'openai-responses'] as const;

  test.each([
    ['tokenhub', 'hy3', [chat, messages, responses]],
    ['tokenhub-intl', 'minimax-m3', [chat, messages, responses]],
    ['tokenhub', 'glm-5.3', [chat, messages]],
    ['tokenhub', 'ep-1a2b', [chat, messages]],
    ['moonshot', 'kimi-k3', [chat, messages, responses]],
    ['moonshot-cn', 'kimi-k3.1-pro', [chat, messages, responses]],
    ['moonshot', 'kimi-k2.6', [chat, messages]],
    ['minimax', 'MiniMax-M3', [messages, chat, responses]],
    ['minimax-coding-cn', 'MiniMax-M2.7-highspeed', [messages, chat, responses]],
    ['minimax-cn', 'MiniMax-M2.1', [messages, chat]],
    ['minimax', 'MiniMax-Text-01', [chat]],
    ['stepfun', 'step-5-preview', [chat, messages, responses]],
    ['stepfun-intl', 'step-3.5-flash', [chat, messages]],
    ['dashscope', 'qwen3.8-max', [chat, responses, messages]],
    ['dashscope-us', 'qwen-plus-us', [chat, responses, messages]],
    ['dashscope-intl', 'qwen3.5-omni-plus', [chat, responses]],
    ['dashscope', 'deepseek-v4-pro', [chat, responses]],
    ['volcengine', 'doubao-seed-2-1-pro-260915', [chat, responses, messages]],
    ['volcengine', 'ep-20260616231829-mnq2t', [chat, responses, messages]],
    ['volcengine', 'doubao-1-5-pro-32k-250115', [chat]],
    ['kimi-coding', 'k3-256k', [messages, chat, responses]],
    ['kimi-coding', 'kimi-for-coding', [messages, chat]],
  ] as const)('are chosen at %s for %s', (name, model, formats) => {
    expect(formatsOf(name, model)).toEqual([...formats]);
  });

  test('leaves the chat format to every model', () => {
    for (const preset of [...asianProviders, ...regionalTwins, ...chineseProviders, ...codingPlans]) {
      const rows = preset.modelFormats ?? [];
      expect([preset.name, rows.every(({ formats }) => formats.includes(chat))]).toEqual([preset.name, true]);
    }
  });
});
