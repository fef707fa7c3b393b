/** The disk of the data folder fills up under load: no crash, requests refused or served, an exact ledger. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorOf, post, scripted } from '../harness/chat.ts';
import { ownerName, ownerOf, passwordOf } from '../harness/console-session.ts';
import { expectBalanced, settledLedger } from '../harness/ledger-rows.ts';
import { freePort } from '../harness/ports.ts';
import { sized } from '../harness/size.ts';
import { createToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, runWeir, startWeir } from '../harness/weir.ts';

/** A small separate filesystem; only root may mount one. */
function mountSmall(bytes: number): string | undefined {
  if (Bun.which('mount') === null) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'weir-full-'));
  const mounted = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', `size=${bytes},mode=0700`, 'tmpfs', folder]);
  if (mounted.exitCode === 0) return folder;
  rmSync(folder, { recursive: true });
  return undefined;
}

function unmount(folder: string): void {
  Bun.spawnSync(['umount', '-l', folder]);
  rmSync(folder, { recursive: true, force: true });
}

const megabyte = 1_048_576;
const folder = mountSmall(48 * megabyte);
if (folder === undefined)
  console.warn('Skipped: a full disk needs a filesystem of its own, and only root can mount one.');

/** Fills the disk to the last byte. */
function fillUp(): void {
  const file = openSync(join(folder ?? '', 'filling'), 'a');
  try {
    for (const size of [megabyte, 4_096, 1]) {
      const piece = Buffer.alloc(size, 1);
      try {
        for (;;) if (writeSync(file, piece) < size) break;
      } catch {
        // No room for a piece of this size.
      }
    }
  } finally {
    closeSync(file);
  }
}

describe.skipIf(folder === undefined)('a full disk', () => {
  let weir: RunningWeir;
  beforeAll(async () => {
    weir = await startWeir({ dataFolder: folder ?? '' });
  });
  afterAll(async () => {
    await weir.remove();
    unmount(folder ?? '');
  });

  const ready = async () => (await fetch(`${weir.url}/readyz`)).status;
  const body = scripted({}, { model: 'sandbox-chat' });

  test('is a 503 and no crash, shows in /readyz, and recovers by itself', async () => {
    await ownerOf(weir);
    const budgeted = await createToken(weir, '--budget-usd', '1', '--budget-period', 'total');
    expect((await post(weir, body)).status).toBe(200);
    expect(await ready()).toBe(200);
    const { pid } = weir;
    fillUp();
    const seen = new Set<number>();
    // Far more than fits into the log of the database.
    const send = async () => {
      const replies = await Promise.all(
        Array.from({ length: 40 }, async (_, index) => {
          const reply = await post(index % 2 === 0 ? weir : budgeted, body);
          if (reply.status !== 200) expect((await errorOf(reply)).code).toBe('store_unavailable');
          else await reply.text();
          return reply.status;
        }),
      );
      for (const status of replies) seen.add(status);
      return (await ready()) === 503;
    };
    await until(send, 60_000, '/readyz = 503');
    for (let round = 0; round < sized(5, 20); round += 1) await send();
    expect([...seen].filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(weir.pid).toBe(pid);
    expect((await fetch(`${weir.url}/healthz`)).status).toBe(200);
    const session = { method: 'POST', headers: { 'content-type': 'application/json', origin: weir.url } };
    const signIn = await fetch(`${weir.url}/console/api/session`, {
      ...session,
      body: JSON.stringify({ name: ownerName, password: passwordOf(ownerName) }),
    });
    expect([signIn.status, await errorOf(signIn)]).toMatchObject([503, { code: 'store_unavailable' }]);
    rmSync(join(folder ?? '', 'filling'));
    await until(async () => (await ready()) === 200, 60_000, '/readyz = 200');
    expect((await post(budgeted, body)).status).toBe(200);
    expect((await post(weir, body)).status).toBe(200);
    expectBalanced(await settledLedger(weir));
  }, 300_000);

  test('at the start it is an error that says what is full', async () => {
    expect(await weir.stop()).toBe(0);
    // Too little for the journal, then too little for anything.
    rmSync(join(folder ?? '', 'journal'));
    const hold = openSync(join(folder ?? '', 'held'), 'a');
    writeSync(hold, Buffer.alloc(4 * megabyte));
    closeSync(hold);
    fillUp();
    rmSync(join(folder ?? '', 'held'));
    const env = { WEIR_DATA: folder ?? '', WEIR_PORT: `${await freePort()}`, WEIR_DISCOVERY_LOCAL: 'false' };
    for (const file of ['journal', '']) {
      const { code, stderr } = await runWeir(['serve'], env);
      expect(code).toBe(1);
      expect(stderr).toContain('disk is full');
      expect(stderr).toContain(join(folder ?? '', file));
      expect(stderr.trim().split('\n')).toHaveLength(1);
      fillUp();
    }
  }, 300_000);
});
