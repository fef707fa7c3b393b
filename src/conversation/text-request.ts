/** The neutral form of a request to continue a conversation. */

import type { CacheMark, Extras, Message } from './parts.ts';

/** A tool that the caller runs. */
export interface ToolDeclaration {
  /** Unique in the request, also where the caller's format groups tools and names them within their group. */
  readonly name: string;
  readonly namespace?: ToolNamespace;
  readonly description?: string;
  /** A JSON Schema; absent means the tool takes no arguments. */
  readonly parameters?: JsonSchema;
  /** It takes a text instead of arguments. */
  readonly freeform?: FreeformInput;
  /** It is the client's own search for further tools, whose calls and results have their own kind in its format. */
  readonly searches?: true;
  readonly strict?: boolean;
  /** The format whose tool search is to find it; every other one declares it like any tool. */
  readonly deferredIn?: string;
  /** The format that declares it by an item of the conversation, which it writes back; every other one declares it here. */
  readonly placedIn?: string;
  readonly cacheMark?: CacheMark;
  /** Fields of the declaration that only its own format knows. */
  readonly extras?: Extras;
}

/** The group of a tool, and its name in the group. */
interface ToolNamespace {
  readonly name: string;
  readonly toolName: string;
  readonly description?: string;
}

/** The grammar of a freeform tool's text, where there is one. */
export interface FreeformInput {
  readonly syntax?: string;
  readonly definition?: string;
}

/** A tool that the provider runs. The web search has a neutral name because every format has it; any other is its format's own. */
export type HostedTool =
  | {
      readonly kind: 'web-search';
      readonly search?: WebSearch;
      readonly extras?: Extras;
      readonly placedIn?: string;
    }
  | { readonly kind: 'native'; readonly format: string; readonly value: unknown; readonly placedIn?: string };

/** How to search, as far as several formats can say it. */
export interface WebSearch {
  readonly allowedDomains?: readonly string[];
  readonly blockedDomains?: readonly string[];
  /** Where the user is, roughly: `city`, `region`, `country`, `timezone`. */
  readonly location?: Readonly<Record<string, string>>;
  /** How much of what was found the model reads: `low`, `medium`, `high`. */
  readonly contextSize?: string;
  readonly usesMax?: number;
}

export type JsonSchema = { readonly [key: string]: unknown } | boolean;

export type ToolChoice =
  | { readonly kind: 'auto' }
  | { readonly kind: 'none' }
  | { readonly kind: 'required' }
  | { readonly kind: 'tool'; readonly name: string }
  /** Only some of the declared tools may be called: one of them must be (`required`) or may be. */
  | { readonly kind: 'allowed'; readonly names: readonly string[]; readonly required: boolean };

export type OutputShape =
  | { readonly kind: 'text' }
  | { readonly kind: 'json' }
  | {
      readonly kind: 'json-schema';
      readonly schema: JsonSchema;
      readonly name?: string;
      readonly description?: string;
      readonly strict?: boolean;
    };

/** How much to think. Absent altogether means that the caller did not say. */
export interface Thinking {
  /** `off` forbids it, `adaptive` leaves the amount to the model, `on` asks for it. */
  readonly mode?: 'off' | 'adaptive' | 'on';
  /** `none`, `minimal`, `low`, `medium`, `high`, `xhigh`, `max`. */
  readonly effort?: string;
  readonly budgetTokens?: number;
  /** Shall the caller see the thoughts, or a summary of them? */
  readonly visible?: boolean;
  /** How long a summary: `auto`, `concise`, `detailed`. */
  readonly summary?: string;
}

export interface TextRequest {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly stream: boolean;
  readonly tools: readonly ToolDeclaration[];
  readonly hostedTools?: readonly HostedTool[];
  readonly toolChoice: ToolChoice;
  readonly parallelToolCalls?: boolean;
  readonly output: OutputShape;
  readonly maxOutputTokens?: number;
  readonly candidates: number;
  readonly stop: readonly string[];
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly seed?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly thinking?: Thinking;
  /** Report how likely each token was, with this many alternatives. */
  readonly logprobs?: { readonly top: number };
  /** By token id, which only means something to models that share a tokenizer. */
  readonly logitBias?: Readonly<Record<string, number>>;
  /** `text`, `audio`, `image`; absent means text alone. */
  readonly modalities?: readonly string[];
  readonly audio?: { readonly voice?: string; readonly format?: string };
  /** How much to say: `low`, `medium`, `high`. */
  readonly verbosity?: string;
  /** `auto`, `default`, `flex`, `priority`. */
  readonly serviceTier?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Who the end user is, as an opaque id. */
  readonly user?: string;
  readonly promptCacheKey?: string;
  /** May the provider keep the reply for later reference? */
  readonly store?: boolean;
  /** The earlier reply that this request continues; its turns have to be put before `messages`. */
  readonly previousReplyId?: string;
  /** A field that no other format supports in any form; such a request must not be translated. */
  readonly unsupported?: string;
  readonly extras?: Extras;
}

/** The options of a request that sets none. */
export const requestDefaults = {
  stream: false,
  tools: [],
  toolChoice: { kind: 'auto' },
  output: { kind: 'text' },
  candidates: 1,
  stop: [],
} as const satisfies Partial<TextRequest>;
