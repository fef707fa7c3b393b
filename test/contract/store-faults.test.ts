/** The store when processes are killed, folders are taken and servers go away. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { openStore } from '../../src/store/open-store.ts';
import { FolderInUseError, StoreUnavailableError } from '../../src/store/sql/store-errors.ts';
import { makeDoor } from '../harness/door.ts';
import { needing } from '../harness/needs.ts';
import { postgresUrl } from '../harness/postgres.ts';
import { anOpening, checkMoney, engines, reached, type StorePlace } from '../harness/store-places.ts';
import { until } from '../harness/until.ts';

describe('a killed process', () => {
  let place: StorePlace;
  beforeEach(async () => {
    place = await engines[0].place();
  });
  afterEach(() => place.dispose());

  async function killedAfter(lines: number, prefix: string): Promise<string[]> {
    const script = join(import.meta.dir, 'store-writer.ts');
    const child = Bun.spawn([process.execPath, script, place.folder, prefix], { stdout: 'pipe', stderr: 'inherit' });
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of child.stdout) {
      text += decoder.decode(chunk, { stream: true });
      if (child.killed || text.split('\n').length <= lines) continue;
      child.kill('SIGKILL');
    }
    await child.exited;
    // The last line may be cut; what was not read to its end was not acknowledged.
    return text.split('\n').slice(0, -1);
  }

  test('loses nothing that was acknowledged, and what it left is swept by the next start', async () => {
    const said: string[] = [];
    for (let round = 0; round < 5; round += 1) said.push(...(await killedAfter(150 + round * 300, `round${round}`)));
    expect(await place.query('PRAGMA integrity_check')).toEqual([['ok']]);
    // What the last one acknowledged may be in its journal, which the next start writes to the tables.
    const store = await place.open();
    const ledger = openLedger({ store, nowMs: Date.now });
    await ledger.start();
    const states = new Map(
      (await place.query('SELECT id, state, estimated FROM attempts')).map(([id, state, estimated]) => [
        String(id),
        { state, estimated },
      ]),
    );
    for (const line of said) {
      const [what = '', id = ''] = line.split(' ');
      expect(states.has(id)).toBe(true);
      if (what === 'closed') expect(states.get(id)).toEqual({ state: 'settled', estimated: 0n });
    }
    expect(await checkMoney(place)).toEqual({ differing: [], open: 0 });
    expect((await store.budgets.read('token:t', 0)).heldNano).toBe(0n);
    expect(await store.instances.others()).toEqual([]);
    await ledger.stop();
  }, 300_000);

  test('a folder that cannot be made, or a file that is no database, is reported in a sentence', async () => {
    const open = (dataFolder: string) =>
      openStore({ dataFolder, synchronous: 'normal', nowMs: Date.now }).catch((error: unknown) => error);
    expect(await open('/dev/null/nowhere')).toBeInstanceOf(StoreUnavailableError);
    writeFileSync(join(place.folder, 'weir.db'), 'x'.repeat(5_000));
    const error = await open(place.folder);
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect(String(error)).toContain(join(place.folder, 'weir.db'));
    rmSync(join(place.folder, 'weir.db'));
  });

  test('a second server on the folder is refused, a command is not, and a killed one leaves the folder free', async () => {
    const script = join(import.meta.dir, 'store-writer.ts');
    const child = Bun.spawn([process.execPath, script, place.folder, 'x'], { stdout: 'pipe', stderr: 'inherit' });
    const reader = child.stdout.getReader();
    await reader.read();
    const store = await place.open();
    const refusal = await store.instances.register().catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(FolderInUseError);
    expect(String(refusal)).toContain(place.folder);
    await store.settings.put('by-a-command', 'yes');
    child.kill('SIGKILL');
    await child.exited;
    await store.instances.register();
    expect(store.instances.alone()).toBe(true);
    const late = await place.open();
    expect(await late.instances.register().catch((error: unknown) => error)).toBeInstanceOf(FolderInUseError);
  }, 300_000);
});

needing('postgres').describe('postgres behind a door', () => {
  test('a server that is gone is reported, and used again when it is back', async () => {
    const { databaseUrl, pgbouncer } = await reached(await postgresUrl());
    const target = new URL(databaseUrl);
    const door = makeDoor(target);
    const url = new URL(target);
    url.port = String(door.port);
    const given = { databaseUrl: url.href, pgbouncer, dataFolder: '', nowMs: Date.now };
    const store = await openStore({ ...given, synchronous: 'normal' });
    await store.attempts.open(anOpening());
    door.shut();
    const outcomes = await Promise.allSettled([
      store.ping(),
      store.attempts.open(anOpening()),
      store.tokens.byId('x'),
      store.attempts.close({ attemptId: 'x', costNano: 0n, estimated: false, atMs: 1 }),
    ]);
    for (const outcome of outcomes) {
      expect(outcome.status === 'rejected' && outcome.reason).toBeInstanceOf(StoreUnavailableError);
    }
    door.reopen();
    const back = () =>
      store.ping().then(
        () => true,
        () => false,
      );
    await until(back, 60_000, 'PostgreSQL answers again');
    expect(await store.attempts.open(anOpening())).toEqual({ admitted: true });
    await store.close();
    door.shut();
  });

  test('a server that was never reachable is reported, not waited for', async () => {
    const opening = openStore({
      databaseUrl: 'postgres://none@127.0.0.1:1/none',
      dataFolder: '',
      synchronous: 'normal',
      nowMs: Date.now,
    });
    expect(await opening.catch((error: unknown) => error)).toBeInstanceOf(StoreUnavailableError);
  });
});
