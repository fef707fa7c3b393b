/** Journals of every version that Weir has written: a start writes their entries to the tables, each cell where it belongs. */

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { closingTable, openingTable } from '../attempts/attempt-table.ts';
import { openStore } from '../open-store.ts';
import type { Store } from '../store.ts';
import { usageTable } from '../usage/usage-table.ts';
import { entryKinds, entryVersion } from './entries.ts';
import { Journal } from './journal.ts';
import { recoverJournal } from './journal-recovery.ts';

let folder: string;
let store: Store | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-entries-'));
});
afterEach(async () => {
  await store?.close();
  rmSync(folder, { recursive: true, force: true });
});

const halfBytes = 65_536;

/** The bytes of version 1, written out: eight letters, the size of a half, zeros; then a half with its generation and records. */
function firstVersionFile(records: readonly (readonly unknown[])[]): Buffer {
  const file = Buffer.alloc(64 + 2 * halfBytes);
  file.write('WEIRJNL2');
  file.writeUInt32LE(halfBytes, 8);
  file.writeDoubleLE(1, 64);
  file.writeUInt32LE(crc32('1'), 72);
  let at = 80;
  for (const record of records) {
    const text = JSON.stringify(record);
    const length = file.write(text, at + 8);
    file.writeUInt32LE(length, at);
    file.writeUInt32LE(crc32(text, 1), at + 4);
    at += 8 + length;
  }
  return file;
}

/** Numbers of version 1, as they are in files. */
const [open, close, checkpoint] = [0, 2, 4];

const shortRow = (requestId: string): (string | number | null)[] => [
  ...[requestId, 1_000, 't', 'chat', 'fast', 'up', 'm', 0, 1, 200, ''],
  ...[9, null, null, null, null, null, 5, null, null, null, null],
  ...[600, 0, '', 3, 80, 1, 2],
];
/** Every cell is another one, so that none can be in the place of its neighbor. */
const fullRow = (requestId: string, costNano: number | string): (string | number | null)[] => [
  ...[requestId, 1_001, 'token', 'endpoint', 'model', 'provider', 'upstream', 1, 2, 203, 'code'],
  ...[11, 12, 13, 14, 15, 16, 21, 22, 23, 24, 25],
  ...[costNano, 1, 'version', 31, 32, 33, 34, 'price', '{"images":3}', 'forward a b'],
];

async function start(): Promise<Store> {
  store = await openStore({ dataFolder: folder, synchronous: 'normal', nowMs: () => 2_000 });
  await store.instances.register();
  return store;
}

test('entries of version 1 are written to the right columns, the earliest ones without key, verdict and last cells', async () => {
  const file = firstVersionFile([
    [open, 'sole.1', 'sole', 't', 0, 400, 'dead', 'up', 'm', 1_000],
    [open, 'two.1', 'two', 't', 7, 400, 'dead', 'up', 'm', 1_000],
    [close, 'sole.1', 600, false, 1_080, shortRow('sole')],
    [close, 'two.1', 0, false, 1_080, null],
    [open, 'two.2', 'two', 't', 7, '9007199254740993', 'dead', 'provider', 'upstream', 1_002, 'key-2'],
    [checkpoint, [['two.2', 5]]],
    [close, 'two.2', '9007199254740995', true, 1_090, fullRow('two', '9007199254740995'), 'uncertain'],
    [open, 'open.1', 'open', 't', 3, 400, 'dead', 'up', 'm', 1_000],
  ]);
  writeFileSync(join(folder, 'journal'), file);
  const { attempts, usage } = await start();
  const trail = async (requestId: string) =>
    (await attempts.ofRequest(requestId)).map(({ keyId, verdict, costNano }) => [keyId, verdict, costNano]);
  expect(await trail('sole')).toEqual([['', '', 600n]]);
  expect(await trail('two')).toEqual([
    ['', '', 0n],
    ['key-2', 'uncertain', 9_007_199_254_740_995n],
  ]);
  expect(await trail('open')).toEqual([['', undefined, undefined]]);
  expect(await usage.byId('sole')).toMatchObject({ requestId: 'sole', costNano: 600n, bytesOut: 2 });
  expect(await usage.byId('two')).toEqual({
    ...{ requestId: 'two', atMs: 1_001, tokenId: 'token', endpoint: 'endpoint', model: 'model', provider: 'provider' },
    ...{ upstreamModel: 'upstream', stream: true, attempts: 2, status: 203, code: 'code' },
    usage: {
      input: { total: 11, fresh: 12, cacheRead: 13, cacheWrite: 14, audio: 15, image: 16 },
      output: { total: 21, text: 22, thinking: 23, audio: 24, image: 25 },
    },
    ...{ costNano: 9_007_199_254_740_995n, estimated: true, priceVersion: 'version', firstEventMs: 31, totalMs: 32 },
    ...{ bytesIn: 33, bytesOut: 34, priceName: 'price', units: { images: 3 }, way: 'forward a b' },
  });
});

test('rows of version 2 from before users and keys: no user, and the key of a sole attempt from its opening', async () => {
  const path = join(folder, 'journal');
  const journal = Journal.open(path, 1, () => new Promise(() => undefined));
  const rows = [shortRow('sole'), fullRow('two', 7)].map((row) => [...row, ...Array(32 - row.length).fill(null)]);
  journal?.append(open, ['sole.1', 'sole', 't', 0, 400, 'dead', 'up', 'm', 1_000, 'key-1']);
  journal?.append(close, ['sole.1', 600, false, 1_080, rows[0], '']);
  journal?.append(open, ['two.1', 'two', 't', 0, 400, 'dead', 'up', 'm', 1_000, 'key-2']);
  journal?.append(close, ['two.1', 7, false, 1_080, rows[1], '']);
  const { attempts, usage } = await start();
  expect(await usage.byId('sole')).toMatchObject({ requestId: 'sole', keyId: 'key-1' });
  expect((await attempts.ofRequest('sole')).map(({ keyId, verdict }) => [keyId, verdict])).toEqual([['key-1', '']]);
  const two = await usage.byId('two');
  expect(two).toMatchObject({ way: 'forward a b' });
  expect([two?.endUser, two?.keyId]).toEqual([undefined, undefined]);
});

/** A change to the order of cells raises `entryVersion`, and `entries.ts` must then read the version before too. */
test('the order of cells in versions 2 and 3: cells are only added behind these', () => {
  expect(entryVersion).toBe(3);
  const opening = 'id requestId tokenId reserveNano estimateNano instanceId provider model atMs keyId';
  expect(openingTable.names.slice(0, 11)).toEqual([...opening.split(' '), 'reserveTokens']);
  expect(closingTable.names.slice(0, 7)).toEqual('id costNano estimated atMs row verdict tokens'.split(' '));
  expect(usageTable.names.slice(0, 34)).toEqual([
    ...'requestId atMs tokenId endpoint model provider upstreamModel stream attempts status code'.split(' '),
    ...'inputTotal inputFresh inputCacheRead inputCacheWrite inputAudio inputImage'.split(' '),
    ...'outputTotal outputText outputThinking outputAudio outputImage'.split(' '),
    ...'costNano estimated priceVersion firstEventMs totalMs bytesIn bytesOut priceName units way'.split(' '),
    ...'endUser keyId'.split(' '),
  ]);
});

test('openings within budgets: held while open, spent once closed, and the row keeps its budgets', async () => {
  const journal = Journal.open(join(folder, 'journal'), 1, () => new Promise(() => undefined));
  const scopes = '[["token:t",0]]';
  const opening = (id: string) => [`${id}.1`, id, 't', 500, 400, 'dead', 'up', 'm', 1_000, 'key-1'];
  journal?.append(entryKinds.openWithin, [...opening('whole'), scopes]);
  journal?.append(close, ['whole.1', 120, false, 1_080, null, '']);
  journal?.append(entryKinds.openWithin, [...opening('half'), scopes]);
  const store = await start();
  expect(await store.budgets.read('token:t', 0)).toEqual({ spentNano: 120n, heldNano: 500n });
  await store.attempts.close({ attemptId: 'half.1', costNano: 30n, estimated: false, atMs: 1_100 });
  expect(await store.budgets.read('token:t', 0)).toEqual({ spentNano: 150n, heldNano: 0n });
});

test('budgets of all units in one journal with entries of before there were units', async () => {
  const journal = Journal.open(join(folder, 'journal'), 1, () => new Promise(() => undefined));
  const scopes = '[["org:o#t",0,"tokens"],["team:t#r",0,"requests"],["token:t",0]]';
  const old = (id: string) => [`${id}.1`, id, 't', 500, 400, 'dead', 'up', 'm', 1_000, 'key-1'];
  const opening = (id: string, tokens: number) => [...old(id), tokens, scopes];
  journal?.append(entryKinds.openWithin, [...old('old'), '[["token:t",0]]']);
  journal?.append(entryKinds.openWithin, [...old('old-open'), '[["token:t",0]]']);
  journal?.append(close, ['old.1', 120, false, 1_080, null, '']);
  journal?.append(entryKinds.openWithin, opening('served', 80));
  journal?.append(close, ['served.1', 7, false, 1_080, null, '', 33]);
  journal?.append(entryKinds.openWithin, opening('unknown', 90));
  journal?.append(close, ['unknown.1', 8, true, 1_080, null, '', null]);
  journal?.append(entryKinds.openWithin, opening('failed', 100));
  journal?.append(close, ['failed.1', 0, false, 1_080, null, 'refused', null]);
  journal?.append(entryKinds.openWithin, opening('open', 1_000));
  const { budgets, attempts } = await start();
  expect(await budgets.read('token:t', 0)).toEqual({ spentNano: 135n, heldNano: 1_000n });
  expect(await budgets.read('team:t#r', 0)).toEqual({ spentNano: 2n, heldNano: 1n });
  expect(await budgets.read('org:o#t', 0)).toEqual({ spentNano: 123n, heldNano: 1_000n });
  expect(await attempts.sweep('dead', 2_000)).toBe(2);
  expect(await budgets.read('token:t', 0)).toEqual({ spentNano: 935n, heldNano: 0n });
  expect(await budgets.read('team:t#r', 0)).toEqual({ spentNano: 3n, heldNano: 0n });
  expect(await budgets.read('org:o#t', 0)).toEqual({ spentNano: 1_123n, heldNano: 0n });
});

test('a file names the version of its entries; a damaged version is taken for the present one, a newer one is not read', () => {
  const path = join(folder, 'journal');
  Journal.open(path, 7, () => new Promise(() => undefined))?.append(open, ['a.1']);
  const file = readFileSync(path);
  const found = (bytes: Buffer) => recoverJournal(bytes, 6);
  expect(found(file)).toEqual({
    generations: [{ generation: 7, version: entryVersion, texts: ['[0,"a.1"]'] }],
    damage: undefined,
  });
  file.writeUInt32LE(9, 12);
  expect(found(file).generations[0]?.version).toBe(entryVersion);
  file.writeUInt32LE(crc32('9'), 16);
  expect(found(file)).toEqual({
    generations: [],
    damage: { what: 'was written by a newer Weir (entries of version 9)', lost: undefined },
  });
});
