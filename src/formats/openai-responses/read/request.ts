/** Reads a responses request into the neutral one. */

import { defined, isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Converted, Extras, Message } from '../../../conversation/parts.ts';
import type { JsonSchema, OutputShape, TextRequest, Thinking } from '../../../conversation/text-request.ts';
import { readFields } from '../../fields/carried-fields.ts';
import { reportUnread } from '../../fields/unread-fields.ts';
import { asksToCompact } from '../compaction/compacted-item.ts';
import { withSummaryInstruction } from '../compaction/summary-instruction.ts';
import { fields as formatFields } from '../fields.ts';
import { formatName, list, sealedThinking, text, tokenLogprobs } from '../wire.ts';
import { readInput } from './input.ts';
import { type Choice, DeclaredTools, otherFields, readToolChoice } from './tools.ts';

/** Fields that the neutral request names; all others are this format's own. */
const neutralFields = readFields(formatFields.table);

/** This format's own fields, as far as they are documented. */
const ownFields: ReadonlySet<string> = new Set([
  'access_programs',
  'background',
  'context_management',
  'conversation',
  'image',
  'max_tool_calls',
  'moderation',
  'prompt',
  'prompt_cache_options',
  'prompt_cache_retention',
  'stream_options',
  'truncation',
]);

export function readRequest(tree: Tree): Converted<TextRequest> {
  const losses = new LossList();
  reportUnread(tree, formatFields.table, losses);
  const tools = new DeclaredTools(tree, losses);
  const chosen = readToolChoice(tree['tool_choice'], tools, losses);
  const value: TextRequest = {
    model: text(tree['model']) ?? '',
    messages: readMessages(tree, tools, losses),
    stream: tree['stream'] === true,
    tools: tools.functions,
    ...(tools.hosted.length === 0 ? {} : { hostedTools: tools.hosted }),
    toolChoice: chosen.choice,
    output: readOutput(tree['text'], losses),
    candidates: 1,
    stop: [],
    ...readNumbers(tree, losses),
    ...readOptions(tree, losses),
    ...defined('thinking', readThinking(tree['reasoning'])),
    ...defined('unsupported', readUnsupported(tree)),
    ...defined('extras', readExtras(tree, chosen)),
  };
  return { value: asksToCompact(tree) ? withSummaryInstruction(value) : value, losses: losses.all };
}

function readMessages(tree: Tree, tools: DeclaredTools, losses: LossList): readonly Message[] {
  const messages = readInput(tree['input'], tools, losses);
  const { instructions } = tree;
  if (typeof instructions === 'string') {
    messages.unshift({ role: 'instruction', parts: [{ type: 'text', text: instructions }] });
  } else if (instructions !== undefined && instructions !== null) losses.add('instructions', 'is not a text');
  return messages;
}

const numbers = [
  ['max_output_tokens', 'maxOutputTokens'],
  ['temperature', 'temperature'],
  ['top_p', 'topP'],
  ['presence_penalty', 'presencePenalty'],
  ['frequency_penalty', 'frequencyPenalty'],
] as const;

function readNumbers(tree: Tree, losses: LossList): Partial<TextRequest> {
  const result: Record<string, number> = {};
  for (const [field, name] of numbers) {
    const value = tree[field];
    if (value === undefined || value === null) continue;
    if (typeof value === 'number' && Number.isFinite(value)) result[name] = value;
    else losses.add(field, 'is not a number');
  }
  return result;
}

/** Everything else that has a neutral name and needs no conversion. */
function readOptions(tree: Tree, losses: LossList): Partial<TextRequest> {
  const { parallel_tool_calls: parallel, store, text: shape, top_logprobs: top } = tree;
  const logprobs = list(tree['include']).includes(tokenLogprobs) || (typeof top === 'number' && top > 0);
  return {
    ...defined('parallelToolCalls', typeof parallel === 'boolean' ? parallel : undefined),
    ...defined('store', typeof store === 'boolean' ? store : undefined),
    ...defined('logprobs', logprobs ? { top: typeof top === 'number' ? top : 0 } : undefined),
    ...defined('verbosity', isObject(shape) ? text(shape['verbosity']) : undefined),
    ...defined('serviceTier', text(tree['service_tier'])),
    ...defined('metadata', readMetadata(tree['metadata'], losses)),
    ...defined('user', text(tree['user']) ?? text(tree['safety_identifier'])),
    ...defined('promptCacheKey', text(tree['prompt_cache_key'])),
    ...defined('previousReplyId', text(tree['previous_response_id'])),
  };
}

function readMetadata(value: unknown, losses: LossList): Record<string, string> | undefined {
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  if (entries.length < Object.keys(value).length) losses.add('metadata', 'holds something that is not a text');
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

export function readThinking(value: unknown): Thinking | undefined {
  if (!isObject(value)) return undefined;
  const effort = text(value['effort']);
  const summary = text(value['summary']) ?? text(value['generate_summary']);
  if (effort === undefined && summary === undefined) return undefined;
  return {
    ...(effort === 'none' ? { mode: 'off' } : {}),
    ...defined('effort', effort),
    ...(summary === undefined ? {} : { visible: true, summary }),
  };
}

export function readOutput(value: unknown, losses: LossList): OutputShape {
  const format = isObject(value) ? value['format'] : undefined;
  if (format === undefined || format === null) return { kind: 'text' };
  if (isObject(format)) {
    const { schema, name, description, strict } = format;
    if (format['type'] === 'text') return { kind: 'text' };
    if (format['type'] === 'json_object') return { kind: 'json' };
    if (format['type'] === 'json_schema') {
      return {
        kind: 'json-schema',
        schema: typeof schema === 'boolean' || isObject(schema) ? (schema as JsonSchema) : {},
        ...defined('name', text(name)),
        ...defined('description', text(description)),
        ...defined('strict', typeof strict === 'boolean' ? strict : undefined),
      };
    }
  }
  losses.add('text.format', 'is an unknown shape');
  return { kind: 'text' };
}

/** Options that change what a request is: without them its answer would be another one. */
function readUnsupported(tree: Tree): string | undefined {
  if (tree['background'] === true) return 'background';
  return ['conversation', 'prompt'].find((name) => tree[name] !== undefined && tree[name] !== null);
}

function readExtras(tree: Tree, chosen: Choice): Extras | undefined {
  const fields = otherFields(tree, neutralFields, ownFields) ?? {};
  // Default values of a field are not worth reporting.
  if (fields['background'] === false) delete fields['background'];
  if (fields['truncation'] === 'disabled') delete fields['truncation'];
  if (isPlainStream(fields['stream_options'])) delete fields['stream_options'];
  const included = list(tree['include']).filter((name) => name !== sealedThinking && name !== tokenLogprobs);
  if (included.length > 0) fields['include'] = included;
  if (chosen.native !== undefined) fields['tool_choice'] = chosen.native;
  const { user, safety_identifier: safety } = tree;
  if (typeof user === 'string' && typeof safety === 'string' && safety !== user) fields['safety_identifier'] = safety;
  return Object.keys(fields).length === 0 ? undefined : { format: formatName, fields };
}

/** The only option of a stream is padding, whose loss does not matter. */
function isPlainStream(options: unknown): boolean {
  if (!isObject(options)) return false;
  return (
    Object.keys(options).every((name) => name === 'include_obfuscation') && options['include_obfuscation'] !== true
  );
}
