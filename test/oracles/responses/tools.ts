/** OpenAI responses: tools and the choice of them. https://platform.openai.com/docs/api-reference/responses/object (read 2026-11-16). */

import { z } from 'zod';

const text = z.string();
const count = z.int().nonnegative();
/** A JSON Schema, or another object whose members the documentation leaves open. */
const open = z.record(text, z.unknown());
const size = z.enum(['low', 'medium', 'high']);
const callers = z
  .array(z.enum(['direct', 'programmatic']))
  .nullable()
  .optional();

const functionTool = z.strictObject({
  type: z.literal('function'),
  name: text.min(1),
  description: text.nullable().optional(),
  parameters: open.nullable(),
  output_schema: open.nullable().optional(),
  strict: z.boolean().nullable(),
  defer_loading: z.boolean().optional(),
  allowed_callers: callers,
});

const grammar = z.strictObject({
  type: z.literal('grammar'),
  syntax: z.enum(['lark', 'regex']),
  definition: text,
});
const customTool = z.strictObject({
  type: z.literal('custom'),
  name: text.min(1),
  description: text.optional(),
  format: z.union([z.strictObject({ type: z.literal('text') }), grammar]).optional(),
  defer_loading: z.boolean().optional(),
  allowed_callers: callers,
});

const comparison = z.strictObject({
  type: z.enum(['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'nin']),
  key: text,
  value: z.union([text, z.number(), z.boolean(), z.array(z.union([text, z.number()]))]),
});
const compound = z.strictObject({
  type: z.enum(['and', 'or']),
  // A filter inside of a filter is open in the documentation.
  filters: z.array(z.union([comparison, open])),
});
const fileSearchTool = z.strictObject({
  type: z.literal('file_search'),
  vector_store_ids: z.array(text),
  max_num_results: count.optional(),
  ranking_options: z
    .strictObject({
      ranker: z.enum(['auto', 'default-2024-11-15']).optional(),
      score_threshold: z.number().optional(),
      hybrid_search: z.strictObject({ embedding_weight: z.number(), text_weight: z.number() }).optional(),
    })
    .optional(),
  filters: z.union([comparison, compound]).nullable().optional(),
});

const place = {
  country: text.nullable().optional(),
  region: text.nullable().optional(),
  city: text.nullable().optional(),
  timezone: text.nullable().optional(),
};
const webSearchTool = z.strictObject({
  type: z.enum(['web_search', 'web_search_2025_08_26']),
  external_web_access: z.boolean().optional(),
  filters: z
    .strictObject({ allowed_domains: z.array(text).nullable().optional() })
    .nullable()
    .optional(),
  user_location: z
    .strictObject({ type: z.literal('approximate').optional(), ...place })
    .nullable()
    .optional(),
  search_context_size: size.optional(),
});
const webSearchPreviewTool = z.strictObject({
  type: z.enum(['web_search_preview', 'web_search_preview_2025_03_11']),
  user_location: z
    .strictObject({ type: z.literal('approximate'), ...place })
    .nullable()
    .optional(),
  search_context_size: size.optional(),
  search_content_types: z.array(z.enum(['text', 'image'])).optional(),
});

const mcpFilter = z.strictObject({ tool_names: z.array(text).optional(), read_only: z.boolean().optional() });
const mcpTool = z.strictObject({
  type: z.literal('mcp'),
  server_label: text,
  server_url: text.optional(),
  connector_id: text.startsWith('connector_').optional(),
  tunnel_id: text.optional(),
  authorization: text.optional(),
  server_description: text.optional(),
  headers: z.record(text, text).nullable().optional(),
  allowed_tools: z
    .union([z.array(text), mcpFilter])
    .nullable()
    .optional(),
  allowed_callers: callers,
  require_approval: z
    .union([z.enum(['always', 'never']), z.strictObject({ always: mcpFilter.optional(), never: mcpFilter.optional() })])
    .nullable()
    .optional(),
  defer_loading: z.boolean().optional(),
});

const container = {
  file_ids: z.array(text).optional(),
  memory_limit: z.enum(['1g', '4g', '16g', '64g']).nullable().optional(),
  network_policy: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('disabled') }),
      z.strictObject({
        type: z.literal('allowlist'),
        allowed_domains: z.array(text),
        domain_secrets: z.array(z.strictObject({ domain: text, name: text, value: text })).optional(),
      }),
    ])
    .optional(),
};
const codeInterpreterTool = z.strictObject({
  type: z.literal('code_interpreter'),
  container: z.union([text, z.strictObject({ type: z.literal('auto'), ...container })]),
  allowed_callers: callers,
});

const skill = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('skill_reference'), skill_id: text, version: text.optional() }),
  z.strictObject({
    type: z.literal('inline'),
    name: text,
    description: text,
    source: z.strictObject({ type: z.literal('base64'), media_type: z.literal('application/zip'), data: text }),
  }),
]);
const localSkill = z.strictObject({ name: text, description: text, path: text });
const shellTool = z.strictObject({
  type: z.literal('shell'),
  environment: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('container_auto'), ...container, skills: z.array(skill).optional() }),
      z.strictObject({ type: z.literal('local'), skills: z.array(localSkill).optional() }),
      z.strictObject({ type: z.literal('container_reference'), container_id: text }),
    ])
    .nullable()
    .optional(),
  allowed_callers: callers,
});

const imageTool = z.strictObject({
  type: z.literal('image_generation'),
  model: text.optional(),
  quality: z.enum(['low', 'medium', 'high', 'auto']).optional(),
  size: text.optional(),
  output_format: z.enum(['png', 'webp', 'jpeg']).optional(),
  output_compression: z.int().min(0).max(100).optional(),
  moderation: z.enum(['auto', 'low']).optional(),
  background: z.enum(['transparent', 'opaque', 'auto']).optional(),
  input_fidelity: z.enum(['high', 'low']).nullable().optional(),
  input_image_mask: z.strictObject({ image_url: text.optional(), file_id: text.optional() }).optional(),
  partial_images: z.int().min(0).max(3).optional(),
  action: z.enum(['generate', 'edit', 'auto']).optional(),
});

const namespaceTool = z.strictObject({
  type: z.literal('namespace'),
  name: text,
  description: text,
  tools: z
    .array(z.discriminatedUnion('type', [functionTool.partial({ parameters: true, strict: true }), customTool]))
    .min(1),
});
const toolSearchTool = z.strictObject({
  type: z.literal('tool_search'),
  execution: z.enum(['server', 'client']).optional(),
  description: text.nullable().optional(),
  parameters: open.nullable().optional(),
});
const computerPreviewTool = z.strictObject({
  type: z.literal('computer_use_preview'),
  environment: z.enum(['windows', 'mac', 'linux', 'ubuntu', 'browser']),
  display_width: count,
  display_height: count,
});

export const tool = z.discriminatedUnion('type', [
  functionTool,
  customTool,
  fileSearchTool,
  webSearchTool,
  webSearchPreviewTool,
  mcpTool,
  codeInterpreterTool,
  shellTool,
  imageTool,
  namespaceTool,
  toolSearchTool,
  computerPreviewTool,
  z.strictObject({ type: z.literal('computer') }),
  z.strictObject({ type: z.literal('local_shell') }),
  z.strictObject({ type: z.literal('programmatic_tool_calling') }),
  z.strictObject({ type: z.literal('apply_patch'), allowed_callers: callers }),
]);

const hostedTools = [
  'file_search',
  'web_search_preview',
  'web_search_preview_2025_03_11',
  'computer',
  'computer_use_preview',
  'computer_use',
  'image_generation',
  'code_interpreter',
  'programmatic_tool_calling',
  'apply_patch',
  'shell',
] as const;

export const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.strictObject({ type: z.enum(hostedTools) }),
  // The namespace of a tool, as its call has it; the table of the reference does not list it.
  z.strictObject({ type: z.literal('function'), name: text, namespace: text.optional() }),
  z.strictObject({ type: z.literal('custom'), name: text, namespace: text.optional() }),
  z.strictObject({ type: z.literal('mcp'), server_label: text, name: text.nullable().optional() }),
  z.strictObject({
    type: z.literal('allowed_tools'),
    mode: z.enum(['auto', 'required']),
    tools: z.array(open),
  }),
]);
