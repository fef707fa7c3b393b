/** Reads a chat-format request body into the neutral request; what the neutral form cannot carry is reported, nothing throws. */

import type { Loss } from '../../conversation/parts.ts';
import type {
  JsonSchema,
  OutputShape,
  TextRequest,
  ToolChoice,
  ToolDeclaration,
} from '../../conversation/text-request.ts';
import { LossList } from './losses.ts';
import { readMessages } from './read-messages.ts';
import { isObject } from './usage.ts';
import type { WireObject } from './wire.ts';

/** Fields that are carried, or that say how to answer rather than what (`stream_options`). */
const carriedFields: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'tools',
  'tool_choice',
  'functions',
  'function_call',
  'parallel_tool_calls',
  'response_format',
  'max_tokens',
  'max_completion_tokens',
  'n',
  'stop',
  'temperature',
  'top_p',
  'top_k',
  'seed',
  'presence_penalty',
  'frequency_penalty',
  'reasoning_effort',
  'user',
]);

/** Values that say the same as leaving the field out, so that dropping them loses nothing. */
const emptyValues: Readonly<Record<string, (value: unknown) => boolean>> = {
  logprobs: (value) => value === false,
  store: (value) => value === false,
  top_logprobs: (value) => value === 0,
  service_tier: (value) => value === 'auto' || value === 'default',
  modalities: (value) => Array.isArray(value) && value.length === 1 && value[0] === 'text',
  logit_bias: (value) => isObject(value) && Object.keys(value).length === 0,
  metadata: (value) => isObject(value) && Object.keys(value).length === 0,
};

const candidatesMax = 128;

export function readRequest(body: WireObject): { value: TextRequest; losses: Loss[] } {
  const losses = new LossList();
  for (const [field, value] of Object.entries(body)) {
    if (carriedFields.has(field) || value === null || value === undefined) continue;
    const empty = Object.hasOwn(emptyValues, field) ? emptyValues[field] : undefined;
    if (empty?.(value) !== true) losses.add(field, 'has no place in the neutral request');
  }
  const declared = [...readTools(body.tools, losses), ...readFunctions(body.functions, losses)];
  const { choice, allowed } = readToolChoice(body, losses);
  const value: TextRequest = {
    model: typeof body.model === 'string' ? body.model : '',
    messages: readMessages(body.messages, losses),
    stream: body.stream === true,
    tools: allowed === undefined ? declared : declared.filter((tool) => allowed.has(tool.name)),
    toolChoice: choice,
    output: readOutput(body.response_format, losses),
    candidates: Math.min(candidatesMax, Math.max(1, readInteger(body, 'n', losses) ?? 1)),
    stop: readStop(body.stop, losses),
    ...readSampling(body, losses),
    ...defined('maxOutputTokens', readOutputLimit(body, losses)),
    ...defined(
      'parallelToolCalls',
      typeof body.parallel_tool_calls === 'boolean' ? body.parallel_tool_calls : undefined,
    ),
    ...defined('user', typeof body.user === 'string' ? body.user : undefined),
    ...(typeof body.reasoning_effort === 'string' ? { thinking: { effort: body.reasoning_effort } } : {}),
  };
  return { value, losses: losses.all };
}

/** An absent field stays absent, as `exactOptionalPropertyTypes` asks. */
function defined<Name extends string, Value>(name: Name, value: Value | undefined): { [Key in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { [Key in Name]?: Value });
}

function readNumber(body: WireObject, field: string, losses: LossList): number | undefined {
  const value = body[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  losses.add(field, 'is not a number');
  return undefined;
}

function readInteger(body: WireObject, field: string, losses: LossList): number | undefined {
  const value = readNumber(body, field, losses);
  return value === undefined ? undefined : Math.trunc(value);
}

function readSampling(body: WireObject, losses: LossList): Partial<TextRequest> {
  return {
    ...defined('temperature', readNumber(body, 'temperature', losses)),
    ...defined('topP', readNumber(body, 'top_p', losses)),
    ...defined('topK', readInteger(body, 'top_k', losses)),
    ...defined('seed', readInteger(body, 'seed', losses)),
    ...defined('presencePenalty', readNumber(body, 'presence_penalty', losses)),
    ...defined('frequencyPenalty', readNumber(body, 'frequency_penalty', losses)),
  };
}

/** The newer field wins; the older one means the same. */
function readOutputLimit(body: WireObject, losses: LossList): number | undefined {
  const limit = readInteger(body, 'max_completion_tokens', losses) ?? readInteger(body, 'max_tokens', losses);
  return limit === undefined ? undefined : Math.max(0, limit);
}

function readStop(value: unknown, losses: LossList): string[] {
  if (value === undefined || value === null) return [];
  const list = Array.isArray(value) ? value : [value];
  const stops = list.filter((entry): entry is string => typeof entry === 'string' && entry !== '');
  if (stops.length !== list.length) losses.add('stop', 'holds something that is not a text');
  return stops;
}

function readTools(value: unknown, losses: LossList): ToolDeclaration[] {
  if (!Array.isArray(value)) return [];
  const tools: ToolDeclaration[] = [];
  for (const [index, entry] of value.entries()) {
    const declared = isObject(entry) && entry.type !== 'custom' ? readFunction(entry.function) : undefined;
    if (declared === undefined) losses.add(`tools[${index}]`, 'is not a function tool');
    else tools.push(declared);
  }
  return tools;
}

function readFunctions(value: unknown, losses: LossList): ToolDeclaration[] {
  if (!Array.isArray(value)) return [];
  const tools: ToolDeclaration[] = [];
  for (const [index, entry] of value.entries()) {
    const declared = readFunction(entry);
    if (declared === undefined) losses.add(`functions[${index}]`, 'has no name');
    else tools.push(declared);
  }
  return tools;
}

function readFunction(value: unknown): ToolDeclaration | undefined {
  if (!isObject(value) || typeof value.name !== 'string') return undefined;
  return {
    name: value.name,
    ...defined('description', typeof value.description === 'string' ? value.description : undefined),
    ...defined('parameters', isJsonSchema(value.parameters) ? value.parameters : undefined),
    ...defined('strict', typeof value.strict === 'boolean' ? value.strict : undefined),
  };
}

function isJsonSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isObject(value);
}

interface Choice {
  readonly choice: ToolChoice;
  /** Only these tools may be called; the neutral form says that by declaring no others. */
  readonly allowed?: ReadonlySet<string>;
}

function readToolChoice(body: WireObject, losses: LossList): Choice {
  const value = body.tool_choice ?? body.function_call;
  if (value === undefined || value === null || value === 'auto') return { choice: { kind: 'auto' } };
  if (value === 'none') return { choice: { kind: 'none' } };
  if (value === 'required') return { choice: { kind: 'required' } };
  if (isObject(value)) {
    if (value.type === 'allowed_tools') return readAllowedTools(value);
    const named = isObject(value.function) ? value.function : isObject(value.custom) ? value.custom : value;
    if (typeof named.name === 'string') return { choice: { kind: 'tool', name: named.name } };
  }
  losses.add(
    body.tool_choice === undefined ? 'function_call' : 'tool_choice',
    'is a choice the neutral request does not know',
  );
  return { choice: { kind: 'auto' } };
}

function readAllowedTools(value: WireObject): Choice {
  const body = isObject(value.allowed_tools) ? value.allowed_tools : value;
  const allowed = new Set<string>();
  for (const tool of Array.isArray(body.tools) ? body.tools : []) {
    if (!isObject(tool)) continue;
    const named = isObject(tool.function) ? tool.function : tool;
    if (typeof named.name === 'string') allowed.add(named.name);
  }
  return { choice: { kind: body.mode === 'required' ? 'required' : 'auto' }, allowed };
}

function readOutput(value: unknown, losses: LossList): OutputShape {
  if (value === undefined || value === null) return { kind: 'text' };
  if (isObject(value)) {
    if (value.type === 'text') return { kind: 'text' };
    if (value.type === 'json_object') return { kind: 'json' };
    const shape = value.json_schema;
    if (value.type === 'json_schema' && isObject(shape)) {
      return {
        kind: 'json-schema',
        schema: isJsonSchema(shape.schema) ? shape.schema : {},
        ...defined('name', typeof shape.name === 'string' ? shape.name : undefined),
        ...defined('strict', typeof shape.strict === 'boolean' ? shape.strict : undefined),
      };
    }
  }
  losses.add('response_format', 'is a shape the neutral request does not know');
  return { kind: 'text' };
}
