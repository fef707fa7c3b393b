/** Results as objects in a bucket, at any service with the S3 protocol. */

import {
  type ByteRange,
  checkedName,
  type OpenedResult,
  type ResultStore,
  ResultTooLargeError,
} from './result-store.ts';

interface BucketResultsOptions {
  /** With its scheme; the bucket's own host where `virtualHosted`. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  /** Before every name, so that the bucket may hold other things. */
  readonly prefix: string;
  readonly virtualHosted?: boolean;
  /** Of one part of an upload: so much is in memory, and once more while the part is sent. */
  readonly partBytes?: number;
  /** How long the bucket may accept nothing, or answer nothing. */
  readonly stallMs?: number;
}

const usualPartBytes = 8 * 1_024 * 1_024;
const usualStallMs = 120_000;
const retries = 3;
const pageMax = 1_000;

export class BucketResults implements ResultStore {
  readonly #client: Bun.S3Client;
  readonly #prefix: string;
  readonly #partBytes: number;
  readonly #stallMs: number;

  constructor(options: BucketResultsOptions) {
    // The client takes what is left out from the environment, so every option is set: an empty session token counts
    // as left out.
    this.#client = new Bun.S3Client({
      endpoint: options.endpoint,
      bucket: options.bucket,
      region: options.region,
      accessKeyId: options.accessKeyId,
      secretAccessKey: options.secretAccessKey,
      ...(options.sessionToken !== undefined && { sessionToken: options.sessionToken }),
      virtualHostedStyle: options.virtualHosted ?? false,
    });
    this.#prefix = options.prefix === '' || options.prefix.endsWith('/') ? options.prefix : `${options.prefix}/`;
    this.#partBytes = options.partBytes ?? usualPartBytes;
    this.#stallMs = options.stallMs ?? usualStallMs;
  }

  /**
   * As a stream and not through the client's writer: ending a writer with an error completes the upload, while a stream that
   * fails makes the client give it up. One part at a time, so that a slow bucket slows the source down.
   */
  async write(
    name: string,
    mediaType: string,
    pieces: AsyncIterable<Uint8Array>,
    bytesMax: number,
  ): Promise<{ readonly bytes: number }> {
    const key = this.#key(name);
    const upload = new Upload(pieces, bytesMax, this.#stallMs);
    const options = { type: mediaType, partSize: this.#partBytes, queueSize: 1, retry: retries };
    try {
      const sending = this.#client.write(key, new Response(upload.stream()), options);
      sending.catch(() => undefined);
      await Promise.race([sending, upload.stalled]);
    } catch (error) {
      throw upload.failure ?? error;
    } finally {
      upload.end();
    }
    return { bytes: upload.bytes };
  }

  async open(name: string, range?: ByteRange): Promise<OpenedResult | undefined> {
    const bytes = await this.size(name);
    if (bytes === undefined) return undefined;
    const file = this.#client.file(this.#key(name));
    const part = range === undefined ? file : file.slice(range.start, range.end + 1);
    return { body: part.stream(), bytes };
  }

  async size(name: string): Promise<number | undefined> {
    const found = await this.#within(this.#client.stat(this.#key(name))).catch(unlessMissing);
    return found?.size;
  }

  async remove(name: string): Promise<void> {
    await this.#within(this.#client.delete(this.#key(name))).catch(unlessMissing);
  }

  async expire(beforeMs: number): Promise<number> {
    let removed = 0;
    let continuationToken: string | undefined;
    do {
      const page = await this.#within(
        this.#client.list({
          prefix: this.#prefix,
          maxKeys: pageMax,
          ...(continuationToken !== undefined && { continuationToken }),
        }),
      );
      for (const { key, lastModified } of page.contents ?? []) {
        if (lastModified === undefined || !(Date.parse(lastModified) < beforeMs)) continue;
        await this.#within(this.#client.delete(key));
        removed++;
      }
      continuationToken = page.isTruncated === true ? page.nextContinuationToken : undefined;
    } while (continuationToken !== undefined);
    return removed;
  }

  #key(name: string): string {
    return this.#prefix + checkedName(name);
  }

  /** The client itself waits for an answer without end. */
  async #within<Value>(asking: Promise<Value>): Promise<Value> {
    let timer: Timer | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new BucketStalledError(this.#stallMs)), this.#stallMs);
    });
    try {
      return await Promise.race([asking, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

export class BucketStalledError extends Error {
  constructor(stallMs: number) {
    super(`The bucket did nothing for ${stallMs} ms.`);
    this.name = 'BucketStalledError';
  }
}

/** One source that is written to the bucket: counted, bounded, and watched while the bucket is to act. */
class Upload {
  bytes = 0;
  /** Why the source ended early; more precise than the client's error. */
  failure: unknown;
  readonly stalled: Promise<never>;
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #bytesMax: number;
  readonly #stallMs: number;
  #onStall: (error: Error) => void = () => undefined;
  #timer: Timer | undefined;
  #ended = false;

  constructor(pieces: AsyncIterable<Uint8Array>, bytesMax: number, stallMs: number) {
    this.#source = pieces[Symbol.asyncIterator]();
    this.#bytesMax = bytesMax;
    this.#stallMs = stallMs;
    this.stalled = new Promise((_, reject) => {
      this.#onStall = reject;
    });
    this.stalled.catch(() => undefined);
    this.#watch();
  }

  stream(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>({ pull: (control) => this.#pull(control) }, { highWaterMark: 0 });
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
    // A source that was not read to its end releases what it holds; one that was does nothing.
    this.#source.return?.()?.catch(() => undefined);
  }

  async #pull(control: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    clearTimeout(this.#timer);
    try {
      const { done, value } = await this.#source.next();
      this.#watch();
      // A bucket that answers after all must not take an incomplete upload for the whole.
      if (this.#ended) throw new Error('The upload was given up.');
      if (done === true) return control.close();
      this.bytes += value.length;
      if (this.bytes > this.#bytesMax) throw new ResultTooLargeError(this.#bytesMax);
      control.enqueue(value);
    } catch (error) {
      this.failure ??= error;
      throw error;
    }
  }

  #watch(): void {
    if (this.#ended) return;
    this.#timer = setTimeout(() => {
      this.failure ??= new BucketStalledError(this.#stallMs);
      this.#onStall(new BucketStalledError(this.#stallMs));
    }, this.#stallMs);
  }
}

function unlessMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'NoSuchKey') return undefined;
  throw error;
}
