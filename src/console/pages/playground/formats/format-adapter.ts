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

export interface ToolResult {
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

export type Fields = Record<string, unknown>;

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** What is no JSON is no event that anybody could read; it stays visible in the wire panel. */
export function parseData({ data }: ServerEvent): Fields {
  try {
    return fieldsOf(JSON.parse(data));
  } catch {
    return {};
  }
}

export function failureOf(error: Fields): DraftFailure {
  return {
    message: textOf(error['message']),
    code: textOf(error['reason']) || textOf(error['code']) || textOf(error['type']) || 'error',
  };
}

export function jsonRequest(path: string, value: object): WireRequest {
  return { method: 'POST', path, body: { kind: 'json', value } };
}

export const dataUrl = ({ mediaType, base64 }: Attachment): string => `data:${mediaType};base64,${base64}`;

/** The text inside a file that is text, for formats that take it as such. */
export function decodedText({ base64 }: Attachment): string {
  return new TextDecoder().decode(Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)));
}

/** Arguments as a value, for formats that want one; what the model wrote wrongly becomes nothing. */
export function argumentsValue(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
