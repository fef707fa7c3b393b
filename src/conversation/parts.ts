/** The neutral pieces of a conversation. Every wire format is read into these and written from these. */

/** Where something opaque was made. It may be sent back only to an equal origin. */
export interface Origin {
  readonly format: string;
  readonly provider: string;
  readonly model: string;
}

/** An opaque signature and its origin. */
export interface Seal {
  readonly value: string;
  readonly origin: Origin;
}

export type MediaSource =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'base64'; readonly data: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'file-id'; readonly id: string };

export interface TextPart {
  readonly type: 'text';
  readonly text: string;
  /** It begins a message of its own, though the part before it is a text as well: a remark, and then the answer. */
  readonly opensMessage?: true;
  readonly cacheMark?: CacheMark;
  readonly citations?: readonly Citation[];
  readonly logprobs?: readonly TokenLogprob[];
  readonly seal?: Seal;
}

/** How likely a token was, and what else it could have been. */
export interface TokenLogprob {
  readonly token: string;
  readonly logprob: number;
  readonly bytes?: readonly number[];
  readonly top?: readonly { readonly token: string; readonly logprob: number; readonly bytes?: readonly number[] }[];
}

export interface MediaPart {
  readonly type: 'media';
  readonly media: 'image' | 'audio' | 'video' | 'document';
  /** `image/png` and the like, where the wire says it. */
  readonly mediaType?: string;
  readonly source: MediaSource;
  readonly filename?: string;
  /** What a document is about, beside its name; only some formats say it. */
  readonly context?: string;
  /** The model is to cite this document. */
  readonly citable?: boolean;
  /** How closely to look at an image: `low`, `high`, `auto`. */
  readonly detail?: string;
  readonly cacheMark?: CacheMark;
}

export interface ThinkingPart {
  readonly type: 'thinking';
  readonly text: string;
  /** The provider hid the text; only the seal carries it. */
  readonly redacted?: boolean;
  readonly seal?: Seal;
}

export interface ToolCallPart {
  readonly type: 'tool-call';
  readonly id: string;
  readonly name: string;
  /** The arguments exactly as they came: the original string, never parsed and printed again. */
  readonly arguments: string;
  /** `arguments` is the text that a freeform tool was called with, no JSON. */
  readonly freeform?: true;
  readonly seal?: Seal;
  readonly cacheMark?: CacheMark;
}

export interface ToolResultPart {
  readonly type: 'tool-result';
  readonly callId: string;
  /** The called tool, where the wire names it beside the id. */
  readonly name?: string;
  readonly parts: readonly (TextPart | MediaPart | NativePart)[];
  readonly failed: boolean;
  readonly cacheMark?: CacheMark;
}

export interface RefusalPart {
  readonly type: 'refusal';
  readonly text: string;
}

/** Something only one format can say, kept whole for that format. */
export interface NativePart {
  readonly type: 'native';
  readonly format: string;
  readonly value: unknown;
  /** The same in parts that every format has; empty if the request holds it elsewhere. */
  readonly instead?: readonly (TextPart | MediaPart)[];
  /** What those parts do not say. */
  readonly dropped?: Loss;
}

export type Part = TextPart | MediaPart | ThinkingPart | ToolCallPart | ToolResultPart | RefusalPart | NativePart;

export interface CacheMark {
  readonly lifetime?: string;
}

export interface Citation {
  readonly url?: string;
  readonly title?: string;
  readonly quote?: string;
  /** The range of the cited text within the part's own, in UTF-16 units. */
  readonly start?: number;
  readonly end?: number;
  /** The citation as its format wrote it, for that format. */
  readonly native?: { readonly format: string; readonly value: unknown };
}

export interface Message {
  readonly role: 'instruction' | 'user' | 'assistant' | 'tool';
  readonly parts: readonly Part[];
  readonly name?: string;
  /** The author of an instruction; absent where the format has only one. */
  readonly authority?: 'system' | 'developer';
}

/** Content of one side that the other side does not support. */
export interface Loss {
  /** The field or part, as named by the side that sent it. */
  readonly what: string;
  readonly why: string;
}

/** What a conversion made, and what it could not carry over. */
export interface Converted<Value> {
  readonly value: Value;
  readonly losses: readonly Loss[];
}

/** Fields of one format that have no neutral name: written back by that format, reported as lost by every other. */
export interface Extras {
  readonly format: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Names of fields that mean nothing outside their format: no loss is reported when they are dropped. */
  readonly unmissed?: ReadonlySet<string>;
  /** Names of objects of which the fields hold only what was not read: each of it is named. */
  readonly partly?: ReadonlySet<string>;
}
