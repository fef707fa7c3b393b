/** How bytes reach a provider: one function. The network is one implementation, the sandbox another, a test a third. */

/** The part of an AbortSignal that a transport needs, so that a cheaper one can stand in for it on the hot path. */
export interface CancelSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: CancelListener): void;
  removeEventListener(type: 'abort', listener: CancelListener): void;
  /** Told by the transport when the request begins to leave: from then on the provider may work on it, and bill it. */
  markSent?(): void;
}

export interface CancelListener {
  handleEvent(): void;
}

/** A body too large to hold: its length is known, its bytes are fetched as the connection takes them. */
export interface StreamedBody {
  readonly bytes: number;
  /** From the start; asked for once per attempt, and only when the connection stands. */
  open(): AsyncIterable<Uint8Array>;
}

export interface UpstreamRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer> | string | StreamedBody;
  /** Aborting it ends the exchange at once, whatever it waits for; what waits rejects with the signal's reason. */
  readonly signal: CancelSignal;
}

/** A reply whose head has arrived. Its body is taken either whole or piece by piece, once. */
export interface UpstreamReply {
  readonly status: number;
  /** A header's value by its lower-case name; several of one name are joined with commas. */
  header(name: string): string | undefined;
  /** The whole body. Rejects where it is larger than `bytesMax` (ReplyTooLargeError) or ends short. */
  whole(bytesMax: number): Promise<Uint8Array<ArrayBuffer>>;
  /** How much of a body has arrived that is waited for whole; undefined where none is, or where nobody can tell. */
  readonly awaitedBytes?: number | undefined;
  /** The next piece as it arrived, undefined at the end. Rejects where the body breaks off. Nothing is read ahead without bound. */
  read(): Promise<Uint8Array | undefined>;
  /** Lets go of a body that nobody needs to its end. */
  cancel(): void;
}

/** Resolves with the reply's head; the body follows as it is read. Rejects where no head came. */
export type Transport = (request: UpstreamRequest) => Promise<UpstreamReply>;

export function isStreamed(body: UpstreamRequest['body']): body is StreamedBody {
  return typeof body === 'object' && !(body instanceof Uint8Array);
}

export class ReplyTooLargeError extends Error {
  readonly bytesMax: number;
  constructor(bytesMax: number) {
    super(`The reply is larger than ${bytesMax} bytes.`);
    this.bytesMax = bytesMax;
    this.name = 'ReplyTooLargeError';
  }
}

/** The connection failed before a byte of the request left: nobody saw it, so somebody else may be asked. */
export class UnsentError extends Error {
  readonly code: string;
  constructor(code: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'UnsentError';
    this.code = code;
  }
}
