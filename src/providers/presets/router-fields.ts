/**
 * Fields that services which pass requests on document beside those of a format, and that neither name a model nor have a
 * price of their own. What is not among them is left out for callers with a budget or a list of models.
 * https://openrouter.ai/docs/api-reference/parameters, https://docs.litellm.ai/docs/completion/input,
 * https://vercel.com/docs/ai-gateway/sdks-and-apis (read 2026-11-19).
 */

import { type FieldTable, fieldsOf } from '../../formats/fields/field-table.ts';

export const routerFields: FieldTable = fieldsOf(
  'plain',
  'reasoning include_reasoning reasoning_effort thinking enable_thinking thinking_budget verbosity transforms usage',
  'cache_control prompt_cache_key image_config modalities structured_outputs length_penalty min_tokens stop_token_ids',
  'ignore_eos skip_special_tokens add_generation_prompt typical_p tfs mirostat mirostat_mode mirostat_tau mirostat_eta',
  'session_id trace debug drop_params timeout tags num_retries',
);
