/** Secrets: canaries are put into every input and appear in no output. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { post, scripted } from '../harness/chat.ts';
import { runHere } from '../harness/commands.ts';
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
}, 300_000);
afterAll(async () => {
  await weir.remove();
  await upstream.stop();
});

async function keep(reply: Response): Promise<void> {
  replies.push(JSON.stringify([...reply.headers]), await reply.text());
}

/** Spellings of a key in an error of a provider, or of a proxy before it. */
function spellings(key: string): string[] {
  const encoded = (text: string, as: 'base64' | 'base64url' | 'hex') => Buffer.from(text).toString(as);
  return [
    key.slice(0, 28),
    key.slice(-12),
    encoded(key, 'base64'),
    encoded(`Bearer ${key}`, 'base64'),
    encoded(`user:${key}`, 'base64url'),
    encoded(key, 'hex'),
    encoded(key, 'hex').toUpperCase(),
    encodeURIComponent(key),
    `${key.slice(0, 30)}\n${key.slice(30)}`,
    `${key.slice(0, 30)}" "${key.slice(30)}`,
    `${'x '.repeat(985)}${key}`,
  ];
}

async function useEverything(): Promise<void> {
  const echo = (key: string) =>
    JSON.stringify({ error: { message: `bad key ${key} in header Bearer ${key}`, type: 'x', code: key } });
  for (const target of [weir, made])
    for (const fields of [{}, { stream: true }]) {
      await keep(await post(target, scripted({ text: 'fine' }, { ...fields, metadata: { note: canaries.content } })));
      for (const status of [400, 401, 404, 500])
        await keep(await post(target, scripted({ status, body: echo(canaries.fileKey) }, fields)));
      for (const spelled of spellings(canaries.fileKey)) {
        const body = JSON.stringify({ error: { message: `wrong: ${spelled}`, type: 'x', code: null } });
        await keep(await post(target, scripted({ status: 422, body }, fields)));
      }
      const choices = [
        { index: 0, message: { role: 'assistant', content: 'begun', refusal: null }, finish_reason: 'error' },
      ];
      const failed = { id: 'c', choices, error: { message: `wrong: ${btoa(canaries.fileKey)}` } };
      await keep(await post(target, scripted({ status: 200, body: JSON.stringify(failed) }, fields)));
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
  for (const words of [['doctor'], ['usage'], ['token', 'list'], ['token', 'show', made.id]])
    for (const flags of [[], ['--json']]) {
      const { stdout, stderr } = await runHere(weir, [...words, ...flags]);
      replies.push(stdout, stderr);
    }
  const unknown = await weir.command('provider', 'list', '--json');
  replies.push(unknown.stdout, unknown.stderr);
}

/** Neither the secret nor a readable part of it. */
function expectAbsent(where: string, text: string, secrets: readonly string[]): void {
  for (const secret of secrets)
    for (const form of [secret, secret.slice(0, -6), btoa(secret), encodeURIComponent(secret)]) {
      const at = text.indexOf(form);
      if (at >= 0) throw new Error(`${secret} is in ${where}: ${text.slice(Math.max(0, at - 100), at + 150)}`);
    }
}

/** No eight characters of a key's random part, in any spelling. */
function expectNoPiece(text: string, key: string): void {
  const random = key.slice(-36);
  const bare = text.replace(/[\s"'\\]|\\n/g, '');
  const whole = [0, 1, 2].map((offset) => Buffer.from(random.slice(offset, offset + 33)));
  const spelled = [random, Buffer.from(random).toString('hex'), ...whole.map((bytes) => bytes.toString('base64'))];
  for (const form of [...spelled, ...spelled.map((each) => each.toUpperCase())])
    for (let at = 0; at + 10 <= form.length; at++) expect(bare).not.toContain(form.slice(at, at + 10));
}

test('no reply shows a piece of a key in another spelling', () => {
  expectNoPiece(replies.join('\n'), canaries.fileKey);
});

const secrets = () => [...Object.values(canaries), made.token];

test('the provider did get its keys: the canaries were in use', async () => {
  const heads = JSON.stringify(await upstream.invoice());
  expect(heads).toContain(canaries.fileKey);
  expect(heads).toContain(canaries.variableKey);
  expect(replies.length).toBeGreaterThan(40);
});

test('no reply and no command contains a secret', () => {
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
