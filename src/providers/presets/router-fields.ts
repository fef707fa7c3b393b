/**
 * Fields that services which pass requests on document beside those of a format, and that neither name a model nor have a
 * price of their own. What is not among them is left out for callers with a budget or a list of models.
 * https://openrouter.ai/docs/sdks/typescript/api-reference/models/chatrequest, https://docs.litellm.ai/docs/completion/input,
 * https://docs.litellm.ai/docs/proxy/user_keys, https://vercel.com/docs/ai-gateway/sdks-and-apis (read 2026-11-19).
 */

import { cacheControl, type FieldTable, fieldsOf } from '../../formats/fields/field-table.ts';
import { serverFields } from '../../formats/fields/server-fields.ts';

/** Each object with its members: what an object has beside them is not documented. */
export const routerFields: FieldTable = {
  ...serverFields,
  ...fieldsOf(
    'plain',
    'include_reasoning reasoning_effort enable_thinking thinking_budget verbosity transforms prompt_cache_key modalities',
    'session_id',
    'drop_params timeout stream_timeout num_retries tags guardrails allowed_openai_params additional_drop_params',
    'litellm_session_id litellm_trace_id merge_reasoning_content_in_choices',
  ),
  // For logs and traces alone.
  ...fieldsOf('opaque', 'trace litellm_metadata'),
  reasoning: fieldsOf('plain', 'effort max_tokens exclude enabled summary'),
  thinking: fieldsOf('plain', 'type budget_tokens display'),
  usage: fieldsOf('plain', 'include'),
  cache_control: cacheControl,
  cache: fieldsOf('plain', 'ttl s-maxage no-cache no-store namespace use-cache'),
  debug: fieldsOf('plain', 'echo_upstream_body'),
  image_config: {
    ...fieldsOf(
      'plain',
      'aspect_ratio image_size quality background output_format output_compression moderation strength style size n',
      'negative_prompt seed super_resolution_references',
    ),
    rgb_colors: 'opaque',
    font_inputs: fieldsOf('plain', 'font_url text'),
  },
};
