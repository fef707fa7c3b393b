/** The neutral form of "go on with this conversation". */

import type { Message } from './parts.ts';

export interface ToolDeclaration {
  readonly name: string;
  readonly description?: string;
  /** A JSON Schema; absent means the tool takes no arguments. */
  readonly parameters?: JsonSchema;
  readonly strict?: boolean;
}

export type JsonSchema = { readonly [key: string]: unknown } | boolean;

export type ToolChoice =
  | { readonly kind: 'auto' }
  | { readonly kind: 'none' }
  | { readonly kind: 'required' }
  | { readonly kind: 'tool'; readonly name: string };

export type OutputShape =
  | { readonly kind: 'text' }
  | { readonly kind: 'json' }
  | { readonly kind: 'json-schema'; readonly schema: JsonSchema; readonly name?: string; readonly strict?: boolean };

export interface Thinking {
  readonly effort?: string;
  readonly budgetTokens?: number;
  readonly visible?: boolean;
}

export interface TextRequest {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly stream: boolean;
  readonly tools: readonly ToolDeclaration[];
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
  readonly user?: string;
}
