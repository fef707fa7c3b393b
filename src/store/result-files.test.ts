import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixedKeys } from '../secrets/key-ring.ts';
import { createSigning } from '../secrets/signing.ts';
import { ResultFiles } from './result-files.ts';

let folder: string;
let nowMs = Date.now();
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-results-'));
  nowMs = Date.now();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = () =>
  new ResultFiles({
    folder,
    signing: createSigning(fixedKeys(new Uint8Array(32).fill(3))),
    lifetimeMs: 60_000,
    bytesMax: 1_000,
    wallMs: () => nowMs,
    onFault: (message) => {
      throw new Error(message);
    },
  });

function taken(address: string): [string, URLSearchParams] {
  const [id = '', query = ''] = address.split('?');
  return [id, new URLSearchParams(query)];
}

test('a result is found by the address that was given for it, at once, and by no other', async () => {
  const files = open();
  const address = files.keep(new TextEncoder().encode('pixels'), 'image/png', 'tok_1');
  const [id, query] = taken(address);
  const found = await files.find(id, query);
  expect(found).toMatchObject({ mediaType: 'image/png', bytes: 6, tokenId: 'tok_1' });
  expect(readFileSync(found?.path ?? '', 'utf8')).toBe('pixels');
  expect(statSync(found?.path ?? '').mode & 0o077).toBe(0);
  for (const wrong of [
    address.replace(/signature=../, 'signature=00'),
    address.replace('token=tok_1', 'token=tok_2'),
    address.replace(/expires=\d+/, 'expires=9999999999'),
    `../${address}`,
    `${'a'.repeat(32)}.png?${query}`,
    id,
  ]) {
    expect(await files.find(...taken(wrong))).toBeUndefined();
  }
});

test('it ends with its time, and the file goes too', async () => {
  const files = open();
  const [id, query] = taken(files.keep(new Uint8Array(3), 'video/mp4', 'tok_1'));
  const found = await files.find(id, query);
  nowMs += 61_000;
  expect(await files.find(id, query)).toBeUndefined();
  nowMs += 61_000;
  await files.expire();
  expect(await Bun.file(found?.path ?? '').exists()).toBe(false);
});
