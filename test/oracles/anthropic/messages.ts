/** Anthropic Messages API: the message, its token counts and its errors. https://platform.claude.com/docs/en/api/messages/create (read 2026-11-16) */

import { z } from 'zod';
import { contentBlock, refusalCategory } from './content.ts';

const count = z.int().nonnegative();
const text = z.string();

const cacheCreation = z.strictObject({ ephemeral_1h_input_tokens: count, ephemeral_5m_input_tokens: count });

const iteration = {
  cache_creation: cacheCreation.nullish(),
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
  input_tokens: count,
  output_tokens: count,
};

const iterations = z.array(
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('message'), ...iteration, model: text.nullish() }),
    z.strictObject({ type: z.literal('compaction'), ...iteration }),
    z.strictObject({ type: z.literal('advisor_message'), ...iteration, model: text }),
    z.strictObject({ type: z.literal('fallback_message'), ...iteration, model: text }),
  ]),
);

const fallbackCredit = z.strictObject({
  status: z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('redeemed') }),
    z.strictObject({
      type: z.literal('not_applied'),
      reason: z.enum([
        'body_mismatch',
        'continuation_excluded',
        'continuation_only',
        'expired',
        'invalid_target_model',
        'not_enabled',
        'reprice_unavailable',
        'temporarily_unavailable',
        'variant_fields_present',
        'wrong_organization',
        'wrong_platform',
        'wrong_workspace',
      ]),
      remove_to_redeem: z.array(text).nullish(),
    }),
  ]),
});

/** Counts that the message and its last delta share; those that came with later models are absent from other replies. */
const sharedUsage = {
  cache_creation_input_tokens: count.nullish(),
  cache_read_input_tokens: count.nullish(),
  fallback_credit: fallbackCredit.nullish(),
  iterations: iterations.nullish(),
  output_tokens: count,
  output_tokens_details: z.strictObject({ thinking_tokens: count }).nullish(),
  server_tool_use: z.strictObject({ web_fetch_requests: count.optional(), web_search_requests: count }).nullish(),
};

const messageUsage = z.strictObject({
  ...sharedUsage,
  cache_creation: cacheCreation.nullish(),
  inference_geo: text.nullish(),
  input_tokens: count,
  service_tier: z.enum(['standard', 'priority', 'batch']).nullish(),
  speed: z.enum(['standard', 'fast']).nullish(),
});

/** The counts of the last delta are cumulative; the input is repeated there when the model used tools of the server. */
export const deltaUsage = z.strictObject({ ...sharedUsage, input_tokens: count.nullish() });

export const stopReason = z.enum([
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'pause_turn',
  'compaction',
  'refusal',
  'model_context_window_exceeded',
]);

export const stopDetails = z.strictObject({
  type: z.literal('refusal'),
  category: refusalCategory,
  explanation: text.nullable(),
  fallback_credit_token: text.nullish(),
  fallback_has_prefill_claim: z.boolean().nullish(),
  recommended_model: text.nullish(),
});

export const container = z.strictObject({
  id: text,
  expires_at: z.iso.datetime({ offset: true }),
  skills: z.array(z.strictObject({ skill_id: text, type: z.enum(['anthropic', 'custom']), version: text })).nullish(),
});

const clearedTokens = { cleared_input_tokens: count };

export const contextManagement = z.strictObject({
  applied_edits: z.array(
    z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('clear_tool_uses_20250919'), ...clearedTokens, cleared_tool_uses: count }),
      z.strictObject({ type: z.literal('clear_thinking_20251015'), ...clearedTokens, cleared_thinking_turns: count }),
    ]),
  ),
});

const missed = { cache_missed_input_tokens: count };
const diagnostics = z.strictObject({
  cache_miss_reason: z
    .discriminatedUnion('type', [
      z.strictObject({
        type: z.enum(['model_changed', 'system_changed', 'tools_changed', 'messages_changed']),
        ...missed,
      }),
      z.strictObject({ type: z.enum(['previous_message_not_found', 'unavailable']) }),
    ])
    .nullable(),
});

export const inputTransformations = z
  .array(
    z.strictObject({
      type: z.enum(['thinking_dropped', 'thinking_mismatch_allowed']),
      path: text,
      reason: z.enum([
        'model_binding_mismatch',
        'prefix_binding_mismatch',
        'organization_binding_mismatch',
        'end_user_binding_mismatch',
      ]),
    }),
  )
  .nullish();

const messageFields = {
  id: text.min(1),
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: text.min(1),
  stop_sequence: text.nullable(),
  usage: messageUsage,
  container: container.nullish(),
  context_management: contextManagement.nullish(),
  diagnostics: diagnostics.nullish(),
  input_transformations: inputTransformations,
  stop_details: stopDetails.nullish(),
};

export const message = z.strictObject({
  ...messageFields,
  content: z.array(contentBlock),
  stop_reason: stopReason,
});

/** The message that opens a stream has no content yet; a continued reply may hold blocks already. */
export const startedMessage = z.strictObject({
  ...messageFields,
  content: z.array(contentBlock),
  stop_reason: stopReason.nullable(),
});

/** https://platform.claude.com/docs/en/api/messages/count_tokens */
export const tokenCount = z.strictObject({
  input_tokens: count,
  context_management: z.strictObject({ original_input_tokens: count }).nullish(),
});

/** https://platform.claude.com/docs/en/api/errors; `param`, `code` and `details` are Weir's (docs/errors.md). */
export const errorReply = z.strictObject({
  type: z.literal('error'),
  error: z.strictObject({
    type: z.enum([
      'invalid_request_error',
      'authentication_error',
      'billing_error',
      'permission_error',
      'not_found_error',
      'request_too_large',
      'rate_limit_error',
      'timeout_error',
      'api_error',
      'overloaded_error',
    ]),
    message: text.min(1),
    param: text.optional(),
    code: text.optional(),
    details: z.record(text, z.unknown()).nullish(),
  }),
  request_id: text.nullish(),
});
