/** Every kind of mistake: its exact message, that all are reported at once, and that no message contains a secret. */

import { describe, expect, test } from 'bun:test';
import type { Config } from '../settings/config.ts';
import { settingList } from '../settings/settings.ts';
import { loadConfig } from './load.ts';
import { ConfigError, describeProblem } from './problem.ts';

type Variables = Record<string, string | undefined>;

function attempt(environment: Variables, yaml?: string, files: Record<string, string> = {}): Config | ConfigError {
  try {
    return loadConfig({
      environment,
      readFile: (path) => (path === '/srv/weir.yaml' ? yaml : files[path]),
      workingFolder: '/srv',
    });
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}

function mistakes(environment: Variables, yaml?: string, files: Record<string, string> = {}): string[] {
  const result = attempt(environment, yaml, files);
  return result instanceof ConfigError ? result.problems.map(describeProblem) : [];
}

const inFile = (yaml: string) => mistakes({}, yaml);

describe('variables', () => {
  test('a wrong value names key, variable, what was found and what is allowed', () => {
    expect(mistakes({ WEIR_PORT: '65536' })).toEqual([
      'server.port (WEIR_PORT): found "65536"; allowed: a whole number from 0 to 65535',
    ]);
    expect(mistakes({ WEIR_PORT: '80a' })).toEqual([
      'server.port (WEIR_PORT): found "80a"; allowed: a whole number from 0 to 65535',
    ]);
    expect(mistakes({ WEIR_LOG_LEVEL: 'loud' })).toEqual([
      'log.level (WEIR_LOG_LEVEL): found "loud"; allowed: one of debug, info, warn, error, silent',
    ]);
    expect(mistakes({ WEIR_DISCOVERY_LOCAL: 'maybe' })).toEqual([
      'discovery.local (WEIR_DISCOVERY_LOCAL): found "maybe"; allowed: true or false',
    ]);
    expect(mistakes({ DATABASE_URL: 'mysql://root:pw@db/x' })).toEqual([
      'database.url (DATABASE_URL): found "mysql://root:***@db/x"; allowed: a URL that starts with postgres://',
    ]);
    expect(mistakes({ WEIR_SERVER_PUBLIC_URL: 'https://a.example/v1/' })).toEqual([
      'server.public_url (WEIR_SERVER_PUBLIC_URL): found "https://a.example/v1/"; allowed: an http or https URL without credentials, query or /v1',
    ]);
    expect(mistakes({ WEIR_SERVER_TRUSTED_PROXIES: '10.0.0.0/33' })).toHaveLength(1);
  });

  test('an unknown one is refused with the name that was probably meant', () => {
    expect(mistakes({ WEIR_PROT: '1' })).toEqual([
      'WEIR_PROT: found an unknown variable; allowed: the variables of docs/configuration.md; did you mean WEIR_PORT?',
    ]);
    expect(mistakes({ WEIR_CLOCK_IDLE_TIMEOUT_MS: '1' })[0]).toEndWith('did you mean WEIR_CLOCKS_IDLE_TIMEOUT_MS?');
    // Variables of other programs are ignored.
    expect(mistakes({ WEIR_QQQQQQ: '1', WEIR_TOKEN: 'x', WEIR_BASE_URL: 'y' })).toEqual([]);
    expect(mistakes({ WEIRD: '1', PORT: 'x' })).toEqual([]);
  });

  test('the limits hold at their edge', () => {
    expect(mistakes({ WEIR_FIRST_TOKEN: 'x'.repeat(20), WEIR_PORT: '65535' })).toEqual([]);
    expect(mistakes({ WEIR_FIRST_TOKEN: 'x'.repeat(19) })).toEqual([
      'WEIR_FIRST_TOKEN: found (hidden); allowed: a text of 20 characters or more',
    ]);
    expect(mistakes({ WEIR_CLOCKS_IDLE_TIMEOUT_MS: '604800000' })).toEqual([]);
    expect(mistakes({ WEIR_CLOCKS_IDLE_TIMEOUT_MS: '604800001' })).toHaveLength(1);
    expect(mistakes({ WEIR_CLOCKS_IDLE_TIMEOUT_MS: '0' })).toHaveLength(1);
  });

  test('a named file that is missing, and a key that no header can carry', () => {
    expect(mistakes({ WEIR_CONFIG: 'gone.yaml' })).toEqual([
      'WEIR_CONFIG: found "gone.yaml", which does not exist; allowed: the path of a readable file',
    ]);
    expect(mistakes({ OPENAI_API_KEY: 'sk one' })).toEqual([
      'OPENAI_API_KEY: found (hidden); allowed: a key without spaces or line breaks',
    ]);
  });

  test('a file that may not be read is not taken for an absent one', () => {
    const refuse = () => {
      throw Object.assign(new Error('denied'), { code: 'EACCES' });
    };
    expect(() => loadConfig({ environment: {}, readFile: refuse, workingFolder: '/srv' })).toThrow(
      'weir.yaml: found "weir.yaml", which cannot be read (EACCES)',
    );
  });
});

describe('the file', () => {
  test('text that is no YAML, or no map', () => {
    expect(inFile('server:\n  port: 1\n broken: [')).toEqual([
      'weir.yaml: found YAML Parse error: Unexpected token near line 3; allowed: YAML',
    ]);
    expect(inFile('- a')).toEqual(['weir.yaml: found a list; allowed: a map of settings']);
  });

  test('unknown keys at every depth', () => {
    expect(inFile('limts: {}')[0]).toEndWith('did you mean limits?');
    expect(inFile('server: {prot: 1}')).toEqual([
      'server.prot (weir.yaml, line 1): found an unknown key; allowed: host, port, workers, data, public_url, trusted_proxies, allowed_hosts; did you mean port?',
    ]);
    expect(inFile('providers: {a: {kind: ollama, modles: []}}')[0]).toEndWith('did you mean models?');
    expect(inFile('providers: {a: {kind: openai, keys: [{kee: x}]}}')[0]).toEndWith('did you mean key?');
    expect(inFile('models: {a: {targets: [{provider: sandbox, model: m, wieght: 1}]}}')[0]).toEndWith(
      'did you mean weight?',
    );
    expect(inFile('prices: {a: {input: 1, output: 1, cached_read: 1}}')[0]).toEndWith('did you mean cache_read?');
    expect(inFile('secret_key: x')).toHaveLength(1);
  });

  test('wrong values', () => {
    expect(inFile('server: {port: "80"}')).toEqual([
      'server.port (weir.yaml, line 1): found "80"; allowed: a whole number from 0 to 65535',
    ]);
    expect(inFile('server: 5')).toEqual(['server (weir.yaml, line 1): found 5; allowed: a map']);
    expect(inFile('limits: {json_depth_max: 1.5}')).toEqual([
      'limits.json_depth_max (weir.yaml, line 1): found 1.5; allowed: a whole number from 1 to 1000',
    ]);
    expect(inFile('prices: {a: {input: -1, output: 0}}')).toEqual([
      'prices.a.input (weir.yaml, line 1): found -1; allowed: USD per million tokens, a number from 0 to 1000000',
    ]);
    expect(inFile('models: {a: {targets: []}}')).toEqual([
      'models.a.targets (weir.yaml, line 1): found a list; allowed: a list of one target or more',
    ]);
    expect(inFile('models: {a: {targets: [{provider: sandbox, model: m, weight: 0}]}}')).toEqual([
      'models.a.targets[0].weight (weir.yaml, line 1): found 0; allowed: a number above 0, up to 1000000',
    ]);
  });

  test('a section written twice', () => {
    expect(inFile('log: {level: info}\nserver: {}\nlog: {format: json}')).toEqual([
      'log (weir.yaml, line 3): found the section twice; allowed: every section once',
    ]);
  });
});

describe('providers', () => {
  test('kind', () => {
    expect(inFile('providers: {a: {kind: opnai, key: k}}')).toEqual([
      'providers.a.kind (weir.yaml, line 1): found "opnai"; allowed: a preset of docs/providers.md, or a wire format: openai-chat, openai-responses, anthropic-messages, gemini-generate, cohere-chat; did you mean openai?',
    ]);
    expect(inFile('providers: {a: {key: k}}')[0]).toStartWith('providers.a.kind (weir.yaml, line 1): found nothing;');
  });

  test('a kind that has ended, named or meant by the name alone', () => {
    const ended =
      'found "github" (GitHub Models), which ended on 2026-07-30; allowed: `azure-foundry` or `azure`, which serve the same models with a key of Azure';
    expect(inFile('providers: {a: {kind: github, key: k}}')).toEqual([
      `providers.a.kind (weir.yaml, line 1): ${ended}`,
    ]);
    expect(inFile('providers: {github: {}}')).toEqual([`providers.github.kind (weir.yaml, line 1): ${ended}`]);
    expect(inFile('providers: {hunyuan: {key: k}}')[0]).toContain('ended on 2026-09-30; allowed: `tokenhub`');
  });

  test('name', () => {
    expect(inFile('providers: {sandbox: {kind: openai, key: k}}')).toEqual([
      'providers.sandbox (weir.yaml, line 1): found the name of the built-in provider; allowed: any other name; `sandbox` sets it up',
    ]);
    expect(inFile('providers: {a/b: {kind: openai, key: k}}')).toEqual([
      'providers.a/b (weir.yaml, line 1): found a name that is not allowed; allowed: a name of letters, digits, dot, dash and underscore',
    ]);
  });

  test('base_url', () => {
    const allowed = 'allowed: a full URL with its version path, such as https://host/v1';
    for (const address of ['ftp://a.example/', 'a.example', 'https://{resource}.a.example/v1']) {
      expect(inFile(`providers: {a: {kind: openai-chat, key: k, base_url: "${address}"}}`)).toEqual([
        `providers.a.base_url (weir.yaml, line 1): found "${address}"; ${allowed}`,
      ]);
    }
    expect(inFile('providers: {a: {kind: openai-chat, key: k, base_url: "http://u:pw@a.example/v1?key=pw"}}')).toEqual([
      `providers.a.base_url (weir.yaml, line 1): found "http://u:***@a.example/v1?***"; ${allowed}`,
    ]);
    expect(inFile('providers: {a: {kind: openai-chat, key: k}}')).toEqual([
      'providers.a.base_url (weir.yaml, line 1): found nothing; allowed: the base URL of the provider',
    ]);
    expect(inFile('providers: {a: {kind: azure, key: k}}')).toEqual([
      'providers.a.base_url (weir.yaml, line 1): found nothing; allowed: a base URL like https://{resource}.openai.azure.com/openai/v1, or settings.resource, or the variable AZURE_OPENAI_ENDPOINT or AZURE_RESOURCE_NAME',
    ]);
  });

  test('key', () => {
    expect(inFile('providers: {a: {kind: openai}}')).toEqual([
      'providers.a.key (weir.yaml, line 1): found nothing; allowed: one of key, key_env, key_file, keys or the variable OPENAI_API_KEY',
    ]);
    expect(inFile('providers: {a: {kind: openai-chat, base_url: "https://a.example/v1"}}')).toEqual([
      'providers.a.key (weir.yaml, line 1): found nothing; allowed: one of key, key_env, key_file, keys',
    ]);
    expect(inFile('providers: {a: {kind: openai, key: k, key_env: B}}')).toEqual([
      'providers.a (weir.yaml, line 1): found key and key_env; allowed: only one of key, key_env, key_file, keys',
    ]);
    expect(inFile('providers: {a: {kind: openai, key_env: NOT_SET}}')).toEqual([
      'providers.a.key_env (weir.yaml, line 1): found NOT_SET, which is not set; allowed: the name of a variable that is set',
    ]);
    expect(inFile('providers: {a: {kind: openai, key_file: gone}}')).toEqual([
      'providers.a.key_file (weir.yaml, line 1): found "gone", which cannot be read; allowed: a file with the key',
    ]);
    expect(inFile('providers: {a: {kind: openai, keys: [{id: x}]}}')).toEqual([
      'providers.a.keys[0] (weir.yaml, line 1): found nothing; allowed: one of key, key_env, key_file',
    ]);
    expect(inFile('providers: {a: {kind: openai, keys: [{key: k, id: x}, {key: l, id: x}]}}')).toEqual([
      'providers.a.keys[1].id (weir.yaml, line 1): found "x"; allowed: an id that no other key of the provider has',
    ]);
  });

  test('none is needed by a server of the own network', () => {
    for (const host of [
      '127.0.0.1:1',
      '10.1.2.3',
      '[::1]:8000',
      'vllm:8000',
      'gpu.internal',
      '172.16.0.1',
      '100.64.0.1',
    ]) {
      expect(inFile(`providers: {a: {kind: openai-chat, base_url: "http://${host}/v1"}}`)).toEqual([]);
    }
    for (const host of ['8.8.8.8', 'gpu.example.com', '172.32.0.1', '100.128.0.1', '[2001:db8::1]']) {
      expect(inFile(`providers: {a: {kind: openai-chat, base_url: "http://${host}/v1"}}`)).toHaveLength(1);
    }
  });

  test('a target’s provider must exist', () => {
    const target = (provider: string) => `models: {x: {targets: [{provider: ${provider}, model: m}]}}`;
    expect(inFile(target('sandbox'))).toEqual([]);
    expect(mistakes({ WEIR_SANDBOX_ENABLED: 'false' }, target('sandbox'))).toHaveLength(1);
    expect(mistakes({ GROQ_API_KEY: 'k' }, target('groq'))).toEqual([]);
    expect(inFile(target('groq'))).toEqual([
      'models.x.targets[0].provider (weir.yaml, line 1): found "groq", which has no key; allowed: set GROQ_API_KEY or list it under providers',
    ]);
    expect(inFile(`providers: {upstream: {kind: ollama}}\n${target('upsteam')}`)).toEqual([
      'models.x.targets[0].provider (weir.yaml, line 2): found "upsteam"; allowed: one of upstream, ollama, lm-studio, vllm, llama.cpp, sglang, docker-model-runner, xinference, infinity, sandbox; did you mean upstream?',
    ]);
  });
});

test('all mistakes are reported at once, each once, and half-read entries cause no further ones', () => {
  const error = attempt(
    { WEIR_PORT: 'x', WEIR_PROT: '1' },
    `
server: {host: 5}
providers:
  a: {kind: openai-chat, key: k, base_url: nonsense}
models:
  m: {targets: [{provider: a, model: x}, {provider: zz, model: x}]}
`,
  );
  expect(error).toBeInstanceOf(ConfigError);
  const keys = error instanceof ConfigError ? error.problems.map((problem) => problem.key) : [];
  expect(keys.toSorted()).toEqual([
    'WEIR_PROT',
    'models.m.targets[1].provider',
    'providers.a.base_url',
    'server.host',
    'server.port',
  ]);
  expect(String(error)).toStartWith('ConfigError: The configuration has 5 mistakes:\n  ');
});

describe('secrets', () => {
  const canary = 'CANARY-value';
  const secretVariables = {
    WEIR_SECRET_KEY: `${canary}-secret-key`,
    WEIR_ADMIN_PASSWORD: `${canary}-password`,
    WEIR_FIRST_TOKEN: `${canary}-first-token`,
    DATABASE_URL: `postgres://weir:${canary}-database@db/weir`,
    REDIS_URL: `redis://:${canary}-redis@cache`,
    OPENAI_API_KEY: `${canary}-openai`,
    MY_KEY: `${canary}-mine`,
  };
  const provider = `{kind: openai, keys: [${canary}-text, {key_env: MY_KEY}, {key_file: k}], headers: {x-secret: ${canary}-header}}`;

  test('never appear among the settings', () => {
    const config = attempt(secretVariables, `providers: {a: ${provider}}`, { '/srv/k': `${canary}-file` });
    if (config instanceof ConfigError) throw config;
    expect(config.secretKey).toContain(canary);
    expect(JSON.stringify(config.settings)).not.toContain(canary);
    const shown = Object.fromEntries(config.settings.map((setting) => [setting.key, setting.shown]));
    expect(shown['secret_key']).toBe('set');
    expect(shown['database.url']).toBe('postgres://weir:***@db/weir');
    expect(shown['redis_url']).toBe('redis://:***@cache');
    expect(config.settings.map((setting) => setting.key)).toEqual(settingList.map((row) => row.key));
  });

  test('never appear in an error, wherever they were put', () => {
    const files = { '/srv/k': `${canary} file` };
    const misplaced = [
      `providers: {a: {kind: ${canary}, key: ${canary}}}`,
      `providers: {a: {kind: openai, key_env: ${canary}-9}}`,
      `providers: {a: {kind: openai, key: "${canary} with space"}}`,
      `providers: {a: {kind: openai, key: [${canary}]}}`,
      `providers: {a: {kind: openai, keys: ${canary}}}`,
      `providers: {a: {kind: openai, keys: [{key: ${canary}, key_env: X}]}}`,
      'providers: {a: {kind: openai, key_file: k}}',
      `providers: {a: {kind: openai, key: ${canary}, base_url: "https://u:${canary}@h/v1?k=${canary}"}}`,
      `providers: {a: {kind: openai, key: ${canary}, base_url: "htps//u:${canary}@h"}}`,
      `providers: {a: {kind: openai, key: ${canary}, headers: {x: [${canary}]}}}`,
      `providers: {a: {kind: openai, key: ${canary}, enabled: ${canary}}}`,
      `database: {url: "mysql://u:${canary}@h/x"}`,
      `database: {url: "postgres//u:${canary}@h/x"}`,
      `redis_url: "http://:${canary}@h"`,
      `secret_key: ${canary}`,
      `providers: {a: {kind: openai, key: ${canary}`,
    ];
    for (const yaml of misplaced) {
      const error = attempt({}, yaml, files);
      expect({ yaml, refused: error instanceof ConfigError }).toEqual({ yaml, refused: true });
      expect(JSON.stringify([String(error), error])).not.toContain(canary);
    }
    const short = attempt({ WEIR_SECRET_KEY: 'CANARY', WEIR_FIRST_TOKEN: 'CANARY', DATABASE_URL: 'x://u:CANARY@h' });
    expect(String(short)).not.toContain('CANARY');
    expect(String(short)).toContain('3 mistakes');
  });
});
