/**
 * Forms and their surroundings for the tests of this folder: bodies by hand, a folder to spool in, a
 * clock that tests set.
 */

import { mkdtempSync, readdirSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Watched } from '../../src/http/deadlines.ts';
import type { FormLimits } from '../../src/http/multipart/limits.ts';
import { type FormOptions, readForm } from '../../src/http/multipart/read-form.ts';
import type { UploadMemory } from '../../src/http/multipart/upload-memory.ts';

export const boundary = 'weir-test-boundary';
export const contentType = `multipart/form-data; boundary=${boundary}`;

export interface ScriptedPart {
  readonly head: string;
  readonly content: string | Uint8Array;
}

export const field = (name: string, content: string): ScriptedPart => ({
  head: `Content-Disposition: form-data; name="${name}"`,
  content,
});

export const file = (name: string, content: string | Uint8Array, more = 'filename="a.bin"'): ScriptedPart => ({
  head: `Content-Disposition: form-data; name="${name}"; ${more}\r\nContent-Type: audio/wav`,
  content,
});

export function bodyOf(parts: readonly ScriptedPart[], end = `--${boundary}--\r\n`): Buffer {
  const pieces = parts.flatMap(({ head, content }) => [
    Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`),
    Buffer.from(content as Uint8Array),
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...pieces, Buffer.from(end)]);
}

/** The bytes in pieces of one size. */
export async function* pieces(bytes: Uint8Array, size = bytes.length || 1): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** A ticker that ticks only on `tick`. */
export class ManualClock {
  readonly watched = new Set<Watched>();
  add(one: Watched): void {
    this.watched.add(one);
  }
  delete(one: Watched): void {
    this.watched.delete(one);
  }
  tick(nowMs: number): void {
    for (const one of this.watched) one.tick(nowMs);
  }
}

export class SpoolFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'weir-spool-'));

  /** Files that have a name, and files that are only open: nothing else shows whether an upload was released. */
  get left(): { named: number; open: number } {
    return { named: readdirSync(this.path).length, open: this.#descriptors().length };
  }

  /** The permissions of the open files. */
  get modes(): string[] {
    return this.#descriptors().map((path) => (statSync(path).mode & 0o777).toString(8));
  }

  #descriptors(): string[] {
    return readdirSync('/proc/self/fd')
      .map((name) => `/proc/self/fd/${name}`)
      .filter((path) => {
        try {
          return readlinkSync(path).startsWith(this.path);
        } catch {
          return false;
        }
      });
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

export interface Surroundings {
  readonly limits?: Partial<FormLimits>;
  readonly memoryBytesMax?: number;
  readonly memory?: UploadMemory;
  readonly signal?: AbortSignal;
  readonly clock?: ManualClock;
  readonly contentType?: string | null;
}

export function optionsIn(folder: SpoolFolder, given: Surroundings = {}): FormOptions {
  return {
    ...(given.limits !== undefined && { limits: given.limits }),
    ...(given.signal !== undefined && { signal: given.signal }),
    spool: {
      folder: folder.path,
      memoryBytesMax: given.memoryBytesMax ?? 1_048_576,
      ...(given.memory !== undefined && { memory: given.memory }),
    },
    deadlines: given.clock ?? new ManualClock(),
  };
}

export function read(
  folder: SpoolFolder,
  source: Uint8Array | AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>,
  given: Surroundings = {},
) {
  const stream = source instanceof Uint8Array ? pieces(source) : source;
  return readForm(stream, given.contentType === undefined ? contentType : given.contentType, optionsIn(folder, given));
}
