/** OpenAI Realtime API: a session and its short-lived credential. https://platform.openai.com/docs/api-reference/realtime-sessions (read 2026-11-16) */

import { z } from 'zod';
import { audioFormat } from './items.ts';

const count = z.int().nonnegative();
const text = z.string();
const effort = z.enum(['minimal', 'low', 'medium', 'high', 'xhigh']);

const turnDetection = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('server_vad'),
    create_response: z.boolean().optional(),
    idle_timeout_ms: count.nullish(),
    interrupt_response: z.boolean().optional(),
    prefix_padding_ms: count.optional(),
    silence_duration_ms: count.optional(),
    threshold: z.number().min(0).max(1).optional(),
  }),
  z.strictObject({
    type: z.literal('semantic_vad'),
    create_response: z.boolean().optional(),
    eagerness: z.enum(['low', 'medium', 'high', 'auto']).optional(),
    interrupt_response: z.boolean().optional(),
  }),
]);

const audioInput = z.strictObject({
  format: audioFormat.optional(),
  noise_reduction: z
    .strictObject({ type: z.enum(['near_field', 'far_field']), strength: z.number().optional() })
    .nullish(),
  transcription: z
    .strictObject({
      model: text.optional(),
      language: text.nullish(),
      languages: z.array(text).optional(),
      keywords: z.array(text).optional(),
      prompt: text.optional(),
      delay: effort.optional(),
    })
    .nullish(),
  turn_detection: turnDetection.nullish(),
});

const names = z.array(text);
const toolFilter = z.strictObject({ read_only: z.boolean().optional(), tool_names: names.optional() });
const tool = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('function'),
    name: text.optional(),
    description: text.optional(),
    parameters: z.unknown().optional(),
  }),
  z.strictObject({
    type: z.literal('mcp'),
    server_label: text,
    allowed_callers: z.array(z.enum(['direct', 'programmatic'])).nullish(),
    allowed_tools: z.union([names, toolFilter]).nullish(),
    authorization: text.optional(),
    connector_id: text.regex(/^connector_/).optional(),
    defer_loading: z.boolean().optional(),
    headers: z.record(text, text).nullish(),
    require_approval: z
      .union([
        z.enum(['always', 'never']),
        z.strictObject({ always: toolFilter.optional(), never: toolFilter.optional() }),
      ])
      .nullish(),
    server_description: text.optional(),
    server_url: text.optional(),
    tunnel_id: text.optional(),
  }),
]);

const include = z.array(z.literal('item.input_audio_transcription.logprobs')).nullish();

const realtimeSession = z.strictObject({
  type: z.literal('realtime'),
  object: z.literal('realtime.session').optional(),
  id: text.optional(),
  expires_at: count.optional(),
  model: text.optional(),
  instructions: text.optional(),
  output_modalities: z.array(z.enum(['text', 'audio'])).optional(),
  max_output_tokens: z.union([count, z.literal('inf')]).optional(),
  parallel_tool_calls: z.boolean().optional(),
  prompt: z
    .strictObject({ id: text, variables: z.record(text, z.unknown()).nullish(), version: text.nullish() })
    .nullish(),
  reasoning: z.strictObject({ effort: effort.optional() }).optional(),
  tool_choice: z
    .union([
      z.enum(['none', 'auto', 'required']),
      z.strictObject({ type: z.literal('function'), name: text }),
      z.strictObject({ type: z.literal('mcp'), server_label: text, name: text.nullish() }),
    ])
    .optional(),
  tools: z.array(tool).optional(),
  tracing: z
    .union([
      z.literal('auto'),
      z.strictObject({
        group_id: text.optional(),
        metadata: z.unknown().optional(),
        workflow_name: text.optional(),
      }),
    ])
    .nullish(),
  truncation: z
    .union([
      z.enum(['auto', 'disabled']),
      z.strictObject({
        type: z.literal('retention_ratio'),
        retention_ratio: z.number().min(0).max(1),
        token_limits: z.strictObject({ post_instructions: count.optional() }).optional(),
      }),
    ])
    .optional(),
  include,
  audio: z
    .strictObject({
      input: audioInput.optional(),
      output: z
        .strictObject({
          format: audioFormat.optional(),
          speed: z.number().optional(),
          voice: z.union([text, z.strictObject({ id: text })]).optional(),
        })
        .optional(),
    })
    .optional(),
});

const transcriptionSession = z.strictObject({
  type: z.literal('transcription'),
  object: z.literal('realtime.transcription_session').optional(),
  id: text.optional(),
  expires_at: count.optional(),
  include,
  audio: z.strictObject({ input: audioInput.optional() }).optional(),
});

export const session = z.discriminatedUnion('type', [realtimeSession, transcriptionSession]);

/** https://platform.openai.com/docs/api-reference/realtime-sessions/create-realtime-client-secret */
export const clientSecret = z.strictObject({ value: text.startsWith('ek_'), expires_at: count, session });

/** The beta's reply is the requested session, in the beta's open set of names, with the credential inside. */
export const betaSession = z.looseObject({
  id: text,
  object: z.literal('realtime.session'),
  model: text,
  client_secret: z.strictObject({ value: text.startsWith('ek_'), expires_at: count }),
});
