/** How bytes reach a provider: one function. The network is one implementation, the sandbox another, a test a third. */

import type { ReplyRoom } from './reply-room.ts';

/** The part of an AbortSignal that a transport needs, so that a cheaper one can replace it on the hot path. */
export interface CancelSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: CancelListener): void;
  removeEventListener(type: 'abort', listener: CancelListener): void;
  /** Called by the transport when it begins to send: from then on the provider may work on the request, and bill it. */
  markSent?(): void;
}

export interface CancelListener {
  handleEvent(): void;
}

/** A body too large to hold: its length is known, its bytes are fetched as the connection takes them. */
export interface StreamedBody {
  readonly bytes: number;
  /**
   * From the start; called once per attempt, and only when the connection is open. A `lent` piece may be overwritten when the
   * next one is asked for, which saves its memory for a reader that keeps none.
   */
  open(piece?: 'lent'): AsyncIterable<Uint8Array>;
}

export interface UpstreamRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Headers of this request alone, where `headers` is shared by many: its text is then made once. */
  readonly ownHeaders?: Readonly<Record<string, string>> | undefined;
  readonly body?: Uint8Array<ArrayBuffer> | string | StreamedBody;
  /** The connection is not used again: its server closes it without saying so. */
  readonly isLast?: boolean | undefined;
  /** Aborting it ends the exchange at once, whatever it waits for; what waits rejects with the signal's reason. */
  readonly signal: CancelSignal;
}

/** A reply whose head has arrived. Its body is taken either whole or piece by piece, once. */
export interface UpstreamReply {
  readonly status: number;
  /** A header's value by its lower-case name; several of one name are joined with commas. */
  header(name: string): string | undefined;
  /**
   * The whole body. Rejects where it is larger than `bytesMax` (ReplyTooLargeError) or ends short. With `tailBytes` a
   * transport may read on to the end of one that is too large, and its error has that much of the end. With `room` a large one
   * takes room as it grows, until `leaveRoom`.
   */
  whole(bytesMax: number, tailBytes?: number, room?: ReplyRoom): Promise<Uint8Array<ArrayBuffer>>;
  /** The body that was read whole is not held any more. */
  leaveRoom?(): void;
  /** Bytes received so far of a body that `whole` waits for; undefined if it does not wait, waits for room, or the number is unknown. */
  readonly awaitedBytes?: number | undefined;
  /** The next piece as it arrived, undefined at the end. Rejects if the body is cut off. Reading ahead is bounded. */
  read(): Promise<Uint8Array | undefined>;
  /**
   * Hands over every further piece from inside the connection's read, in place of `read`: a stream of small pieces costs
   * no promises. The flow is held at first, and no `read` may be pending. Absent where pieces come from elsewhere.
   */
  receive?(receiver: PieceReceiver): PieceFlow;
  /** Memory of what arrived and was not taken; absent where it is not known. */
  readonly heldBytes?: number;
  /** Abandons a body whose rest is not needed. */
  cancel(): void;
}

/** None of its methods may throw. */
export interface PieceReceiver {
  piece(bytes: Uint8Array): void;
  /** The last call. */
  ended(): void;
  /** The last call: the body was cut off. */
  failed(error: unknown): void;
}

/** Pieces that come by themselves. While they are held reading pauses; what is on its way is kept, up to a bound. */
export interface PieceFlow {
  hold(): void;
  release(): void;
}

/** Resolves with the reply's head; the body follows as it is read. Rejects where no head came. */
export type Transport = (request: UpstreamRequest) => Promise<UpstreamReply>;

export function isStreamed(body: UpstreamRequest['body']): body is StreamedBody {
  return typeof body === 'object' && !(body instanceof Uint8Array);
}

export class ReplyTooLargeError extends Error {
  readonly bytesMax: number;
  /** The end of the body, where it was asked for and read. */
  readonly tail: Uint8Array | undefined;
  constructor(bytesMax: number, tail?: Uint8Array) {
    super(`The reply is larger than ${bytesMax} bytes.`);
    this.bytesMax = bytesMax;
    this.tail = tail;
    this.name = 'ReplyTooLargeError';
  }
}

/**
 * The connection failed before a byte of the request was sent: no provider has seen it, so another target may be tried.
 */
export class UnsentError extends Error {
  readonly code: string;
  constructor(code: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'UnsentError';
    this.code = code;
  }
}
