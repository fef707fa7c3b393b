/**
 * What Anthropic's API refuses, by the texts of its errors in public reports (read 2026-11-15):
 * github.com/lidge-jun/opencodex/issues/65, github.com/askalf/dario/issues/273 (kinds of thinking, live tables),
 * github.com/NousResearch/hermes-agent/issues/11137 (budgets on 4.7), github.com/pollinations/pollinations/pull/11319 (sampling),
 * github.com/ogkalu2/comic-translate/pull/366 (temperature and top_p), github.com/router-for-me/CLIProxyAPI/issues/4957
 * (clearing of thoughts), platform.claude.com/docs/en/api/messages,
 * github.com/langchain-ai/langchainjs/releases/tag/@langchain/anthropic@1.5.13 (system turns in messages). Of 5.5 and Fable 5.1
 * (read 2026-11-19): platform.claude.com/docs/en/about-claude/models/whats-new-opus-5-5, github.com/can1357/oh-my-pi/issues/12939
 * (thinking that cannot be off), github.com/vercel/ai/issues/21364 (forced tools, prefill, thoughts of another model),
 * github.com/elgorro/aiquila/issues/410 (Opus 5: disabled beside a high effort).
 */

import { given, type Json, listOf, objectOf, type Rules, refuse, ruleFor } from './refusal.ts';

interface ModelRow {
  readonly models: RegExp;
  readonly outputTokensMax: number;
  /** Kinds of `thinking.type` that it takes. */
  readonly thinking: readonly ('enabled' | 'adaptive' | 'disabled')[];
  readonly efforts?: readonly string[];
  readonly sampling: 'any' | 'one' | 'none';
  readonly systemTurns?: true;
  readonly schemas?: true;
  /** Refuses a choice that forces a tool, and an assistant's turn at the end; takes only thoughts that it had itself. */
  readonly strict?: true;
  /** With thinking disabled it takes no effort above this. */
  readonly effortMaxAtRest?: string;
}

const fiveEfforts = ['low', 'medium', 'high', 'xhigh', 'max'];

const rows: readonly ModelRow[] = [
  { models: /^claude-3-5-haiku/, outputTokensMax: 8_192, thinking: ['disabled'], sampling: 'any' },
  {
    models: /^claude-(sonnet|haiku)-4-5/,
    outputTokensMax: 64_000,
    thinking: ['enabled', 'disabled'],
    sampling: 'one',
    schemas: true,
  },
  {
    models: /^claude-opus-4-6/,
    outputTokensMax: 128_000,
    thinking: ['enabled', 'adaptive', 'disabled'],
    efforts: ['low', 'medium', 'high', 'max'],
    sampling: 'one',
    schemas: true,
  },
  {
    models: /^claude-opus-4-8/,
    outputTokensMax: 128_000,
    thinking: ['adaptive', 'disabled'],
    efforts: fiveEfforts,
    sampling: 'none',
    systemTurns: true,
    schemas: true,
  },
  {
    models: /^claude-(opus|sonnet)-5-5|^claude-fable-5-1/,
    outputTokensMax: 128_000,
    thinking: ['adaptive'],
    efforts: fiveEfforts,
    sampling: 'none',
    systemTurns: true,
    schemas: true,
    strict: true,
  },
  {
    models: /^claude-opus-5$/,
    outputTokensMax: 128_000,
    thinking: ['adaptive', 'disabled'],
    efforts: fiveEfforts,
    sampling: 'none',
    systemTurns: true,
    schemas: true,
    effortMaxAtRest: 'high',
  },
];

const fields: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'max_tokens',
  'system',
  'stream',
  'stop_sequences',
  'temperature',
  'top_p',
  'top_k',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'metadata',
  'service_tier',
  'cache_control',
  'context_management',
  'container',
  'mcp_servers',
]);

export const anthropicRules: Rules = (_wire, model, body, issuedBy) => {
  const row = ruleFor(rows, model);
  for (const field of Object.keys(body)) if (!fields.has(field)) refuse(`${field}: Extra inputs are not permitted`);
  checkLimit(model, body, row);
  const thinks = checkThinking(body, row);
  checkSampling(body, row, thinks);
  checkTools(body);
  checkTurns(body, row, thinks);
  checkContext(body, thinks);
  checkMarks(body);
  if (row.strict === true) checkStrict(model, body, issuedBy);
};

function checkStrict(model: string, body: Json, issuedBy: (seal: string) => string | undefined): void {
  const { type } = objectOf(body.tool_choice);
  if (type === 'any' || type === 'tool') refuse(`tool_choice: '${type}' is not supported for this model.`);
  const turns = listOf(body.messages).map(objectOf);
  if (turns.at(-1)?.role === 'assistant')
    refuse('This model does not support assistant message prefill. The conversation must end with a user message.');
  for (const block of turns.flatMap(({ content }) => listOf(content).map(objectOf))) {
    if (block.type !== 'thinking' || issuedBy(String(block.signature)) === model) continue;
    refuse('Invalid `signature` in `thinking` block: it was not issued for this model and conversation.');
  }
}

function checkLimit(model: string, body: Json, { outputTokensMax }: ModelRow): void {
  const limit = body.max_tokens;
  if (typeof limit !== 'number') refuse('max_tokens: Field required');
  if (limit <= outputTokensMax) return;
  refuse(
    `max_tokens: ${limit} > ${outputTokensMax}, which is the maximum allowed number of output tokens for ${model}`,
  );
}

/** Which kind it thinks by. */
function checkThinking(body: Json, row: ModelRow): string | undefined {
  const { effort, format } = objectOf(body.output_config);
  if (given(effort)) {
    if (row.efforts === undefined) refuse('This model does not support the effort parameter.');
    if (!row.efforts.includes(String(effort)))
      refuse(`output_config.effort: '${effort}' is not supported by this model`);
  }
  if (given(format) && row.schemas !== true)
    refuse('output_config.format: structured outputs are not supported by this model');
  if (!given(body.thinking)) return undefined;
  const { type, budget_tokens: budget } = objectOf(body.thinking);
  if (!row.thinking.includes(type as 'enabled')) {
    if (type === 'adaptive') refuse('adaptive thinking is not supported on this model');
    const instead = 'Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.';
    refuse(`"thinking.type.${type}" is not supported for this model. ${instead}`);
  }
  if (type === 'disabled') {
    const { effortMaxAtRest: most } = row;
    if (most !== undefined && given(effort) && fiveEfforts.indexOf(String(effort)) > fiveEfforts.indexOf(most))
      refuse(`thinking cannot be disabled with effort '${effort}' on this model`);
    return undefined;
  }
  if (type === 'enabled') {
    if (typeof budget !== 'number' || budget < 1_024) {
      refuse('thinking.enabled.budget_tokens: Input should be greater than or equal to 1024');
    }
    if (budget >= (body.max_tokens as number)) refuse('`max_tokens` must be greater than `thinking.budget_tokens`.');
  }
  if (['any', 'tool'].includes(String(objectOf(body.tool_choice).type))) {
    refuse('Thinking may not be enabled when tool_choice forces tool use.');
  }
  return String(type);
}

function checkSampling(body: Json, row: ModelRow, thinks: string | undefined): void {
  const { temperature, top_p: topP, top_k: topK } = body;
  if (row.sampling === 'none') {
    const names = { temperature: [temperature, 1], top_p: [topP, 1], top_k: [topK, undefined] } as const;
    for (const [name, [value, usual]] of Object.entries(names)) {
      if (given(value) && value !== usual) refuse(`\`${name}\` is deprecated for this model.`);
    }
  }
  if (row.sampling === 'one' && given(temperature) && given(topP)) {
    refuse('`temperature` and `top_p` cannot both be specified for this model. Please use only one.');
  }
  if (typeof temperature === 'number' && temperature > 1) refuse('temperature: range: 0..1');
  if (thinks === undefined) return;
  if (given(temperature) && temperature !== 1) refuse('`temperature` may only be set to 1 when thinking is enabled.');
  if (given(topK)) refuse('`top_k` must be unset when thinking is enabled.');
  if (typeof topP === 'number' && topP < 0.95)
    refuse('`top_p` must be greater than or equal to 0.95 when thinking is enabled.');
}

function checkTools(body: Json): void {
  for (const [index, entry] of listOf(body.tools).entries()) {
    const { type, name, input_schema: schema } = objectOf(entry);
    if (type !== undefined && type !== 'custom') continue;
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(String(name))) {
      refuse(`tools.${index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
    }
    if (objectOf(schema).type !== 'object') refuse(`tools.${index}.custom.input_schema.type: Field required`);
  }
}

function checkTurns(body: Json, row: ModelRow, thinks: string | undefined): void {
  let calls: readonly unknown[] = [];
  for (const [index, entry] of listOf(body.messages).entries()) {
    const { role, content } = objectOf(entry);
    if (role === 'system') {
      if (row.systemTurns === true && index > 0) continue;
      const field = 'The Messages API accepts a top-level `system` parameter, not "system" as an input message role.';
      refuse(`messages: Unexpected role "system". ${field}`);
    }
    if (role !== 'user' && role !== 'assistant') refuse(`messages: Unexpected role "${role}".`);
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content).map(objectOf);
    if (blocks.length === 0) refuse(`messages.${index}: all messages must have non-empty content`);
    for (const block of blocks) {
      if (block.type === 'text' && String(block.text).trim() === '')
        refuse('messages: text content blocks must contain non-whitespace text');
    }
    const results = blocks.filter(({ type }) => type === 'tool_result').map((block) => objectOf(block).tool_use_id);
    if (calls.some((id) => !results.includes(id)) || results.some((id) => !calls.includes(id))) {
      refuse(
        `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${calls.join(', ')}`,
      );
    }
    calls = blocks.filter(({ type }) => type === 'tool_use').map((block) => objectOf(block).id);
  }
  if (thinks === 'enabled') checkThoughts(listOf(body.messages).map(objectOf));
}

/** Between a call and the answer to its result the turn must begin with its thoughts. */
function checkThoughts(messages: readonly Json[]): void {
  const last = messages.at(-1);
  if (!listOf(last?.content).some((block) => objectOf(block).type === 'tool_result')) return;
  const turn = messages.findLast(({ role }) => role === 'assistant');
  const first = objectOf(listOf(turn?.content)[0]).type;
  if (first === 'thinking' || first === 'redacted_thinking') return;
  refuse(`messages: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`.`);
}

function checkContext(body: Json, thinks: string | undefined): void {
  for (const edit of listOf(objectOf(body.context_management).edits)) {
    const type = String(objectOf(edit).type);
    const isClearing = type.startsWith('clear_thinking_') && thinks === undefined;
    if (isClearing) refuse(`\`${type}\` strategy requires \`thinking\` to be enabled or adaptive`);
  }
}

function checkMarks(body: Json): void {
  const blocks = [
    ...listOf(body.system),
    ...listOf(body.tools),
    ...listOf(body.messages).flatMap((one) => listOf(objectOf(one).content)),
  ];
  const marks =
    blocks.filter((block) => given(objectOf(block).cache_control)).length + (given(body.cache_control) ? 1 : 0);
  if (marks > 4) refuse(`A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`);
}
