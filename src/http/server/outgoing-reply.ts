/** Sends one reply: its head with the framing of the body, then the body, pulled as fast as the client reads. */

import { type Reply, type ReplyController, type ReplySource, StreamedReply, WholeReply } from '../reply.ts';
import { framingNames, lineOf } from '../reply-headers.ts';
import { BodySource, unknownLength } from './body-source.ts';
import type { Outbox } from './outbox.ts';
import type { RequestHead } from './request-head.ts';
import { statusLine } from './status-lines.ts';

/** The connection that a reply is sent on. */
export interface ReplyOwner {
  readonly outbox: Outbox;
  /** The line `date: …` of this second. */
  readonly dateLine: string;
  /** The whole reply was handed to the outbox. */
  sent(): void;
  /** The reply cannot be completed. */
  broken(error: unknown): void;
  /** A failure that is a defect of the source. */
  report(error: unknown): void;
}

const lastChunk = '0\r\n\r\n';

export class OutgoingReply implements ReplyController {
  readonly #owner: ReplyOwner;
  #isBodiless: boolean;
  readonly #isOld: boolean;
  /** Whether the connection carries another request after this reply. */
  keepsAlive: boolean;
  #source: ReplySource | undefined;
  /** A head that was not sent yet: it goes with the first bytes. */
  #head = '';
  #isHeadSent = false;
  #isChunked = false;
  #lengthLeft = unknownLength;
  /** A pull is awaited. */
  #pulling = false;
  #isInPull = false;
  /** Enqueued inside a pull that has not returned: the head, or the end of the body, leaves together with it. */
  #piece: Uint8Array | undefined;
  #enqueued = false;
  #over = false;

  constructor(owner: ReplyOwner, { method, isOld, keepsAlive }: Pick<RequestHead, 'method' | 'isOld' | 'keepsAlive'>) {
    this.#owner = owner;
    this.#isBodiless = method === 'HEAD';
    this.#isOld = isOld;
    this.keepsAlive = keepsAlive;
  }

  /** From now on everything that is sent before the reply's end is a part of it. */
  get begun(): boolean {
    return this.#isHeadSent || this.#over;
  }

  send(reply: Reply): void {
    if (hasNoBody(reply.status)) this.#isBodiless = true;
    if (reply.headers.get('connection')?.toLowerCase() === 'close') this.keepsAlive = false;
    if (reply instanceof WholeReply) this.#sendWhole(reply);
    else if (reply instanceof StreamedReply) this.#sendStream(reply.status, reply.headers.lines(), reply.source);
    else void this.#sendResponse(reply).catch(this.#pullFailed);
  }

  /** The client has read what was sent. */
  drained(): void {
    this.#pullMore();
  }

  /** The client left, or the connection was closed. */
  leave(): void {
    if (this.#over) return;
    this.#over = true;
    this.#piece = undefined;
    const source = this.#source;
    this.#source = undefined;
    try {
      void Promise.resolve(source?.cancel()).catch(() => undefined);
    } catch {
      // The source is not needed any more.
    }
  }

  // Called by the source.

  enqueue(bytes: Uint8Array): void {
    if (this.#over) return;
    this.#enqueued = true;
    // As a chunk it would be the end of the body.
    if (bytes.length === 0) return;
    this.#flush();
    if (this.#isInPull) this.#piece = bytes;
    else this.#write(bytes, '');
  }

  close(): void {
    if (this.#over) return;
    if (this.#lengthLeft !== unknownLength && this.#lengthLeft !== (this.#piece?.length ?? 0)) {
      this.error(new Error('The body is not as long as announced.'));
      return;
    }
    this.#over = true;
    this.#source = undefined;
    const piece = this.#piece;
    this.#piece = undefined;
    this.#write(piece, this.#isChunked ? lastChunk : '');
    this.#owner.sent();
  }

  error(error: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#source = undefined;
    this.#flush();
    this.#owner.broken(error);
  }

  #sendWhole({ status, headers, content }: WholeReply): void {
    const lines = headers.lines();
    const { outbox } = this.#owner;
    this.#over = true;
    if (typeof content === 'string') {
      const length = Buffer.byteLength(content);
      const head = this.#headOf(status, lines, length);
      if (this.#isBodiless) outbox.write(head, undefined, '');
      else outbox.writeText(head, content, length);
    } else outbox.write(this.#headOf(status, lines, content.length), this.#isBodiless ? undefined : content, '');
    this.#owner.sent();
  }

  #sendStream(status: number, lines: string, source: ReplySource): void {
    if (this.#isBodiless) {
      this.#source = source;
      this.#owner.outbox.write(this.#headOf(status, lines, unknownLength), undefined, '');
      this.leave();
      this.#owner.sent();
      return;
    }
    this.#head = this.#headOf(status, lines, unknownLength);
    this.#begin(source);
    // The first bytes are mostly there at once, and leave together with the head.
    this.#flush();
    if (this.#head !== '') this.#write(undefined, '');
  }

  #begin(source: ReplySource): void {
    this.#source = source;
    source.start?.(this);
    this.#pullMore();
  }

  async #sendResponse(reply: Reply): Promise<void> {
    const { status, headers, body } = reply;
    let lines = '';
    let announced: string | undefined;
    for (const [name, value] of headers) {
      if (name === 'content-length') announced = value;
      else if (!framingNames.has(name)) lines += lineOf(name, value);
    }
    if (body === null || (this.#isBodiless && announced !== undefined)) {
      void body?.cancel();
      this.#sendEmpty(status, lines, announced);
      return;
    }
    const source = new BodySource(body);
    // From now on it is cancelled if the client leaves; it is pulled only after its first bytes.
    this.#source = source;
    this.#pulling = true;
    const first = await source.first();
    this.#pulling = false;
    if (this.#over) return;
    const length = announced === undefined ? source.length : Number(announced);
    this.#head = this.#headOf(status, lines, length);
    if (this.#isBodiless) {
      this.#source = source;
      this.#write(undefined, '');
      this.leave();
      return this.#owner.sent();
    }
    this.#lengthLeft = length;
    if (first !== undefined) this.enqueue(first);
    if (source.length !== unknownLength) this.close();
    else this.#begin(source);
  }

  #sendEmpty(status: number, lines: string, announced: string | undefined): void {
    const length = this.#isBodiless && announced !== undefined ? Number(announced) : 0;
    this.#over = true;
    this.#owner.outbox.write(this.#headOf(status, lines, length), undefined, '');
    this.#owner.sent();
  }

  /** Without a length for a status that has no body. */
  #headOf(status: number, lines: string, length: number): string {
    let framing = '';
    const hasFraming = !hasNoBody(status);
    if (hasFraming && length === unknownLength) {
      this.#isChunked = !this.#isOld;
      if (this.#isOld) this.keepsAlive = false;
      else framing = 'transfer-encoding: chunked\r\n';
    } else if (hasFraming) framing = `content-length: ${length}\r\n`;
    const connection = this.keepsAlive ? (this.#isOld ? 'connection: keep-alive\r\n' : '') : 'connection: close\r\n';
    return `${statusLine(status)}${lines}${this.#owner.dateLine}${connection}${framing}\r\n`;
  }

  get heldBytes(): number {
    return (this.#piece?.buffer.byteLength ?? 0) + (this.#source?.heldBytes() ?? 0);
  }

  get desiredSize(): number {
    // A piece that was enqueued inside a pull is written when that returns.
    return this.#piece === undefined && this.#owner.outbox.isEmpty ? 1 : 0;
  }

  #pullMore(): void {
    for (;;) {
      const source = this.#source;
      if (source === undefined || this.#pulling || this.#over || !this.#owner.outbox.isEmpty) return;
      this.#enqueued = false;
      this.#isInPull = true;
      const pulling = this.#pull(source);
      this.#isInPull = false;
      this.#flush();
      if (pulling !== undefined) {
        this.#pulling = true;
        pulling.then(this.#pulled, this.#pullFailed);
        return;
      }
      if (!this.#enqueued) return;
    }
  }

  #pull(source: ReplySource): Promise<void> | undefined {
    try {
      return source.pull(this);
    } catch (error) {
      this.error(error);
      this.#owner.report(error);
      return undefined;
    }
  }

  readonly #pulled = (): void => {
    this.#pulling = false;
    // A source that had nothing enqueues by itself when it has something.
    if (this.#enqueued) this.#pullMore();
  };

  readonly #pullFailed = (error: unknown): void => {
    this.#pulling = false;
    this.error(error);
    this.#owner.report(error);
  };

  #flush(): void {
    const piece = this.#piece;
    if (piece === undefined) return;
    this.#piece = undefined;
    this.#write(piece, '');
  }

  #write(bytes: Uint8Array | undefined, end: string): void {
    const head = this.#head;
    this.#head = '';
    this.#isHeadSent = true;
    const { outbox } = this.#owner;
    if (bytes === undefined) {
      if (head !== '' || end !== '') outbox.write(head, undefined, end);
    } else if (this.#isChunked) {
      if (head === '' && end === '') outbox.writeChunk(bytes);
      else outbox.write(`${head}${bytes.length.toString(16)}\r\n`, bytes, end === '' ? '\r\n' : `\r\n${end}`);
    } else {
      if (this.#lengthLeft !== unknownLength) {
        this.#lengthLeft -= bytes.length;
        if (this.#lengthLeft < 0) {
          this.error(new Error('The body is longer than announced.'));
          return;
        }
      }
      outbox.write(head, bytes, end);
    }
  }
}

function hasNoBody(status: number): boolean {
  return status === 204 || status === 304 || status < 200;
}

/** The client left before the reply's head: a source that would be pulled is cancelled. */
export function abandon(reply: Reply): void {
  if (reply instanceof WholeReply) return;
  const cancelled = reply instanceof StreamedReply ? reply.source.cancel() : reply.body?.cancel();
  void Promise.resolve(cancelled).catch(() => undefined);
}
