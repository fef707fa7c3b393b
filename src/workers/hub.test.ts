/** What the supervisor's process does for workers that are silent or gone. */

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../test/harness/until.ts';
import { beatInstance, otherInstances } from '../store/configuration/server-state-queries.ts';
import { openSqliteDriver, type SqliteDriver } from '../store/engines/sqlite-driver.ts';
import { openHub } from './hub.ts';
import { Peer, type Services } from './peer.ts';
import { hubServices, workerServices } from './services.ts';

let folder: string;
let driver: SqliteDriver;
let hub: ReturnType<typeof openHub>;
const ready: string[] = [];
const hung: string[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'weir-hub-'));
  driver = await openSqliteDriver({ folder, synchronous: 'normal', nowMs: Date.now });
  await driver.holdAlone();
  ready.length = 0;
  hung.length = 0;
  const onHung = (worker: string): number => hung.push(worker);
  hub = openHub({ driver, onReady: ({ worker }) => ready.push(worker), onHung, touchEveryMs: 5 });
});
afterEach(async () => {
  hub.close();
  await driver.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A worker's end of the socket; `hangUp` is what its death does. */
async function worker(name: string, services: Services = {}): Promise<{ hangUp(): void }> {
  const peer = new Peer({ [workerServices.answer]: () => 'null', ...services }, () => {});
  const socket = await Bun.connect<Peer>({ unix: hub.socketPath, data: peer, socket: Peer.handlers });
  peer.opened(socket);
  await peer.call(hubServices.ready, JSON.stringify({ worker: name, instanceId: `instance-${name}`, banner: '' }));
  return { hangUp: () => socket.terminate() };
}

const heartbeats = async (): Promise<ReadonlyMap<string, number>> =>
  new Map((await driver.run(otherInstances, '')).map(({ id, heartbeatMs }) => [id, heartbeatMs]));

test('another worker settles what one left open, also where its socket was closed before its end was noticed', async () => {
  const settled: string[] = [];
  const first = await worker('1');
  await worker('2', {
    [workerServices.endInstance](text) {
      settled.push(JSON.parse(text) as string);
      return 'null';
    },
  });
  first.hangUp();
  await Bun.sleep(20);
  await hub.ended('1', 2);
  await until(() => settled.length > 0);
  expect(settled).toEqual(['instance-1']);
});

test('a worker that is stopped counts as alive until its process has ended and its journal is in the database', async () => {
  await worker('1');
  const row = { id: 'instance-1', pid: 1, startedAtMs: 1, heartbeatMs: 1 };
  await driver.run(beatInstance, row);
  await driver.run(beatInstance, { ...row, id: 'elsewhere' });
  await until(async () => ((await heartbeats()).get('instance-1') ?? 0) > 1);
  await hub.ended('1', 2);
  await driver.run(beatInstance, row);
  await Bun.sleep(30);
  expect(await heartbeats()).toEqual(
    new Map([
      ['instance-1', 1],
      ['elsewhere', 1],
    ]),
  );
});

test('a worker that answers nothing is taken for hung once, and one that answers late is not', async () => {
  let asked = 0;
  await worker('1');
  await worker('2', {
    [workerServices.answer]: () => {
      asked++;
      return new Promise<string>(() => {});
    },
  });
  // Each third question is answered.
  let late = 0;
  await worker('3', { [workerServices.answer]: () => (++late % 3 === 0 ? 'null' : new Promise<string>(() => {})) });
  await until(() => asked > 30);
  expect(hung).toEqual(['2']);
});
