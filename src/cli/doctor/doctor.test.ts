/** The doctor's report as people and programs read it, what it calls broken, and that it shows no secret. */

import { describe, expect, test } from 'bun:test';
import { loadConfig } from '../../config/load.ts';
import { type DoctorDependencies, doctor } from './doctor.ts';

const startMs = Date.parse('2026-11-05T12:00:00Z');
const healthyStore = { engine: 'sqlite', schemaVersion: 3, expectedSchemaVersion: 3 };

interface Options {
  readonly environment?: Record<string, string>;
  readonly yaml?: string;
  readonly change?: Partial<DoctorDependencies>;
  readonly args?: readonly string[];
}

async function examine({ environment = {}, yaml, change = {}, args = [] }: Options) {
  let output = '';
  const config = loadConfig({ environment, readFile: () => yaml, workingFolder: '/srv' });
  const code = await doctor(
    {
      config,
      pingStore: () => Promise.resolve(healthyStore),
      fetch: () => Promise.resolve(modelList()),
      tryWrite: () => Promise.resolve(),
      keyFile: { path: 'data/secret.key', mode: 0o100600 },
      now: () => startMs,
      write: (text) => {
        output += text;
      },
      ...change,
    },
    args,
  );
  return { code, output };
}

function modelList(date = 'Thu, 05 Nov 2026 12:00:02 GMT'): Response {
  return Response.json({ data: [{ id: 'a' }, { id: 'b' }] }, { headers: { date } });
}

const lineOf = (output: string, name: string) =>
  output
    .split('\n')
    .find((line) => line.startsWith(`  ${name} `))
    ?.replace(/ {2,}/g, ' ')
    .trim();

describe('settings', () => {
  test('are aligned, grouped and carry their origin', async () => {
    const { output, code } = await examine({ environment: { WEIR_PORT: '9000' }, yaml: 'log: {level: warn}' });
    expect(code).toBe(0);
    const blocks = output.split('\n\n').map((block) => block.split('\n'));
    expect(blocks[0]?.map((line) => line.trim().split(/\s{2,}/))).toEqual([
      ['Settings'],
      ['config', 'not set', 'default'],
    ]);
    expect(blocks[1]?.map((line) => line.trim().split(/\s{2,}/))).toEqual([
      ['server.host', '127.0.0.1', 'default'],
      ['server.port', '9000', 'environment (WEIR_PORT)'],
      ['server.workers', '1', 'default'],
      ['server.data', './data', 'default'],
      ['server.public_url', 'not set', 'default'],
      ['server.trusted_proxies', 'none', 'default'],
      ['server.allowed_hosts', 'none', 'default'],
    ]);
    // The values stand below each other, however long the longest name is.
    const settings = output.slice(0, output.indexOf('tokens.rpm')).split('\n');
    const starts = settings
      .filter((line) => /^ {2}[a-z]/.test(line))
      .map((line) => /^ {2}\S+ +/.exec(line)?.[0].length);
    expect([starts.length > 10, new Set(starts).size]).toEqual([true, 1]);
    expect(lineOf(output, 'log.level')).toBe('log.level warn file');
    expect(output).toEndWith('\nNothing is broken.\n');
  });

  test('as JSON are the same', async () => {
    const { output, code } = await examine({ environment: { OPENAI_API_KEY: 'k' }, args: ['--json'] });
    expect(code).toBe(0);
    const report = JSON.parse(output);
    expect(report.ok).toBe(true);
    expect(report.settings).toContainEqual({
      key: 'server.port',
      variable: 'WEIR_PORT',
      origin: 'default',
      shown: '8787',
    });
    expect(report.checks).toEqual([
      { name: 'database', state: 'ok', detail: 'sqlite, schema 3, 0 ms' },
      { name: 'data folder', state: 'ok', detail: './data is writable' },
      { name: 'key file', state: 'ok', detail: 'data/secret.key has mode 0600' },
      { name: 'clock', state: 'ok', detail: 'within 2 s of a provider’s' },
      { name: 'provider openai', state: 'ok', detail: '2 models, 0 ms' },
    ]);
  });

  test('an unknown argument is refused', async () => {
    expect(await examine({ args: ['--jsn'] })).toEqual({
      code: 1,
      output: 'weir doctor: unknown argument --jsn; only --json is supported\n',
    });
  });
});

describe('what Weir depends on', () => {
  test('a database that is away, behind or ahead is broken', async () => {
    const away = await examine({
      environment: { DATABASE_URL: 'postgres://weir:hunter2-pw@db/weir' },
      change: { pingStore: () => Promise.reject(new Error('cannot reach postgres://weir:hunter2-pw@db/weir')) },
    });
    expect(away.code).toBe(1);
    expect(lineOf(away.output, 'database')).toBe('database broken cannot reach (hidden)');
    expect(away.output).not.toContain('hunter2');
    const behind = await examine({
      change: { pingStore: () => Promise.resolve({ ...healthyStore, schemaVersion: 2 }) },
    });
    expect(lineOf(behind.output, 'database')).toBe(
      'database broken sqlite, schema 2, 0 ms; expected 3: run weir migrate',
    );
    const ahead = await examine({
      change: { pingStore: () => Promise.resolve({ ...healthyStore, schemaVersion: 4 }) },
    });
    expect(lineOf(ahead.output, 'database')).toEndWith('expected 3: start the newer Weir that made it');
    expect([behind.code, ahead.code]).toEqual([1, 1]);
  });

  test('Redis is tested where there is one', async () => {
    const away = await examine({ change: { checkRedis: () => Promise.reject(new Error('refused')) } });
    expect(away.code).toBe(1);
    expect(lineOf(away.output, 'redis')).toBe('redis broken refused');
    expect(lineOf((await examine({})).output, 'redis')).toBeUndefined();
  });

  test('a folder that cannot be written is broken', async () => {
    const { code, output } = await examine({ change: { tryWrite: () => Promise.reject(new Error('EACCES: ./data')) } });
    expect(code).toBe(1);
    expect(lineOf(output, 'data folder')).toBe('data folder broken EACCES: ./data');
  });

  test('a key file that others can read is broken', async () => {
    const open = await examine({ change: { keyFile: { path: 'k', mode: 0o100640 } } });
    expect(open.code).toBe(1);
    expect(lineOf(open.output, 'key file')).toBe('key file broken k has mode 0640; others can read it: chmod 600');
    const absent = await examine({ change: { keyFile: { path: 'k', mode: undefined } } });
    expect(lineOf(absent.output, 'key file')).toBe('key file not checked k does not exist yet');
    const variable = await examine({
      environment: { WEIR_SECRET_KEY: 'x'.repeat(16) },
      change: { keyFile: { path: 'k', mode: 0o644 } },
    });
    expect(variable.code).toBe(0);
  });
});

describe('providers', () => {
  const environment = { OPENAI_API_KEY: 'sk-canary-1234', ANTHROPIC_API_KEY: 'ant-canary-1234' };

  test('are asked for their models with their own key and headers', async () => {
    const asked: [string, Record<string, string>][] = [];
    const fetch: DoctorDependencies['fetch'] = (url, { headers }) => {
      asked.push([url, headers]);
      return Promise.resolve(modelList());
    };
    await examine({
      environment,
      yaml: 'providers: {up: {kind: ollama, base_url: "http://gpu:1/v1"}}',
      change: { fetch },
    });
    expect(asked).toEqual([
      ['http://gpu:1/v1/models', { accept: 'application/json' }],
      ['https://api.openai.com/v1/models', { accept: 'application/json', authorization: 'Bearer sk-canary-1234' }],
      [
        'https://api.anthropic.com/v1/models?limit=1000',
        { accept: 'application/json', 'anthropic-version': '2023-06-01', 'x-api-key': 'ant-canary-1234' },
      ],
    ]);
  });

  test('an error is shown as it came, on one line, without the key', async () => {
    const body = '{"error":\n  "wrong key sk-canary-1234\u001b[31m"}';
    const fetch = () => Promise.resolve(new Response(body, { status: 401 }));
    const { code, output } = await examine({ environment: { OPENAI_API_KEY: 'sk-canary-1234' }, change: { fetch } });
    expect(code).toBe(1);
    expect(lineOf(output, 'provider openai')).toBe(
      'provider openai broken HTTP 401: {"error": "wrong key (hidden) [31m"}',
    );
    expect(lineOf(output, 'clock')).toBe('clock not checked no provider answered');
    expect(output).not.toContain('canary');
    expect(output).toEndWith('\n1 of 5 checks found something broken.\n');
  });

  test('no connection, a page instead of a list, and no list at all', async () => {
    const away = await examine({
      environment,
      change: { fetch: () => Promise.reject(new Error('getaddrinfo ENOTFOUND')) },
    });
    expect(lineOf(away.output, 'provider openai')).toBe(
      'provider openai broken https://api.openai.com/v1/models: getaddrinfo ENOTFOUND',
    );
    const page = await examine({ environment, change: { fetch: () => Promise.resolve(new Response('<html>')) } });
    expect(lineOf(page.output, 'provider openai')).toBe(
      'provider openai broken 0 ms, but the reply is no list of models',
    );
    const notFound = () => Promise.resolve(new Response('', { status: 404 }));
    const yaml =
      'providers: {up: {kind: openai, key: k, models: [m]}, p: {kind: perplexity, key: k}, off: {kind: openai, enabled: false}}';
    const fixed = await examine({ yaml, change: { fetch: notFound } });
    expect(fixed.code).toBe(0);
    expect(lineOf(fixed.output, 'provider up')).toContain('ok answers in 0 ms');
    expect(lineOf(fixed.output, 'provider p')).toBe('provider p not checked it has no list of models to ask for');
    expect(lineOf(fixed.output, 'provider off')).toBe('provider off not checked disabled');
  });

  test('a host with models of several vendors may pass requests on, which the operator is to say', async () => {
    const list = () => Response.json({ data: [{ id: 'openai/gpt-5' }, { id: 'anthropic/claude-opus-4-5' }] });
    const look = async (more: string, kind = 'openai-chat') => {
      const yaml = `providers: {mine: {kind: ${kind}, base_url: 'http://127.0.0.1:1/v1', key: sk-x${more}}}`;
      const { output } = await examine({ yaml, change: { fetch: () => Promise.resolve(list()) } });
      return lineOf(output, 'provider mine') ?? '';
    };
    expect(await look('')).toContain('warning 2 models, 0 ms; it has models of Anthropic Claude and OpenAI');
    expect(await look('')).toContain('providers.mine.routes_elsewhere: true');
    for (const said of [', routes_elsewhere: true', ', routes_elsewhere: false']) {
      expect(await look(said)).toBe('provider mine ok 2 models, 0 ms');
    }
    // A preset says it itself.
    expect(await look('', 'openrouter')).toBe('provider mine ok 2 models, 0 ms');
  });

  test('each of several keys is tried', async () => {
    const fetch: DoctorDependencies['fetch'] = (_url, { headers }) =>
      Promise.resolve(headers['authorization'] === 'Bearer good' ? modelList() : new Response('no', { status: 403 }));
    const yaml = 'providers: {up: {kind: openai, keys: [good, {key: bad-key, id: spare}]}}';
    const { code, output } = await examine({ yaml, change: { fetch } });
    expect(code).toBe(1);
    expect(lineOf(output, 'provider up (key-1)')).toBe('provider up (key-1) ok 2 models, 0 ms');
    expect(lineOf(output, 'provider up (spare)')).toBe('provider up (spare) broken HTTP 403: no');
  });
});

describe('clock', () => {
  const clockWith = async (date: string) => {
    const fetch = () => Promise.resolve(modelList(date));
    const { code, output } = await examine({ environment: { OPENAI_API_KEY: 'k' }, change: { fetch } });
    return [code, lineOf(output, 'clock')];
  };

  test('is compared with the date of a reply, up to thirty seconds', async () => {
    expect(await clockWith('Thu, 05 Nov 2026 12:00:30 GMT')).toEqual([0, 'clock ok within 30 s of a provider’s']);
    expect(await clockWith('Thu, 05 Nov 2026 12:00:31 GMT')).toEqual([1, 'clock broken 31 s behind a provider’s']);
    expect(await clockWith('Thu, 05 Nov 2026 11:00:00 GMT')).toEqual([1, 'clock broken 3600 s ahead of a provider’s']);
    expect(await clockWith('nonsense')).toEqual([0, 'clock not checked no provider answered']);
  });
});

test('the report shows no secret, as text or as JSON', async () => {
  const canary = 'CANARY-value-1';
  const environment = {
    WEIR_SECRET_KEY: `${canary}-key`,
    WEIR_ADMIN_PASSWORD: canary,
    WEIR_FIRST_TOKEN: `${canary}-token`,
    DATABASE_URL: `postgres://u:${canary}@h/d`,
    OPENAI_API_KEY: canary,
  };
  const yaml = `providers: {a: {kind: openai, key: ${canary}, headers: {x: ${canary}-header}}}`;
  const fetch: DoctorDependencies['fetch'] = (_url, { headers }) =>
    Promise.resolve(new Response(JSON.stringify(headers), { status: 400 }));
  for (const args of [[], ['--json']]) {
    const { output } = await examine({ environment, yaml, change: { fetch }, args });
    expect(output).not.toContain(canary);
    expect(output).toContain('(hidden)');
  }
});

test('a collector of telemetry that does not accept exports is a warning without its credential', async () => {
  const environment = {
    WEIR_TELEMETRY_ENDPOINT: 'http://localhost:4318',
    WEIR_TELEMETRY_HEADERS: 'x=canary-credential',
  };
  const well = await examine({ environment, change: { askCollector: async () => undefined } });
  expect(lineOf(well.output, 'telemetry')).toContain('the collector at http://localhost:4318 accepts exports');
  const away = await examine({ environment, change: { askCollector: async () => 'status 401 canary-credential' } });
  expect(away.code).toBe(0);
  expect(lineOf(away.output, 'telemetry')).toContain('status 401');
  expect(away.output).not.toContain('canary');
});
