/** The documented steps for PostgreSQL: `pg_dump` beside a running Weir, `pg_restore` into a database that is used already. */

import { expect } from 'bun:test';
import { readFileSync } from 'node:fs';
import { databaseFacts } from '../../src/store/engines/database-facts.ts';
import { post, scripted } from '../harness/chat.ts';
import { readLedger } from '../harness/ledger-rows.ts';
import { needing } from '../harness/needs.ts';
import { createToken } from '../harness/token.ts';
import { startWeir } from '../harness/weir.ts';

const { test } = needing('postgres', 'pg_dump', 'pg_restore');

const documented = readFileSync('docs/backup.md', 'utf8');

/** The line of the documentation that begins so, run by a shell as an operator does. */
function runDocumented(begin: string, folder: string, databaseUrl: string): void {
  const line = documented.split('\n').find((each) => each.startsWith(begin)) ?? `echo no line ${begin}; false`;
  const env = { PATH: process.env['PATH'] ?? '', DATABASE_URL: databaseUrl };
  const { exitCode, stderr } = Bun.spawnSync(['sh', '-c', line], { cwd: folder, env });
  expect([line, stderr.toString(), exitCode]).toEqual([line, '', 0]);
}

test('a dump restores tokens and usage as they were, over what was written later', async () => {
  const weir = await startWeir({ database: 'postgres' });
  const body = scripted({}, { model: 'sandbox-chat' });
  const statusOf = async (token: string): Promise<number> => {
    const reply = await post({ base: weir.base, token }, body);
    await reply.text();
    return reply.status;
  };
  const rows = async (): Promise<number> => (await readLedger(weir)).usage.length;
  try {
    const kept = await createToken(weir);
    expect(await statusOf(kept.token)).toBe(200);
    runDocumented('pg_dump ', weir.dataFolder, weir.databaseUrl ?? '');
    const later = await createToken(weir);
    expect(await statusOf(later.token)).toBe(200);
    await weir.stop();
    expect(await rows()).toBe(2);
    const facts = await databaseFacts({
      databaseUrl: weir.databaseUrl,
      dataFolder: weir.dataFolder,
      timeoutMs: 15_000,
    });
    expect(facts).toMatchObject({ engine: 'postgresql', rows: { tokens: expect.any(Number) } });
    expect(facts?.bytes).toBeGreaterThan(0);
    runDocumented('pg_restore ', weir.dataFolder, weir.databaseUrl ?? '');
    expect(await rows()).toBe(1);
    await weir.restart();
    expect(await statusOf(kept.token)).toBe(200);
    expect(await statusOf(later.token)).toBe(401);
  } finally {
    await weir.remove();
  }
}, 300_000);
