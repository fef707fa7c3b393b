/** OpenAI chat completions and their chunks. https://platform.openai.com/docs/api-reference/chat (read 2026-11-16). */

import { z } from 'zod';
import { openaiErrorBody, weirError, weirErrorBody } from './openai-errors.ts';
import { chatModeration } from './openai-inline-moderation.ts';
import { chatUsage } from './openai-usage.ts';
import { endsWithPath, type Oracle, type StreamedEvent } from './oracle.ts';

const count = z.int().nonnegative();
const text = z.string();
const finishWord = z.enum(['stop', 'length', 'tool_calls', 'content_filter', 'function_call']);

const likelihood = { token: text, logprob: z.number(), bytes: z.array(z.int().min(0).max(255)).nullable() };
const tokenLogprob = z.strictObject({ ...likelihood, top_logprobs: z.array(z.strictObject(likelihood)) });
const logprobs = z
  .strictObject({ content: z.array(tokenLogprob).nullable(), refusal: z.array(tokenLogprob).nullable() })
  .nullable();

const annotation = z.strictObject({
  type: z.literal('url_citation'),
  url_citation: z.strictObject({
    start_index: count,
    end_index: count,
    url: z.url(),
    title: text,
    // OpenRouter (https://openrouter.ai/docs/features/web-search), and Weir: the words that are cited.
    content: text.optional(),
  }),
});

/** Google's compatible endpoint, and Weir: the signature of a call (https://ai.google.dev/gemini-api/docs/thought-signatures). */
const extraContent = z.strictObject({ google: z.strictObject({ thought_signature: text }) });

/** OpenRouter, and Weir: an image that the model made (https://openrouter.ai/docs/features/multimodal/image-generation). */
const image = z.strictObject({
  type: z.literal('image_url'),
  image_url: z.strictObject({ url: text }),
  index: count.optional(),
});

/** OpenRouter: https://openrouter.ai/docs/use-cases/reasoning-tokens. */
const detail = { format: text.nullable().optional(), index: count.optional(), id: text.nullable().optional() };
const reasoningDetail = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('reasoning.summary'), summary: text, ...detail }),
  z.strictObject({ type: z.literal('reasoning.encrypted'), data: text, ...detail }),
  z.strictObject({
    type: z.literal('reasoning.text'),
    text: text.nullable().optional(),
    signature: text.nullable().optional(),
    ...detail,
  }),
]);

/** Fields of a message that this API does not have: Weir writes the first two, the others are passed on from vendors. */
const messageExtensions = {
  // DeepSeek (https://api-docs.deepseek.com/guides/reasoning_model), Moonshot, xAI and others; Weir writes thinking here.
  reasoning_content: text.nullable().optional(),
  images: z.array(image).optional(),
  // Groq (https://console.groq.com/docs/reasoning) and OpenRouter.
  reasoning: text.nullable().optional(),
  reasoning_details: z.array(reasoningDetail).optional(),
};

const functionCall = z.strictObject({
  id: text.min(1),
  type: z.literal('function'),
  function: z.strictObject({ name: text.min(1), arguments: text }),
  extra_content: extraContent.optional(),
  // DeepSeek numbers the calls of whole replies too.
  index: count.optional(),
});
const customCall = z.strictObject({
  id: text.min(1),
  type: z.literal('custom'),
  custom: z.strictObject({ name: text.min(1), input: text }),
});
const audio = z.strictObject({ id: text, expires_at: count, data: text, transcript: text });

const message = z.strictObject({
  role: z.literal('assistant'),
  content: text.nullable(),
  refusal: text.nullable(),
  tool_calls: z.array(z.discriminatedUnion('type', [functionCall, customCall])).optional(),
  annotations: z.array(annotation).optional(),
  function_call: z.strictObject({ name: text.min(1), arguments: text }).optional(),
  audio: audio.nullable().optional(),
  ...messageExtensions,
});

const serviceTier = z.enum(['auto', 'default', 'flex', 'scale', 'priority', 'fast']).nullable();

/** Azure: https://learn.microsoft.com/azure/ai-foundry/openai/reference#chat-completions. */
const filterResult = z.strictObject({
  filtered: z.boolean(),
  severity: text.optional(),
  detected: z.boolean().optional(),
});
const filterResults = z.record(text, filterResult);

/** Beside the choices of a reply or chunk. */
const replyExtensions = {
  prompt_filter_results: z
    .array(z.strictObject({ prompt_index: count, content_filter_results: filterResults }))
    .optional(),
  // Perplexity: https://docs.perplexity.ai/api-reference/chat-completions-post; xAI has the first, too.
  citations: z.array(text).nullable().optional(),
  search_results: z
    .array(z.looseObject({ title: text, url: text }))
    .nullable()
    .optional(),
  // Groq: https://console.groq.com/docs/api-reference#chat-create.
  x_groq: z.strictObject({ id: text.optional(), seed: z.int().optional(), usage: chatUsage.optional() }).optional(),
  usage_breakdown: z.looseObject({}).nullable().optional(),
  // OpenRouter: https://openrouter.ai/docs/api-reference/overview.
  provider: text.optional(),
};
const choiceExtensions = {
  content_filter_results: filterResults.optional(),
  native_finish_reason: text.nullable().optional(),
};

const replyFields = {
  id: text.min(1),
  created: count,
  model: text,
  service_tier: serviceTier.optional(),
  system_fingerprint: text.nullable().optional(),
  moderation: chatModeration.nullable().optional(),
  ...replyExtensions,
};

const choice = z.strictObject({
  index: count,
  message,
  logprobs: logprobs.optional(),
  finish_reason: finishWord,
  ...choiceExtensions,
});

export const chatCompletion = z.strictObject({
  ...replyFields,
  object: z.literal('chat.completion'),
  choices: z.array(choice),
  usage: chatUsage.optional(),
  metadata: z.record(text, text).nullable().optional(),
});

const callPiece = z.strictObject({
  index: count,
  id: text.optional(),
  type: z.literal('function').optional(),
  function: z.strictObject({ name: text.optional(), arguments: text.optional() }).optional(),
  extra_content: extraContent.optional(),
});
/** Weir: a call of a freeform tool, in the fields that a whole reply has for it. */
const customPiece = z.strictObject({
  index: count,
  id: text.optional(),
  type: z.literal('custom').optional(),
  custom: z.strictObject({ name: text.optional(), input: text }),
});

const delta = z.strictObject({
  role: z.enum(['developer', 'system', 'user', 'assistant', 'tool']).optional(),
  content: text.nullable().optional(),
  refusal: text.nullable().optional(),
  tool_calls: z.array(z.union([callPiece, customPiece])).optional(),
  function_call: z.strictObject({ name: text.optional(), arguments: text.optional() }).optional(),
  // The guide to audio shows these in a stream: https://platform.openai.com/docs/guides/audio.
  audio: audio.partial().optional(),
  annotations: z.array(annotation).optional(),
  ...messageExtensions,
});

const chunkChoice = z.strictObject({
  index: count,
  delta,
  logprobs: logprobs.optional(),
  finish_reason: finishWord.nullable(),
  ...choiceExtensions,
});

export const chatChunk = z.strictObject({
  ...replyFields,
  object: z.literal('chat.completion.chunk'),
  choices: z.array(chunkChoice),
  usage: chatUsage.nullable().optional(),
  obfuscation: text.optional(),
});

/** An error after the first byte: Weir's own, or a provider's that is passed on. */
export const streamError = z.strictObject({ error: z.union([weirErrorBody, openaiErrorBody]) });

type Chunk = z.infer<typeof chatChunk>;

/** Chunks of one reply, each choice finished once and silent afterwards, usage last, then `[DONE]`; or an error, and nothing after it. */
export function chatOrderFault(events: readonly StreamedEvent[], complete: boolean): string | undefined {
  const finished = new Set<number>();
  const opened = new Set<number>();
  const ids = new Set<string>();
  let end: string | undefined;
  for (const { name, data } of events) {
    if (name !== undefined) return `an event has the name ${name}`;
    if (end !== undefined) return `something follows ${end}`;
    if (data === '[DONE]') end = '[DONE]';
    else if (Object.hasOwn(data as object, 'error')) end = 'the error';
    else {
      const chunk = data as Chunk;
      ids.add(chunk.id);
      if (ids.size > 1) return `chunks have different ids: ${[...ids].join(', ')}`;
      for (const { index, finish_reason: word } of chunk.choices) {
        if (finished.has(index)) return `choice ${index} continues after its finish_reason`;
        opened.add(index);
        if (word !== null) finished.add(index);
      }
    }
  }
  if (!complete) return undefined;
  if (end === undefined) return 'the stream ends without [DONE] or an error';
  const open = [...opened].filter((index) => !finished.has(index));
  return end === '[DONE]' && open.length > 0 ? `choice ${open[0]} never finished` : undefined;
}

export const chatOracle: Oracle = {
  name: 'openai chat',
  matches: endsWithPath('POST', 'chat/completions'),
  reply: chatCompletion,
  event: z.union([chatChunk, streamError]),
  error: weirError,
  orderFault: chatOrderFault,
};
