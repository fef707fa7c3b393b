/**
 * A temporary file for one upload. Its name is random and gone as soon as it is open, so that nothing can be left behind
 * however the process ends; the bytes live as long as the descriptor.
 */

import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';

const namePrefix = 'weir-upload-';
const nameShape = /^weir-upload-[0-9a-f]{32}$/;

/**
 * Makes the folder and removes what a process left that died between making a file and taking its name away. A living
 * process loses nothing by it, since its files have no names any more. Gives the number of files removed.
 */
export async function sweepSpool(folder: string): Promise<number> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const names = (await readdir(folder)).filter((name) => nameShape.test(name));
  const removed = await Promise.all(names.map((name) => remove(join(folder, name))));
  return removed.filter(Boolean).length;
}

/** Some systems keep the name of an open file; false then, and the name goes when the file is closed. */
function remove(path: string): Promise<boolean> {
  return unlink(path).then(
    () => true,
    (error: unknown) => isMissing(error),
  );
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

export class SpoolFile {
  readonly #handle: FileHandle;
  /** Set where the name could not be taken away at once. */
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

  /** Fills `into` from a position on; the bytes must be there. */
  async read(into: Uint8Array, position: number): Promise<void> {
    for (let done = 0; done < into.length; ) {
      const { bytesRead } = await this.#handle.read(into, done, into.length - done, position + done);
      if (bytesRead === 0) throw new Error('An upload that was kept is shorter than it was.');
      done += bytesRead;
    }
  }

  /** A read or write that is under way ends first: the handle waits for it. */
  close(): Promise<void> {
    this.#closing ??= this.#handle.close().then(async () => {
      if (this.#path !== undefined) await remove(this.#path);
    });
    return this.#closing;
  }
}
