/** An image is served to every client that has its URL, until it expires, and a URL is given only where it works. */

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixedKeys } from '../../../test/harness/fixed-keys.ts';
import { createSigning } from '../../secrets/signing.ts';
import { FolderResults } from './folder-results.ts';
import { OwnedResults } from './owned-results.ts';
import { type FoundResult, ResultFiles } from './result-files.ts';
import type { KeptResultRow, KeptResultStore } from './result-rows.ts';

let folder: string;
let nowMs = Date.now();
let faults: string[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-results-'));
  nowMs = Date.now();
  faults = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function open(): { readonly files: ResultFiles; readonly results: OwnedResults } {
  const known = new Map<string, KeptResultRow>();
  const rows: KeptResultStore = {
    put: async (row) => void known.set(row.name, row),
    async get(name, atMs) {
      const row = known.get(name);
      return row !== undefined && row.expiresAtMs > atMs ? row : undefined;
    },
    remove: async (name) => void known.delete(name),
    expired: async (_kind, atMs) =>
      [...known.values()].filter((row) => row.expiresAtMs <= atMs).map(({ name }) => name),
    excess: async () => [],
  };
  const parts = {
    lifetimeMs: 60_000,
    wallMs: () => nowMs,
    onFault: (message: string) => void faults.push(message),
  };
  const limits = { tokenBytesMax: 1_000_000, bytesMax: 1_000_000 };
  const results = new OwnedResults({ ...parts, place: new FolderResults({ folder }), rows, kind: 'image', limits });
  const signing = createSigning(fixedKeys(new Uint8Array(32).fill(3)));
  return { files: new ResultFiles({ ...parts, results, signing, bytesMax: 1_000 }), results };
}

function taken(address: string): [string, URLSearchParams] {
  const [id = '', query = ''] = address.split('?');
  return [id, new URLSearchParams(query)];
}

async function textOf(found: FoundResult | undefined): Promise<string> {
  return new Response((await found?.open(undefined))?.body).text();
}

test('a result is found by the URL that was given for it, and by no other', async () => {
  const { files } = open();
  const { address, kept } = files.keep('token-1', new TextEncoder().encode('pixels'), 'image/png');
  expect(await kept).toBe(true);
  const [id, query] = taken(address);
  const found = await files.find(id, query);
  expect(found).toMatchObject({ tokenId: 'token-1', mediaType: 'image/png', bytes: 6 });
  expect(await textOf(found)).toBe('pixels');
  for (const wrong of [
    address.replace(/signature=../, 'signature=00'),
    address.replace(/expires=\d+/, 'expires=9999999999'),
    `../${address}`,
    `${'a'.repeat(32)}.png?${query}`,
    id,
  ]) {
    expect(await files.find(...taken(wrong))).toBeUndefined();
  }
});

test('it ends with its time, and the file goes too', async () => {
  const { files, results } = open();
  const { address, kept } = files.keep('token-1', new Uint8Array(3), 'video/mp4');
  await kept;
  const [id, query] = taken(address);
  expect(await files.find(id, query)).toBeDefined();
  nowMs += 61_000;
  expect(await files.find(id, query)).toBeUndefined();
  expect(readdirSync(folder)).toEqual([id]);
  await results.expire();
  expect(readdirSync(folder)).toEqual([]);
});

test('a failure to keep is reported, and the URL does not work', async () => {
  const { files } = open();
  const { address, kept } = files.keep('token-1', new Uint8Array(1_001), 'image/png');
  expect(await kept).toBe(false);
  expect(faults).toEqual(['An image could not be kept; it is in the reply itself.']);
  expect(await files.find(...taken(address))).toBeUndefined();
  expect(readdirSync(folder)).toEqual([]);
});
