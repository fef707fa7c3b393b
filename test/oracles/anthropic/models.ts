/** Anthropic Models API: a page of models, and one model. https://platform.claude.com/docs/en/api/models-list (read 2026-11-16) */

import { z } from 'zod';

const text = z.string();
const supported = z.strictObject({ supported: z.boolean() });
const supports = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject({ supported: z.boolean(), ...shape });

const capabilities = z.strictObject({
  batch: supported,
  citations: supported,
  code_execution: supported,
  compaction: supports({ summarize: supported }).nullish(),
  context_management: supports({
    clear_thinking_20251015: supported.nullable(),
    clear_tool_uses_20250919: supported.nullable(),
    compact_20260112: supported.nullable(),
  }),
  effort: supports({
    low: supported,
    medium: supported,
    high: supported,
    xhigh: supported.nullish(),
    max: supported,
  }),
  image_input: supported,
  pdf_input: supported,
  server_tools: supports({ code_execution: supported, web_search: supported }).optional(),
  structured_outputs: supported,
  thinking: supports({
    types: z.strictObject({
      adaptive: supported,
      between_tools: supported.optional(),
      disabled: supported.optional(),
      enabled: supported,
    }),
  }),
});

export const model = z.strictObject({
  type: z.literal('model'),
  id: text.min(1),
  display_name: text,
  created_at: z.iso.datetime({ offset: true }),
  max_input_tokens: z.int().positive().nullish(),
  max_tokens: z.int().positive().nullish(),
  capabilities: capabilities.nullish(),
  allowed_fallback_models: z.array(text).nullish(),
  deprecated_at: z.iso.datetime({ offset: true }).nullish(),
  retires_at: z.iso.datetime({ offset: true }).nullish(),
  lifecycle: z.enum(['active', 'deprecated', 'retired']).optional(),
  line: z.enum(['haiku', 'sonnet', 'opus', 'fable', 'mythos']).nullish(),
});

export const modelPage = z
  .strictObject({
    data: z.array(model),
    has_more: z.boolean(),
    first_id: text.nullable(),
    last_id: text.nullable(),
  })
  .refine(
    ({ data, first_id: first, last_id: last }) => first === (data[0]?.id ?? null) && last === (data.at(-1)?.id ?? null),
    'first_id and last_id name the ends of the page',
  );
