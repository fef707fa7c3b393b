/** Loading: what wins over what, what is found in the environment, and that the result cannot be changed. */

import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { isLookedFor, presets } from '../providers/presets.ts';
import type { Config } from '../settings/config.ts';
import { settingList } from '../settings/settings.ts';
import { addLocalProviders } from './add-local-providers.ts';
import { loadConfig } from './load.ts';

type Variables = Record<string, string | undefined>;

function load(environment: Variables, yaml?: string, files: Record<string, string> = {}, isTerminal?: boolean): Config {
  return loadConfig({
    environment,
    readFile: (path) => (path === '/srv/weir.yaml' ? yaml : files[path]),
    workingFolder: '/srv',
    ...(isTerminal === undefined ? {} : { isTerminal }),
  });
}

const originOf = (config: Config, key: string) => config.settings.find((setting) => setting.key === key)?.origin;

describe('precedence', () => {
  test('without file and variables every setting has its default', () => {
    const config = load({});
    expect(config.server).toEqual({
      host: '127.0.0.1',
      port: 8787,
      dataFolder: './data',
      configFile: undefined,
      publicUrl: undefined,
      trustedProxies: [],
      allowedHosts: [],
      workers: 1,
    });
    expect(config.egress).toEqual({
      allowedNetworks: [],
      proxy: { http: undefined, https: undefined },
      noProxy: [],
      ca: undefined,
    });
    expect(config.limits).toMatchObject({
      jsonBodyBytesMax: 33554432,
      multipartBodyBytesMax: 134217728,
      jsonDepthMax: 64,
      jsonValuesMax: 500_000,
      jsonKeysMax: 100_000,
      bodyMemoryBytesMax: 'auto',
      memoryBytesMax: 'auto',
      streamEventBytesMax: 33554432,
      replyBytesMax: 67108864,
      concurrentRequestsMax: 20000,
      attemptsMax: 4,
      readOnAttemptsMax: 256,
    });
    expect(config.clocks).toMatchObject({
      connectTimeoutMs: 10000,
      headTimeoutMs: 120000,
      idleTimeoutMs: 120000,
      totalTimeoutMs: 1800000,
      clientBodyTimeoutMs: 30000,
      clientStallTimeoutMs: 30000,
      readOnMs: 5000,
      headHoldMs: 15000,
      keepAliveMs: 15000,
      patienceMs: 10_000,
      attemptsTimeoutMs: 240_000,
      drainMs: 60000,
      drainDelayMs: 0,
      modelRefreshMs: 3600000,
    });
    expect(config.discovery).toEqual({ environment: true, local: true });
    expect(config.sandbox).toEqual({ enabled: true, paceMs: 0 });
    expect(config.log).toMatchObject({ level: 'info', format: 'text', file: undefined });
    expect(config.providers).toEqual([]);
    expect(config.settings.every((setting) => setting.origin === 'default')).toBe(true);
  });

  test('the environment wins over the file, the file over the default', () => {
    const yaml = 'server: {port: 9000, host: 0.0.0.0}\nclocks: {idle_timeout_ms: 5}';
    const config = load({ WEIR_PORT: '9001' }, yaml);
    expect(config.server.port).toBe(9001);
    expect(config.server.host).toBe('0.0.0.0');
    expect(config.clocks.idleTimeoutMs).toBe(5);
    expect(config.server.configFile).toBe('/srv/weir.yaml');
    expect(originOf(config, 'server.port')).toBe('environment');
    expect(originOf(config, 'server.host')).toBe('file');
    expect(originOf(config, 'server.data')).toBe('default');
  });

  test('an empty variable and an empty key count as not set', () => {
    const config = load({ WEIR_PORT: '', DATABASE_URL: ' ' }, 'server:\n  host:\nlog:\nproviders:\n');
    expect(config.server.port).toBe(8787);
    expect(config.server.host).toBe('127.0.0.1');
    expect(config.database.url).toBeUndefined();
  });

  test('every kind of value can come from a variable', () => {
    const config = load({
      WEIR_PORT: '0',
      WEIR_DISCOVERY_LOCAL: 'false',
      WEIR_SANDBOX_ENABLED: '0',
      WEIR_LOG_LEVEL: 'debug',
      WEIR_SERVER_TRUSTED_PROXIES: '10.0.0.0/8, ::1',
      WEIR_SERVER_PUBLIC_URL: 'https://models.example.com/',
      WEIR_TOKENS_MODELS: 'gpt-*,up/*',
      DATABASE_URL: 'postgres://weir:pw@db/weir',
      REDIS_URL: 'rediss://cache',
      WEIR_FIRST_TOKEN: 'x'.repeat(20),
    });
    expect(config.server.port).toBe(0);
    expect(config.discovery.local).toBe(false);
    expect(config.sandbox.enabled).toBe(false);
    expect(config.log.level).toBe('debug');
    expect(config.server.trustedProxies).toEqual(['10.0.0.0/8', '::1']);
    expect(config.server.publicUrl).toBe('https://models.example.com');
    expect(config.tokens.models).toEqual(['gpt-*', 'up/*']);
    expect(config.database.url).toBe('postgres://weir:pw@db/weir');
    expect(config.redisUrl).toBe('rediss://cache');
    expect(config.firstToken).toHaveLength(20);
  });

  test('the log is for machines where the output is no terminal, unless the configuration says otherwise', () => {
    expect(load({}, undefined, {}, false).log.format).toBe('json');
    expect(load({}, undefined, {}, true).log.format).toBe('text');
    expect(load({ WEIR_LOG_FORMAT: 'text' }, undefined, {}, false).log.format).toBe('text');
  });

  test('WEIR_CONFIG names another file, absolute or below the working folder', () => {
    const files = { '/srv/other.yaml': 'server: {port: 1}', '/etc/weir.yaml': 'server: {port: 2}' };
    expect(load({ WEIR_CONFIG: 'other.yaml' }, 'server: {port: 3}', files).server.port).toBe(1);
    expect(load({ WEIR_CONFIG: '/etc/weir.yaml' }, 'server: {port: 3}', files).server.port).toBe(2);
  });
});

describe('providers of the file', () => {
  test('the issue’s example', () => {
    const config = load(
      {},
      `
providers:
  up:
    kind: openai
    base_url: http://127.0.0.1:9100/v1/
    key: sk-upstream
    models: [gpt-4.1]
models:
  fast:
    targets: [{provider: up, model: gpt-4.1}]
prices:
  up/*: {input: 1.5, output: 2, cache_read: 0.1}
`,
    );
    expect(config.providers).toEqual([
      {
        name: 'up',
        kind: 'openai',
        baseUrl: 'http://127.0.0.1:9100/v1',
        keys: [{ id: 'key-1', value: 'sk-upstream' }],
        models: ['gpt-4.1'],
        headers: {},
        enabled: true,
        origin: 'file',
      },
    ]);
    expect(config.models).toEqual([
      { alias: 'fast', targets: [{ provider: 'up', model: 'gpt-4.1', weight: 1, tier: 0 }] },
    ]);
    expect(config.prices).toEqual([{ pattern: 'up/*', input: 1.5, output: 2, cacheRead: 0.1, cacheWrite: undefined }]);
  });

  test('a key comes from text, variable or file, and several have ids', () => {
    const yaml = `
providers:
  a: {kind: openai, key_env: MY_KEY}
  b: {kind: openai, key_file: key.txt}
  c: {kind: openai, keys: [one, {key_env: MY_KEY}, {key_file: /run/key, id: third}]}
`;
    const files = { '/srv/key.txt': 'from-file\n', '/run/key': 'from-run' };
    const config = load({ MY_KEY: 'from-variable' }, yaml, files);
    expect(config.providers.map((provider) => provider.keys)).toEqual([
      [{ id: 'MY_KEY', value: 'from-variable' }],
      [{ id: 'key-1', value: 'from-file' }],
      [
        { id: 'key-1', value: 'one' },
        { id: 'MY_KEY', value: 'from-variable' },
        { id: 'third', value: 'from-run' },
      ],
    ]);
  });

  test('a preset’s variable serves an entry without a key, but never another address', () => {
    const listed = load({ OPENAI_API_KEY: 'sk-real' }, 'providers: {mine: {kind: openai}}');
    expect(listed.providers[0]?.keys).toEqual([{ id: 'OPENAI_API_KEY', value: 'sk-real' }]);
    const yaml = 'providers: {mine: {kind: openai, base_url: "http://127.0.0.1:1/v1"}}';
    expect(load({ OPENAI_API_KEY: 'sk-real' }, yaml).providers[0]?.keys).toEqual([]);
  });

  test('the name alone chooses the preset, and a disabled provider needs no key', () => {
    const config = load({ HF_TOKEN: 'hf-1' }, 'providers:\n  huggingface:\n  openai: {enabled: false}');
    expect(config.providers.map(({ name, kind, enabled }) => ({ name, kind, enabled }))).toEqual([
      { name: 'huggingface', kind: 'huggingface', enabled: true },
      { name: 'openai', kind: 'openai', enabled: false },
    ]);
  });
});

describe('providers found in the environment', () => {
  test('every preset with its variable set, after those of the file', () => {
    const variables = { GROQ_API_KEY: 'gsk', OPENAI_API_KEY: 'sk', GOOGLE_API_KEY: 'second', GEMINI_API_KEY: 'first' };
    const config = load(variables, 'providers: {openai: {key: own}}');
    expect(config.providers.map(({ name, origin, keys }) => [name, origin, keys[0]?.value])).toEqual([
      ['openai', 'file', 'own'],
      ['gemini', 'environment', 'first'],
      ['groq', 'environment', 'gsk'],
    ]);
  });

  test('not when switched off, and not by variables that serve other purposes', () => {
    expect(load({ OPENAI_API_KEY: 'sk', WEIR_DISCOVERY_ENVIRONMENT: 'false' }).providers).toEqual([]);
    const shared = {
      GITHUB_TOKEN: 'g',
      HF_TOKEN: 'h',
      SCW_SECRET_KEY: 's',
      WANDB_API_KEY: 'w',
      CLOUDFLARE_API_TOKEN: 'c',
    };
    expect(load({ ...shared, CLOUDFLARE_ACCOUNT_ID: 'a' }).providers).toEqual([]);
  });

  test('an address with a hole needs the variable that fills it', () => {
    expect(load({ AZURE_OPENAI_API_KEY: 'k' }).providers).toEqual([]);
    expect(load({ AZURE_OPENAI_API_KEY: 'k', AZURE_OPENAI_ENDPOINT: 'not an address' }).providers).toEqual([]);
    const addresses = [
      { AZURE_OPENAI_ENDPOINT: 'https://mine.openai.azure.com/' },
      { AZURE_OPENAI_ENDPOINT: 'https://mine.openai.azure.com/openai/v1/' },
      { AZURE_RESOURCE_NAME: 'mine' },
    ].map((variables) => load({ AZURE_OPENAI_API_KEY: 'k', ...variables }).providers[0]?.baseUrl);
    expect(addresses).toEqual(Array(3).fill('https://mine.openai.azure.com/openai/v1'));
    const listed = load({ CLOUDFLARE_API_TOKEN: 'c', CLOUDFLARE_ACCOUNT_ID: 'acc' }, 'providers:\n  cloudflare:');
    expect(listed.providers[0]?.baseUrl).toBe('https://api.cloudflare.com/client/v4/accounts/acc/ai/v1');
  });
});

describe('local servers', () => {
  const local = presets.filter(isLookedFor).map((preset) => ({ preset, models: [] }));

  test('are added last, without a key, unless their name or address is configured', () => {
    const yaml =
      'providers: {mine: {kind: openai-chat, base_url: "http://localhost:8000/v1"}, ollama: {enabled: false}}';
    const config = addLocalProviders(load({}, yaml), local);
    expect(config.providers.map(({ name, origin }) => [name, origin])).toEqual([
      ['mine', 'file'],
      ['ollama', 'file'],
      ['lm-studio', 'local'],
      ['llama.cpp', 'local'],
      ['sglang', 'local'],
      ['docker-model-runner', 'local'],
      ['xinference', 'local'],
      ['infinity', 'local'],
    ]);
    expect(Object.isFrozen(config) && Object.isFrozen(config.providers)).toBe(true);
  });

  test('that share a port are used when they are listed, and then no other server is looked for there', () => {
    const config = addLocalProviders(load({}, 'providers: {localai: }'), local);
    const names = config.providers.map(({ name }) => name);
    expect([names.includes('localai'), names.includes('llama.cpp'), names.includes('vllm')]).toEqual([
      true,
      false,
      true,
    ]);
    expect(load({}).providers.map(({ name }) => name)).not.toContain('localai');
    expect(() => load({}, 'models: {x: {targets: [{provider: localai, model: m}]}}')).toThrow('found "localai"');
  });

  test('may be named by a target before they are found', () => {
    const yaml = 'models: {x: {targets: [{provider: ollama, model: m}]}}';
    expect(load({}, yaml).models).toHaveLength(1);
    expect(() => load({ WEIR_DISCOVERY_LOCAL: 'false' }, yaml)).toThrow('models.x.targets[0].provider');
  });
});

test('what of an alias must pass moderation', () => {
  const target = 'targets: [{ provider: sandbox, model: sandbox-chat }]';
  const moderationOf = (said: string) => load({}, `models: { x: { ${target}${said} } }`).models[0]?.moderation;
  expect(moderationOf('')).toBeUndefined();
  expect(moderationOf(', moderation: before')).toEqual({ before: true, after: false });
  expect(moderationOf(', moderation: after')).toEqual({ before: false, after: true });
  expect(moderationOf(', moderation: both')).toEqual({ before: true, after: true });
  expect(() => moderationOf(', moderation: true')).toThrow('before, after or both');
});

test('the whole value is frozen', () => {
  const config = load({ OPENAI_API_KEY: 'sk' }, readFileSync('weir.example.yaml', 'utf8'));
  const loose: string[] = [];
  const walk = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return;
    if (!Object.isFrozen(value)) loose.push(path);
    for (const [key, child] of Object.entries(value)) walk(child, `${path}.${key}`);
  };
  walk(config, 'config');
  expect(loose).toEqual([]);
  expect(() => Object.assign(config.server, { port: 1 })).toThrow();
});

test('the example file loads cleanly and changes no setting', () => {
  const config = load({}, readFileSync('weir.example.yaml', 'utf8'));
  expect(config.providers.map((provider) => provider.name)).toEqual(['home']);
  expect(config.settings).toEqual(load({}).settings);
});

test('without its comment signs the example sets every setting to its default or its example', () => {
  const [, settings = ''] = readFileSync('weir.example.yaml', 'utf8').split('below this line. ---\n');
  const set = load({ WEIR_RESULTS_ACCESS_KEY: 'a', WEIR_RESULTS_SECRET_KEY: 's' }, settings.replace(/^# /gm, ''), {
    '/etc/ssl/company.pem': '-----BEGIN CERTIFICATE-----',
  });
  const shown = new Map(set.settings.map((setting) => [setting.key, setting]));
  for (const row of settingList.filter(({ variableOnly }) => variableOnly !== true)) {
    const given = row.kind.schema.parse(row.example ?? row.default);
    const expected = row.hasPassword === true ? undefined : given;
    expect([row.key, shown.get(row.key)?.origin, shown.get(row.key)?.value]).toEqual([row.key, 'file', expected]);
  }
});
