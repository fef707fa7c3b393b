/** Presets of one company in several regions, and its plans: a variable configures the one that it belongs to and no other. */

import { expect, test } from 'bun:test';
import { loadConfig } from './load.ts';

function found(environment: Record<string, string>, yaml?: string): string[] {
  const readFile = (path: string) => (path === '/srv/weir.yaml' ? yaml : undefined);
  const { providers } = loadConfig({ environment, readFile, workingFolder: '/srv' });
  return providers
    .filter(({ enabled }) => enabled)
    .map(({ name, keys }) => [name, ...keys.map(({ value }) => value)].join(' '));
}

test.each([
  [{ MOONSHOT_API_KEY: 'a' }, ['moonshot a']],
  [
    { MOONSHOT_API_KEY: 'a', MOONSHOT_CN_API_KEY: 'b', KIMI_API_KEY: 'c' },
    ['moonshot a', 'moonshot-cn b', 'kimi-coding c'],
  ],
  [{ SILICONFLOW_API_KEY: 'a' }, ['siliconflow a']],
  [{ SILICONFLOW_API_KEY: 'a', SILICONFLOW_CN_API_KEY: 'b' }, ['siliconflow b']],
  [{ SILICONFLOW_INTL_API_KEY: 'a' }, ['siliconflow-intl a']],
  [{ ZAI_API_KEY: 'a' }, ['zai a']],
  [{ ZAI_CODING_API_KEY: 'a' }, ['zai-coding a']],
  [{ ARK_API_KEY: 'a', BYTEPLUS_API_KEY: 'b' }, ['volcengine a', 'byteplus b']],
  [{ DASHSCOPE_API_KEY: 'a', ALIBABA_CODING_PLAN_API_KEY: 'b' }, ['dashscope a', 'alibaba-coding b']],
  [{ XIAOMI_API_KEY: 'a', XIAOMI_TOKEN_PLAN_SGP_API_KEY: 'b' }, ['xiaomi a', 'xiaomi-token-plan-sgp b']],
] as const)('%j configures %j', (environment, providers) => {
  expect(found({ ...environment })).toEqual([...providers]);
});

test('a variable that holds the key of another region is named in the file', () => {
  const yaml = 'providers:\n  moonshot-cn: { key_env: MOONSHOT_API_KEY }\n  moonshot: { enabled: false }\n';
  expect(found({ MOONSHOT_API_KEY: 'a' }, yaml)).toEqual(['moonshot-cn a']);
});
