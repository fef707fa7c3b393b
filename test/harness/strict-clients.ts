/**
 * What libraries reject that are stricter than the original service: each shape demands what the library of that name demands
 * (read 2026-11-15), and nothing else. They are no dependencies of the project.
 */

import { FinishReason } from '@google/genai';
import { z } from 'zod';

const count = z.number().int();

/** https://github.com/mistralai/client-ts, `CompletionChunk`: usage is an object or absent. */
const mistralChunk = z.object({
  id: z.string(),
  object: z.string().optional(),
  created: count.optional(),
  model: z.string(),
  usage: z.looseObject({ prompt_tokens: count, completion_tokens: count, total_tokens: count }).optional(),
  choices: z.array(
    z.object({
      index: count,
      delta: z.looseObject({ role: z.string().nullish(), content: z.string().nullish() }),
      finish_reason: z.string().nullable(),
    }),
  ),
});

/** https://github.com/OpenRouterTeam/typescript-sdk, `ChatStreamChunk`: a fingerprint is a text or absent. */
const openRouterChunk = z.object({
  id: z.string(),
  object: z.literal('chat.completion.chunk'),
  created: z.number(),
  model: z.string(),
  system_fingerprint: z.string().optional(),
  service_tier: z.string().nullish(),
  choices: z.array(
    z.object({
      index: z.number(),
      delta: z.looseObject({ role: z.literal('assistant').optional(), content: z.string().nullish() }),
      finish_reason: z.string().nullable(),
    }),
  ),
});

const detailedUsage = z.looseObject({
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  total_tokens: z.number(),
  prompt_tokens_details: z.looseObject({ cached_tokens: z.number() }).nullish(),
  completion_tokens_details: z.looseObject({ reasoning_tokens: z.number() }).nullish(),
});

/** https://github.com/OpenRouterTeam/ai-sdk-provider, `chat/schemas.ts`: details of usage hold the count that it reads. */
const providerReply = z.looseObject({ usage: detailedUsage.nullish() });

/** https://github.com/anthropics/anthropic-sdk-typescript, `Usage`. */
const messagesUsage = z.looseObject({
  input_tokens: count,
  output_tokens: count,
  cache_creation_input_tokens: count.nullable(),
  cache_read_input_tokens: count.nullable(),
  service_tier: z.enum(['standard', 'priority', 'batch']).nullish(),
});

const oneOf = ['text', 'inlineData', 'fileData', 'functionCall', 'executableCode', 'codeExecutionResult'] as const;

/**
 * https://github.com/googleapis/js-genai, `GenerateContentResponse`: a part holds one kind of data, and
 * enums have known values.
 */
const generatedReply = z.looseObject({
  candidates: z
    .array(
      z.looseObject({
        content: z.object({
          role: z.literal('model'),
          parts: z.array(
            z.looseObject({}).refine((part) => oneOf.filter((name) => name in part).length <= 1, 'one kind of data'),
          ),
        }),
        index: count.optional(),
        finishReason: z.enum(FinishReason).optional(),
      }),
    )
    .optional(),
  usageMetadata: z
    .looseObject({ promptTokenCount: count.optional(), candidatesTokenCount: count.optional(), totalTokenCount: count })
    .optional(),
  modelVersion: z.string(),
  responseId: z.string(),
});

const finishWords = ['COMPLETE', 'STOP_SEQUENCE', 'MAX_TOKENS', 'TOOL_CALL', 'ERROR', 'TIMEOUT'] as const;
const cohereCounts = z.strictObject({ input_tokens: count.optional(), output_tokens: count.optional() });
const cohereUsage = z.strictObject({
  billed_units: cohereCounts.optional(),
  tokens: cohereCounts.optional(),
  cached_tokens: count.optional(),
});
const cohereCall = z.strictObject({
  id: z.string(),
  type: z.literal('function'),
  function: z.strictObject({ name: z.string(), arguments: z.string() }),
});
const cohereCitation = z.strictObject({
  start: count,
  end: count,
  text: z.string(),
  sources: z.array(z.strictObject({ type: z.literal('document'), id: z.string(), document: z.looseObject({}) })),
  content_index: count,
  type: z.literal('TEXT_CONTENT'),
});
const cohereLogprob = z.strictObject({ text: z.string(), token_ids: z.array(count), logprobs: z.array(z.number()) });

/** https://github.com/cohere-ai/cohere-typescript, `V2ChatResponse`: the reply of `/v2/chat`. */
const cohereReply = z.strictObject({
  id: z.string(),
  finish_reason: z.enum(finishWords),
  message: z.strictObject({
    role: z.literal('assistant'),
    tool_calls: z.array(cohereCall).optional(),
    content: z
      .array(
        z.union([
          z.strictObject({ type: z.literal('text'), text: z.string() }),
          z.strictObject({ type: z.literal('thinking'), thinking: z.string() }),
        ]),
      )
      .optional(),
    citations: z.array(cohereCitation).optional(),
  }),
  usage: cohereUsage.optional(),
  logprobs: z.array(cohereLogprob).optional(),
});

const cohereSays = <Type extends string, Shape extends z.ZodType>(type: Type, message: Shape) =>
  z.strictObject({ type: z.literal(type), index: count, delta: z.strictObject({ message }) });
const cohereEnds = <Type extends string>(type: Type) => z.strictObject({ type: z.literal(type), index: count });

/** The same library passes the body of an error on; people read its `message`. */
const cohereError = z.looseObject({ id: z.string(), message: z.string() });

/** The same library, `V2ChatStreamResponse`: the events of a stream of `/v2/chat`. */
const cohereEvent = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('message-start'),
    id: z.string(),
    delta: z.strictObject({ message: z.looseObject({ role: z.literal('assistant') }) }),
  }),
  cohereSays(
    'content-start',
    z.strictObject({
      content: z.union([
        z.strictObject({ type: z.literal('text'), text: z.string() }),
        z.strictObject({ type: z.literal('thinking'), thinking: z.string() }),
      ]),
    }),
  ),
  cohereSays(
    'content-delta',
    z.strictObject({
      content: z.union([z.strictObject({ text: z.string() }), z.strictObject({ thinking: z.string() })]),
    }),
  ).extend({ logprobs: cohereLogprob.optional() }),
  cohereEnds('content-end'),
  cohereSays('tool-call-start', z.strictObject({ tool_calls: cohereCall })),
  cohereSays(
    'tool-call-delta',
    z.strictObject({ tool_calls: z.strictObject({ function: z.strictObject({ arguments: z.string() }) }) }),
  ),
  cohereEnds('tool-call-end'),
  cohereSays('citation-start', z.strictObject({ citations: cohereCitation })),
  cohereEnds('citation-end'),
  z.strictObject({
    type: z.literal('message-end'),
    delta: z.strictObject({
      finish_reason: z.enum(finishWords),
      usage: cohereUsage.optional(),
      error: z.string().optional(),
    }),
  }),
]);

export const strictShapes = {
  mistralChunk,
  openRouterChunk,
  providerReply,
  messagesUsage,
  generatedReply,
  cohereReply,
  cohereEvent,
  cohereError,
} as const;

/** Throws what the library would complain about. */
export function expectTaken(name: keyof typeof strictShapes, value: unknown): void {
  const { error } = strictShapes[name].safeParse(value);
  if (error !== undefined) {
    throw new Error(`${name}: ${JSON.stringify(error.issues.slice(0, 3))} in ${JSON.stringify(value).slice(0, 500)}`);
  }
}
