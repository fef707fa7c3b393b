/** Every oracle: which one judges the reply to a request, and which schema a name means. */

import type { z } from 'zod';
import { anthropicOracles } from './anthropic/oracles.ts';
import { geminiOracles } from './gemini/oracles.ts';
import { chatChunk, chatCompletion, chatOracle } from './openai-chat.ts';
import { completionChunk, completionsOracle } from './openai-completions.ts';
import { openaiError } from './openai-errors.ts';
import { model, modelList, openaiModelOracles } from './openai-models.ts';
import { operationSchemas } from './operations/named.ts';
import { adminOracles, cohereOracles, operationOracles, realtimeOracles, videoOracles } from './operations/oracles.ts';
import type { Oracle, OracleRequest, SocketOrder } from './oracle.ts';
import { passedEvent } from './realtime/events.ts';
import { responseEvent, socketEvent } from './responses/events.ts';
import { responsesOracles } from './responses/oracles.ts';
import { responseSocketOrder } from './responses/order.ts';
import { response } from './responses/response.ts';

/** The first that matches judges. */
const oracles: readonly Oracle[] = [
  chatOracle,
  completionsOracle,
  ...responsesOracles,
  // Before those of OpenAI, which judge every other list of models.
  ...anthropicOracles,
  ...geminiOracles,
  ...openaiModelOracles,
  ...cohereOracles,
  ...operationOracles,
  ...videoOracles,
  ...realtimeOracles,
  ...adminOracles,
];

/** Events of a WebSocket, by the path that was upgraded. */
const socketOracles: readonly SocketOracle[] = [
  { path: /(^|\/)responses$/, event: socketEvent, newOrder: responseSocketOrder },
  { path: /(^|\/)realtime$/, event: passedEvent },
];

interface SocketOracle {
  readonly path: RegExp;
  readonly event: z.ZodType;
  readonly newOrder?: () => SocketOrder;
}

/** An explain request is answered with its route (docs/routing.md), whatever its path. */
export function oracleFor(request: OracleRequest): Oracle | undefined {
  if (request.headers.has('x-weir-explain') || request.path.startsWith('/admin/v1/')) return undefined;
  return oracles.find((oracle) => oracle.matches(request));
}

export function socketOracleFor(path: string): z.ZodType | undefined {
  return socketOracles.find((oracle) => oracle.path.test(path))?.event;
}

export function socketOrderFor(path: string): SocketOrder | undefined {
  return socketOracles.find((oracle) => oracle.path.test(path))?.newOrder?.();
}

/** Schemas for unit tests, by the names of the published document. */
export const namedSchemas = {
  CreateChatCompletionResponse: chatCompletion,
  CreateChatCompletionStreamResponse: chatChunk,
  CreateCompletionResponse: completionChunk,
  Response: response,
  ResponseStreamEvent: responseEvent,
  ResponsesServerEvent: socketEvent,
  ListModelsResponse: modelList,
  Model: model,
  ErrorResponse: openaiError,
  ...operationSchemas,
} as const satisfies Readonly<Record<string, z.ZodType>>;
