/** Providers whose address has holes or whose key is more than a word: where each part comes from, and what is said when it is missing. */

import { describe, expect, test } from 'bun:test';
import type { ProviderConfig } from '../settings/config.ts';
import { loadConfig } from './load.ts';
import { ConfigError, describeProblem } from './problem.ts';

type Variables = Record<string, string | undefined>;

function providers(
  environment: Variables,
  yaml?: string,
  files: Record<string, string> = {},
): readonly ProviderConfig[] {
  const readFile = (path: string) => (path === '/srv/weir.yaml' ? yaml : files[path]);
  return loadConfig({ environment, readFile, workingFolder: '/srv' }).providers;
}

function mistakes(environment: Variables, yaml?: string, files: Record<string, string> = {}): string[] {
  try {
    providers(environment, yaml, files);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(describeProblem);
    throw error;
  }
}

const account = JSON.stringify(
  { project_id: 'own-project', client_email: 'a@b.example', private_key: '-----BEGIN PRIVATE KEY-----\nCANARY\n' },
  undefined,
  2,
);
const aws = {
  AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
};

describe('vertex', () => {
  const files = { '/run/account.json': `${account}\n` };

  test('takes the account from its file, the project from the account and the global location', () => {
    const [vertex] = providers({}, 'providers: {vertex: {key_file: /run/account.json}}', files);
    expect(vertex).toMatchObject({
      kind: 'vertex',
      baseUrl: 'https://aiplatform.googleapis.com/v1/projects/own-project/locations/global',
      keys: [{ id: 'key-1', value: account }],
      settings: { region: 'global', project: 'own-project' },
    });
  });

  test('is used when listed, by the usual variables', () => {
    const variables = {
      GOOGLE_APPLICATION_CREDENTIALS: '/run/account.json',
      GOOGLE_CLOUD_PROJECT: 'theirs',
      GOOGLE_CLOUD_LOCATION: 'europe-west1',
    };
    expect(providers(variables, undefined, files)).toEqual([]);
    const [vertex] = providers(variables, 'providers:\n  vertex:', files);
    expect(vertex?.baseUrl).toBe(
      'https://europe-west1-aiplatform.googleapis.com/v1/projects/theirs/locations/europe-west1',
    );
    expect(vertex?.keys).toEqual([{ id: 'GOOGLE_APPLICATION_CREDENTIALS', value: account }]);
  });

  test('takes the account as text and as the value of a variable, and other locations', () => {
    const yaml = `providers: {vertex: {key_env: ACCOUNT, settings: {region: eu, project: mine}}}`;
    const [byVariable] = providers({ ACCOUNT: account, GOOGLE_CLOUD_PROJECT: 'theirs' }, yaml);
    expect(byVariable?.keys[0]?.value).toBe(account);
    expect(byVariable?.baseUrl).toBe('https://aiplatform.eu.rep.googleapis.com/v1/projects/mine/locations/eu');
    const [byText] = providers({}, `providers: {vertex: {key: ${JSON.stringify(account)}}}`);
    expect(byText?.keys[0]?.value).toBe(account);
  });

  test('says what is wrong with an account, and never what it is', () => {
    const allowed = 'the key file of a service account, in JSON with client_email and private_key';
    const wrong = { '/run/account.json': account.replace('client_email', 'email') };
    expect(mistakes({}, 'providers: {vertex: {key_file: /run/account.json}}', wrong)).toEqual([
      `providers.vertex.key_file (weir.yaml, line 1): found (hidden); allowed: ${allowed}`,
    ]);
    expect(
      mistakes({ GOOGLE_APPLICATION_CREDENTIALS: '/gone.json', GOOGLE_CLOUD_PROJECT: 'p' }, 'providers:\n  vertex:'),
    ).toEqual([
      'GOOGLE_APPLICATION_CREDENTIALS: found "/gone.json", which cannot be read; allowed: a file with the key',
    ]);
    expect(mistakes({}, 'providers: {vertex: {key: sk-plain, settings: {project: p}}}')).toEqual([
      `providers.vertex.key (weir.yaml, line 1): found (hidden); allowed: ${allowed}`,
    ]);
  });
});

describe('bedrock', () => {
  test('is found by its own API key and a region', () => {
    expect(providers({ AWS_BEARER_TOKEN_BEDROCK: 'ABSKabc=' })).toEqual([]);
    const [bedrock] = providers({ AWS_BEARER_TOKEN_BEDROCK: 'ABSKabc=', AWS_DEFAULT_REGION: 'us-west-2' });
    expect(bedrock).toMatchObject({
      name: 'bedrock',
      baseUrl: 'https://bedrock-runtime.us-west-2.amazonaws.com',
      keys: [{ id: 'AWS_BEARER_TOKEN_BEDROCK', value: 'ABSKabc=' }],
      settings: { region: 'us-west-2' },
      origin: 'environment',
    });
  });

  test('puts an access key together when listed, and only then', () => {
    expect(providers({ ...aws, AWS_REGION: 'eu-west-1' })).toEqual([]);
    const yaml = 'providers:\n  bedrock:';
    const [plain] = providers({ ...aws, AWS_REGION: 'eu-west-1', AWS_DEFAULT_REGION: 'us-east-1' }, yaml);
    const joined = `${aws.AWS_ACCESS_KEY_ID}:${aws.AWS_SECRET_ACCESS_KEY}`;
    expect(plain?.keys).toEqual([{ id: 'AWS_ACCESS_KEY_ID', value: joined }]);
    expect(plain?.baseUrl).toBe('https://bedrock-runtime.eu-west-1.amazonaws.com');
    const [session] = providers({ ...aws, AWS_REGION: 'eu-west-1', AWS_SESSION_TOKEN: 'session==' }, yaml);
    expect(session?.keys[0]?.value).toBe(`${joined}:session==`);
    const [own] = providers({ ...aws, AWS_REGION: 'eu-west-1', AWS_BEARER_TOKEN_BEDROCK: 'ABSK' }, yaml);
    expect(own?.keys[0]?.value).toBe('ABSK');
  });

  test('never sends an access key of the environment to another address', () => {
    const elsewhere = 'providers: {bedrock: {base_url: "http://127.0.0.1:9", settings: {region: eu-west-1}}}';
    expect(providers(aws, elsewhere)[0]?.keys).toEqual([]);
    const own =
      'providers: {bedrock: {base_url: "https://bedrock-runtime.eu-west-1.amazonaws.com", settings: {region: eu-west-1}}}';
    expect(providers(aws, own)[0]?.keys).toHaveLength(1);
  });

  test('needs a region to sign with, even at an address of its own', () => {
    const yaml = (key: string) => `providers: {bedrock: {base_url: "http://127.0.0.1:9", key: "${key}"}}`;
    expect(mistakes({}, yaml('AKIAIOSFODNN7EXAMPLE:secret'))).toEqual([
      'providers.bedrock.settings.region (weir.yaml, line 1): found nothing; allowed: a text, or the variable AWS_REGION or AWS_DEFAULT_REGION',
    ]);
    expect(mistakes({}, yaml('ABSKabc'))).toEqual([]);
    expect(mistakes(aws, 'providers:\n  bedrock:')).toEqual([
      'providers.bedrock.base_url (weir.yaml, line 2): found nothing; allowed: a base URL like https://bedrock-runtime.{region}.amazonaws.com, or settings.region, or the variable AWS_REGION or AWS_DEFAULT_REGION',
    ]);
    expect(mistakes({}, yaml('short:secret'))).toEqual([
      'providers.bedrock.key (weir.yaml, line 1): found (hidden); allowed: an API key, or an access key as ID:SECRET or ID:SECRET:SESSION_TOKEN',
    ]);
    expect(mistakes({ AWS_REGION: 'eu-west-1' }, 'providers:\n  bedrock:')).toEqual([
      'providers.bedrock.key (weir.yaml, line 2): found nothing; allowed: one of key, key_env, key_file, keys or the variable AWS_BEARER_TOKEN_BEDROCK or AWS_ACCESS_KEY_ID',
    ]);
  });
});

describe('kling', () => {
  const pair = { KLING_ACCESS_KEY: 'access-1', KLING_SECRET_KEY: 'CANARY-secret' };

  test('is found by its key, and puts one together when listed', () => {
    expect(providers({ KLING_API_KEY: 'access-1:secret' })).toMatchObject([
      { name: 'kling', keys: [{ id: 'KLING_API_KEY', value: 'access-1:secret' }], origin: 'environment' },
    ]);
    expect(providers(pair)).toEqual([]);
    const [listed] = providers(pair, 'providers:\n  kling:');
    expect(listed?.keys).toEqual([{ id: 'KLING_ACCESS_KEY', value: 'access-1:CANARY-secret' }]);
    expect(providers({}, 'providers: {kling: {key: sk-plain}}')[0]?.keys[0]?.value).toBe('sk-plain');
  });

  test('says what is wrong with a pair, and never what it is', () => {
    expect(mistakes({}, 'providers: {kling: {key: "a:b:CANARY"}}')).toEqual([
      'providers.kling.key (weir.yaml, line 1): found (hidden); allowed: an API key, or an access key and its secret as ACCESS:SECRET',
    ]);
    expect(mistakes({ KLING_ACCESS_KEY: 'access-1' }, 'providers:\n  kling:')).toEqual([
      'providers.kling.key (weir.yaml, line 2): found nothing; allowed: one of key, key_env, key_file, keys or the variable KLING_API_KEY or KLING_ACCESS_KEY',
    ]);
  });
});

describe('azure', () => {
  test('takes the resource from the file before any variable', () => {
    const variables = { AZURE_OPENAI_API_KEY: 'k', AZURE_OPENAI_ENDPOINT: 'https://theirs.openai.azure.com' };
    const yaml = 'providers: {azure: {settings: {resource: mine}}, older: {kind: azure-deployments}}';
    expect(providers(variables, yaml).map(({ baseUrl, settings }) => [baseUrl, settings])).toEqual([
      ['https://mine.openai.azure.com/openai/v1', { resource: 'mine' }],
      ['https://theirs.openai.azure.com/openai', { api_version: '2024-10-21' }],
    ]);
  });

  test('has a version in its older form, which is used when listed', () => {
    expect(providers({ AZURE_OPENAI_API_KEY: 'k', AZURE_RESOURCE_NAME: 'r' }).map(({ name }) => name)).toEqual([
      'azure',
    ]);
    const yaml = 'providers: {azure-deployments: {key: k, settings: {resource: r, api_version: 2025-01-01-preview}}}';
    expect(providers({ OPENAI_API_VERSION: '2024-06-01' }, yaml)[0]?.settings).toEqual({
      resource: 'r',
      api_version: '2025-01-01-preview',
    });
  });
});

describe('settings', () => {
  test('of an unknown name or a wrong value are mistakes', () => {
    expect(mistakes({}, 'providers: {bedrock: {key: k, settings: {regoin: x}}}')[0]).toBe(
      'providers.bedrock.settings.regoin (weir.yaml, line 1): found an unknown key; allowed: region; did you mean region?',
    );
    expect(mistakes({}, 'providers: {openai: {key: k, settings: {region: x}}}')).toEqual([
      'providers.openai.settings.region (weir.yaml, line 1): found an unknown key; allowed: nothing, openai has no settings',
    ]);
    for (const value of ['"eu/../x"', '"{region}"', '"a@evil.example"', '""', '[]', 'true']) {
      const found = mistakes({}, `providers: {bedrock: {key: k, settings: {region: ${value}}}}`);
      expect([value, found]).toEqual([
        value,
        [
          expect.stringMatching(
            /^providers\.bedrock\.settings\.region .*letters, digits, dot, dash, underscore and colon$/,
          ),
        ],
      ]);
    }
    expect(
      providers({ CLOUDFLARE_API_TOKEN: 'k' }, 'providers: {cloudflare: {settings: {account: 123}}}')[0]?.baseUrl,
    ).toBe('https://api.cloudflare.com/client/v4/accounts/123/ai/v1');
  });

  test('of a variable that fit no address leave it incomplete', () => {
    expect(providers({ AWS_BEARER_TOKEN_BEDROCK: 'k', AWS_REGION: 'evil.example/x' })).toEqual([]);
  });

  test('no message repeats a secret that came in parts', () => {
    const messages = mistakes(
      { ...aws, AWS_SECRET_ACCESS_KEY: 'CANARY secret' },
      'providers:\n  bedrock: {settings: {region: r1}}',
    );
    expect(messages).toEqual(['AWS_ACCESS_KEY_ID: found (hidden); allowed: a key without spaces or line breaks']);
  });
});

describe('clouds that share a variable with another preset, or have a host of their own', () => {
  test('foundry is found by its own variables, and by nothing of the other two', () => {
    const own = { ANTHROPIC_FOUNDRY_API_KEY: 'k', ANTHROPIC_FOUNDRY_RESOURCE: 'mine' };
    expect(providers(own).map(({ name, baseUrl }) => [name, baseUrl])).toEqual([
      ['azure-foundry', 'https://mine.services.ai.azure.com'],
    ]);
    const others = { AZURE_API_KEY: 'k', AZURE_RESOURCE_NAME: 'mine' };
    expect(providers(others).map(({ name, keys }) => [name, keys[0]?.id])).toEqual([['azure', 'AZURE_API_KEY']]);
  });

  test('databricks takes the host that its own tools read', () => {
    const variables = { DATABRICKS_HOST: 'https://dbc-1.cloud.databricks.com/', DATABRICKS_TOKEN: 'dapi-1' };
    expect(providers(variables)).toEqual([]);
    const addresses = (yaml: string) => providers(variables, yaml).map(({ baseUrl }) => baseUrl);
    expect(addresses('providers: {databricks: {}}')).toEqual(['https://dbc-1.cloud.databricks.com/ai-gateway']);
    expect(addresses('providers: {databricks: {settings: {host: adb-2.azuredatabricks.net}}}')).toEqual([
      'https://adb-2.azuredatabricks.net/ai-gateway',
    ]);
    expect(mistakes({ DATABRICKS_TOKEN: 'dapi-1' }, 'providers: {databricks: {}}')).toEqual([
      'providers.databricks.base_url (weir.yaml, line 1): found nothing; allowed: a base URL like https://{host}/ai-gateway, or settings.host, or the variable DATABRICKS_HOST',
    ]);
  });

  test('one key of Amazon configures one of the two endpoints', () => {
    const variables = { AWS_BEARER_TOKEN_BEDROCK: 'k', AWS_REGION: 'eu-central-1' };
    expect(providers(variables).map(({ name }) => name)).toEqual(['bedrock']);
    const [mantle] = providers({ ...aws, AWS_REGION: 'eu-central-1' }, 'providers: {bedrock-mantle: {}}');
    expect([mantle?.baseUrl, mantle?.keys[0]?.id]).toEqual([
      'https://bedrock-mantle.eu-central-1.api.aws',
      'AWS_ACCESS_KEY_ID',
    ]);
  });

  test('one token of Cloudflare opens a gateway, the usual one unless another is named', () => {
    const variables = { CLOUDFLARE_API_TOKEN: 'k', CLOUDFLARE_ACCOUNT_ID: 'a1' };
    expect(providers(variables)).toEqual([]);
    const yaml = 'providers: {cloudflare-ai-gateway: {}, mine: {kind: cloudflare-ai-gateway, settings: {gateway: g}}}';
    expect(providers(variables, yaml).map(({ baseUrl }) => baseUrl)).toEqual([
      'https://gateway.ai.cloudflare.com/v1/a1/default/compat',
      'https://gateway.ai.cloudflare.com/v1/a1/g/compat',
    ]);
  });

  test('of two base URLs of one vendor the variable selects the first', () => {
    expect(providers({ XAI_API_KEY: 'k' }).map(({ name }) => name)).toEqual(['xai']);
    expect(providers({ XAI_API_KEY: 'k' }, 'providers: {xai-us: {}}').map(({ name }) => name)).toEqual([
      'xai-us',
      'xai',
    ]);
  });
});
