import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createEgressRoutes } from '../upstream/egress-routes.ts';
import { createTableTextReader } from './read-table-text.ts';

const egressRoutes = createEgressRoutes({
  connectTimeoutMs: 60_000,
  egress: { proxy: { http: undefined, https: undefined }, noProxy: [], ca: undefined },
});
const read = createTableTextReader(egressRoutes);
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-table-'));
});
afterAll(async () => {
  egressRoutes.close();
  await rm(folder, { recursive: true });
});

describe('the text of a table', () => {
  test('is found at a path, at a file: address and over http', async () => {
    const path = join(folder, 'a table.json');
    await writeFile(path, '\ufeff{"é":1}');
    expect(await read(path)).toBe('{"é":1}');
    expect(await read(pathToFileURL(path).href)).toBe('{"é":1}');
    const server = Bun.serve({ port: 0, fetch: () => new Response('{"x":1}') });
    expect(await read(`http://127.0.0.1:${server.port}/t.json`)).toBe('{"x":1}');
    await server.stop(true);
  });

  test('what is no file, no text or without an end is refused in words', async () => {
    await expect(read(join(folder, 'none.json'))).rejects.toThrow('File not found.');
    await expect(read(folder)).rejects.toThrow('It could not be read.');
    const path = join(folder, 'bytes.json');
    await writeFile(path, Uint8Array.of(0x7b, 0xff, 0xfe));
    await expect(read(path)).rejects.toThrow('not text in UTF-8');
    await expect(read('/dev/zero')).rejects.toThrow('larger than 16777216 bytes');
    await expect(read('http://127.0.0.1:1/t.json')).rejects.toThrow('It could not be fetched.');
  });
});
