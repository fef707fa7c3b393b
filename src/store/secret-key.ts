/** The one secret from which every other key is derived: found in the configuration, or in a file apart from the database. */

import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmod, link, lstat, mkdir, open, readFile, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';

export const secretKeyFileName = 'secret.key';
export const secretKeyBytes = 32;
export const configuredKeyLengthMin = 32;

/** A reason not to start; its message is for the operator and never holds the key. */
export class SecretKeyError extends Error {
  override readonly name = 'SecretKeyError';
}

export interface LoadedSecretKey {
  readonly key: Uint8Array;
  /** The key file was written by this call. */
  readonly created: boolean;
}

export async function loadSecretKey(from: {
  readonly dataFolder: string;
  readonly fromConfig?: string | undefined;
}): Promise<LoadedSecretKey> {
  if (from.fromConfig !== undefined) return { key: keyFromText(from.fromConfig), created: false };
  const path = join(from.dataFolder, secretKeyFileName);
  const existing = await readKeyFile(path);
  if (existing !== undefined) return { key: existing, created: false };
  await mkdir(from.dataFolder, { recursive: true });
  const created = await createKeyFile(path);
  const key = await readKeyFile(path);
  if (key === undefined) throw new SecretKeyError(`The key file ${path} vanished while it was being read.`);
  return { key, created };
}

function keyFromText(text: string): Uint8Array {
  if (text.length < configuredKeyLengthMin) {
    throw new SecretKeyError(
      `WEIR_SECRET_KEY has ${text.length} characters; at least ${configuredKeyLengthMin} are needed. \`openssl rand -hex 32\` makes one.`,
    );
  }
  return new Uint8Array(createHash('sha256').update(text).digest());
}

/** Written whole under another name and then linked, so that neither a crash nor a second process shows half a key. */
async function createKeyFile(path: string): Promise<boolean> {
  const text = `${randomBytes(secretKeyBytes).toString('hex')}\n`;
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  await writeExclusively(draft, text);
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    return await createWithoutLink(path, text);
  } finally {
    await unlink(draft);
  }
}

/** Some file systems (network shares, memory cards) have no links; there an exclusive create must do. */
async function createWithoutLink(path: string, text: string): Promise<boolean> {
  try {
    await writeExclusively(path, text);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function writeExclusively(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function readKeyFile(path: string): Promise<Uint8Array | undefined> {
  let text: string;
  try {
    await closeToOthers(path);
    text = (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    if (error instanceof SecretKeyError) throw error;
    throw new SecretKeyError(`The key file ${path} cannot be read (${codeOf(error)}).`, { cause: error });
  }
  if (!/^[0-9a-f]{64}$/i.test(text)) {
    throw new SecretKeyError(
      `The key file ${path} does not hold ${secretKeyBytes * 2} hexadecimal digits. Restore it from a backup; remove it only if no database was used with it.`,
    );
  }
  return Uint8Array.fromHex(text);
}

async function closeToOthers(path: string): Promise<void> {
  // Windows has no such mode bits; its own access lists decide there.
  if (process.platform === 'win32') return;
  if (((await stat(path)).mode & 0o077) === 0) return;
  // Only a file of our own is mended: behind a link stands something that somebody else put there and looks after.
  const isOurs = (await lstat(path)).isFile();
  const failure = isOurs ? await chmod(path, 0o600).catch((error: unknown) => error) : undefined;
  if (!isOurs || ((await stat(path)).mode & 0o077) !== 0) {
    throw new SecretKeyError(
      `The key file ${path} can be read by other users${isOurs ? ' and its mode cannot be changed' : ''}. Run \`chmod 600\` on it as its owner, or set WEIR_SECRET_KEY instead.`,
      { cause: failure },
    );
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
}

/** A key for one purpose; knowing it tells nothing about the secret or about the keys of other labels. */
export function derive(key: Uint8Array, label: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', key, new Uint8Array(0), `weir/${label}`, secretKeyBytes));
}

/** The part of the store's settings that the check needs. */
export interface PutIfAbsent {
  /** Stores the value where the name has none, and gives back what is stored now. */
  putIfAbsent(name: string, value: string): Promise<string>;
}

const checkName = 'secret-key-check';

/** Refuses a key other than the one this database was first used with: no digest would match and no stored key would open. */
export async function verifySecretKey(settings: PutIfAbsent, key: Uint8Array): Promise<void> {
  const expected = createHmac('sha256', derive(key, 'key-check')).update('weir secret key').digest('hex');
  const stored = await settings.putIfAbsent(checkName, expected);
  if (stored.length === expected.length && timingSafeEqual(Buffer.from(stored), Buffer.from(expected))) return;
  throw new SecretKeyError(
    `The secret key is not the one this database was made with. Restore the file \`${secretKeyFileName}\` of its data folder, or set WEIR_SECRET_KEY to the value that was used before.`,
  );
}
