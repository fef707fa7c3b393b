/** A connection of HTTP/1.1 by hand: sends any bytes in any pieces, reads when it wants, and sees how the server closes. */

import { connect, type Socket } from 'node:net';
import { type ParsedReply, parseReplies } from './http-replies.ts';

/** On a busy machine everything takes longer; a shorter bound would judge the machine. */
const boundMs = 240_000;

export class RawClient {
  readonly #socket: Socket;
  #pieces: Buffer[] = [];
  #waiting: (() => void)[] = [];
  bytes = 0;
  /** The server has ended its side in order. */
  isEnded = false;
  isReset = false;
  isClosed = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (piece: Buffer) => {
      this.#pieces.push(piece);
      this.bytes += piece.length;
      this.#changed();
    });
    socket.on('end', () => {
      this.isEnded = true;
      this.#changed();
    });
    socket.on('error', (error) => {
      this.isReset ||= 'code' in error && error.code === 'ECONNRESET';
    });
    socket.on('close', () => {
      this.isClosed = true;
      this.#changed();
    });
  }

  static open(port: number): Promise<RawClient> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port }, () => resolve(new RawClient(socket)));
      socket.once('error', reject);
    });
  }

  /** In one write, which the server mostly reads at once. */
  send(bytes: string | Uint8Array): void {
    if (!this.#socket.destroyed) this.#socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  }

  /** Each in a write of its own, with a chance for the server to read it alone. */
  async sendApart(pieces: Iterable<string>): Promise<void> {
    for (const piece of pieces) {
      this.send(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Bytes that were given to `send` and did not leave this process. */
  get unsentBytes(): number {
    return this.#socket.writableLength;
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Leaves in order, with everything read. */
  leave(): void {
    this.#socket.destroy();
  }

  get received(): Buffer {
    if (this.#pieces.length > 1) this.#pieces = [Buffer.concat(this.#pieces)];
    return this.#pieces[0] ?? Buffer.alloc(0);
  }

  get text(): string {
    return this.received.toString('latin1');
  }

  /** All replies so far; fails if anything else has come. */
  replies(methods?: readonly string[]): readonly ParsedReply[] {
    return parseReplies(this.received, methods, this.isEnded).replies;
  }

  /** The replies when there are so many, interim ones included. */
  async replied(count = 1, methods?: readonly string[]): Promise<readonly ParsedReply[]> {
    let replies: readonly ParsedReply[] = [];
    await this.when(() => {
      replies = this.replies(methods);
      return replies.length >= count;
    }, `${count} replies`);
    return replies;
  }

  async closed(): Promise<void> {
    await this.when(() => this.isClosed, 'the end of the connection');
  }

  /** Resolves as soon as the condition holds after something has arrived; fails if the connection ends before. */
  async when(condition: () => boolean, what: string): Promise<void> {
    const deadlineMs = performance.now() + boundMs;
    for (;;) {
      if (condition()) return;
      const leftMs = deadlineMs - performance.now();
      if (this.isClosed || leftMs <= 0)
        throw new Error(`${what} did not come; received: ${JSON.stringify(this.text.slice(0, 2_000))}`);
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, leftMs);
      this.#waiting.push(resolve);
      await promise;
      clearTimeout(timer);
    }
  }

  #changed(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
