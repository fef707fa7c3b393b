/**
 * A temporary file for one upload. It is unlinked as soon as it is open, so that nothing can be left behind
 * however the process ends; the bytes live as long as the descriptor.
 */

import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';

const namePrefix = 'weir-upload-';
const nameShape = /^weir-upload-[0-9a-f]{32}$/;

/**
 * Creates the folder and removes the files of processes that died between creating and unlinking a file. A running
 * process loses nothing by it, since its files have no names anymore. Returns the number of files removed.
 */
export async function sweepSpool(folder: string): Promise<number> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const names = (await readdir(folder)).filter((name) => nameShape.test(name));
  const removed = await Promise.all(names.map((name) => remove(join(folder, name))));
  return removed.filter(Boolean).length;
}

/** Some systems cannot unlink an open file; false then, and it is unlinked when the file is closed. */
function remove(path: string): Promise<boolean> {
  return unlink(path).then(
    () => true,
    (error: unknown) => isMissing(error),
  );
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

export class SpoolFile {
  readonly #handle: FileHandle;
  /** Set if the file could not be unlinked at once. */
  readonly #path: string | undefined;
  #closing: Promise<void> | undefined;

  private constructor(handle: FileHandle, path: string | undefined) {
    this.#handle = handle;
    this.#path = path;
  }

  static async create(folder: string): Promise<SpoolFile> {
    const path = join(folder, namePrefix + randomBytes(16).toString('hex'));
    const create = () => open(path, 'wx+', 0o600);
    const handle = await create().catch(async (error: unknown) => {
      if (!isMissing(error)) throw error;
      await mkdir(folder, { recursive: true, mode: 0o700 });
      return create();
    });
    return new SpoolFile(handle, (await remove(path)) ? undefined : path);
  }

  async write(bytes: Uint8Array, position: number): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      done += (await this.#handle.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
    }
  }

  /** Fills `into` from a position; the bytes must exist. */
  async read(into: Uint8Array, position: number): Promise<void> {
    for (let done = 0; done < into.length; ) {
      const { bytesRead } = await this.#handle.read(into, done, into.length - done, position + done);
      if (bytesRead === 0) throw new Error('A kept upload is shorter than it was.');
      done += bytesRead;
    }
  }

  /** A running read or write ends first: the handle waits for it. */
  close(): Promise<void> {
    this.#closing ??= this.#handle.close().then(async () => {
      if (this.#path !== undefined) await remove(this.#path);
    });
    return this.#closing;
  }
}
