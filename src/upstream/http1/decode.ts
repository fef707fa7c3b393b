/**
 * Decompresses replies of servers that compress without being asked, as the bytes arrive and no faster than they are
 * read.
 */

import { Duplex } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { FramingError } from '../../framing/framing-error.ts';

/** Receives decoded bytes, and requests to pause and resume the encoded ones. */
export interface DecodedSink {
  decoded(piece: Uint8Array): void;
  decodedEnd(): void;
  decodeFailed(error: Error): void;
  encodedFull(): void;
  encodedDrained(): void;
}

const decodable = new Set(['gzip', 'x-gzip', 'deflate', 'br', 'zstd']);

export class Decoder {
  readonly #encoding: string;
  readonly #sink: DecodedSink;
  /**
   * Created at the first byte: an empty body is empty in every coding, and that byte shows which form of deflate it is.
   */
  #stream: Duplex | undefined;

  constructor(encoding: string, sink: DecodedSink) {
    if (!decodable.has(encoding)) {
      throw new FramingError(`The reply’s content coding ${JSON.stringify(encoding.slice(0, 40))} cannot be decoded.`);
    }
    this.#encoding = encoding;
    this.#sink = sink;
  }

  push(piece: Uint8Array): void {
    this.#stream ??= this.#open(piece[0] ?? 0);
    if (!this.#stream.write(piece)) this.#sink.encodedFull();
  }

  end(): void {
    if (this.#stream === undefined) this.#sink.decodedEnd();
    else this.#stream.end();
  }

  pause(): void {
    this.#stream?.pause();
  }

  resume(): void {
    this.#stream?.resume();
  }

  destroy(): void {
    this.#stream?.destroy();
  }

  #open(firstByte: number): Duplex {
    const stream = decodingStreamFor(this.#encoding, firstByte);
    stream.on('data', (piece: Uint8Array) => this.#sink.decoded(piece));
    stream.on('end', () => this.#sink.decodedEnd());
    stream.on('drain', () => this.#sink.encodedDrained());
    stream.on('error', (cause: Error) =>
      this.#sink.decodeFailed(
        new FramingError(`The reply’s ${this.#encoding} body is damaged or cut short: ${cause.message}`),
      ),
    );
    return stream;
  }
}

function decodingStreamFor(encoding: string, firstByte: number): Duplex {
  switch (encoding) {
    case 'br':
      return createBrotliDecompress();
    case 'zstd':
      return zstdStream();
    case 'deflate':
      // `deflate` means zlib's format, but many servers omit zlib's header.
      return (firstByte & 0x0f) === 8 ? createInflate() : createInflateRaw();
    default:
      return createGunzip();
  }
}

/** Unlike the stream of node:zlib, this one reports a truncated body (Bun 1.4.4). Its type declaration is missing. */
function zstdStream(): Duplex {
  const stream: unknown = new DecompressionStream('zstd' as CompressionFormat);
  return Duplex.fromWeb(stream as Parameters<typeof Duplex.fromWeb>[0]);
}
