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
import { derive, SecretRing } from '../../secrets/key-ring.ts';
import { holdKeyFile, replaceKeyFile } from './key-file.ts';
import {
  type KeyCheckSettings,
  keyOfDatabase,
  loadSecrets,
  openSecretRing,
  SecretKeyError,
  setKeyOfDatabase,
} from './secret-key.ts';

const key = new Uint8Array(32).fill(3);
const another = new Uint8Array(32).fill(4);
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
    const first = await loadSecrets({ dataFolder });
    expect(first.created).toBe(true);
    expect(first.secrets.map(({ length }) => length)).toEqual([32]);
    expect(statSync(join(dataFolder, 'secret.key')).mode & 0o777).toBe(0o600);
    expect(readdirSync(dataFolder)).toEqual(['secret.key']);
    const second = await loadSecrets({ dataFolder });
    expect(second).toEqual({ secrets: first.secrets, created: false });
  });

  test('several that start at once agree on one key', async () => {
    const dataFolder = freshFolder();
    const loaded = await Promise.all(Array.from({ length: 20 }, () => loadSecrets({ dataFolder })));
    expect(loaded.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(loaded.map(({ secrets }) => secrets[0].toHex())).size).toBe(1);
    expect(readdirSync(dataFolder)).toEqual(['secret.key']);
  });

  test('that others can read is closed to them', async () => {
    const dataFolder = freshFolder();
    const { secrets } = await loadSecrets({ dataFolder });
    chmodSync(join(dataFolder, 'secret.key'), 0o644);
    expect((await loadSecrets({ dataFolder })).secrets).toEqual(secrets);
    expect(statSync(join(dataFolder, 'secret.key')).mode & 0o777).toBe(0o600);
  });

  test('behind a link is never changed: open to others it is refused with what to do, closed it is read', async () => {
    const dataFolder = freshFolder();
    const target = join(freshFolder(), 'mounted.key');
    writeFileSync(target, 'ab'.repeat(32));
    chmodSync(target, 0o644);
    symlinkSync(target, join(dataFolder, 'secret.key'));
    const error = await loadSecrets({ dataFolder }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SecretKeyError);
    expect(String(error)).toMatch(/chmod 600.*WEIR_SECRET_KEY/);
    expect(String(error)).not.toContain('abab');
    expect(statSync(target).mode & 0o777).toBe(0o644);
    chmodSync(target, 0o600);
    expect((await loadSecrets({ dataFolder })).secrets[0].toHex()).toBe('ab'.repeat(32));
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
    const error = await loadSecrets({ dataFolder }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SecretKeyError);
    expect(String(error)).toContain('64 hexadecimal digits');
    expect(readFileSync(join(dataFolder, 'secret.key'), 'utf8')).toBe(text);
  });
});

describe('configured key', () => {
  test('needs 32 characters, is hashed, and touches no file', async () => {
    const dataFolder = freshFolder();
    const { secrets, created } = await loadSecrets({ dataFolder, fromConfig: 'k'.repeat(32) });
    expect(created).toBe(false);
    expect(secrets.map(({ length }) => length)).toEqual([32]);
    expect(new TextDecoder().decode(secrets[0])).not.toContain('kkk');
    expect(readdirSync(dataFolder)).toEqual([]);
    const error = await loadSecrets({ dataFolder, fromConfig: 'CANARY'.repeat(5) }).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain('30 characters');
    expect(String(error)).not.toContain('CANARY');
  });
});

function memorySettings(): KeyCheckSettings & { readonly values: Map<string, string> } {
  const values = new Map<string, string>();
  return {
    values,
    get: async (name) => values.get(name),
    async putIfAbsent(name, value) {
      const now = values.get(name) ?? value;
      values.set(name, now);
      return now;
    },
    put: async (name, value) => void values.set(name, value),
  };
}

describe('derived keys and the check', () => {
  test('differ by label and by key, and repeat', () => {
    expect(derive(key, 'token-digest')).toEqual(derive(key, 'token-digest'));
    expect(derive(key, 'token-digest')).not.toEqual(derive(key, 'provider-keys'));
    expect(derive(key, 'token-digest')).not.toEqual(derive(new Uint8Array(32), 'token-digest'));
    expect(derive(key, 'token-digest')).not.toEqual(key);
  });

  test('the first key is remembered and another one is refused', async () => {
    const store = memorySettings();
    await keyOfDatabase(store, new SecretRing([key]));
    await keyOfDatabase(store, new SecretRing([key]));
    await expect(keyOfDatabase(store, new SecretRing([another]))).rejects.toThrow(
      'not the one this database was made with',
    );
    expect([...store.values.values()].join()).not.toContain(key.toHex());
  });

  test('the database’s key may stand anywhere in the ring, and moves when a rotation ends', async () => {
    const store = memorySettings();
    const [{ id: oldId }] = new SecretRing([key]).keys;
    await keyOfDatabase(store, new SecretRing([key]));
    const ring = new SecretRing([another, key]);
    expect((await keyOfDatabase(store, ring)).id).toBe(oldId);
    await setKeyOfDatabase(store, ring.newest);
    expect((await keyOfDatabase(store, ring)).id).toBe(ring.newest.id);
    await expect(keyOfDatabase(store, new SecretRing([key]))).rejects.toThrow('last rotated to');
  });

  test('a check value that was damaged is refused', async () => {
    const store = memorySettings();
    await store.putIfAbsent('secret-key-check', 'x');
    await expect(keyOfDatabase(store, new SecretRing([key]))).rejects.toThrow(SecretKeyError);
  });
});

describe('a ring of several keys', () => {
  const keysOf = (ring: SecretRing): string[] => ring.keys.map(({ secret }) => secret.toHex());

  test('is written in the file line by line, the newest first, and in the variables', async () => {
    const dataFolder = freshFolder();
    const path = join(dataFolder, 'secret.key');
    writeFileSync(path, `${another.toHex()}\n${key.toHex()}\r\n${another.toHex()}\n`, { mode: 0o600 });
    expect((await loadSecrets({ dataFolder })).secrets).toEqual([another, key]);
    const texts = { fromConfig: 'n'.repeat(32), olderFromConfig: `${'o'.repeat(32)}, ${'p'.repeat(40)}` };
    const { secrets } = await loadSecrets({ dataFolder, ...texts });
    const alone = async (text: string) => (await loadSecrets({ dataFolder, fromConfig: text })).secrets[0];
    expect(secrets).toEqual([await alone('n'.repeat(32)), await alone('o'.repeat(32)), await alone('p'.repeat(40))]);
  });

  test.each([
    [{ fromConfig: 'n'.repeat(32), olderFromConfig: `${'o'.repeat(32)},CANARY` }, 'a key of 6 characters'],
    [{ fromConfig: 'n'.repeat(32), olderFromConfig: Array(8).fill('o'.repeat(32)).join() }, 'at most 7'],
    [{ olderFromConfig: 'o'.repeat(32) }, 'WEIR_SECRET_KEY is not'],
  ])('%j is refused with what is wrong', async (texts, reason) => {
    const error = await loadSecrets({ dataFolder: freshFolder(), ...texts }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SecretKeyError);
    expect(String(error)).toContain(reason);
    expect(String(error)).not.toContain('CANARY');
  });

  test('a file of nine keys is refused, and a ninth is not written', async () => {
    const dataFolder = freshFolder();
    const path = join(dataFolder, 'secret.key');
    const eight = Array.from({ length: 8 }, (_, index) => new Uint8Array(32).fill(index));
    const nine = [new Uint8Array(32).fill(9), ...eight] as const;
    writeFileSync(path, eight.map((each) => each.toHex()).join('\n'), { mode: 0o600 });
    expect((await loadSecrets({ dataFolder })).secrets).toHaveLength(8);
    await expect(replaceKeyFile(path, nine)).rejects.toThrow('--drop-old');
    writeFileSync(path, nine.map((each) => each.toHex()).join('\n'));
    await expect(loadSecrets({ dataFolder })).rejects.toThrow('64 hexadecimal digits');
  });

  test('follows its file, and keeps what it had where the file is damaged, gone or another database’s', async () => {
    const dataFolder = freshFolder();
    const path = join(dataFolder, 'secret.key');
    writeFileSync(path, key.toHex(), { mode: 0o600 });
    const warnings: string[] = [];
    const settings = memorySettings();
    const ring = await openSecretRing({ dataFolder, settings, warn: (message) => void warnings.push(message) });
    const digests = ring.purpose('token-digest');
    expect(await ring.refresh()).toBe(false);
    const before = digests.current();
    expect(digests.current()).toBe(before);
    await replaceKeyFile(path, [another, key]);
    expect(await Promise.all([ring.refresh(), ring.refresh()])).toContain(true);
    expect(keysOf(ring)).toEqual([another.toHex(), key.toHex()]);
    expect(digests.current().map(({ id }) => id)).toEqual(ring.keys.map(({ id }) => id));
    expect(digests.current()[1]).toEqual(before[0]);
    for (const [text, reason] of [
      ['nonsense', '64 hexadecimal digits'],
      ['ee'.repeat(32), 'not the one this database was made with'],
    ] as const) {
      writeFileSync(path, text);
      expect(await ring.refresh()).toBe(false);
      expect(await ring.refresh()).toBe(false);
      expect(warnings.splice(0)).toEqual([expect.stringContaining(reason)]);
    }
    rmSync(path);
    expect(await ring.refresh()).toBe(false);
    expect(warnings.splice(0)).toEqual([expect.stringContaining('ENOENT')]);
    expect(keysOf(ring)).toEqual([another.toHex(), key.toHex()]);
    await setKeyOfDatabase(settings, ring.newest);
    writeFileSync(path, another.toHex(), { mode: 0o600 });
    expect(await ring.refresh()).toBe(true);
    expect(keysOf(ring)).toEqual([another.toHex()]);
  });

  test('is one process’s at a time to change, who first removes what a killed one left', async () => {
    const dataFolder = freshFolder();
    const path = join(dataFolder, 'secret.key');
    await expect(holdKeyFile(path, async () => 1)).rejects.toThrow('There is no key file');
    writeFileSync(path, key.toHex(), { mode: 0o600 });
    writeFileSync(`${path}.123.0a1b2c3d`, another.toHex());
    const tried = await holdKeyFile(path, async () => {
      expect(readdirSync(dataFolder).toSorted()).toEqual(['secret.key', 'secret.key.lock']);
      return holdKeyFile(path, async () => 'both').catch(String);
    });
    expect(tried).toContain('Another `weir rotate-key`');
    expect(await holdKeyFile(path, async () => 'again')).toBe('again');
  });

  test('is written whole, closed to others, and never through a link', async () => {
    const dataFolder = freshFolder();
    const path = join(dataFolder, 'secret.key');
    writeFileSync(path, key.toHex(), { mode: 0o644 });
    await replaceKeyFile(path, [another, key]);
    expect(readFileSync(path, 'utf8')).toBe(`${another.toHex()}\n${key.toHex()}\n`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(dataFolder)).toEqual(['secret.key']);
    const linked = join(freshFolder(), 'secret.key');
    symlinkSync(path, linked);
    await expect(replaceKeyFile(linked, [key])).rejects.toThrow('is a link');
    expect(readFileSync(path, 'utf8')).toStartWith(another.toHex());
  });
});
