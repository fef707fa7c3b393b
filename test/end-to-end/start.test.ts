/** First contact: the banner, its curl line, refusals to start, and the pages that need no token. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/load.ts';
import { ConfigError } from '../../src/config/problem.ts';
import { post, scripted } from '../harness/chat.ts';
import { needing } from '../harness/needs.ts';
import { freePort } from '../harness/ports.ts';
import { isFullSize } from '../harness/size.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, runWeir, startWeir } from '../harness/weir.ts';

const curlLine = (text: string) => {
  const lines = text.replaceAll(/\\\n\s*/g, ' ').split('\n');
  return lines.map((line) => line.trim()).find((line) => line.startsWith('curl '));
};

describe('the first start', () => {
  let weir: RunningWeir;
  beforeAll(async () => {
    weir = await startWeir({ token: null });
    await until(() => curlLine(weir.output()) !== undefined, 60_000, 'the banner');
  });
  afterAll(() => weir.remove());

  needing('curl').test('shows the base URL and a token once, and a curl line that works as pasted', async () => {
    const text = weir.output();
    expect(text).toContain(weir.base);
    const tokens = new Set(text.match(/weir_[A-Za-z0-9_-]{20,}/g));
    expect(tokens.size).toBe(1);
    const line = curlLine(text);
    if (line === undefined) throw new Error(`no curl line in ${text}`);
    const shell = Bun.spawn(['sh', '-c', `${line} -s`], { stdout: 'pipe', stderr: 'pipe', timeout: 240_000 });
    const reply = JSON.parse(await new Response(shell.stdout).text()) as { object: string };
    expect(['chat.completion', 'list']).toContain(reply.object);
  });

  test('a second start shows none, and the first token still works', async () => {
    const [token = ''] = weir.output().match(/weir_[A-Za-z0-9_-]{20,}/) ?? [];
    const before = weir.output().length;
    expect(await weir.stop()).toBe(0);
    await weir.restart();
    expect(weir.output().slice(before)).not.toMatch(/weir_[A-Za-z0-9_-]{20,}/);
    expect((await post({ base: weir.base, token }, scripted({}, { model: 'sandbox-chat' }))).status).toBe(200);
  });
});

describe('a running Weir', () => {
  let weir: RunningWeir;
  beforeAll(async () => {
    weir = await startWeir();
  });
  afterAll(() => weir.remove());

  test('the pages that need no token', async () => {
    for (const path of ['/healthz', '/readyz']) expect((await fetch(weir.url + path)).status).toBe(200);
    await post(weir, scripted({}, { model: 'sandbox-chat' }));
    const metrics = await fetch(`${weir.url}/metrics`);
    expect(metrics.headers.get('content-type')).toStartWith('text/plain');
    const lines = (await metrics.text()).trim().split('\n');
    expect(lines.some((line) => /^weir_\w+(\{.*\})? [0-9.e+-]+$/.test(line))).toBe(true);
    for (const line of lines) expect(line).toMatch(/^(#.*|[a-zA-Z_:][\w:]*(\{.*\})? (NaN|[+-]?Inf|[0-9.e+-]+))$/);
    const home = await fetch(`${weir.url}/`);
    expect(home.headers.get('content-type')).toStartWith('text/html');
    expect(home.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(home.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await home.text()).toContain(weir.base);
  });

  test('the first token is the configured one', async () => {
    expect((await post(weir, scripted({}, { model: 'sandbox-chat' }))).status).toBe(200);
    expect(weir.output()).not.toContain(weir.token);
  });

  test('a browser that holds a token may call from any page, without cookies', async () => {
    const preflight = await fetch(`${weir.base}/chat/completions`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,x-stainless-os',
      },
    });
    expect([200, 204]).toContain(preflight.status);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-methods')).toContain('POST');
    const allowed = preflight.headers.get('access-control-allow-headers')?.toLowerCase() ?? '';
    // A star matches every header except this one.
    expect(allowed).toContain('authorization');
    expect(allowed.includes('*') || allowed.includes('content-type')).toBe(true);
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
    const headers = { origin: 'https://app.example' };
    const reply = await post(weir, scripted({}, { model: 'sandbox-chat' }), { headers });
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
    expect(reply.headers.get('access-control-expose-headers')?.toLowerCase()).toMatch(/\*|x-request-id/);
    const refused = await fetch(`${weir.base}/models`, { headers });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, '*']);
  });

  test('a port in use is reported, with the setting that changes it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'weir-test-'));
    const port = new URL(weir.url).port;
    const { code, stdout, stderr } = await runWeir(['serve'], {
      WEIR_DATA: folder,
      WEIR_PORT: port,
      WEIR_DISCOVERY_LOCAL: 'false',
    });
    await rm(folder, { recursive: true, force: true });
    expect(code).not.toBe(0);
    expect(stdout + stderr).toContain(port);
    expect(stdout + stderr).toContain('WEIR_PORT');
    expect(stdout + stderr).not.toMatch(/^\s+at .*\.ts:\d+/m);
  });
});

test('a signal that comes as soon as Weir answers is an orderly end', async () => {
  const weir = await startWeir();
  try {
    expect(await weir.stop()).toBe(0);
  } finally {
    await weir.remove();
  }
});

describe('a mistake in the configuration refuses the start and names its place', () => {
  const provider = { kind: 'openai', base_url: 'http://127.0.0.1:9/v1', key: 'k' };
  const cases: readonly [string, string | object, string][] = [
    ['an unknown key', { providers: { up: { ...provider, base_ulr: 'x' } } }, 'base_ulr'],
    ['an unknown section', { provders: {} }, 'provders'],
    ['a wrong type', { limits: { json_depth_max: 'deep' } }, 'json_depth_max'],
    ['a number out of range', { server: { port: 70_000 } }, 'port'],
    ['an address that is none', { providers: { up: { ...provider, base_url: 'not a url' } } }, 'base_url'],
    [
      'a target without its provider',
      { models: { fast: { targets: [{ provider: 'absent-provider', model: 'm' }] } } },
      'absent-provider',
    ],
    ['a kind that does not exist', { providers: { up: { ...provider, kind: 'opnai' } } }, 'kind'],
    [
      'a key from a variable that is not set',
      { providers: { up: { kind: 'openai', key_env: 'NOT_SET_HERE' } } },
      'NOT_SET_HERE',
    ],
    ['no YAML at all', 'providers: [\n', 'weir.yaml'],
  ];
  test.each(cases)('%s', async (what, yaml, named) => {
    // What reads the file is the same for all of them, and so is what a process does with its refusal.
    const isProcess =
      isFullSize || ['an unknown key', 'a target without its provider', 'no YAML at all'].includes(what);
    const { code, text } = await (isProcess ? refusedStart({}, yaml) : refusedConfig(yaml));
    expect(code).not.toBe(0);
    expect(text).toContain(named);
    expect(text).not.toMatch(/^\s+at .*\.ts:\d+/m);
  });

  test.each([
    ['WEIR_PORT', 'eighty'],
    ['WEIR_FIRST_TOKEN', 'too-short'],
    ['WEIR_FIRST_TOKEN', 'weir_0123456789abcdefghijkl'],
    ['WEIR_CONFIG', '/nowhere/weir.yaml'],
    ['DATABASE_URL', 'mysql://x'],
    ['WEIR_LOG_LEVEL', 'loud'],
  ])('%s=%s', async (variable, value) => {
    const { code, text } = await refusedStart({ [variable]: value });
    expect(code).not.toBe(0);
    expect(text).toContain(variable);
    expect(text).not.toMatch(/^\s+at .*\.ts:\d+/m);
  });
});

function refusedConfig(yaml: string | object): { code: number; text: string } {
  const text = typeof yaml === 'string' ? yaml : JSON.stringify(yaml);
  const environment = { WEIR_CONFIG: 'weir.yaml', WEIR_DISCOVERY_LOCAL: 'false' };
  try {
    loadConfig({ environment, readFile: () => text, workingFolder: tmpdir(), isTerminal: false });
    return { code: 0, text: '' };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { code: 1, text: error.message };
  }
}

async function refusedStart(
  env: Record<string, string>,
  yaml?: string | object,
): Promise<{ code: number; text: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'weir-test-'));
  const file = join(folder, 'weir.yaml');
  if (yaml !== undefined) await Bun.write(file, typeof yaml === 'string' ? yaml : JSON.stringify(yaml));
  const base = { WEIR_DATA: folder, WEIR_PORT: `${await freePort()}`, WEIR_DISCOVERY_LOCAL: 'false' };
  const { code, stdout, stderr } = await runWeir(['serve'], {
    ...base,
    ...(yaml === undefined ? {} : { WEIR_CONFIG: file }),
    ...env,
  });
  await rm(folder, { recursive: true, force: true });
  return { code, text: stdout + stderr };
}
