/**
 * What a handler answers with: the runtime's `Response`, or one of two classes that cost a fraction of it on the hot
 * path. All three are read in the same way by code that changes or keeps replies.
 */

import { RecordHeaders, type SharedHeaders } from './reply-headers.ts';

export interface Reply {
  readonly status: number;
  readonly headers: {
    get(name: string): string | null;
    set(name: string, value: string): void;
    [Symbol.iterator](): Iterator<[string, string]>;
  };
  /** Read once, if at all. */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | null;
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
}

/** What a source of bytes does to the reply that it feeds. */
export interface ReplyController {
  enqueue(bytes: Uint8Array): void;
  /** Not above 0 while the client is behind, or if nothing was pulled. */
  readonly desiredSize: number | null;
  close(): void;
  /** The reply cannot be completed: the client's connection is closed without the end of the body. */
  error(error: unknown): void;
}

/** A source enqueues at most so many bytes for a pull: of more, a slow reader could not take all within its timeout. */
export const pulledBytesMax = 65_536;

/** A body that is pulled: the next piece is requested when the client has taken the last. */
export interface ReplySource {
  start?(controller: ReplyController): void;
  /** Without a promise, the source has enqueued what it had, and enqueues by itself what comes later. */
  pull(controller: ReplyController): Promise<void> | undefined;
  /** Memory that it keeps while the client is behind. */
  heldBytes(): number;
  /** The client left. */
  cancel(reason?: unknown): Promise<void> | undefined;
}

export function isReply(value: object): value is Reply {
  return value instanceof WholeReply || value instanceof StreamedReply || value instanceof Response;
}

type Fields = Readonly<Record<string, string>>;
type Bytes = Uint8Array<ArrayBuffer>;
const encoder = new TextEncoder();

/** A reply whose body is known. */
export class WholeReply implements Reply {
  readonly status: number;
  readonly headers: RecordHeaders;
  readonly content: Bytes | string;

  constructor(content: Bytes | string, own: Record<string, string>, shared?: SharedHeaders, status = 200) {
    this.content = content;
    this.headers = new RecordHeaders(own, shared);
    this.status = status;
  }

  get body(): ReadableStream<Bytes> | null {
    return new Response(this.content).body;
  }

  bytes(): Promise<Bytes> {
    const { content } = this;
    return Promise.resolve(typeof content === 'string' ? encoder.encode(content) : content);
  }
}

/** A reply whose body comes piece by piece. */
export class StreamedReply implements Reply {
  readonly status: number;
  readonly headers: RecordHeaders;
  readonly source: ReplySource;

  constructor(source: ReplySource, fields: Fields, status = 200) {
    this.source = source;
    this.headers = new RecordHeaders({ ...fields });
    this.status = status;
  }

  get body(): ReadableStream<Bytes> {
    // Without a queue of its own, so that nothing is pulled ahead of its reader.
    return new ReadableStream<Bytes>(this.source as UnderlyingDefaultSource<Bytes>, { highWaterMark: 0 });
  }

  bytes(): Promise<Bytes> {
    return new Response(this.body).bytes();
  }
}
