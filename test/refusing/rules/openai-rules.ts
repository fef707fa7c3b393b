/**
 * What OpenAI's API refuses, by the texts of its errors in public reports (read 2026-11-15):
 * github.com/looplj/axonhub/issues/1669, github.com/maximhq/bifrost/issues/1000 (user),
 * github.com/langgenius/dify/issues/24307 (max_tokens), github.com/huggingface/smolagents/issues/1893 (stop),
 * github.com/BerriAI/litellm/pull/34569, github.com/pipecat-ai/pipecat/issues/4043 (tools on the chat path),
 * github.com/pydantic/pydantic-ai/issues/2865 (sealed thoughts); fields by github.com/openai/openai-openapi. Of the sixth
 * generation (read 2026-11-19): github.com/BerriAI/litellm-docs/pull/1173 and github.com/genkit-ai/genkit/issues/6303 (efforts),
 * github.com/UKGovernmentBEIS/inspect_ai/issues/5254 (sampling), github.com/onyx-dot-app/onyx/issues/15008 (tools on the chat path).
 */

import { given, type Json, listOf, objectOf, type Rules, refuse, ruleFor } from './refusal.ts';

interface ModelRow {
  readonly models: RegExp;
  readonly outputTokensMax: number;
  /** Absent for a model that does not reason. */
  readonly efforts?: readonly string[];
  readonly effortByDefault?: string;
  readonly toolsOnResponsesOnly?: true;
  readonly serialTools?: true;
  /** Efforts that it takes on the responses path alone. */
  readonly effortsOnResponsesOnly?: readonly string[];
}

const rows: readonly ModelRow[] = [
  { models: /^gpt-4o/, outputTokensMax: 16_384 },
  { models: /^gpt-4\.1/, outputTokensMax: 32_768 },
  {
    models: /^o[34]/,
    outputTokensMax: 100_000,
    efforts: ['low', 'medium', 'high'],
    effortByDefault: 'medium',
    serialTools: true,
  },
  {
    models: /^gpt-5(-mini|-nano)?$/,
    outputTokensMax: 128_000,
    efforts: ['minimal', 'low', 'medium', 'high'],
    effortByDefault: 'medium',
  },
  {
    models: /^gpt-5\.1$/,
    outputTokensMax: 128_000,
    efforts: ['none', 'low', 'medium', 'high'],
    effortByDefault: 'none',
  },
  {
    models: /^gpt-5\.[56]/,
    outputTokensMax: 128_000,
    efforts: ['none', 'low', 'medium', 'high', 'xhigh'],
    effortByDefault: 'medium',
    toolsOnResponsesOnly: true,
  },
  {
    models: /^gpt-6\.1-sol|^gpt-6-astra/,
    outputTokensMax: 128_000,
    efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
    effortByDefault: 'medium',
    toolsOnResponsesOnly: true,
    effortsOnResponsesOnly: ['max'],
  },
  {
    models: /^gpt-6-sol/,
    outputTokensMax: 128_000,
    efforts: ['none', 'low', 'medium', 'high', 'xhigh', 'max'],
    effortByDefault: 'medium',
    toolsOnResponsesOnly: true,
    effortsOnResponsesOnly: ['max'],
  },
];

const shared = [
  'model',
  'stream',
  'stream_options',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'temperature',
  'top_p',
  'top_logprobs',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'service_tier',
  'store',
  'metadata',
] as const;

const chatFields: ReadonlySet<string> = new Set([
  ...shared,
  'messages',
  'functions',
  'function_call',
  'max_tokens',
  'max_completion_tokens',
  'n',
  'stop',
  'seed',
  'presence_penalty',
  'frequency_penalty',
  'logit_bias',
  'logprobs',
  'modalities',
  'audio',
  'prediction',
  'reasoning_effort',
  'response_format',
  'verbosity',
  'web_search_options',
]);

const responsesFields: ReadonlySet<string> = new Set([
  ...shared,
  // Codex sends it with every request, to the service itself too: openai/codex, codex-rs/codex-api/src/common.rs.
  'client_metadata',
  'input',
  'instructions',
  'max_output_tokens',
  'max_tool_calls',
  'include',
  'reasoning',
  'text',
  'truncation',
  'previous_response_id',
  'conversation',
  'background',
  'prompt',
  'context_management',
]);

export const openaiRules: Rules = (wire, model, body) => {
  const row = ruleFor(rows, model);
  checkUser(body);
  checkTools(wire, body, row);
  if (wire === 'chat') checkChat(model, body, row);
  else checkResponses(body, row);
};

function unsupported(param: string, advice = ''): never {
  refuse(`Unsupported parameter: '${param}' is not supported with this model.${advice}`, param);
}

function checkUser(body: Json): void {
  for (const field of ['user', 'safety_identifier', 'prompt_cache_key'] as const) {
    const value = body[field];
    if (typeof value !== 'string' || value.length <= 64) continue;
    const length = `Expected a string with maximum length 64, but got a string with length ${value.length} instead.`;
    refuse(`Invalid '${field}': string too long. ${length}`, field);
  }
}

function checkTools(wire: string, body: Json, row: ModelRow): void {
  const tools = listOf(body.tools);
  for (const field of ['tool_choice', 'parallel_tool_calls'] as const) {
    const isMisplaced = wire === 'chat' && given(body[field]) && tools.length === 0;
    if (isMisplaced)
      refuse(`Invalid value for '${field}': '${field}' is only allowed when 'tools' are specified.`, field);
  }
  if (row.serialTools === true && given(body.parallel_tool_calls)) unsupported('parallel_tool_calls');
  for (const [index, tool] of tools.entries()) {
    const entry = objectOf(tool);
    const named = wire === 'chat' ? objectOf(entry.function ?? entry.custom) : entry;
    const isNamed = wire === 'chat' || ['function', 'custom'].includes(String(entry.type));
    if (isNamed && !/^[a-zA-Z0-9_-]{1,64}$/.test(String(named.name))) {
      refuse(`Invalid 'tools[${index}].name': string does not match pattern.`, `tools[${index}].name`);
    }
  }
}

function checkSampling(body: Json, effort: string | undefined): void {
  if (effort === undefined || effort === 'none') return;
  for (const field of [
    'top_p',
    'presence_penalty',
    'frequency_penalty',
    'logit_bias',
    'logprobs',
    'top_logprobs',
    'stop',
  ]) {
    if (given(body[field]) && body[field] !== false) unsupported(field);
  }
  if (given(body.temperature) && body.temperature !== 1) {
    const only = 'Only the default (1) value is supported.';
    refuse(
      `Unsupported value: 'temperature' does not support ${body.temperature} with this model. ${only}`,
      'temperature',
    );
  }
}

function effortOf(asked: unknown, param: string, row: ModelRow): string | undefined {
  if (row.efforts === undefined) {
    if (given(asked)) unsupported(param);
    return undefined;
  }
  if (!given(asked)) return row.effortByDefault;
  if (!row.efforts.includes(String(asked))) {
    const known = row.efforts.map((word) => `'${word}'`).join(', ');
    refuse(`Unsupported value: '${asked}' is not supported with this model. Supported values are: ${known}.`, param);
  }
  return String(asked);
}

function checkChat(model: string, body: Json, row: ModelRow): void {
  for (const field of Object.keys(body)) {
    if (!chatFields.has(field)) refuse(`Unrecognized request argument supplied: ${field}`, field);
  }
  const effort = effortOf(body.reasoning_effort, 'reasoning_effort', row);
  if (row.effortsOnResponsesOnly?.includes(String(effort)) === true)
    refuse(`Unsupported value: '${effort}' is only supported in /v1/responses.`, 'reasoning_effort');
  checkSampling(body, effort);
  if (row.efforts !== undefined && given(body.max_tokens))
    unsupported('max_tokens', " Use 'max_completion_tokens' instead.");
  if (row.efforts === undefined && given(body.verbosity) && body.verbosity !== 'medium') unsupported('verbosity');
  checkLimit(body.max_completion_tokens ?? body.max_tokens, row);
  const hasTools = listOf(body.tools).length + listOf(body.functions).length > 0;
  if (row.toolsOnResponsesOnly === true && hasTools && effort !== 'none') {
    const path = `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions.`;
    refuse(`${path} To use function tools, use /v1/responses or set reasoning_effort to 'none'.`, 'reasoning_effort');
  }
  checkChatTurns(body);
}

function checkChatTurns(body: Json): void {
  let waiting: readonly unknown[] = [];
  for (const [index, entry] of listOf(body.messages).entries()) {
    const { role, tool_calls: calls, tool_call_id: id } = objectOf(entry);
    if (!['system', 'developer', 'user', 'assistant', 'tool', 'function'].includes(String(role))) {
      refuse(
        `Invalid value: '${role}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.`,
      );
    }
    if (role === 'tool') {
      if (!waiting.includes(id))
        refuse("messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.");
      waiting = waiting.filter((one) => one !== id);
    } else if (waiting.length > 0) {
      refuse(
        `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. (messages[${index}])`,
      );
    }
    if (role === 'assistant') waiting = listOf(calls).map((call) => objectOf(call).id);
  }
}

function checkLimit(limit: unknown, { outputTokensMax }: ModelRow): void {
  if (typeof limit !== 'number' || limit <= outputTokensMax) return;
  const most = `This model supports at most ${outputTokensMax} completion tokens, whereas you provided ${limit}.`;
  refuse(`max_tokens is too large: ${limit}. ${most}`, 'max_tokens');
}

function checkResponses(body: Json, row: ModelRow): void {
  for (const field of Object.keys(body))
    if (!responsesFields.has(field)) refuse(`Unknown parameter: '${field}'.`, field);
  const reasoning = objectOf(body.reasoning);
  const effort = effortOf(reasoning.effort, 'reasoning.effort', row);
  if (row.efforts === undefined && given(reasoning.summary)) unsupported('reasoning.summary');
  checkSampling(body, effort);
  checkLimit(body.max_output_tokens, row);
  if (row.efforts === undefined && listOf(body.include).includes('reasoning.encrypted_content')) {
    refuse('Encrypted content is not supported with this model.', 'include');
  }
  const { verbosity } = objectOf(body.text);
  if (row.efforts === undefined && given(verbosity) && verbosity !== 'medium') {
    refuse(
      `Unsupported value: '${verbosity}' is not supported with this model. Supported values are: 'medium'.`,
      'text.verbosity',
    );
  }
  const calls = new Set(
    listOf(body.input)
      .map((item) => objectOf(item))
      .filter((item) => String(item.type).endsWith('_call'))
      .map((item) => item.call_id),
  );
  for (const item of listOf(body.input)) {
    const { type, call_id: id } = objectOf(item);
    const isOrphan = type === 'function_call_output' && !calls.has(id);
    if (isOrphan) refuse(`No tool call found for function call output with call_id ${id}.`, 'input');
  }
}
