/** The key is made once, kept from others, and never exchanged unnoticed. */

import { afterEach, describe, expect, test } from 'bun:test';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { derive, loadSecretKey, type PutIfAbsent, SecretKeyError, verifySecretKey } from './secret-key.ts';

const folders: string[] = [];
function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'weir-key-'));
  folders.push(folder);
  return folder;
}
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

describe('key file', () => {
  test('is made once, for its owner alone, and read afterwards', async () => {
    const dataFolder = join(freshFolder(), 'not', 'there', 'yet');
    const first = await loadSecretKey({ dataFolder });
    expect(first.created).toBe(true);
    expect(first.key).toHaveLength(32);
    expect(statSync(join(dataFolder, 'secret.key')).mode & 0o777).toBe(0o600);
    expect(readdirSync(dataFolder)).toEqual(['secret.key']);
    const second = await loadSecretKey({ dataFolder });
    expect(second).toEqual({ key: first.key, created: false });
  });

  test('several that start at once agree on one key', async () => {
    const dataFolder = freshFolder();
    const loaded = await Promise.all(Array.from({ length: 20 }, () => loadSecretKey({ dataFolder })));
    expect(loaded.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(loaded.map(({ key }) => key.toHex())).size).toBe(1);
    expect(readdirSync(dataFolder)).toEqual(['secret.key']);
  });

  test('that others can read is closed to them', async () => {
    const dataFolder = freshFolder();
    const { key } = await loadSecretKey({ dataFolder });
    chmodSync(join(dataFolder, 'secret.key'), 0o644);
    expect((await loadSecretKey({ dataFolder })).key).toEqual(key);
    expect(statSync(join(dataFolder, 'secret.key')).mode & 0o777).toBe(0o600);
  });

  test('behind a link is never changed: open to others it is refused with what to do, closed it is read', async () => {
    const dataFolder = freshFolder();
    const target = join(freshFolder(), 'mounted.key');
    writeFileSync(target, 'ab'.repeat(32));
    chmodSync(target, 0o644);
    symlinkSync(target, join(dataFolder, 'secret.key'));
    const error = await loadSecretKey({ dataFolder }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SecretKeyError);
    expect(String(error)).toMatch(/chmod 600.*WEIR_SECRET_KEY/);
    expect(String(error)).not.toContain('abab');
    expect(statSync(target).mode & 0o777).toBe(0o644);
    chmodSync(target, 0o600);
    expect((await loadSecretKey({ dataFolder })).key.toHex()).toBe('ab'.repeat(32));
  });

  test.each([
    '',
    'abc',
    'z'.repeat(64),
    'a'.repeat(63),
    `${'a'.repeat(64)} b`,
  ])('holding %p is refused', async (text) => {
    const dataFolder = freshFolder();
    writeFileSync(join(dataFolder, 'secret.key'), text, { mode: 0o600 });
    const error = await loadSecretKey({ dataFolder }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SecretKeyError);
    expect(String(error)).toContain('64 hexadecimal digits');
    expect(readFileSync(join(dataFolder, 'secret.key'), 'utf8')).toBe(text);
  });
});

describe('configured key', () => {
  test('needs 32 characters, is hashed, and touches no file', async () => {
    const dataFolder = freshFolder();
    const { key, created } = await loadSecretKey({ dataFolder, fromConfig: 'k'.repeat(32) });
    expect(created).toBe(false);
    expect(key).toHaveLength(32);
    expect(new TextDecoder().decode(key)).not.toContain('kkk');
    expect(readdirSync(dataFolder)).toEqual([]);
    const error = await loadSecretKey({ dataFolder, fromConfig: 'CANARY'.repeat(5) }).catch(
      (thrown: unknown) => thrown,
    );
    expect(String(error)).toContain('30 characters');
    expect(String(error)).not.toContain('CANARY');
  });
});

describe('derived keys and the check', () => {
  const key = new Uint8Array(32).fill(3);

  function settings(): PutIfAbsent & { readonly values: Map<string, string> } {
    const values = new Map<string, string>();
    return {
      values,
      async putIfAbsent(name, value) {
        const now = values.get(name) ?? value;
        values.set(name, now);
        return now;
      },
    };
  }

  test('differ by label and by key, and repeat', () => {
    expect(derive(key, 'token-digest')).toEqual(derive(key, 'token-digest'));
    expect(derive(key, 'token-digest')).not.toEqual(derive(key, 'provider-keys'));
    expect(derive(key, 'token-digest')).not.toEqual(derive(new Uint8Array(32), 'token-digest'));
    expect(derive(key, 'token-digest')).not.toEqual(key);
  });

  test('the first key is remembered and another one is refused', async () => {
    const store = settings();
    await verifySecretKey(store, key);
    await verifySecretKey(store, key);
    await expect(verifySecretKey(store, new Uint8Array(32).fill(4))).rejects.toThrow(
      'not the one this database was made with',
    );
    expect([...store.values.values()].join()).not.toContain(key.toHex());
  });

  test('a check value that was damaged is refused', async () => {
    const store = settings();
    await store.putIfAbsent('secret-key-check', 'x');
    await expect(verifySecretKey(store, key)).rejects.toThrow(SecretKeyError);
  });
});
