/** The neutral form of a reply, whole and as a stream of events. */

import type { ContextOverflow } from './context-overflow.ts';
import type { ErrorCode } from './error-table.ts';
import type { Citation, Extras, MediaSource, Part, Seal, TokenLogprob } from './parts.ts';
import type { Usage } from './usage.ts';

export type FinishReason =
  | 'stop'
  | 'stop-sequence'
  | 'length'
  | 'tool-calls'
  | 'content-filter'
  | 'refusal'
  | 'pause'
  | 'malformed-call'
  | 'other';

export interface Finish {
  readonly reason: FinishReason;
  /** The provider's own word. */
  readonly raw?: string;
  readonly stopSequence?: string;
}

export interface Candidate {
  readonly parts: readonly Part[];
  readonly finish: Finish;
}

export interface TextReply {
  readonly id: string;
  readonly model: string;
  readonly createdAtMs: number;
  readonly candidates: readonly Candidate[];
  readonly usage: Usage;
  /** The tier that really served it. */
  readonly serviceTier?: string;
  readonly extras?: Extras;
}

/** What a part is when it opens; its text, arguments or bytes follow as deltas. */
export type PartOpening =
  | { readonly type: 'text'; readonly opensMessage?: true }
  | { readonly type: 'refusal' }
  | { readonly type: 'thinking'; readonly redacted?: boolean }
  | { readonly type: 'tool-call'; readonly id: string; readonly name: string; readonly freeform?: true }
  | {
      readonly type: 'media';
      readonly media: 'image' | 'audio' | 'video' | 'document';
      /** Empty where the wire does not say it. */
      readonly mediaType: string;
      /** Where the bytes are, when they are not sent: then no deltas follow. */
      readonly source?: MediaSource;
      readonly filename?: string;
    };

export type StreamEvent =
  | {
      readonly type: 'reply-start';
      readonly id: string;
      readonly model: string;
      readonly createdAtMs: number;
      readonly serviceTier?: string;
      readonly extras?: Extras;
    }
  | { readonly type: 'part-start'; readonly candidate: number; readonly part: number; readonly opening: PartOpening }
  | {
      readonly type: 'text-delta';
      readonly candidate: number;
      readonly part: number;
      readonly text: string;
      readonly logprobs?: readonly TokenLogprob[];
    }
  | { readonly type: 'thinking-delta'; readonly candidate: number; readonly part: number; readonly text: string }
  | { readonly type: 'tool-input-delta'; readonly candidate: number; readonly part: number; readonly text: string }
  | { readonly type: 'media-delta'; readonly candidate: number; readonly part: number; readonly data: string }
  | { readonly type: 'citation'; readonly candidate: number; readonly part: number; readonly citation: Citation }
  | { readonly type: 'seal'; readonly candidate: number; readonly part: number; readonly seal: Seal }
  | { readonly type: 'part-end'; readonly candidate: number; readonly part: number }
  | { readonly type: 'candidate-end'; readonly candidate: number; readonly finish: Finish }
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'reply-end' }
  | {
      readonly type: 'failure';
      readonly code: ErrorCode;
      readonly message: string;
      /** The provider's own words for it. */
      readonly providerType?: string | undefined;
      readonly providerCode?: string | undefined;
      readonly providerSpeaks?: string | undefined;
      readonly overflow?: ContextOverflow | undefined;
    }
  /** A whole part or event that only one format can say; `part` is its place where it is a part of the reply. */
  | {
      readonly type: 'native';
      readonly format: string;
      readonly value: unknown;
      /** What of it another format loses, where that is not the whole of an event. */
      readonly names?: readonly string[];
      readonly candidate?: number;
      readonly part?: number;
    };
