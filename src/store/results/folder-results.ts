/** Results as files in a folder that other users cannot read. */

import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type ByteRange,
  checkedName,
  type OpenedResult,
  type ResultStore,
  ResultTooLargeError,
  unfinishedEnding,
} from './result-store.ts';

interface FolderResultsOptions {
  readonly folder: string;
}

export class FolderResults implements ResultStore {
  readonly #folder: string;

  constructor({ folder }: FolderResultsOptions) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  async write(
    name: string,
    _mediaType: string,
    pieces: AsyncIterable<Uint8Array>,
    bytesMax: number,
  ): Promise<{ readonly bytes: number }> {
    const path = this.#path(name);
    // Two replicas on one folder may write the same result; each has a draft of its own.
    const draft = `${path}.${randomBytes(8).toString('hex')}${unfinishedEnding}`;
    try {
      const file = await open(draft, 'wx', 0o600);
      const bytes = await writeAll(file, pieces, bytesMax).finally(() => file.close());
      await rename(draft, path);
      return { bytes };
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  async open(name: string, range?: ByteRange): Promise<OpenedResult | undefined> {
    const bytes = await this.size(name);
    if (bytes === undefined) return undefined;
    const file = Bun.file(this.#path(name));
    return { body: range === undefined ? file : file.slice(range.start, range.end + 1), bytes };
  }

  async size(name: string): Promise<number | undefined> {
    const found = await stat(this.#path(name)).catch(unlessMissing);
    return found?.size;
  }

  async remove(name: string): Promise<void> {
    await rm(this.#path(name), { force: true });
  }

  async expire(beforeMs: number): Promise<number> {
    let removed = 0;
    for (const name of await readdir(this.#folder)) {
      const path = join(this.#folder, name);
      const found = await stat(path).catch(unlessMissing);
      if (found === undefined || !found.isFile() || found.mtimeMs >= beforeMs) continue;
      await rm(path, { force: true });
      removed++;
    }
    return removed;
  }

  #path(name: string): string {
    return join(this.#folder, checkedName(name));
  }
}

async function writeAll(file: FileHandle, pieces: AsyncIterable<Uint8Array>, bytesMax: number): Promise<number> {
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > bytesMax) throw new ResultTooLargeError(bytesMax);
    for (let at = 0; at < piece.length; ) at += (await file.write(piece, at)).bytesWritten;
  }
  // The task is called completed after this: its file must outlive a power loss as the record does.
  await file.sync();
  return bytes;
}

function unlessMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}
