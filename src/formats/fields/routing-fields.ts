/**
 * Fields by which servers of several formats let a caller choose what serves a request, or search the web for it.
 * https://openrouter.ai/docs/api-reference/overview, https://docs.litellm.ai/docs/proxy/reliability (read 2026-11-19).
 */

import { type FieldTable, fieldsOf } from './field-table.ts';

/** Of a router's `provider`: what a request demands of hosts, and which of them it chooses. */
const providerOptions: FieldTable = {
  ...fieldsOf(
    'plain',
    'data_collection zdr require_parameters max_price enforce_distillable_text preferred_min_throughput',
    'preferred_max_latency',
  ),
  ...fieldsOf('routing', 'order only ignore sort allow_fallbacks quantizations region models'),
};

export const routingFields: FieldTable = {
  ...fieldsOf(
    'routing',
    'models route preset fallbacks fallback fallback_models context_window_fallbacks content_policy_fallbacks',
    'default_fallbacks router routing routing_config model_routing providers providerOptions',
  ),
  provider: providerOptions,
  plugins: 'tools',
  ...fieldsOf(
    'tool:web_search',
    'web_search_options search_parameters enable_search enable_web_search web_search search_options',
  ),
};
