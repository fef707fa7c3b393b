/**
 * The reply object around the output: the format echoes the whole request in it, and its strict readers require every
 * field.
 */

import type { GatewayError } from '../../conversation/gateway-error.ts';
import { isObject, type Tree } from '../../conversation/json-tree.ts';
import type { LossList } from '../../conversation/loss-list.ts';
import { errorWords } from '../openai-error-words.ts';
import { list, promptField, text } from './wire.ts';

/** The fields that stay the same from the first event of a reply to its last. */
export function writeEcho(request: Tree): Tree {
  return {
    background: request['background'] === true,
    instructions: text(request['instructions']) ?? null,
    max_output_tokens: number(request, 'max_output_tokens') ?? null,
    max_tool_calls: number(request, 'max_tool_calls') ?? null,
    parallel_tool_calls: request['parallel_tool_calls'] !== false,
    previous_response_id: text(request['previous_response_id']) ?? null,
    prompt_cache_key: text(request['prompt_cache_key']) ?? null,
    ...(typeof request['prompt_cache_retention'] === 'string'
      ? { prompt_cache_retention: request['prompt_cache_retention'] }
      : {}),
    reasoning: writeReasoning(request['reasoning']),
    safety_identifier: text(request['safety_identifier']) ?? null,
    store: request['store'] !== false,
    temperature: number(request, 'temperature') ?? 1,
    text: writeText(request['text']),
    tool_choice: writeToolChoice(request['tool_choice']),
    tools: list(request['tools']).filter(isObject).map(writeTool),
    top_logprobs: number(request, 'top_logprobs') ?? 0,
    top_p: number(request, 'top_p') ?? 1,
    presence_penalty: number(request, 'presence_penalty') ?? 0,
    frequency_penalty: number(request, 'frequency_penalty') ?? 0,
    truncation: request['truncation'] === 'auto' ? 'auto' : 'disabled',
    ...(typeof request['user'] === 'string' ? { user: request['user'] } : {}),
    metadata: isObject(request['metadata']) ? request['metadata'] : {},
  };
}

function number(request: Tree, name: string): number | undefined {
  const value = request[name];
  return typeof value === 'number' ? value : undefined;
}

function writeReasoning(value: unknown): object {
  if (!isObject(value)) return { effort: null, summary: null };
  return { ...value, effort: value['effort'] ?? null, summary: value['summary'] ?? value['generate_summary'] ?? null };
}

function writeText(value: unknown): object {
  const said = isObject(value) ? value : {};
  return { ...said, format: isObject(said['format']) ? said['format'] : { type: 'text' } };
}

function writeToolChoice(value: unknown): unknown {
  return isObject(value) || typeof value === 'string' ? value : 'auto';
}

function writeTool(tool: Tree): Tree {
  if (tool['type'] !== 'function') return tool;
  return {
    ...tool,
    description: tool['description'] ?? null,
    parameters: tool['parameters'] ?? null,
    strict: tool['strict'] ?? false,
  };
}

const tiers: ReadonlySet<string> = new Set(['auto', 'default', 'flex', 'scale', 'priority', 'fast', 'ultrafast']);

/** The tier that served, otherwise the requested one; the format's strict readers require a word in any case. */
export function writeTier(served: string | undefined, request: Tree, losses: LossList): string {
  if (served !== undefined) {
    if (tiers.has(served)) return served;
    if (served !== 'standard') losses.add('service_tier', `has no value for \`${served}\``);
    return 'default';
  }
  const asked = text(request['service_tier']);
  return asked !== undefined && asked !== 'auto' && tiers.has(asked) ? asked : 'default';
}

export interface Ending {
  readonly status: 'in_progress' | 'completed' | 'incomplete' | 'failed';
  readonly completedAt: number | null;
  readonly error: object | null;
  readonly incompleteReason: string | undefined;
  readonly usage: object | undefined;
}

/** What every state of one reply shares. */
export interface Head {
  /** Fields from a provider of this format that are unknown here. */
  readonly fields?: Tree;
  readonly id: string;
  readonly createdAt: number;
  readonly model: string;
  readonly tier: string;
}

export function writeEnvelope(head: Head, echo: Tree, ending: Ending, output: readonly unknown[]): Tree {
  return {
    ...head.fields,
    id: head.id,
    object: 'response',
    created_at: head.createdAt,
    completed_at: ending.completedAt,
    status: ending.status,
    error: ending.error,
    incomplete_details: ending.incompleteReason === undefined ? null : { reason: ending.incompleteReason },
    model: head.model,
    output,
    service_tier: head.tier,
    ...(ending.usage === undefined ? {} : { usage: ending.usage }),
    ...echo,
  };
}

/** An id of another format keeps its value after this format's prefix. */
export function replyId(id: string, ids: { newId(prefix: string): string }): string {
  if (id === '') return ids.newId('resp_');
  return id.startsWith('resp_') ? id : `resp_${id}`;
}

/** The codes that clients handle; a provider's other words would be unknown to them. */
const errorCodes: ReadonlySet<string> = new Set([
  'server_error',
  'rate_limit_exceeded',
  'invalid_prompt',
  'data_residency_mismatch',
  'bio_policy',
  'vector_store_timeout',
  'invalid_image',
  'invalid_image_format',
  'invalid_base64_image',
  'invalid_image_url',
  'image_too_large',
  'image_too_small',
  'image_parse_error',
  'image_content_policy_violation',
  'invalid_image_mode',
  'image_file_too_large',
  'unsupported_image_media_type',
  'empty_image_file',
  'failed_to_download_image',
  'image_file_not_found',
  'context_length_exceeded',
  'insufficient_quota',
  'usage_not_included',
]);

/** The error inside a failed reply. Its list of codes is closed, so other details go under `type`. */
export function writeReplyError(error: GatewayError): object {
  const { type, code, param } = errorWords(error, promptField);
  const limited = error.row.type === 'rate_limit_error';
  return {
    code: errorCodes.has(code) ? code : limited ? 'rate_limit_exceeded' : 'server_error',
    message: error.message,
    type,
    param: param === '' ? null : param,
  };
}
