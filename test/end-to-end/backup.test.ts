/** `weir backup` beside a running Weir: it has all that was acknowledged before, and `weir restore` gives it to another Weir. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { post, scripted } from '../harness/chat.ts';
import { readLedger } from '../harness/ledger-rows.ts';
import { freePort } from '../harness/ports.ts';
import { sized } from '../harness/size.ts';
import { createToken, type MadeToken } from '../harness/token.ts';
import { type RunningWeir, runWeir, startWeir } from '../harness/weir.ts';

const rounds = sized(1, 3);
const callers = sized(4, 8);
let weir: RunningWeir;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'weir-backup-'));
  weir = await startWeir();
});
afterAll(async () => {
  await weir.remove();
  rmSync(folder, { recursive: true, force: true });
});

const body = scripted({}, { model: 'sandbox-chat' });

/** The rows of a database that was copied into this folder. */
const ledgerIn = (dataFolder: string) =>
  readLedger({ dataFolder, databaseUrl: undefined, beforeEnd: (work) => weir.beforeEnd(work) });

/** The ids of requests whose whole reply arrived. */
async function request(token: { base: string; token: string }): Promise<string> {
  const reply = await post(token, body);
  await reply.text();
  expect(reply.status).toBe(200);
  return reply.headers.get('x-request-id') ?? '';
}

test('under load the backup has everything acknowledged before it, and another Weir serves from it', async () => {
  const tokens: MadeToken[] = [];
  for (const budget of ['1', '2']) tokens.push(await createToken(weir, '--budget-usd', budget));
  let loading = true;
  const load = Array.from({ length: callers }, async (_, index) => {
    while (loading) await request(tokens[index % 2] ?? weir);
  });
  for (let round = 0; round < rounds; round += 1) {
    const file = join(folder, `backup-${round}.db`);
    // The last of them are only in the journal when the command begins.
    const acknowledged = await Promise.all(Array.from({ length: 50 }, () => request(weir)));
    const { code, stdout, stderr } = await weir.command('backup', file);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(file);
    expect(stdout).toContain('3 tokens');
    expect(stdout).toContain('secret.key');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const elsewhere = mkdtempSync(join(folder, 'restored-'));
    copyFileSync(file, join(elsewhere, 'weir.db'));
    const rows = new Set((await ledgerIn(elsewhere)).usage.map((row) => row.requestId));
    expect(acknowledged.filter((id) => !rows.has(id))).toEqual([]);
  }
  loading = false;
  await Promise.all(load);

  const elsewhere = mkdtempSync(join(folder, 'served-'));
  const words = ['restore', join(folder, `backup-${rounds - 1}.db`), '--key', join(weir.dataFolder, 'secret.key')];
  const { code, stdout, stderr } = await runWeir(words, { WEIR_DATA: elsewhere });
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('3 tokens');
  const restored = await startWeir({ dataFolder: elsewhere, token: null });
  try {
    for (const token of [weir, ...tokens]) await request({ base: restored.base, token: token.token });
    expect(restored.output()).not.toContain('journal');
    const refused = await restored.command(...words, '--replace');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('Stop it first')]);
  } finally {
    await restored.remove();
  }
}, 300_000);

test('nothing is overwritten, the key is included only on request, and a stopped Weir can be backed up too', async () => {
  const file = join(folder, 'once.db');
  expect((await weir.command('backup', file, '--with-key')).code).toBe(0);
  expect(readFileSync(`${file}.key`, 'utf8')).toBe(readFileSync(join(weir.dataFolder, 'secret.key'), 'utf8'));
  expect(statSync(`${file}.key`).mode & 0o777).toBe(0o600);
  const before = readFileSync(file);
  const again = await weir.command('backup', file);
  expect(again.code).toBe(1);
  expect(again.stderr).toContain('exists already');
  expect(readFileSync(file).equals(before)).toBe(true);
  expect((await weir.command('backup')).code).toBe(2);
  expect((await weir.command('backup', join(folder, 'no', 'such', 'folder.db'))).code).toBe(1);
  // Killed at once: the last requests are only in the journal.
  const last = await Promise.all(Array.from({ length: 20 }, () => request(weir)));
  await weir.kill();
  const late = join(mkdtempSync(join(folder, 'late-')), 'weir.db');
  expect((await weir.command('backup', late)).code).toBe(0);
  const rows = (await ledgerIn(dirname(late))).usage.map((row) => row.requestId);
  expect(last.filter((id) => !rows.includes(id))).toEqual([]);
}, 300_000);

test('PostgreSQL has tools of its own, and the command says so', async () => {
  const env = {
    DATABASE_URL: 'postgres://unused@127.0.0.1:1/none',
    WEIR_DATA: folder,
    WEIR_PORT: `${await freePort()}`,
  };
  const { code, stderr } = await runWeir(['backup', join(folder, 'pg.db')], env);
  expect([code, stderr]).toEqual([1, expect.stringContaining('pg_dump')]);
  const restored = await runWeir(['restore', join(folder, 'pg.db')], env);
  expect([restored.code, restored.stderr]).toEqual([1, expect.stringContaining('pg_restore')]);
});
