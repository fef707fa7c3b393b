/** What each of the four wire formats does for the playground: writes a request from the neutral conversation, and reads what streams back. */

import type { Attachment, FormatName, ParameterName, ToolCall } from '../conversation/conversation.ts';
import type { WireRequest } from '../playground-contract.ts';
import type { ServerEvent } from './server-events.ts';

export type NeutralMessage =
  | { readonly role: 'user'; readonly text: string; readonly attachments: readonly Attachment[] }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly calls: readonly ToolCall[];
      readonly native?: { readonly format: FormatName; readonly content: unknown };
    }
  | { readonly role: 'tool'; readonly results: readonly ToolResult[] };

interface ToolResult {
  readonly callId: string;
  readonly name: string;
  readonly text: string;
}

export interface ToolSpec {
  readonly name: string;
  readonly description?: string;
  readonly schema: object;
}

/** Numbers that were typed and are numbers; absent is not sent. */
export type CheckedParameters = Readonly<
  Partial<Record<Exclude<ParameterName, 'stop' | 'effort'>, number>> & {
    readonly stop?: readonly string[];
    readonly effort?: string;
  }
>;

export interface Ask {
  readonly model: string;
  readonly system: string;
  readonly messages: readonly NeutralMessage[];
  readonly parameters: CheckedParameters;
  readonly tools: readonly ToolSpec[];
  readonly schema?: object;
}

export interface DraftFailure {
  readonly message: string;
  readonly code: string;
}

/** How far a reply has come. */
export interface Draft {
  readonly thinking: string;
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly finish?: string;
  readonly failure?: DraftFailure;
  /** The format's own end was seen: what stops before it was cut. */
  readonly isEnded: boolean;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly native?: unknown;
}

export interface ReplyReader {
  take(event: ServerEvent): void;
  draft(): Draft;
}

export interface FormatAdapter {
  readonly name: FormatName;
  /** Those that the format can say. */
  readonly parameters: readonly ParameterName[];
  request(ask: Ask): WireRequest;
  reader(): ReplyReader;
}
