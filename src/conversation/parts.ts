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
  | { readonly kind: 'file-id'; readonly id: string };

export interface TextPart {
  readonly type: 'text';
  readonly text: string;
  readonly cacheMark?: CacheMark;
  readonly citations?: readonly Citation[];
}

export interface MediaPart {
  readonly type: 'media';
  readonly media: 'image' | 'audio' | 'video' | 'document';
  /** `image/png` and the like, where the wire says it. */
  readonly mediaType?: string;
  readonly source: MediaSource;
  readonly filename?: string;
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
  readonly seal?: Seal;
  readonly cacheMark?: CacheMark;
}

export interface ToolResultPart {
  readonly type: 'tool-result';
  readonly callId: string;
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
}

export type Part = TextPart | MediaPart | ThinkingPart | ToolCallPart | ToolResultPart | RefusalPart | NativePart;

export interface CacheMark {
  readonly lifetime?: string;
}

export interface Citation {
  readonly url?: string;
  readonly title?: string;
  readonly quote?: string;
  readonly start?: number;
  readonly end?: number;
}

export interface Message {
  readonly role: 'instruction' | 'user' | 'assistant' | 'tool';
  readonly parts: readonly Part[];
  readonly name?: string;
}

/** Something that one side said and the other cannot say. */
export interface Loss {
  /** The field or part, as the side that said it names it. */
  readonly what: string;
  readonly why: string;
}
