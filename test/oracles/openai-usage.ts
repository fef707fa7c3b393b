/** OpenAI token usage of chat and legacy completions. https://platform.openai.com/docs/api-reference/chat/object (read 2026-11-16). */

import { z } from 'zod';

const tokens = z.int().nonnegative();
const seconds = z.number().nonnegative();

/** OpenAI. */
const promptDetails = {
  audio_tokens: tokens.optional(),
  cached_tokens: tokens.optional(),
  text_tokens: tokens.optional(),
  image_tokens: tokens.optional(),
  cache_write_tokens: tokens.optional(),
};

/** OpenAI. */
const completionDetails = {
  accepted_prediction_tokens: tokens.optional(),
  audio_tokens: tokens.optional(),
  reasoning_tokens: tokens.optional(),
  text_tokens: tokens.optional(),
  rejected_prediction_tokens: tokens.optional(),
};

/** Weir: classes that other vendors report and this family has no field for (docs/costs.md). */
const weirPromptDetails = { video_tokens: tokens.optional() };
const weirCompletionDetails = { image_tokens: tokens.optional(), video_tokens: tokens.optional() };

/** Vendors: the part of each class that came from a cache, in OpenAI's own spelling of live conversations. */
const cachedDetails = z.strictObject({
  text_tokens: tokens.optional(),
  audio_tokens: tokens.optional(),
  image_tokens: tokens.optional(),
  video_tokens: tokens.optional(),
});

/** What other vendors of the format document beside the three counts; Weir passes it on. */
const vendorUsage = {
  // DeepSeek: https://api-docs.deepseek.com/api/create-chat-completion
  prompt_cache_hit_tokens: tokens.optional(),
  prompt_cache_miss_tokens: tokens.optional(),
  // Groq: https://console.groq.com/docs/api-reference#chat-create
  queue_time: seconds.optional(),
  prompt_time: seconds.optional(),
  completion_time: seconds.optional(),
  total_time: seconds.optional(),
  // Moonshot: https://platform.moonshot.ai/docs/api/chat
  cached_tokens: tokens.optional(),
  // xAI: https://docs.x.ai/docs/api-reference#chat-completions
  num_sources_used: tokens.optional(),
  cost_in_usd_ticks: tokens.optional(),
  // Perplexity: https://docs.perplexity.ai/api-reference/chat-completions-post
  citation_tokens: tokens.nullable().optional(),
  num_search_queries: tokens.nullable().optional(),
  reasoning_tokens: tokens.nullable().optional(),
  search_context_size: z.string().nullable().optional(),
  // OpenRouter: https://openrouter.ai/docs/use-cases/usage-accounting
  cost: z.number().nullable().optional(),
  server_tool_use: z.strictObject({ web_search_requests: tokens.nullable().optional() }).nullable().optional(),
};

const counts = { prompt_tokens: tokens, completion_tokens: tokens, total_tokens: tokens };

export const chatUsage = z
  .strictObject({
    ...counts,
    prompt_tokens_details: z
      .strictObject({ ...promptDetails, ...weirPromptDetails, cached_tokens_details: cachedDetails.optional() })
      .optional(),
    completion_tokens_details: z.strictObject({ ...completionDetails, ...weirCompletionDetails }).optional(),
    ...vendorUsage,
  })
  .refine((usage) => usage.total_tokens >= usage.prompt_tokens, 'total_tokens is less than a part of it');
