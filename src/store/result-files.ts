/** Results that callers fetch by an address: files in a folder, each behind a signature that ends with it. */

import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Signing } from '../secrets/signing.ts';

export interface ResultFilesOptions {
  readonly folder: string;
  readonly signing: Signing;
  readonly lifetimeMs: number;
  readonly bytesMax: number;
  wallMs(): number;
  onFault(message: string, cause: unknown): void;
}

export interface FoundResult {
  readonly path: string;
  readonly mediaType: string;
  readonly bytes: number;
  readonly expiresAtMs: number;
  /** The token that it was made for. */
  readonly tokenId: string;
}

const idShape = /^[a-z0-9]{32}\.(?<extension>[a-z0-9]{1,5})$/;
/** Only kinds that a browser shows or saves, never one that it runs. */
const mediaTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  mp4: 'video/mp4',
  bin: 'application/octet-stream',
};

export class ResultFiles {
  readonly #options: ResultFilesOptions;
  /** Files that are still being written: whoever asks for one waits for it. */
  readonly #writing = new Map<string, Promise<void>>();

  constructor(options: ResultFilesOptions) {
    this.#options = options;
    mkdirSync(options.folder, { recursive: true, mode: 0o700 });
  }

  /** Gives the address' last part at once; the file is written meanwhile. */
  keep(bytes: Uint8Array, mediaType: string, tokenId: string): string {
    const { folder, wallMs, lifetimeMs, onFault } = this.#options;
    const extension = Object.keys(mediaTypes).find((name) => mediaTypes[name] === mediaType) ?? 'bin';
    const id = `${randomBytes(16).toString('hex')}.${extension}`;
    const path = join(folder, id);
    // Whole or not at all: a file under its own name has all its bytes.
    const writing = writeFile(`${path}.part`, bytes, { mode: 0o600 })
      .then(() => rename(`${path}.part`, path))
      .catch((cause: unknown) => onFault('A result could not be kept.', cause))
      .finally(() => this.#writing.delete(id));
    this.#writing.set(id, writing);
    const expires = Math.ceil((wallMs() + lifetimeMs) / 1_000);
    const signature = this.#options.signing.sign(signedText(id, expires, tokenId));
    return `${id}?token=${tokenId}&expires=${expires}&signature=${signature}`;
  }

  /** Nothing where the address was not made here, has expired, or its file is gone. */
  async find(id: string, query: URLSearchParams): Promise<FoundResult | undefined> {
    const extension = idShape.exec(id)?.groups?.['extension'];
    const expires = Number(query.get('expires'));
    if (extension === undefined || !Number.isSafeInteger(expires)) return undefined;
    if (expires * 1_000 <= this.#options.wallMs()) return undefined;
    const { signing } = this.#options;
    const tokenId = query.get('token') ?? '';
    if (!(await signing.isSigned(signedText(id, expires, tokenId), query.get('signature') ?? ''))) return undefined;
    await this.#writing.get(id);
    const path = join(this.#options.folder, id);
    const found = await stat(path).catch(() => undefined);
    if (found === undefined) return undefined;
    return {
      path,
      mediaType: mediaTypes[extension] ?? 'application/octet-stream',
      bytes: found.size,
      expiresAtMs: expires * 1_000,
      tokenId,
    };
  }

  /** Removes what nobody can ask for any more, half-written leftovers too. */
  async expire(): Promise<void> {
    const { folder, wallMs, lifetimeMs } = this.#options;
    const before = wallMs() - lifetimeMs;
    for (const name of await readdir(folder).catch(() => [])) {
      const path = join(folder, name);
      const found = await stat(path).catch(() => undefined);
      if (found !== undefined && found.mtimeMs < before) await rm(path, { force: true });
    }
  }
}

const signedText = (id: string, expires: number, tokenId: string): string => `${id}\n${tokenId}\n${expires}`;
