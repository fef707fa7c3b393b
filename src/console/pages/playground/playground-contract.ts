/** What the playground's tabs are given and give: a token that works, the models it may use, and the log of everything that goes over the wire. */

import type { ComponentType } from 'react';
import type { Words } from '../../words/en.ts';

export interface PlaygroundToken {
  /** Goes into requests and sockets; never into anything that is shown, copied, or part of an address. */
  readonly value: string;
  /** Pasted into this tab, or minted for the signed-in account. */
  readonly kind: 'pasted' | 'mine';
  /** Known only for tokens that were minted here. */
  readonly id?: string;
}

/** A row of `GET /v1/models` with that token; what the gateway does not say is absent. */
export interface PlaygroundModel {
  readonly id: string;
  readonly providers: readonly string[];
  /** `converse`, `embed`, `make-image`, …; a model of which nothing is known counts as conversing. */
  readonly operations: readonly string[];
  readonly inputModalities: readonly string[];
  readonly outputModalities: readonly string[];
  readonly description?: string;
  readonly contextTokens?: number;
  /** The most that one reply can have. */
  readonly outputTokensMax?: number;
  /** USD per token as decimal texts. */
  readonly pricing?: { readonly prompt: string; readonly completion: string };
  /** Weir says that it knows no price. */
  readonly isPriceUnknown?: true;
  /** As the list names them (`top_p`, `tools`, …); absent where the gateway does not know, which means all of them. */
  readonly parameters?: readonly string[];
}

export type WireBody =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'form'; readonly fields: readonly (readonly [name: string, value: string | File])[] };

/** What is sent, without the token, which is added on the way. */
export interface WireRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** On our own origin, with its version: `/v1/embeddings`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: WireBody;
}

/** One request while it runs, as the wire panel shows it; times are taken when these are called. */
export interface WireExchange {
  readonly id: string;
  head(status: number, headers: Headers): void;
  /** One event of a stream or socket, or a whole body, as it came. Bytes are told as a sentence, such as `12 KB of audio/mpeg`. */
  event(text: string): void;
  /** What an event said, once it is known: the first of `output` is the time to the first token. */
  output(): void;
  usage(tokens: { readonly input?: number; readonly output?: number }): void;
  /** Without a failure it went well. Nothing after it counts. */
  end(failure?: string): void;
}

export interface WireLog {
  /** For sockets and others that do not go through `sendOnWire`. */
  begin(request: WireRequest, facts?: { readonly model?: string }): WireExchange;
}

/** Rendered only once the token has been tried and the models are known. */
export interface OperationPanelProps {
  readonly token: PlaygroundToken;
  /** All that the token may use; a panel takes those whose `operations` name its own. */
  readonly models: readonly PlaygroundModel[];
  readonly wire: WireLog;
}

export interface OperationTab {
  readonly id: string;
  /** As in `PlaygroundModel.operations`. */
  readonly operation: string;
  title(words: Words): string;
  load(): Promise<{ readonly Panel: ComponentType<OperationPanelProps> }>;
}
