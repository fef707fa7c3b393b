/**
 * OpenRouter, LiteLLM and Vercel AI Gateway: fields of their own in chat requests that steer nothing, each with a value as it is used,
 * and those that do. https://openrouter.ai/docs/sdks/typescript/api-reference/models/chatrequest,
 * https://docs.litellm.ai/docs/proxy/user_keys, https://vercel.com/docs/ai-gateway/models-and-providers/automatic-caching
 * (read 2026-11-19).
 */

type Fields = Readonly<Record<string, unknown>>;

/** By the router. */
export const harmlessFields: Readonly<Record<string, Fields>> = {
  openrouter: {
    reasoning: { effort: 'high', summary: 'auto', exclude: false, enabled: true },
    include_reasoning: true,
    usage: { include: true },
    cache_control: { type: 'ephemeral', ttl: '1h' },
    debug: { echo_upstream_body: false },
    image_config: { aspect_ratio: '16:9', image_size: '2K', quality: 'high', rgb_colors: [[0, 0, 0]] },
    session_id: 'conversation-0',
    trace: { trace_id: 'a', trace_name: 'b', generation_name: 'c', parent_span_id: 'd', environment: { name: 'test' } },
    transforms: ['middle-out'],
    structured_outputs: true,
    top_a: 0,
    min_p: 0.1,
    repetition_penalty: 1,
    provider: {
      data_collection: 'deny',
      zdr: true,
      require_parameters: true,
      enforce_distillable_text: false,
      max_price: { prompt: 1, completion: 2, request: 0, image: 0 },
      preferred_min_throughput: { p50: 100, p90: 50 },
      preferred_max_latency: { p50: 1, p99: 5 },
    },
    plugins: [{ id: 'response-healing' }, { id: 'context-compression', enabled: true }],
  },
  litellm: {
    tags: ['team-a'],
    timeout: 30,
    stream_timeout: 10,
    num_retries: 0,
    drop_params: true,
    allowed_openai_params: ['tools'],
    additional_drop_params: ['seed'],
    cache: { ttl: 60, 's-maxage': 60, 'no-cache': true, 'no-store': false, namespace: 'a', 'use-cache': true },
    guardrails: ['pii'],
    thinking: { type: 'enabled', budget_tokens: 1_024 },
    litellm_session_id: 'conversation-0',
    litellm_trace_id: 'trace-0',
    litellm_metadata: { team: { name: 'a' } },
    merge_reasoning_content_in_choices: false,
  },
  vercel: {
    reasoning: { enabled: true, max_tokens: 1_024, exclude: false },
    providerOptions: {
      gateway: {
        caching: 'auto',
        user: 'somebody',
        tags: ['a'],
        zeroDataRetention: true,
        disallowPromptTraining: true,
      },
    },
  },
};

/** Every leaf is left out. */
export const steeringFields: Fields = {
  models: ['another-model-1'],
  route: 'fallback',
  preset: 'a',
  fallbacks: [{ model: 'another-model-1' }],
  provider: { order: ['a'], only: ['a'], ignore: ['b'], sort: 'price', allow_fallbacks: true, quantizations: ['fp8'] },
  providerOptions: { gateway: { order: ['a'], models: ['another-model-1'], sort: 'cost' } },
};
