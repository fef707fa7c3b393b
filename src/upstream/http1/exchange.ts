/**
 * One request and its reply, as the caller sees them: the promise of a head, then a body taken whole or piece by piece. The
 * connection below fills it; once the reply has arrived, the connection is free although the caller may still be reading.
 */

import { heldBytes } from '../../framing/held-bytes.ts';
import { type ReplyRoom, type RoomTicket, roomStepBytes } from '../reply-room.ts';
import {
  type CancelSignal,
  type PieceFlow,
  type PieceReceiver,
  ReplyTooLargeError,
  type StreamedBody,
  type UpstreamReply,
} from '../transport.ts';
import { type DecodedSink, Decoder } from './decode.ts';
import { headerOf, type ReplyHead } from './reply-head.ts';

/** The part of the connection that the exchange may use. */
export interface Carrier {
  pause(): void;
  resume(): void;
  /** Closes at once; nothing more is reported to the exchange. */
  abandon(): void;
}

/** What is to be sent, complete and checked. */
export interface Outgoing {
  readonly head: string;
  readonly body: Uint8Array<ArrayBuffer> | string | undefined;
  /** A body that is not at hand as bytes; then `body` is absent. */
  readonly streamed: StreamedBody | undefined;
  readonly bodyBytes: number;
  /** Whether the reply has no body whatever its head says. */
  readonly bodiless: boolean;
}

const nothing = new Uint8Array(0);
/** A body of which the tail is wanted is read up to so many times the size that is taken whole. */
const tailReadTimes = 4;

export class Exchange implements UpstreamReply, DecodedSink, PieceFlow {
  /** Dropped when the exchange is over, so that a reply that is kept does not keep its request. */
  outgoing: Outgoing | undefined;
  carrier: Carrier | undefined;
  status = 0;
  readonly #signal: CancelSignal;
  readonly #highWaterBytes: number;
  readonly #resolveHead: (reply: UpstreamReply) => void;
  readonly #rejectHead: (error: unknown) => void;
  #head = '';
  #announcedBytes = 0;
  #decoder: Decoder | undefined;
  #pieces: Uint8Array[] = [];
  #unreadBytes = 0;
  #paused = false;
  #ended = false;
  #failed = false;
  #failure: unknown;
  /** Why no more bytes come, while those that came are still decoded. */
  #cutOffBy: unknown;
  #resolveRead: ((piece: Uint8Array | undefined) => void) | undefined;
  #resolveWhole: ((bytes: Uint8Array<ArrayBuffer>) => void) | undefined;
  #rejectRead: ((error: unknown) => void) | undefined;
  #wholeBytesMax = 0;
  /** Beyond it a body that is read whole needs room, or is too large. */
  #checkedBytes = 0;
  #room: ReplyRoom | undefined;
  #ticket: RoomTicket | undefined;
  #waitsForRoom = false;
  #tailBytes = 0;
  /** Of the front of a body that is too large. */
  #droppedBytes = 0;
  #receiver: PieceReceiver | undefined;
  #isHeld = false;

  constructor(
    outgoing: Outgoing,
    signal: CancelSignal,
    highWaterBytes: number,
    resolve: (reply: UpstreamReply) => void,
    reject: (error: unknown) => void,
  ) {
    this.outgoing = outgoing;
    this.#signal = signal;
    this.#highWaterBytes = highWaterBytes;
    this.#resolveHead = resolve;
    this.#rejectHead = reject;
    // The exchange is its own listener: no closure per request.
    signal.addEventListener('abort', this);
  }

  get over(): boolean {
    return this.#ended || this.#failed;
  }

  /** The signal's abort: unread pieces are not needed anymore. */
  handleEvent(): void {
    this.#pieces.length = 0;
    this.#abandon(this.#signal.reason);
  }

  // Called by the connection.

  /** The request is sent over an open connection. */
  sent(): void {
    this.#signal.markSent?.();
  }

  headArrived(head: ReplyHead, text: string): void {
    this.status = head.status;
    this.#head = text;
    this.#announcedBytes = head.encoding === '' ? head.length : -1;
    if (head.encoding !== '') this.#decoder = new Decoder(head.encoding, this);
    this.#resolveHead(this);
  }

  push(piece: Uint8Array): void {
    if (this.#decoder === undefined) this.decoded(piece);
    else this.#decoder.push(piece);
  }

  /** The body has arrived in full. From now on the connection does not belong to this exchange. */
  bodyArrived(): void {
    this.carrier = undefined;
    if (this.#decoder === undefined) this.decodedEnd();
    else this.#decoder.end();
  }

  /** The connection is gone before the reply's end. What arrived is decoded first. */
  cutOff(error: unknown): void {
    const decoder = this.#decoder;
    if (decoder === undefined || this.over) {
      this.fail(error);
      return;
    }
    this.#cutOffBy = error;
    this.carrier = undefined;
    this.#resume();
    decoder.end();
  }

  /** Ends the exchange with an error; what arrived before it can still be read. */
  fail(error: unknown): void {
    if (this.over) return;
    this.#failed = true;
    this.#failure = error;
    this.#decoder?.destroy();
    this.#letGo();
    this.#rejectHead(error);
    if (this.#resolveWhole !== undefined) this.#pieces.length = 0;
    this.leaveRoom();
    this.#rejectRead?.(error);
    this.#settled();
    if (this.#receiver !== undefined) this.#handOver();
  }

  // Called by the decoder, or by the connection if nothing is encoded.

  decoded(piece: Uint8Array): void {
    if (this.over) return;
    const receiver = this.#receiver;
    if (receiver !== undefined && !this.#isHeld && this.#pieces.length === 0) {
      receiver.piece(piece);
      return;
    }
    const resolve = this.#resolveRead;
    if (resolve !== undefined) {
      this.#settled();
      resolve(piece);
      return;
    }
    this.#pieces.push(piece);
    this.#unreadBytes += piece.length;
    if (this.#resolveWhole !== undefined) {
      if (this.#unreadBytes > this.#checkedBytes) this.#checkWhole();
    } else if (this.#unreadBytes > this.#highWaterBytes) this.#pause();
  }

  decodedEnd(): void {
    if (this.over) return;
    if (this.#cutOffBy !== undefined) {
      this.fail(this.#cutOffBy);
      return;
    }
    this.#ended = true;
    this.#letGo();
    const resolveWhole = this.#resolveWhole;
    const resolveRead = this.#resolveRead;
    const tooLarge = resolveWhole === undefined ? undefined : this.#endedTooLarge();
    const reject = this.#rejectRead;
    this.#settled();
    if (tooLarge !== undefined) reject?.(tooLarge);
    else if (resolveWhole !== undefined) resolveWhole(this.#joined());
    else if (this.#receiver !== undefined) this.#handOver();
    else resolveRead?.(undefined);
  }

  decodeFailed(error: Error): void {
    this.#abandon(this.#cutOffBy ?? error);
  }

  encodedFull(): void {
    this.carrier?.pause();
  }

  encodedDrained(): void {
    this.carrier?.resume();
  }

  // Called by the caller.

  header(name: string): string | undefined {
    return headerOf(this.#head, name);
  }

  whole(bytesMax: number, tailBytes = 0, room?: ReplyRoom): Promise<Uint8Array<ArrayBuffer>> {
    if (this.#failed) return Promise.reject(this.#failure);
    this.#wholeBytesMax = bytesMax;
    this.#tailBytes = tailBytes;
    this.#room = room;
    this.#checkedBytes = room === undefined ? bytesMax : Math.min(bytesMax, roomStepBytes);
    if (Math.max(this.#unreadBytes, this.#announcedBytes) > this.#readBytesMax) {
      this.#tooLarge();
      return Promise.reject(this.#failure ?? new ReplyTooLargeError(bytesMax));
    }
    if (this.#ended) {
      const tooLarge = this.#endedTooLarge();
      return tooLarge === undefined ? Promise.resolve(this.#joined()) : Promise.reject(tooLarge);
    }
    return new Promise((resolve, reject) => {
      this.#resolveWhole = resolve;
      this.#rejectRead = reject;
      this.#resume();
    });
  }

  get awaitedBytes(): number | undefined {
    return this.#resolveWhole === undefined || this.#waitsForRoom ? undefined : this.#unreadBytes;
  }

  read(): Promise<Uint8Array | undefined> {
    const piece = this.#next();
    if (piece !== undefined) return Promise.resolve(piece);
    if (this.#failed) return Promise.reject(this.#failure);
    if (this.#ended) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      this.#resolveRead = resolve;
      this.#rejectRead = reject;
    });
  }

  receive(receiver: PieceReceiver): PieceFlow {
    this.#receiver = receiver;
    this.#isHeld = true;
    return this;
  }

  hold(): void {
    this.#isHeld = true;
    // Otherwise each stream whose client is behind would keep a second read.
    if (!this.over && this.#cutOffBy === undefined) this.#pause();
  }

  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#handOver();
    if (!this.#isHeld && this.#unreadBytes * 2 <= this.#highWaterBytes) this.#resume();
  }

  get heldBytes(): number {
    return heldBytes(this.#pieces);
  }
  cancel(): void {
    this.#pieces.length = 0;
    this.#abandon(new Error('The reply was cancelled.'));
  }

  /** What was kept, and the end if it has come. The receiver may hold the flow from inside each call. */
  #handOver(): void {
    for (let piece = this.#next(); piece !== undefined; piece = this.#next()) this.#receiver?.piece(piece);
    if (this.#isHeld || !this.over) return;
    const receiver = this.#receiver;
    this.#receiver = undefined;
    if (this.#failed) receiver?.failed(this.#failure);
    else receiver?.ended();
  }

  #next(): Uint8Array | undefined {
    if (this.#isHeld) return undefined;
    const piece = this.#pieces.shift();
    if (piece === undefined) return undefined;
    this.#unreadBytes -= piece.length;
    if (this.#paused && this.#unreadBytes * 2 <= this.#highWaterBytes) this.#resume();
    return piece;
  }

  /** How much is read, of which all but the tail is dropped where it is too large. */
  get #readBytesMax(): number {
    return this.#wholeBytesMax * (this.#tailBytes === 0 ? 1 : tailReadTimes);
  }

  #checkWhole(): void {
    if (this.#unreadBytes > this.#wholeBytesMax) {
      this.#readBeyond();
      return;
    }
    this.#ticket ??= this.#room?.enter();
    const moreBytes = this.#unreadBytes - this.#checkedBytes + roomStepBytes;
    this.#checkedBytes = Math.min(this.#checkedBytes + moreBytes, this.#wholeBytesMax);
    const waiting = this.#ticket?.grow(moreBytes);
    if (waiting === undefined || this.#cutOffBy !== undefined) return;
    this.#waitsForRoom = true;
    this.#pause();
    void waiting.then(() => {
      this.#waitsForRoom = false;
      this.#resume();
    });
  }

  leaveRoom(): void {
    this.#ticket?.release();
    this.#ticket = undefined;
  }

  /** Of a body that is too large only the tail is kept. */
  #readBeyond(): void {
    if (this.#unreadBytes > this.#readBytesMax) {
      this.#tooLarge();
      return;
    }
    for (;;) {
      const length = this.#pieces[0]?.length;
      if (length === undefined || this.#unreadBytes - this.#droppedBytes - length < this.#tailBytes) return;
      this.#droppedBytes += length;
      this.#pieces.shift();
    }
  }

  #endedTooLarge(): ReplyTooLargeError | undefined {
    return this.#unreadBytes > this.#wholeBytesMax
      ? new ReplyTooLargeError(this.#wholeBytesMax, this.#joined())
      : undefined;
  }

  #tooLarge(): void {
    this.#pieces.length = 0;
    this.#abandon(new ReplyTooLargeError(this.#wholeBytesMax));
  }

  #abandon(error: unknown): void {
    const { carrier } = this;
    this.fail(error);
    carrier?.abandon();
  }

  #joined(): Uint8Array<ArrayBuffer> {
    const pieces = this.#pieces;
    const [first] = pieces;
    this.#pieces = [];
    this.#unreadBytes = 0;
    if (first === undefined) return nothing;
    // The pieces are cut from the reads' own memory, which the runtime allocates for each read; it is never shared
    // memory.
    return pieces.length === 1 ? (first as Uint8Array<ArrayBuffer>) : Buffer.concat(pieces);
  }

  #pause(): void {
    if (this.#paused) return;
    // The decoder would discard what it holds as soon as it finds the end missing.
    if (this.#cutOffBy !== undefined) {
      this.fail(this.#cutOffBy);
      return;
    }
    this.#paused = true;
    if (this.#decoder === undefined) this.carrier?.pause();
    else this.#decoder.pause();
  }

  #resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    if (this.#decoder === undefined) this.carrier?.resume();
    else this.#decoder.resume();
  }

  #settled(): void {
    this.#resolveRead = undefined;
    this.#resolveWhole = undefined;
    this.#rejectRead = undefined;
  }

  #letGo(): void {
    this.carrier = undefined;
    this.outgoing = undefined;
    this.#signal.removeEventListener('abort', this);
  }
}
