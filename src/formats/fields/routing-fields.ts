/**
 * Fields by which servers of several formats let a caller choose what serves a request, or search the web for it.
 * https://openrouter.ai/docs/api-reference/overview, https://docs.litellm.ai/docs/proxy/reliability,
 * https://vercel.com/docs/ai-gateway/models-and-providers/provider-options (read 2026-11-19).
 */

import { anyOther, type FieldTable, fieldsOf } from './field-table.ts';

const percentiles: FieldTable = fieldsOf('plain', 'p50 p75 p90 p99');

/** Of a router's `provider`: what a request demands of hosts, and which of them it chooses. */
const providerOptions: FieldTable = {
  ...fieldsOf('plain', 'data_collection zdr require_parameters enforce_distillable_text'),
  max_price: fieldsOf('plain', 'prompt completion request image audio'),
  preferred_min_throughput: percentiles,
  preferred_max_latency: percentiles,
  ...fieldsOf('routing', 'order only ignore sort allow_fallbacks quantizations region models'),
};

/** Options of the hosts, by their names; those of the router itself are among them. */
const providerChoices: FieldTable = {
  [anyOther]: 'routing',
  gateway: {
    [anyOther]: 'routing',
    ...fieldsOf('plain', 'caching user tags zeroDataRetention disallowPromptTraining'),
  },
};

export const routingFields: FieldTable = {
  ...fieldsOf(
    'routing',
    'models route preset fallbacks fallback fallback_models context_window_fallbacks content_policy_fallbacks',
    'default_fallbacks router routing routing_config model_routing providers',
  ),
  provider: providerOptions,
  providerOptions: providerChoices,
  plugins: 'tools',
  ...fieldsOf(
    'tool:web_search',
    'web_search_options search_parameters enable_search enable_web_search web_search search_options',
  ),
};
