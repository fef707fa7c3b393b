/**
 * Writes one HTTP reply onto a raw socket at the script's pace, waiting for the reader, and detects when
 * the reader is gone.
 */

import type { Socket } from 'node:net';
import { createGzip, type Gzip, gzipSync, constants as zlib } from 'node:zlib';
import type { InvoiceEntry } from './invoice.ts';

/** One caller's connection, watched once however many requests it carries. */
export class Connection {
  readonly socket: Socket;
  readonly gone: Promise<void>;
  isGone = false;

  constructor(socket: Socket) {
    this.socket = socket;
    this.gone = new Promise((resolve) => {
      const leave = () => {
        this.isGone = true;
        resolve();
      };
      socket.once('close', leave);
      socket.once('end', leave);
    });
  }
}

export class ReplyWriter {
  readonly #connection: Connection;
  readonly #entry: InvoiceEntry;
  #gzip: Gzip | undefined;

  constructor(connection: Connection, entry: InvoiceEntry) {
    this.#connection = connection;
    this.#entry = entry;
  }

  get isGone(): boolean {
    return this.#connection.isGone;
  }

  /** Resolves after the time, or at once when the reader leaves. */
  async wait(durationMs: number): Promise<void> {
    if (durationMs <= 0 || this.isGone) return;
    const timer = Promise.withResolvers<void>();
    const handle = setTimeout(timer.resolve, durationMs);
    await Promise.race([timer.promise, this.#connection.gone]);
    clearTimeout(handle);
  }

  waitUntilGone(): Promise<void> {
    return this.#connection.gone;
  }

  async whole(status: number, headers: Record<string, string>, body: Buffer, gzip: boolean): Promise<void> {
    const bytes = gzip ? gzipSync(body) : body;
    const encoding: Record<string, string> = gzip ? { 'content-encoding': 'gzip' } : {};
    await this.#write(
      Buffer.concat([head(status, { ...headers, ...encoding, 'content-length': `${bytes.length}` }), bytes]),
    );
  }

  /** The beginning of a body that was announced as longer. */
  async short(status: number, headers: Record<string, string>, begun: Buffer, announcedBytes: number): Promise<void> {
    await this.#write(Buffer.concat([head(status, { ...headers, 'content-length': `${announcedBytes}` }), begun]));
  }

  async startChunked(status: number, headers: Record<string, string>, gzip: boolean): Promise<void> {
    const encoding: Record<string, string> = gzip ? { 'content-encoding': 'gzip' } : {};
    if (gzip) this.#gzip = createGzip({ flush: zlib.Z_SYNC_FLUSH });
    await this.#write(head(status, { ...headers, ...encoding, 'transfer-encoding': 'chunked' }));
  }

  async chunk(bytes: Buffer): Promise<void> {
    await this.#chunk(this.#gzip === undefined ? bytes : await compressed(this.#gzip, bytes));
  }

  async endChunked(): Promise<void> {
    if (this.#gzip !== undefined) await this.#chunk(await finished(this.#gzip));
    await this.#write(Buffer.from('0\r\n\r\n'));
  }

  /** Closes the connection without ending the reply. */
  drop(how: 'end' | 'reset'): void {
    if (how === 'reset') this.#connection.socket.resetAndDestroy();
    else this.#connection.socket.destroy();
  }

  async #chunk(bytes: Buffer): Promise<void> {
    if (bytes.length === 0) return;
    await this.#write(Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]));
  }

  async #write(bytes: Buffer): Promise<void> {
    if (this.isGone) return;
    this.#entry.bytesSent += bytes.length;
    if (this.#connection.socket.write(bytes)) return;
    const drained = Promise.withResolvers<void>();
    this.#connection.socket.once('drain', drained.resolve);
    await Promise.race([drained.promise, this.#connection.gone]);
    this.#connection.socket.removeListener('drain', drained.resolve);
  }
}

function head(status: number, headers: Record<string, string>): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`HTTP/1.1 ${status} Scripted\r\n${lines.join('')}\r\n`);
}

function compressed(gzip: Gzip, bytes: Buffer): Promise<Buffer> {
  return new Promise((resolve) => {
    gzip.write(bytes, () => resolve((gzip.read() as Buffer | null) ?? Buffer.alloc(0)));
  });
}

async function finished(gzip: Gzip): Promise<Buffer> {
  const parts: Buffer[] = [];
  gzip.end();
  for await (const part of gzip) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
