/** Images that callers fetch by a URL: kept wherever results are stored, each behind a signature that expires with it. */

import { randomBytes } from 'node:crypto';
import type { Signing } from '../../secrets/signing.ts';
import type { OwnedResults } from './owned-results.ts';
import type { ByteRange, OpenedResult } from './result-store.ts';

interface ResultFilesOptions {
  readonly results: OwnedResults;
  readonly signing: Signing;
  readonly lifetimeMs: number;
  readonly bytesMax: number;
  wallMs(): number;
  onFault(message: string, cause: unknown): void;
}

export interface FoundResult {
  /** Whose request made it. */
  readonly tokenId: string;
  readonly mediaType: string;
  readonly bytes: number;
  readonly expiresAtMs: number;
  open(range: ByteRange | undefined): Promise<OpenedResult | undefined>;
}

interface KeptFile {
  /** The last part of its URL. */
  readonly address: string;
  /** False where it could not be kept, so that the URL does not work. Never rejects. */
  readonly kept: Promise<boolean>;
}

const idShape = /^[a-z0-9]{32}\.(?<extension>[a-z0-9]{1,5})$/;
/** A reply waits so long for its images to be kept. */
const patienceMs = 10_000;
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

  constructor(options: ResultFilesOptions) {
    this.#options = options;
  }

  /** Every replica serves the URL once it is kept, and none before. */
  keep(tokenId: string, bytes: Uint8Array, mediaType: string): KeptFile {
    const { wallMs, lifetimeMs, signing } = this.#options;
    const extension = Object.keys(mediaTypes).find((name) => mediaTypes[name] === mediaType) ?? 'bin';
    const id = `${randomBytes(16).toString('hex')}.${extension}`;
    const expires = Math.ceil((wallMs() + lifetimeMs) / 1_000);
    const address = `${id}?expires=${expires}&signature=${signing.sign(signedText(id, expires))}`;
    return { address, kept: this.#write(tokenId, id, mediaType, bytes) };
  }

  /** Nothing where the URL was not made here, has expired, or its image is gone. */
  async find(id: string, query: URLSearchParams): Promise<FoundResult | undefined> {
    const extension = idShape.exec(id)?.groups?.['extension'];
    const expires = Number(query.get('expires'));
    if (extension === undefined || !Number.isSafeInteger(expires)) return undefined;
    const { signing, results, wallMs } = this.#options;
    if (expires * 1_000 <= wallMs()) return undefined;
    if (!(await signing.isSigned(signedText(id, expires), query.get('signature') ?? ''))) return undefined;
    const row = await results.find(id);
    if (row === undefined) return undefined;
    const mediaType = mediaTypes[extension] ?? 'application/octet-stream';
    const { tokenId, bytes } = row;
    return { tokenId, mediaType, bytes, expiresAtMs: expires * 1_000, open: (range) => results.open(id, range) };
  }

  async #write(tokenId: string, id: string, mediaType: string, bytes: Uint8Array): Promise<boolean> {
    const { results, bytesMax, onFault } = this.#options;
    const writing = results.write(id, mediaType, once(bytes), bytesMax, tokenId).then(
      () => true,
      (cause: unknown) => {
        onFault('An image could not be kept; it is in the reply itself.', cause);
        return false;
      },
    );
    let timer: Timer | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(resolve, patienceMs, false);
    });
    return Promise.race([writing, late]).finally(() => clearTimeout(timer));
  }
}

const signedText = (id: string, expires: number): string => `${id}\n${expires}`;

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
