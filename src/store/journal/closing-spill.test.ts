import { afterEach, beforeEach, expect, test } from 'bun:test';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AttemptClosing } from '../../ledger/ledger.ts';
import { ClosingSpillFile } from './closing-spill.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-spill-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const spillOf = (instanceId: string, bytesMax?: number) =>
  new ClosingSpillFile({ folder, instanceId, ...(bytesMax !== undefined && { bytesMax }) });

const closingOf = (attemptId: string, costNano = 5n): AttemptClosing => ({
  attemptId,
  costNano,
  estimated: false,
  atMs: 7,
  verdict: '',
});

test('what was appended is read by the next process, byte for byte, and only its owner may read the file', async () => {
  const row = {
    ...{ requestId: 'r', atMs: 1, tokenId: 't', endpoint: 'chat', model: '12n', provider: 'up', upstreamModel: 'm' },
    ...{ stream: true, attempts: 1, status: 200, code: '', estimated: false, priceVersion: 'v', totalMs: 3 },
    ...{ usage: { input: { total: 3 }, output: { total: 4 } }, costNano: 2n ** 60n, bytesIn: 1, bytesOut: 2 },
  };
  const closings = [{ ...closingOf('a.1', 2n ** 60n), row }, closingOf('b.1'), closingOf('\u2028\n"é.1')];
  const spill = spillOf('first');
  await Promise.all(closings.map((closing) => spill.append(closing)));
  expect(statSync(spill.path).mode & 0o777).toBe(0o600);
  expect(await spill.own()).toEqual(closings);
  expect(await spill.ofOthers()).toEqual([]);
  expect(await spillOf('second').ofOthers()).toEqual([{ path: spill.path, owner: 'first', closings, damaged: 0 }]);
});

test('a line that was cut or changed is counted and costs no other', async () => {
  const spill = spillOf('first');
  await spill.append(closingOf('a.1'));
  appendFileSync(spill.path, '0badc0de {"attemptId":"b.1","cost');
  await spill.append(closingOf('c.1'));
  await spill.append(closingOf('d.1'));
  writeFileSync(spill.path, readFileSync(spill.path, 'utf8').replace('"d.1"', '"e.1"'));
  const next = spillOf('second');
  const [file] = await next.ofOthers();
  expect(file?.closings.map(({ attemptId }) => attemptId)).toEqual(['a.1', 'c.1']);
  expect(file?.damaged).toBe(2);
  if (file !== undefined) await next.discard(file);
  expect(readdirSync(folder)).toEqual(['closings-first.spill.damaged']);
});

test('the file goes when all of it is written elsewhere, and not before', async () => {
  const spill = spillOf('first');
  await spill.removeWhere(() => true);
  await spill.append(closingOf('a.1'));
  await spill.removeWhere(() => false);
  expect(readdirSync(folder)).toHaveLength(1);
  await spill.removeWhere(() => true);
  expect(readdirSync(folder)).toEqual([]);
  await spill.append(closingOf('b.1'));
  expect((await spill.own()).map(({ attemptId }) => attemptId)).toEqual(['b.1']);
});

test('the file has a limit in bytes', async () => {
  const lineBytes = 9 + Buffer.byteLength(JSON.stringify({ ...closingOf('a.1'), costNano: '5' }));
  const spill = spillOf('first', 2 * lineBytes);
  await spill.append(closingOf('a.1'));
  await spill.append(closingOf('b.1'));
  expect(await spill.append(closingOf('c.1')).catch((error: unknown) => String(error))).toContain('limit');
  expect(await spill.own()).toHaveLength(2);
});
