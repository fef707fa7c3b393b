/** The configuration is read again while Weir runs: on a change of the file, on SIGHUP, with several workers; a mistake changes nothing. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { post } from '../harness/chat.ts';
import { chatReply } from '../harness/holding-upstream.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(300_000);

/** Who called: the key of each request, in order. Requests that say so are held. */
const seen: string[] = [];
let release: (() => void) | undefined;
const upstream = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 0,
  async fetch(request) {
    const body = await request.text();
    seen.push(request.headers.get('authorization') ?? '');
    if (body.includes('hold')) await new Promise<void>((resolve) => (release = resolve));
    return Response.json(chatReply(1, 1));
  },
});
const base = `http://127.0.0.1:${upstream.port}/v1`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-reload-'));
});
afterAll(async () => {
  await upstream.stop(true);
  rmSync(folder, { recursive: true, force: true });
});

interface Said {
  readonly model?: string;
  readonly key?: string;
  readonly more?: string;
}

const yamlOf = ({ model = 'one', key = 'key-of-the-first', more = '' }: Said): string => `providers:
  up:
    kind: openai-chat
    base_url: ${base}
    models: [${model}]
    ${key.startsWith('/') ? 'key_file' : 'key'}: ${key}
${more}`;

async function statusOf(weir: RunningWeir, model: string, content = 'Hello'): Promise<number> {
  const reply = await post(weir, { model, messages: [{ role: 'user', content }] });
  await reply.text();
  return reply.status;
}

const serves = (weir: RunningWeir, model: string) => async (): Promise<boolean> =>
  (await statusOf(weir, model)) === 200;
const health = async (weir: RunningWeir): Promise<unknown> => (await fetch(`${weir.url}/healthz`)).json();
const count = (weir: RunningWeir, text: string): number => weir.output().split(text).length - 1;

const levelOf = (line: string): string => (JSON.parse(line) as { level: string }).level;

/** As editors do it. */
function replaceFile(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

test('a changed file acts at once, a request in flight keeps its provider, a mistake keeps everything', async () => {
  const keyFile = join(folder, 'provider.key');
  writeFileSync(keyFile, 'key-of-a-file\n');
  const weir = await startWeir({ yaml: yamlOf({}) });
  const file = join(weir.dataFolder, 'weir.yaml');
  try {
    expect(await statusOf(weir, 'one')).toBe(200);
    const running = statusOf(weir, 'one', 'hold');
    await until(() => release !== undefined);
    replaceFile(
      file,
      yamlOf({ model: 'two', key: keyFile, more: 'limits: { attempts_max: 3 }\nlog: { format: text }\n' }),
    );
    await until(serves(weir, 'two'));
    expect(seen.at(-1)).toBe('Bearer key-of-a-file');
    expect(await statusOf(weir, 'one')).toBe(404);
    release?.();
    expect(await running).toBe(200);
    await until(() => count(weir, 'take effect at the next start') === 1);
    expect(weir.output()).toContain('"changed":"providers up; limits.attempts_max"');
    expect(weir.output()).toContain('"settings":"log.format"');

    // Only the key's file changes, which the signal makes Weir read.
    writeFileSync(keyFile, 'key-after-rotation\n');
    process.kill(weir.pid, 'SIGHUP');
    await until(() => count(weir, 'read again') === 2);
    expect(await statusOf(weir, 'two')).toBe(200);
    expect(seen.at(-1)).toBe('Bearer key-after-rotation');

    replaceFile(file, yamlOf({ model: 'three', key: 'a-key-in-a-wrong-file', more: 'limits:\n  atempts_max: 3\n' }));
    await until(() => weir.output().includes('limits.atempts_max (') && weir.output().includes('line 8)'));
    expect(weir.output()).toContain('did you mean attempts_max?');
    expect(weir.output()).not.toContain('a-key-in-a-wrong-file');
    expect(await health(weir)).toEqual({ status: 'ok', configuration: 'rejected' });
    expect(await (await fetch(`${weir.url}/metrics`)).text()).toContain('weir_configuration_rejected 1');
    expect(await statusOf(weir, 'two')).toBe(200);

    rmSync(file);
    await until(() => weir.output().includes('which does not exist'));
    expect(await statusOf(weir, 'two')).toBe(200);
    replaceFile(file, yamlOf({ model: 'three' }));
    await until(serves(weir, 'three'));
    expect(await health(weir)).toEqual({ status: 'ok' });
  } finally {
    await weir.remove();
  }
});

test('with workers, and behind links that are swapped as Kubernetes does it', async () => {
  const write = (name: string, model: string): void => {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'weir.yaml'), yamlOf({ model }));
  };
  write('..first', 'one');
  symlinkSync('..first', join(folder, '..data'));
  symlinkSync('..data/weir.yaml', join(folder, 'weir.yaml'));
  const logFile = join(folder, 'weir.log');
  const logged = (): string => (existsSync(logFile) ? readFileSync(logFile, 'utf8') : '');
  const env = { WEIR_SERVER_WORKERS: '2', WEIR_CONFIG: join(folder, 'weir.yaml'), WEIR_LOG_FILE: logFile };
  const weir = await startWeir({ env: { ...env, WEIR_LOG_LEVEL: 'debug' } });
  const ownConnection = { headers: { connection: 'close' } };
  /** Each connection goes to one of the workers. */
  const all = async (model: string): Promise<boolean> => {
    const ask = () => post(weir, { model, messages: [{ role: 'user', content: 'Hello' }] }, ownConnection);
    const replies = await Promise.all(Array.from({ length: 12 }, ask));
    return replies.every(({ status }) => status === 200);
  };
  try {
    expect(await all('one')).toBe(true);
    write('..second', 'two');
    symlinkSync('..second', join(folder, '..data_tmp'));
    renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
    await until(() => all('two'));
    // The supervisor says it once, each worker at debug; all lines are in one file.
    const levels = (): string[] =>
      logged()
        .split('\n')
        .flatMap((line) => (line.includes('read again') ? levelOf(line) : []));
    await until(() => levels().length === 3);
    expect(levels().sort()).toEqual(['debug', 'debug', 'info']);
    renameSync(logFile, `${logFile}.old`);
    process.kill(weir.pid, 'SIGHUP');
    await until(() => logged().includes('"level":"info"'));
    expect(weir.output()).not.toContain('read again');
  } finally {
    await weir.remove();
  }
});
