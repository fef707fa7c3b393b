/** `weir rotate-key` beside a running Weir: no request fails, a killed rotation continues, used keys stay. */

import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keptReplyPlace } from '../../src/relay/memory/kept-replies.ts';
import { keyIdOf, SecretRing } from '../../src/secrets/key-ring.ts';
import { purposes } from '../../src/secrets/purposes.ts';
import { createSealing } from '../../src/secrets/sealing.ts';
import { openStore } from '../../src/store/open-store.ts';
import { ConsoleClient } from '../harness/console-client.ts';
import { needing } from '../harness/needs.ts';
import { postgresUrl } from '../harness/postgres.ts';
import { weirProgram } from '../harness/program.ts';
import { sized } from '../harness/size.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, runWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(300_000);
const password = 'a password for the admin';
const goodKey = `canary-good-${crypto.randomUUID()}`;

/** Answers requests with the key, which Weir got only through its console. */
function startProvider() {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      if (request.headers.get('authorization') !== `Bearer ${goodKey}`) return new Response('no', { status: 401 });
      if (request.url.endsWith('/models')) return Response.json({ object: 'list', data: [{ id: 'one' }] });
      const choices = [
        { index: 0, message: { role: 'assistant', content: 'yes', refusal: null }, finish_reason: 'stop' },
      ];
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
      return Response.json({ id: 'c', object: 'chat.completion', created: 1, model: 'one', choices, usage });
    },
  });
  return { base: `http://127.0.0.1:${server.port}/v1`, stop: () => server.stop(true) };
}

const ask = (weir: RunningWeir, token = weir.token, model = 'up/one'): Promise<Response> =>
  fetch(`${weir.base}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }] }),
  });

async function signedIn(weir: RunningWeir): Promise<ConsoleClient> {
  const client = new ConsoleClient(weir);
  expect((await client.signIn('admin', password)).status).toBe(200);
  return client;
}

async function newToken(admin: ConsoleClient, name: string): Promise<string> {
  return ((await admin.post('/tokens', { name })).body as { token: string }).token;
}

const keyFileOf = (weir: Pick<RunningWeir, 'dataFolder'>): string => join(weir.dataFolder, 'secret.key');
const secretsIn = (weir: RunningWeir): Uint8Array[] =>
  readFileSync(keyFileOf(weir), 'utf8')
    .trim()
    .split('\n')
    .map((line) => Uint8Array.fromHex(line));
const idsIn = (weir: RunningWeir): string[] => secretsIn(weir).map(keyIdOf);

function rowsOf(weir: RunningWeir, sql: string): unknown[][] {
  const database = new Database(join(weir.dataFolder, 'weir.db'), { readonly: true });
  database.run('PRAGMA busy_timeout = 60000');
  try {
    return database.prepare(sql).values();
  } finally {
    database.close();
  }
}

/** The ids of the keys in a table's sealed values. */
const keysNamed = (weir: RunningWeir, table: string, column: string): string[] =>
  rowsOf(weir, `SELECT DISTINCT substr(${column}, 3, 8) FROM ${table} WHERE ${column} IS NOT NULL`).flat().map(String);

describe('a rotation beside a running Weir', () => {
  const provider = startProvider();
  let weir: RunningWeir;
  let admin: ConsoleClient;
  let used = '';
  let unused = '';
  let requestId = '';
  let oldId = '';
  let newId = '';

  beforeAll(async () => {
    weir = await startWeir({ env: { WEIR_ADMIN_PASSWORD: password, WEIR_CONTENT_STORAGE_REQUESTS: 'true' } });
    admin = await signedIn(weir);
    const entry = {
      kind: 'openai-chat',
      base_url: provider.base,
      headers: { 'x-team-token': 'canary-team-0123456789' },
    };
    await admin.post('/providers', { name: 'up', entry, keys: [{ value: goodKey }] });
    [used, unused] = [await newToken(admin, 'used'), await newToken(admin, 'left lying')];
    const reply = await ask(weir, used);
    expect(reply.status).toBe(200);
    requestId = reply.headers.get('x-request-id') ?? '';
    await until(() => rowsOf(weir, 'SELECT 1 FROM request_contents').length === 1, 60_000, 'the content');
    [oldId = ''] = idsIn(weir);
  });
  afterAll(async () => {
    provider.stop();
    await weir.remove();
  });

  test('fails no request: all of them are answered meanwhile', async () => {
    let isOver = false;
    const statuses: number[] = [];
    const asking = (async () => {
      while (!isOver) {
        statuses.push((await ask(weir, used)).status, (await ask(weir)).status);
        await Bun.sleep(10);
      }
    })();
    const rotation = await weir.command('rotate-key');
    isOver = true;
    await asking;
    expect([rotation.code, rotation.stderr]).toEqual([0, '']);
    expect(statuses.length).toBeGreaterThan(0);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    [newId = ''] = idsIn(weir);
    expect(idsIn(weir)).toEqual([newId, oldId]);
    expect(newId).not.toBe(oldId);
    expect(statSync(keyFileOf(weir)).mode & 0o777).toBe(0o600);
    expect(rotation.stdout).toContain(`Key ${newId} was made`);
    expect(rotation.stdout).toContain('1 provider key, 1 provider entry');
    expect(rotation.stdout).toContain('left lying');
    for (const secret of secretsIn(weir)) expect(rotation.stdout).not.toContain(secret.toHex());
  });

  test('everything is sealed by the new key, new values too, and all of it can be read', async () => {
    await until(
      async () => {
        await admin.post('/providers', {
          name: 'later',
          entry: { kind: 'openai-chat', base_url: provider.base },
          keys: [{ value: goodKey }],
        });
        const isNew = rowsOf(
          weir,
          `SELECT 1 FROM console_keys WHERE provider = 'later' AND sealed LIKE '2.${newId}.%'`,
        );
        if (isNew.length === 0) await admin.call('DELETE', '/providers/later');
        return isNew.length > 0;
      },
      10_000,
      'the running Weir’s new key',
    );
    expect(keysNamed(weir, 'console_keys', 'sealed')).toEqual([newId]);
    expect(keysNamed(weir, 'console_entries', 'sealed')).toEqual([newId]);
    const content = await admin.get(`/usage/requests/${requestId}/content`);
    expect(JSON.stringify(content.body)).toContain('hello');
    expect((await ask(weir)).status).toBe(200);
    expect((await ask(weir, weir.token, 'later/one')).status).toBe(200);
    await newToken(admin, 'made later');
    expect(rowsOf(weir, "SELECT digest_key FROM tokens WHERE name = 'made later'")).toEqual([[newId]]);
  });

  test('old keys stay while a token needs them, and a token moves when it is used', async () => {
    await weir.stop();
    await weir.restart();
    expect((await ask(weir, used)).status).toBe(200);
    const digestKeyOf = (name: string) => rowsOf(weir, `SELECT digest_key FROM tokens WHERE name = '${name}'`)[0]?.[0];
    await until(() => digestKeyOf('used') === newId, 60_000, 'the token’s new digest');
    const refused = await weir.command('rotate-key', '--drop-old');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('1 token (left lying): ');
    expect(refused.stderr).not.toContain('(used');
    expect(idsIn(weir)).toEqual([newId, oldId]);
    expect((await ask(weir, unused)).status).toBe(200);
    await until(() => digestKeyOf('left lying') === newId, 60_000, 'the other token’s new digest');
  });

  test('then the old key is removed, and nothing else', async () => {
    // Only a session from before the restart still needs it, and `--force` ends that session.
    const dropped = await weir.command('rotate-key', '--drop-old', '--force');
    expect([dropped.code, dropped.stderr]).toEqual([0, '']);
    expect(dropped.stdout).not.toMatch(/\d tokens?\b/);
    expect(idsIn(weir)).toEqual([newId]);
    for (const token of [used, unused, weir.token]) expect((await ask(weir, token)).status).toBe(200);
    expect((await weir.command('rotate-key', '--drop-old')).stdout).toContain('There is no old key');
    const doctor = await weir.command('doctor');
    expect(doctor.stdout).toMatch(new RegExp(`secret key +ok +${newId} is the database’s`));
    expect(doctor.stdout).toMatch(/provider up +ok +1 models/);
  });

  test('a key file of another database is refused at once, with a message', async () => {
    const own = readFileSync(keyFileOf(weir), 'utf8');
    writeFileSync(keyFileOf(weir), `${'ab'.repeat(32)}\n`);
    // The running process keeps its keys.
    expect((await ask(weir, used)).status).toBe(200);
    await until(() => weir.output().includes('stay in use'), 60_000, 'a warning');
    await weir.stop();
    for (const words of [['serve'], ['rotate-key'], ['token', 'list']]) {
      const refused = await runWeir(words, { WEIR_DATA: weir.dataFolder, WEIR_PORT: '0' });
      expect([words, refused.code]).toEqual([words, 1]);
      expect(refused.stderr).toContain('The secret key is not the one this database was made with');
    }
    const doctor = await runWeir(['doctor'], { WEIR_DATA: weir.dataFolder });
    expect(doctor.stdout).toMatch(/secret key +broken +The secret key is not/);
    expect(doctor.stdout).toMatch(new RegExp(`provider up +broken .*sealed by key ${newId}`));
    writeFileSync(keyFileOf(weir), own);
    await weir.restart();
    for (const token of [used, unused, weir.token]) expect((await ask(weir, token)).status).toBe(200);
  });
});

test('a rotation that is killed in the middle leaves everything usable, and continues with the same key', async () => {
  const weir = await startWeir({ env: { WEIR_ADMIN_PASSWORD: password } });
  try {
    const [secret = new Uint8Array()] = secretsIn(weir);
    const sealing = createSealing(new SecretRing([secret]).purpose(purposes.keptReplies));
    const store = await openStore({ dataFolder: weir.dataFolder, synchronous: 'normal', nowMs: Date.now });
    const rows = Array.from({ length: sized(2_500, 6_000) }, (_, index) => `resp_${index}`);
    const text = 'x'.repeat(3_000);
    const place = { tokenId: 'tok', kind: 'content', provider: '', keyId: '', tokens: undefined } as const;
    await Promise.all(
      rows.map((id) => {
        const content = sealing.seal(keptReplyPlace('tok', id), `${text} ${id}`);
        return store.keptReplies.put({ ...place, id, content, expiresAtMs: Date.now() + 3_600_000 });
      }),
    );
    const keysOfRows = (): string[] => keysNamed(weir, 'kept_replies', 'content');
    const rotation = Bun.spawn([...weirProgram, 'rotate-key'], {
      env: { PATH: process.env['PATH'] ?? '', WEIR_DATA: weir.dataFolder },
      stdout: 'ignore',
      stderr: 'ignore',
    });
    await until(() => idsIn(weir).length === 2 && keysOfRows().length === 2, 60_000, 'the middle of the rotation');
    rotation.kill('SIGKILL');
    await rotation.exited;
    expect(keysOfRows()).toHaveLength(2);
    const [newId = '', oldId = ''] = idsIn(weir);
    expect((await ask(weir, weir.token, 'sandbox/sandbox-chat')).status).toBe(200);
    await weir.kill();
    await weir.restart();
    expect((await ask(weir, weir.token, 'sandbox/sandbox-chat')).status).toBe(200);
    const doctor = await weir.command('doctor');
    expect(doctor.stdout).toContain(`a rotation from ${oldId} to ${newId} was begun and not finished`);
    const again = await weir.command('rotate-key');
    expect([again.code, again.stderr]).toEqual([0, '']);
    expect(again.stdout).toContain(`A rotation to key ${newId} had begun; it continues.`);
    expect(idsIn(weir)).toEqual([newId, oldId]);
    expect(keysOfRows()).toEqual([newId]);
    const [fresh = new Uint8Array()] = secretsIn(weir);
    const opened = createSealing(new SecretRing([fresh]).purpose(purposes.keptReplies));
    for (const id of rows) {
      const kept = await store.keptReplies.get('tok', id, Date.now());
      expect(await opened.open(keptReplyPlace('tok', id), kept?.content ?? '')).toBe(`${text} ${id}`);
    }
    await store.close();
    const admin = await signedIn(weir);
    // Two at once would overwrite each other's key.
    const [first, second] = await Promise.all([weir.command('rotate-key'), weir.command('rotate-key')]);
    const ids = idsIn(weir);
    expect(ids.slice(-2)).toEqual([newId, oldId]);
    expect([first.code, second.code].filter((code) => code === 0).length).toBe(ids.length - 2);
    for (const { code, stderr } of [first, second])
      if (code !== 0) expect(stderr).toContain('Another `weir rotate-key`');
    // The running process finds the new key only by its own polling.
    await until(
      async () => {
        const name = `made-${crypto.randomUUID()}`;
        await newToken(admin, name);
        return rowsOf(weir, `SELECT digest_key FROM tokens WHERE name = '${name}'`)[0]?.[0] === ids[0];
      },
      60_000,
      'a token of the newest key',
    );
  } finally {
    await weir.remove();
  }
});

needing('postgres').test('replicas with one key file on PostgreSQL notice a rotation by themselves', async () => {
  const provider = startProvider();
  const url = await postgresUrl();
  const env = { DATABASE_URL: url, WEIR_ADMIN_PASSWORD: password };
  const first = await startWeir({ env });
  const second = await startWeir({ env: { ...env, WEIR_FIRST_TOKEN: first.token }, dataFolder: first.dataFolder });
  try {
    const admin = await signedIn(first);
    await admin.post('/providers', {
      name: 'up',
      entry: { kind: 'openai-chat', base_url: provider.base },
      keys: [{ value: goodKey }],
    });
    await until(async () => (await ask(second, first.token)).status === 200, 60_000, 'the other replica’s provider');
    const before = await newToken(admin, 'before');
    expect((await first.command('rotate-key')).code).toBe(0);
    // Each token is first used at the replica that did not create it.
    for (const token of [before, await newToken(admin, 'after')]) {
      expect([(await ask(second, token)).status, (await ask(first, token)).status]).toEqual([200, 200]);
    }
    expect((await admin.call('PATCH', '/providers/up', { body: { addKeys: [{ value: goodKey }] } })).status).toBe(200);
    expect((await first.command('rotate-key', '--drop-old', '--force')).code).toBe(0);
    for (const weir of [first, second]) expect((await ask(weir, before)).status).toBe(200);
  } finally {
    provider.stop();
    await Promise.all([second.remove(), first.remove()]);
  }
});

needing('postgres').test('a key in the environment is rotated by the operator, without a failing request', async () => {
  const [old, fresh] = ['o'.repeat(40), 'n'.repeat(40)];
  const url = await postgresUrl();
  const provider = startProvider();
  const start = (env: Record<string, string>, token: string) =>
    startWeir({ env: { DATABASE_URL: url, WEIR_ADMIN_PASSWORD: password, ...env }, token });
  const token = `test-token-${crypto.randomUUID()}`;
  const running: RunningWeir[] = [await start({ WEIR_SECRET_KEY: old }, token)];
  try {
    const [one] = running;
    if (one === undefined) throw new Error('it was started');
    const admin = await signedIn(one);
    await admin.post('/providers', {
      name: 'up',
      entry: { kind: 'openai-chat', base_url: provider.base },
      keys: [{ value: goodKey }],
    });
    const alone = await one.command('rotate-key');
    expect([alone.code, alone.stdout]).toEqual([1, '']);
    expect(alone.stderr).toContain('WEIR_SECRET_KEY_OLD');
    // First every replica gets the new key for reading, then one after the other writes with it.
    const reading = await start({ WEIR_SECRET_KEY: old, WEIR_SECRET_KEY_OLD: fresh }, token);
    const writing = await start({ WEIR_SECRET_KEY: fresh, WEIR_SECRET_KEY_OLD: old }, token);
    running.push(reading, writing);
    await one.stop();
    const issued = await newToken(await signedIn(writing), 'by the new one');
    for (const weir of [reading, writing]) {
      expect([(await ask(weir, token)).status, (await ask(weir, issued)).status]).toEqual([200, 200]);
    }
    await reading.stop();
    const rotated = await writing.command('rotate-key');
    expect([rotated.code, rotated.stderr]).toEqual([0, '']);
    expect(rotated.stdout).toContain('Re-encrypted: 1 provider key');
    // A token that was used moves to the new key after its reply.
    const hanging = async () => (await writing.command('rotate-key', '--drop-old')).stderr;
    await until(async () => !/\d tokens? \(/.test(await hanging()), 60_000, 'the new digests of the tokens');
    const dropped = await writing.command('rotate-key', '--drop-old', '--force');
    expect(dropped.stdout).toContain('Remove WEIR_SECRET_KEY_OLD');
    const last = await start({ WEIR_SECRET_KEY: fresh }, token);
    running.push(last);
    for (const each of [token, issued]) expect((await ask(last, each)).status).toBe(200);
    const refused = await runWeir(['serve'], { DATABASE_URL: url, WEIR_SECRET_KEY: old, WEIR_DATA: last.dataFolder });
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('last rotated to')]);
  } finally {
    provider.stop();
    await Promise.all(running.map((weir) => weir.remove()));
  }
});
