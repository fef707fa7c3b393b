/** The contract of a wire format as the relay uses it. The relay knows no format by name; a new one is a folder and an endpoint. */

import type { GatewayError } from '../conversation/gateway-error.ts';
import type { Usage } from '../conversation/usage.ts';
import type { WrittenText } from '../conversation/written-text.ts';

export type FormatName =
  | 'openai-chat'
  | 'openai-responses'
  | 'openai-completions'
  | 'anthropic-messages'
  | 'gemini-generate';

export type Tree = Readonly<Record<string, unknown>>;

/** The few facts of a request that routing, limits and money need. */
export interface RequestFacts {
  readonly model: string;
  readonly stream: boolean;
  /** How many independent replies are asked for. */
  readonly candidates: number;
  /** The caller's own cap on one reply's tokens. */
  readonly outputTokensMax: number | undefined;
  /** No tokenizer makes more input tokens of this request. */
  readonly inputTokensMax: number;
}

/** What must change in a body that stays in its format. */
export interface Patch {
  /** Top-level fields to set, as JSON texts. */
  readonly edits: ReadonlyMap<string, string>;
  /** Usage was asked for on our own account: its frame is ours and is kept from the client. */
  readonly hidesUsage: boolean;
}

export interface PatchNeeds {
  /** The model's name at the provider, where the body must carry another one than it does. */
  readonly upstreamModel: string | undefined;
  /** May usage be asked for in a stream? */
  readonly mayAskUsage: boolean;
}

/** What a provider said went wrong, in its own words. */
export interface ProviderFault {
  readonly message: string;
  readonly type: string | undefined;
  readonly code: string | undefined;
  readonly param: string | undefined;
}

/** `pass` goes to the client, `hide` does not, `end` is the terminal marker and goes to the client. */
export type FrameVerdict = 'pass' | 'hide' | 'end' | 'fault';

/** Reads a stream on its way past. Throws a SyntaxError on a frame that is not of the format. */
export interface StreamTap {
  read(data: string, event: string | undefined): FrameVerdict;
  /** Set when `read` said `fault`. */
  readonly fault: ProviderFault | undefined;
  readonly usage: Usage;
  /** A terminal marker was seen: what comes or fails to come later does not matter. */
  readonly finished: boolean;
  /** What the model wrote so far, for an estimate where no usage is reported. */
  readonly written: WrittenText;
}

export interface WholeReply {
  readonly usage: Usage;
  /** Empty where usage was reported: then nobody needs it. */
  readonly written: WrittenText;
}

/** Who reads an error: some envelopes carry the request id, some differ by the client's library. */
export interface ErrorReader {
  readonly requestId: string;
  /** The request carried headers of the format's own library. */
  readonly ownLibrary: boolean;
}

/** Every format can say that something went wrong; that is all a path without a working endpoint needs. */
export interface ErrorWriter {
  errorBody(error: GatewayError, reader: ErrorReader): string;
}

export interface Format extends ErrorWriter {
  readonly name: FormatName;
  /** Checks what must hold before anything is spent; throws a GatewayError that names the field. */
  check(tree: Tree, bodyBytes: number): RequestFacts;
  patch(tree: Tree, needs: PatchNeeds): Patch;
  tap(options: { readonly hidesUsage: boolean; readonly usageInside: string | undefined }): StreamTap;
  /** Throws a SyntaxError where the reply is not of the format. */
  readReply(tree: unknown): WholeReply;
  readFault(body: string): ProviderFault | undefined;
  /** The last thing a client sees of a stream that broke. */
  errorEvent(error: GatewayError, reader: ErrorReader): string;
  /** Request headers that mean something to providers of this format. */
  readonly passHeaders: readonly string[];
  /** Bytes that keep an idle connection alive and that no client takes for an event. */
  readonly keepAlive: string;
}
