/** Reads the tools of a chat request, which of them may be called, and the requested shape of its reply. */

import { defined, isObject, type Tree, type Writable } from '../../../conversation/json-tree.ts';
import type { LossList } from '../../../conversation/loss-list.ts';
import type { Extras } from '../../../conversation/parts.ts';
import type {
  HostedTool,
  JsonSchema,
  OutputShape,
  ToolChoice,
  ToolDeclaration,
  WebSearch,
} from '../../../conversation/text-request.ts';
import { hostedToolName } from '../../fields/hosted-tools.ts';
import { readLocation, readWord, searchOf, take } from '../../web-search.ts';
import { formatName } from '../wire.ts';
import { readCacheMark } from './parts.ts';

interface DeclaredTools {
  readonly tools: readonly ToolDeclaration[];
  readonly hosted: readonly HostedTool[];
}

export function readTools(body: Tree, losses: LossList): DeclaredTools {
  const tools: ToolDeclaration[] = [];
  const hosted: HostedTool[] = [];
  for (const [index, entry] of list(body.tools).entries()) {
    const declared = isObject(entry) ? readDeclared(entry) : undefined;
    if (declared !== undefined) tools.push(declared);
    else if (isObject(entry) && typeof entry.type === 'string' && entry.type !== 'function') {
      hosted.push(readHosted(entry, entry.type));
    } else losses.add(`tools[${index}]`, 'is not a tool with a name');
  }
  for (const [index, entry] of list(body.functions).entries()) {
    const declared = isObject(entry) ? readFunction(entry, {}) : undefined;
    if (declared === undefined) losses.add(`functions[${index}]`, 'has no name');
    else tools.push(declared);
  }
  if (isObject(body.web_search_options)) {
    hosted.push(readSearch(body.web_search_options));
  }
  return { tools, hosted };
}

/** Servers of the format, and clients of the responses format, declare a search of the web as a tool. */
function readHosted(entry: Tree, type: string): HostedTool {
  if (hostedToolName(type) !== 'web_search') return { kind: 'native', format: formatName, value: entry };
  return readSearch(entry);
}

function readSearch(options: Tree): HostedTool {
  const others = { ...options };
  const place = (value: unknown) =>
    isObject(value) ? readLocation(isObject(value.approximate) ? value.approximate : value) : undefined;
  const search: WebSearch = {
    ...defined('location', take(others, 'user_location', place)),
    ...defined('contextSize', take(others, 'search_context_size', readWord)),
  };
  return searchOf(search, formatName, others);
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function readDeclared(entry: Tree): ToolDeclaration | undefined {
  if (isObject(entry.function)) return readFunction(entry.function, entry);
  return entry.type === 'custom' && isObject(entry.custom) ? readFreeform(entry.custom, entry) : undefined;
}

/** What a tool's own object says beside what is read. */
const partly: ReadonlySet<string> = new Set(['function', 'custom']);

const functionFields: ReadonlySet<string> = new Set(['name', 'description', 'parameters', 'strict']);
const toolFields: ReadonlySet<string> = new Set(['type', 'function', 'cache_control', 'prompt_cache_breakpoint']);

function readFunction(called: Tree, tool: Tree): ToolDeclaration | undefined {
  if (typeof called.name !== 'string') return undefined;
  const unknownInside = remainder(called, functionFields);
  const unknown = remainder(tool, toolFields);
  // Agents declare dozens of tools with each request, so nothing is built to be copied.
  const declared: Writable<ToolDeclaration> = { name: called.name };
  if (typeof called.description === 'string') declared.description = called.description;
  if (isJsonSchema(called.parameters)) declared.parameters = called.parameters;
  if (typeof called.strict === 'boolean') declared.strict = called.strict;
  const { cacheMark } = readCacheMark(tool);
  if (cacheMark !== undefined) declared.cacheMark = cacheMark;
  const fields = unknownInside === undefined ? unknown : { ...unknown, function: unknownInside };
  if (fields !== undefined) declared.extras = { format: formatName, fields, partly };
  return declared;
}

const freeformFields: ReadonlySet<string> = new Set(['name', 'description', 'format']);
const freeformToolFields: ReadonlySet<string> = new Set(['type', 'custom', 'cache_control', 'prompt_cache_breakpoint']);

function readFreeform(called: Tree, tool: Tree): ToolDeclaration | undefined {
  if (typeof called.name !== 'string') return undefined;
  const { format } = called;
  const grammar = isObject(format) && isObject(format.grammar) ? format.grammar : {};
  const unknownInside = remainder(called, freeformFields);
  const unknown = remainder(tool, freeformToolFields);
  return {
    name: called.name,
    ...defined('description', typeof called.description === 'string' ? called.description : undefined),
    freeform: {
      ...defined('syntax', typeof grammar.syntax === 'string' ? grammar.syntax : undefined),
      ...defined('definition', typeof grammar.definition === 'string' ? grammar.definition : undefined),
    },
    ...readCacheMark(tool),
    ...extrasOf(unknownInside === undefined ? unknown : { ...unknown, custom: unknownInside }),
  };
}

function extrasOf(fields: Tree | undefined): { extras?: Extras } {
  return fields === undefined ? {} : { extras: { format: formatName, fields, partly } };
}

function remainder(holder: Tree, known: ReadonlySet<string>): Tree | undefined {
  let rest: Record<string, unknown> | undefined;
  for (const name in holder) {
    if (known.has(name) || holder[name] === null) continue;
    rest ??= {};
    rest[name] = holder[name];
  }
  return rest;
}

function isJsonSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isObject(value);
}

export function readToolChoice(body: Tree, losses: LossList): ToolChoice {
  const value = body.tool_choice ?? body.function_call;
  if (value === undefined || value === null || value === 'auto') return { kind: 'auto' };
  if (value === 'none') return { kind: 'none' };
  if (value === 'required' || value === 'any') return { kind: 'required' };
  if (isObject(value)) {
    if (value.type === 'allowed_tools') return readAllowedTools(value, losses);
    const named = isObject(value.function) ? value.function : isObject(value.custom) ? value.custom : value;
    if (typeof named.name === 'string') return { kind: 'tool', name: named.name };
  }
  losses.add(body.tool_choice === undefined ? 'function_call' : 'tool_choice', 'is an unknown choice');
  return { kind: 'auto' };
}

function readAllowedTools(value: Tree, losses: LossList): ToolChoice {
  const allowed = isObject(value.allowed_tools) ? value.allowed_tools : value;
  const names = list(allowed.tools).flatMap((tool, index) => {
    const { function: called, custom } = isObject(tool) ? tool : {};
    const named = isObject(called) ? called : isObject(custom) ? custom : tool;
    if (isObject(named) && typeof named.name === 'string') return [named.name];
    losses.add(`tool_choice.allowed_tools.tools[${index}]`, 'has no name');
    return [];
  });
  return { kind: 'allowed', names, required: allowed.mode === 'required' };
}

/** Undefined where only this format, or a service of it, supports the shape. */
export function readOutput(value: unknown): OutputShape | undefined {
  if (value === undefined || value === null) return { kind: 'text' };
  if (!isObject(value)) return undefined;
  if (value.type === 'text') return { kind: 'text' };
  if (value.type === 'json_object') return { kind: 'json' };
  const shape = value.json_schema;
  if (value.type !== 'json_schema' || !isObject(shape)) return undefined;
  return {
    kind: 'json-schema',
    schema: isJsonSchema(shape.schema) ? shape.schema : {},
    ...defined('name', typeof shape.name === 'string' ? shape.name : undefined),
    ...defined('description', typeof shape.description === 'string' ? shape.description : undefined),
    ...defined('strict', typeof shape.strict === 'boolean' ? shape.strict : undefined),
  };
}
