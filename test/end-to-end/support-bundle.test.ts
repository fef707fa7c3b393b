/** `weir support-bundle`: secrets are planted wherever Weir takes one, and no byte of them is in the archive. */

import { Database } from 'bun:sqlite';
import { expect, setDefaultTimeout, test } from 'bun:test';
import { appendFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { post } from '../harness/chat.ts';
import { ConsoleClient } from '../harness/console-client.ts';
import { freePort } from '../harness/ports.ts';
import { createToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { runWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(300_000);

const canary = (name: string): string => `canary-${name}-${crypto.randomUUID()}`;
const canaries = {
  fileKey: canary('file-key'),
  variableKey: canary('variable-key'),
  consoleKey: canary('console-key'),
  header: canary('header'),
  proxyPassword: canary('proxy-password'),
  firstToken: canary('first-token'),
  adminPassword: canary('admin-password'),
  secretKey: canary('secret-key'),
  olderKey: canary('older-secret-key'),
  bucketId: canary('bucket-id'),
  bucketSecret: canary('bucket-secret'),
  tablePassword: canary('table-password'),
  databasePassword: canary('database-password'),
  redisPassword: canary('redis-password'),
  prompt: canary('prompt'),
  reply: canary('reply'),
};

/** Answers once, then says no in a way that quotes what it was given. */
function startQuotingProvider() {
  let calls = 0;
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const body = await request.text();
      const said = `${request.headers.get('authorization')} ${body}`;
      const message = { role: 'assistant', content: canaries.reply, refusal: null };
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
      if (calls++ > 0) return Response.json({ error: { message: said, type: 'x', code: 'y' } }, { status: 500 });
      const choices = [{ index: 0, message, finish_reason: 'stop' }];
      return Response.json({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices, usage });
    },
  });
  return { base: `http://127.0.0.1:${server.port}/v1`, stop: () => server.stop(true) };
}

/** The archive's files by name. */
async function filesIn(archive: string): Promise<ReadonlyMap<string, string>> {
  const files = await new Bun.Archive(await Bun.file(archive).bytes()).files();
  const texts = [...files].map(async ([name, file]) => [name.replace('weir-support/', ''), await file.text()] as const);
  return new Map(await Promise.all(texts));
}

function expectNoSecret(files: ReadonlyMap<string, string>, secrets: readonly string[]): void {
  for (const [name, text] of files)
    for (const secret of secrets)
      for (const form of [secret, secret.slice(-12), btoa(secret), Buffer.from(secret).toString('hex')])
        if (text.includes(form))
          throw new Error(`${name} has ${form}: ${text.slice(text.indexOf(form) - 200).slice(0, 400)}`);
}

function providersWithFailures(dataFolder: string): number {
  const database = new Database(join(dataFolder, 'weir.db'), { readonly: true });
  try {
    const sql = 'SELECT COUNT(DISTINCT provider) AS found FROM attempt_minutes WHERE failed > 0';
    return (database.query(sql).get() as { found: number }).found;
  } finally {
    database.close();
  }
}

const { databasePassword, redisPassword, ...ofThisWeir } = canaries;

test('it says what it has, and has no secret, prompt or reply', async () => {
  const upstream = startQuotingProvider();
  const folder = mkdtempSync(join(tmpdir(), 'weir-bundle-'));
  const logFile = join(folder, 'logs', 'weir.log');
  const weir = await startWeir({
    token: canaries.firstToken,
    unchecked: 'the provider quotes what it was sent',
    env: {
      CANARY_KEY: canaries.variableKey,
      WEIR_LOG_FILE: logFile,
      WEIR_LOG_LEVEL: 'debug',
      WEIR_ADMIN_PASSWORD: canaries.adminPassword,
      WEIR_SECRET_KEY: canaries.secretKey,
      WEIR_SECRET_KEY_OLD: canaries.olderKey,
      WEIR_RESULTS_BUCKET: 'a-bucket',
      WEIR_RESULTS_ENDPOINT: 'http://127.0.0.1:1',
      WEIR_RESULTS_ACCESS_KEY: canaries.bucketId,
      WEIR_RESULTS_SECRET_KEY: canaries.bucketSecret,
      WEIR_PRICE_TABLES_URL: `http://reader:${canaries.tablePassword}@127.0.0.1:1/prices.json`,
    },
    yaml: {
      providers: {
        up: {
          kind: 'openai-chat',
          base_url: upstream.base,
          key: canaries.fileKey,
          models: ['m'],
          headers: { 'x-team': canaries.header },
        },
        other: { kind: 'openai', base_url: upstream.base, key_env: 'CANARY_KEY' },
        far: {
          kind: 'openai-chat',
          base_url: 'http://127.0.0.1:1/v1',
          key: canaries.fileKey,
          models: ['far'],
          proxy: `http://user:${canaries.proxyPassword}@127.0.0.1:1`,
        },
      },
    },
  });
  try {
    const owner = new ConsoleClient(weir);
    expect((await owner.signIn('admin', canaries.adminPassword)).status).toBe(200);
    const entry = { kind: 'openai-chat', base_url: upstream.base, models: ['by-console'] };
    const made = await owner.post('/providers', {
      name: 'kept',
      entry,
      keys: [{ id: 'a', value: canaries.consoleKey }],
    });
    expect(made.status).toBe(200);
    const token = await createToken(weir);
    for (const model of ['m', 'm', 'by-console', 'far', 'unknown'])
      await (
        await post({ ...weir, token: token.token }, { model, messages: [{ role: 'user', content: canaries.prompt }] })
      ).text();

    await until(() => existsSync(logFile));
    // Sums of health are written every two seconds.
    await until(() => providersWithFailures(weir.dataFolder) === 3);
    // Weir itself writes no prompt into the log; what a provider quotes might be one.
    appendFileSync(logFile, `${JSON.stringify({ at: 'now', level: 'warn', message: 'x', cause: canaries.prompt })}\n`);
    appendFileSync(
      logFile,
      `2026 warn  An attempt failed. cause="Error: \\"${canaries.prompt}\\" ${token.token}" a=1\n`,
    );
    const archive = join(weir.dataFolder, 'bundle.tar.gz');
    const { code, stdout, stderr } = await weir.command('support-bundle', archive);
    expect([code, stderr]).toEqual([0, '']);
    expect(statSync(archive).mode & 0o777).toBe(0o600);
    const files = await filesIn(archive);
    for (const name of files.keys()) if (name !== 'README.txt') expect(stdout).toContain(name);
    expectNoSecret(new Map([...files, ['stdout', stdout]]), [...Object.values(ofThisWeir), token.token]);

    expect(JSON.parse(files.get('database.json') ?? '')).toMatchObject({ engine: 'sqlite', rows: { tokens: 2 } });
    expect(files.get('metrics.txt')).toContain('weir_requests_total{');
    expect(files.get('log.txt')).toMatch(/A request was refused.*\n.*An attempt failed\. cause=\[left out\] a=1\n/s);
    expect(weir.output()).not.toContain('A request was refused.');
    expect(files.get('doctor.txt')).toContain('provider other');
    const providers = JSON.parse(files.get('providers.json') ?? '') as { name: string; health?: { failed: number } }[];
    expect(providers.map(({ name }) => name)).toEqual(['up', 'other', 'far', 'kept', 'sandbox']);
    expect(providers[0]?.health?.failed).toBeGreaterThan(0);
    const settings = JSON.parse(files.get('settings.json') ?? '') as { key: string; shown: string }[];
    expect(settings.find(({ key }) => key === 'results.secret_key')?.shown).toBe('set');
    expect((await weir.command('support-bundle', archive)).code).toBe(1);
  } finally {
    await weir.remove();
    await upstream.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

test('without a database and without a running Weir it is made too, and says what could not be read', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-bundle-'));
  try {
    const env = {
      DATABASE_URL: `postgres://weir:${databasePassword}@127.0.0.1:1/weir`,
      REDIS_URL: `redis://:${redisPassword}@127.0.0.1:1`,
      WEIR_CLOCKS_DATABASE_TIMEOUT_MS: '500',
      WEIR_DISCOVERY_LOCAL: 'false',
      WEIR_DATA: folder,
      WEIR_PORT: `${await freePort()}`,
    };
    const archive = join(folder, 'bundle.tar.gz');
    const { code, stdout } = await runWeir(['support-bundle', archive], env);
    expect(code).toBe(0);
    const files = await filesIn(archive);
    expectNoSecret(new Map([...files, ['stdout', stdout]]), [databasePassword, redisPassword]);
    expect(files.get('database.json')).toStartWith('Could not be read');
    expect(files.get('metrics.txt')).toStartWith('Could not be read');
    expect(files.get('doctor.txt')).toContain('broken');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
