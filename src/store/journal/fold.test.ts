/** What an older Weir left in its journal is still done: operations keep their places, and what was added later has a default. */

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../open-store.ts';
import type { Store } from '../store.ts';
import { type Call, fused } from './fold.ts';
import { Journal } from './journal.ts';

/** Written out, because they are names in files that exist already. */
const openCode = 0;
const closeCode = 2;
const wholeCode = 5;

let folder: string;
let store: Store | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-fold-'));
});
afterEach(async () => {
  await store?.close();
  rmSync(folder, { recursive: true, force: true });
});

const usage = (requestId: string): (string | number | null)[] => [
  ...[requestId, 1_000, 't', 'chat', 'fast', 'up', 'm', 0, 1, 200, ''],
  ...[9, null, null, null, null, null, 5, null, null, null, null],
  ...[600, 0, '', 3, 80, 1, 2],
];
const opening = (id: string, requestId: string, ...more: string[]) => [
  ...[id, requestId, 't', 0, 400, 'dead', 'up', 'm', 1_000],
  ...more,
];
const closing = (id: string, cost: number, row: unknown, ...more: string[]) => [id, cost, false, 1_080, row, ...more];

test('records without a key and a verdict are attempts that served with a key that nobody named', async () => {
  const journal = Journal.open(join(folder, 'journal'), 1, () => new Promise(() => undefined));
  const records: readonly (readonly [number, readonly unknown[]])[] = [
    [openCode, opening('sole.1', 'sole')],
    [openCode, opening('two.1', 'two')],
    [closeCode, closing('sole.1', 600, usage('sole'))],
    [closeCode, closing('two.1', 0, null)],
    [openCode, opening('two.2', 'two', 'key-2')],
    [closeCode, closing('two.2', 0, null, 'uncertain')],
    [openCode, opening('open.1', 'open')],
  ];
  for (const [code, values] of records) expect(journal?.append(code, values)).toBe(true);

  store = await openStore({ dataFolder: folder, synchronous: 'normal', nowMs: () => 2_000 });
  await store.instances.register();
  const trail = async (requestId: string) =>
    (await store?.attempts.ofRequest(requestId))?.map((attempt) => [attempt.keyId, attempt.verdict, attempt.costNano]);
  expect(await trail('sole')).toEqual([['', '', 600n]]);
  expect(await trail('two')).toEqual([
    ['', '', 0n],
    ['key-2', 'uncertain', 0n],
  ]);
  expect(await trail('open')).toEqual([['', undefined, undefined]]);
  expect(await store.usage.byId('sole')).toMatchObject({ requestId: 'sole', costNano: 600n, bytesOut: 2 });
});

test('an opening and its closing become one call with all that either says', () => {
  const open = [openCode, ...opening('a.1', 'a', 'key-1')] as unknown as Call;
  const close = [closeCode, ...closing('a.1', 0, null, 'limit')] as unknown as Call;
  expect(fused([open, close])).toEqual([[wholeCode, [[open.slice(1), close.slice(1)]]]] as unknown as Call[]);
  expect(fused([open])).toEqual([open]);
});
