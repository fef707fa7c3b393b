/** How operations are written on the wire. A client's wire reads requests and writes replies, a provider's wire does the reverse; both are pure. */

import type { Tree } from '../conversation/json-tree.ts';
import type { Converted } from '../conversation/parts.ts';
import type { AudioLength } from './audio/length/audio-length.ts';
import type { Consumption, MostUse } from './consumption.ts';

export type OperationName =
  | 'embed'
  | 'rerank'
  | 'moderate'
  | 'make-image'
  | 'edit-image'
  | 'speak'
  | 'transcribe'
  | 'translate';

/** Everything that a provider may declare beside conversations: those that end with their reply, and those that outlive it. */
export type ServiceName = OperationName | 'make-video' | 'converse-live';

/** A file in a form: read as often as it is opened, never held whole. A `lent` piece may be overwritten with the next one. */
export interface FormFile {
  readonly field: string;
  readonly filename: string | undefined;
  readonly mediaType: string;
  readonly bytes: number;
  open(piece?: 'lent'): AsyncIterable<Uint8Array>;
}

export interface FormField {
  readonly name: string;
  readonly value: string | FormFile;
}

/** A body as it came from a client or goes to a provider. */
export type WireBody =
  | { readonly kind: 'json'; readonly tree: Tree }
  | { readonly kind: 'form'; readonly fields: readonly FormField[] }
  /** One file as it is, with its options in the URL. */
  | { readonly kind: 'file'; readonly file: FormFile };

/** What limits and money need to know of a request before it runs. */
export interface OperationFacts {
  /** Absent where the caller leaves the choice to Weir. */
  readonly model: string | undefined;
  readonly stream: boolean;
  /** The most that it can use, unit by unit; a unit that cannot be bounded is absent. */
  readonly most: MostUse;
}

export interface ReplyMaking {
  readonly nowMs: number;
  newId(prefix: string): string;
  /** Keeps the result for a while and returns the signed URL where Weir serves it; absent where nothing is kept. */
  keep?(data: string, mediaType: string): string;
}

/** A reply's text or bytes as they are sent. */
export interface WrittenReply {
  readonly contentType: string;
  readonly body: string | Uint8Array<ArrayBuffer>;
}

export interface ClientWire<Request, Reply> {
  readonly operation: OperationName;
  /** Equal to the name of a provider's wire where bytes may pass between the two untouched. */
  readonly name: string;
  /** Checks what must hold before anything is spent; throws a GatewayError that names the field. `bodyBytes` counts no files. */
  check(body: WireBody, bodyBytes: number, named?: string): OperationFacts;
  /** The file whose length decides what the request costs, where there is one, and the facts once its length is known. */
  readonly audio?: {
    in(body: WireBody): FormFile | undefined;
    lasting(facts: OperationFacts, file: FormFile, length: AudioLength): OperationFacts;
    /** The same request, of a provider that should state the length. */
    wantingLength(request: Request): Request;
  };
  /** Fields without a neutral counterpart are losses; never throws after `check`. */
  readRequest(body: WireBody, named?: string): Converted<Request>;
  /** Throws a GatewayError where the request needs what only a provider of this same wire supports. */
  requireCommon?(request: Request): void;
  writeReply(reply: Reply, request: Request, making: ReplyMaking): WrittenReply;
  /** Does a provider's reply of this same wire give the caller what it asked for? If not, it is written again. */
  suits?(reply: unknown, request: Request): boolean;
  /** How bytes that pass are shown, where the caller does not want them bare. */
  rewriting?(request: Request, making: ReplyMaking): ByteRewriting | undefined;
}

/** Rewrites bytes while they are passed on: events that carry them. */
export interface ByteRewriting {
  readonly contentType: string;
  piece(bytes: Uint8Array): Uint8Array;
  end(): Uint8Array;
}

/** A request as a provider wants it. */
export interface WrittenRequest {
  readonly body: WireBody;
  /** Added to the declared URL: a further path, or a query with its question mark. */
  readonly suffix?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What came back: JSON where it is JSON, else the bytes. */
export interface WireReply {
  readonly contentType: string;
  readonly tree: unknown;
  readonly bytes: Uint8Array;
  /** The URL of the request: some providers that answer later do not repeat where to poll. */
  readonly address?: string;
}

/** A provider that answers later: where to poll, and its last reply. */
export interface LaterReply {
  readonly url: string;
  readonly afterMs: number;
  /** What is posted there at once, where the work itself is ordered by a later request; absent where polling is enough. */
  readonly body?: Tree;
}

export interface ProviderWire<Request, Reply> {
  readonly operation: OperationName;
  readonly name: string;
  writeRequest(request: Request, model: string): Converted<WrittenRequest>;
  /** May a client's body of this same wire be sent as it came? If not, it is written again. Absent means always. */
  passes?(request: Request, model: string): boolean;
  /** Throws a SyntaxError where it is no reply of the wire. */
  readReply(reply: WireReply, request: Request, making: ReplyMaking): Converted<Reply>;
  /** The usage that a reply of this wire reports, for the lane that passes its bytes. */
  measure(reply: unknown): Consumption;
  /** Is a reply of this content type just what the caller asked for, so that its bytes are passed on as they arrive? */
  passesBytes?(contentType: string, request: Request): boolean;
  /** What it can use at most, where that is more than any request of the kind shows: instructions that it adds, thoughts. */
  most?(most: MostUse): MostUse;
  /** More inputs than this are sent in several requests, one after the other. */
  readonly inputsMax?: number;
  /** Where to poll for the reply, when the provider only accepted the work; undefined when the work is done. Throws a GatewayError where it failed. */
  later?(reply: WireReply, request: Request, model: string): LaterReply | undefined;
}
