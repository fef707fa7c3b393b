/** The file that holds this Weir's secrets, apart from the database: one a line, the newest first, for its owner alone, never half written. */

import { Database } from 'bun:sqlite';
import { randomBytes } from 'node:crypto';
import { chmod, link, lstat, mkdir, open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type KeyList, secretKeyBytes } from '../../secrets/key-ring.ts';

export const secretKeyFileName = 'secret.key';
/** Each is tried where a credential is not known, so there are not many. */
export const keysMax = 8;

/** A reason not to continue; its message is for the operator and never holds a key. */
export class SecretKeyError extends Error {
  override readonly name = 'SecretKeyError';
}

export const keyFilePath = (dataFolder: string): string => join(dataFolder, secretKeyFileName);

/** Reads the file; where there is none it is made, with one key. */
export async function readOrMakeKeyFile(
  path: string,
): Promise<{ readonly secrets: KeyList<Uint8Array>; readonly created: boolean }> {
  const existing = await readKeyFile(path);
  if (existing !== undefined) return { secrets: existing, created: false };
  await mkdir(dirname(path), { recursive: true });
  const created = await createKeyFile(path);
  const secrets = await readKeyFile(path);
  if (secrets === undefined) throw new SecretKeyError(`The key file ${path} vanished while it was being read.`);
  return { secrets, created };
}

export async function readKeyFile(path: string): Promise<KeyList<Uint8Array> | undefined> {
  let text: string;
  try {
    await closeToOthers(path);
    text = (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    if (error instanceof SecretKeyError) throw error;
    throw new SecretKeyError(`The key file ${path} cannot be read (${codeOf(error)}).`, { cause: error });
  }
  const lines = [...new Set(text.split(/\r?\n/).map((line) => line.trim().toLowerCase()))];
  const [newest, ...older] = lines;
  if (newest === undefined || !lines.every((line) => /^[0-9a-f]{64}$/.test(line)) || lines.length > keysMax) {
    throw new SecretKeyError(
      `The key file ${path} does not hold ${secretKeyBytes * 2} hexadecimal digits, or up to ${keysMax} lines of them. Restore it from a backup; remove it only if no database was used with it.`,
    );
  }
  return [Uint8Array.fromHex(newest), ...older.map((line) => Uint8Array.fromHex(line))];
}

/** Equal where the file was not written meanwhile: every write replaces the file by another one. */
export async function keyFileIdentity(path: string): Promise<string> {
  const { ino, mtimeNs, size } = await stat(path, { bigint: true });
  return `${ino} ${mtimeNs} ${size}`;
}

/**
 * Puts other keys in the file, whole and at once: a reader meanwhile, and a start after a crash, finds the old or the new
 * ones. It keeps its owner, also where root runs the command.
 */
export async function replaceKeyFile(path: string, secrets: KeyList<Uint8Array>): Promise<void> {
  const before = await lstat(path);
  if (!before.isFile()) {
    throw new SecretKeyError(
      `The key file ${path} is a link: the program that created it must put the new key in its first line. docs/configuration.md says how.`,
    );
  }
  if (secrets.length > keysMax) {
    throw new SecretKeyError(
      `The key file ${path} holds ${keysMax} keys, which is the most. Run \`weir rotate-key --drop-old\` first.`,
    );
  }
  const draft = draftOf(path);
  try {
    await writeExclusively(draft, secrets.map((secret) => `${secret.toHex()}\n`).join(''), before);
    await rename(draft, path);
  } catch (error) {
    await unlink(draft).catch(() => undefined);
    throw new SecretKeyError(`The key file ${path} cannot be written (${codeOf(error)}).`, { cause: error });
  }
  await syncFolder(dirname(path));
}

/** Only one process at a time makes and drops keys: the lock is the operating system's, which a killed process gives back. */
export async function holdKeyFile<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  if ((await lstat(path).catch(() => undefined)) === undefined) {
    throw new SecretKeyError(`There is no key file ${path} yet: the first start of Weir makes it.`);
  }
  const lock = new Database(`${path}.lock`, { create: true, readwrite: true });
  try {
    try {
      lock.run('PRAGMA busy_timeout = 0');
      // Where another holds it, already this is refused.
      lock.run('PRAGMA journal_mode = MEMORY');
      lock.run('BEGIN EXCLUSIVE');
    } catch (error) {
      throw new SecretKeyError('Another `weir rotate-key` is running on this key file.', { cause: error });
    }
    await removeDrafts(path);
    return await work();
  } finally {
    lock.close();
  }
}

/** A process that was killed while it wrote left one behind, with keys in it. */
async function removeDrafts(path: string): Promise<void> {
  const isDraft = new RegExp(`^${basename(path).replaceAll('.', '\\.')}\\.\\d+\\.[0-9a-f]{8}$`);
  for (const name of await readdir(dirname(path))) if (isDraft.test(name)) await unlink(join(dirname(path), name));
}

/** Written whole under another name and then linked, so that neither a crash nor a second process shows half a key. */
async function createKeyFile(path: string): Promise<boolean> {
  const text = `${randomBytes(secretKeyBytes).toString('hex')}\n`;
  const draft = draftOf(path);
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

const draftOf = (path: string): string => `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

async function writeExclusively(path: string, text: string, owner?: Owner): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    const made = await file.stat();
    if (owner !== undefined && (made.uid !== owner.uid || made.gid !== owner.gid)) {
      await file.chown(owner.uid, owner.gid);
    }
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A name is durable once its folder is. */
async function syncFolder(folder: string): Promise<void> {
  // Windows opens no folders.
  if (process.platform === 'win32') return;
  const opened = await open(folder, 'r');
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}

async function closeToOthers(path: string): Promise<void> {
  // Windows has no such mode bits; its own access lists decide there.
  if (process.platform === 'win32') return;
  if (((await stat(path)).mode & 0o077) === 0) return;
  // Only a plain file is repaired: the target of a link is managed by another tool.
  const isOurs = (await lstat(path)).isFile();
  const failure = isOurs ? await chmod(path, 0o600).catch((error: unknown) => error) : undefined;
  if (!isOurs || ((await stat(path)).mode & 0o077) !== 0) {
    throw new SecretKeyError(
      `The key file ${path} can be read by other users${isOurs ? ' and its mode cannot be changed' : ''}. Run \`chmod 600\` on it as its owner, or set WEIR_SECRET_KEY instead.`,
      { cause: failure },
    );
  }
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
}
