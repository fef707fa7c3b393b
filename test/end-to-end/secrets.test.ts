/** RELIABILITY part 3, "Secrets": canaries go in by every door and come out by none. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { post, scripted } from '../harness/chat.ts';
import { createToken, type MadeToken } from '../harness/token.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const canaries = {
  fileKey: `sk-canary-file-${crypto.randomUUID()}`,
  variableKey: `sk-canary-variable-${crypto.randomUUID()}`,
  firstToken: `canary-first-token-${crypto.randomUUID()}`,
  wrongToken: `canary-wrong-token-${crypto.randomUUID()}`,
  queryKey: `canary-query-key-${crypto.randomUUID()}`,
  adminPassword: `canary-password-${crypto.randomUUID()}`,
  secretKey: `canary-secret-key-${crypto.randomUUID()}`,
  content: `canary-content-${crypto.randomUUID()}`,
};

let upstream: RunningUpstream;
let weir: RunningWeir;
let made: MadeToken;
const replies: string[] = [];

beforeAll(async () => {
  upstream = await startUpstream();
  weir = await startWeir({
    token: canaries.firstToken,
    env: {
      CANARY_KEY: canaries.variableKey,
      WEIR_ADMIN_PASSWORD: canaries.adminPassword,
      WEIR_SECRET_KEY: canaries.secretKey,
      WEIR_LOG_LEVEL: 'debug',
    },
    yaml: {
      providers: {
        up: { kind: 'openai', base_url: upstream.base, key: canaries.fileKey, models: ['gpt-4.1'] },
        second: { kind: 'openai-chat', base_url: upstream.base, key_env: 'CANARY_KEY', models: ['other'] },
        dead: { kind: 'openai-chat', base_url: 'http://127.0.0.1:1/v1', key: canaries.fileKey },
      },
    },
  });
  made = await createToken(weir);
  await useEverything();
});
afterAll(async () => {
  await weir.remove();
  await upstream.stop();
});

async function keep(reply: Response): Promise<void> {
  replies.push(JSON.stringify([...reply.headers]), await reply.text());
}

async function useEverything(): Promise<void> {
  const echo = (key: string) =>
    JSON.stringify({ error: { message: `bad key ${key} in header Bearer ${key}`, type: 'x', code: key } });
  for (const target of [weir, made])
    for (const fields of [{}, { stream: true }]) {
      await keep(await post(target, scripted({ text: 'fine' }, { ...fields, user: canaries.content })));
      for (const status of [400, 401, 404, 500])
        await keep(await post(target, scripted({ status, body: echo(canaries.fileKey) }, fields)));
      await keep(await post(target, scripted({ deltas: 9, cut: { after: 2, how: 'reset' } }, fields)));
      await keep(await post(target, scripted({}, { ...fields, model: 'other' })));
      await keep(
        await post(target, scripted({ status: 401, body: echo(canaries.variableKey) }, { ...fields, model: 'other' })),
      );
    }
  await keep(await post({ base: weir.base, token: canaries.wrongToken }, scripted({})));
  await keep(await fetch(`${weir.base}/models?key=${canaries.queryKey}`));
  await keep(
    await fetch(`${weir.base}/nope?key=${canaries.queryKey}`, { headers: { 'x-api-key': canaries.wrongToken } }),
  );
  await keep(await post(weir, `{"model":"${canaries.content}"`));
  for (const path of ['/', '/metrics', '/healthz', '/readyz', '/v1/models', '/v1/models/gpt-4.1'])
    await keep(await fetch(weir.url + path, { headers: { authorization: `Bearer ${weir.token}` } }));
  for (const words of [
    ['doctor'],
    ['usage'],
    ['token', 'list'],
    ['token', 'show', made.id],
    ['provider', 'list'],
    ['model', 'list'],
  ])
    for (const flags of [[], ['--json']]) {
      const { stdout, stderr } = await weir.command(...words, ...flags);
      replies.push(stdout, stderr);
    }
}

/** Neither the secret nor a readable part of it. */
function expectAbsent(where: string, text: string, secrets: readonly string[]): void {
  for (const secret of secrets)
    for (const form of [secret, secret.slice(0, -6), btoa(secret), encodeURIComponent(secret)]) {
      const at = text.indexOf(form);
      if (at >= 0) throw new Error(`${secret} stands in ${where}: ${text.slice(Math.max(0, at - 100), at + 150)}`);
    }
}

const secrets = () => [...Object.values(canaries), made.token];

test('the provider did get its keys: the canaries were in use', async () => {
  const heads = JSON.stringify(await upstream.invoice());
  expect(heads).toContain(canaries.fileKey);
  expect(heads).toContain(canaries.variableKey);
  expect(replies.length).toBeGreaterThan(40);
});

test('no reply and no command shows a secret', () => {
  expectAbsent('a reply', replies.join('\n'), secrets());
});

test('nothing is logged', async () => {
  expectAbsent('the output', weir.output(), secrets());
  await weir.stop();
  expectAbsent('the output of the end', weir.output(), secrets());
});

test('no file holds one, apart from the configuration itself', async () => {
  const files = await readdir(weir.dataFolder, { recursive: true });
  expect(files).toContain('weir.db');
  for (const file of files.filter((each) => each !== 'weir.yaml')) {
    const text = await Bun.file(join(weir.dataFolder, file))
      .bytes()
      .then((bytes) => Buffer.from(bytes).toString('latin1'))
      .catch(() => '');
    expectAbsent(file, text, secrets());
  }
});
