/** Reads the messages format's tools and the choice among them. */

import { defined, isObject, type Tree } from '../../../conversation/json-tree.ts';
import type { LossList } from '../../../conversation/loss-list.ts';
import type {
  HostedTool,
  JsonSchema,
  ToolChoice,
  ToolDeclaration,
  WebSearch,
} from '../../../conversation/text-request.ts';
import { readDomains, readLocation, searchOf, take } from '../../web-search.ts';
import { formatName, readCacheMark, unknownFields } from '../wire.ts';

interface ReadTools {
  readonly tools: readonly ToolDeclaration[];
  readonly hostedTools?: readonly HostedTool[];
}

const declarationFields: ReadonlySet<string> = new Set([
  'type',
  'name',
  'description',
  'input_schema',
  'strict',
  'cache_control',
  'defer_loading',
]);

export function readTools(value: unknown, losses: LossList): ReadTools {
  if (!Array.isArray(value)) {
    if (value !== undefined && value !== null) losses.add('tools', 'is not a list');
    return { tools: [] };
  }
  const tools: ToolDeclaration[] = [];
  const hostedTools: HostedTool[] = [];
  for (let index = 0; index < value.length; index++) {
    const entry: unknown = value[index];
    if (!isObject(entry)) losses.add(`tools[${index}]`, 'is not an object');
    else if (typeof entry.type === 'string' && entry.type !== 'custom') hostedTools.push(readHosted(entry, entry.type));
    else if (typeof entry.name === 'string') tools.push(readDeclaration(entry, entry.name));
    else losses.add(`tools[${index}]`, 'has no name');
  }
  return { tools, ...(hostedTools.length > 0 && { hostedTools }) };
}

function readDeclaration(entry: Tree, name: string): ToolDeclaration {
  const { description, input_schema: schema, strict } = entry;
  const fields = unknownFields(entry, declarationFields);
  return {
    name,
    ...(typeof description === 'string' && { description }),
    ...(isSchema(schema) && { parameters: schema }),
    ...(typeof strict === 'boolean' && { strict }),
    ...(entry.defer_loading === true && { deferredIn: formatName }),
    ...readCacheMark(entry.cache_control),
    ...(fields !== undefined && { extras: { format: formatName, fields } }),
  };
}

export function isSchema(value: unknown): value is JsonSchema {
  return isObject(value) || typeof value === 'boolean';
}

/** The version is part of the type's name and is kept with the fields that only this format has for a search. */
function readHosted(entry: Tree, type: string): HostedTool {
  if (!type.startsWith('web_search_')) return { kind: 'native', format: formatName, value: entry };
  const { name: _, ...others } = entry;
  const search: WebSearch = {
    ...defined('allowedDomains', take(others, 'allowed_domains', readDomains)),
    ...defined('blockedDomains', take(others, 'blocked_domains', readDomains)),
    ...defined('location', take(others, 'user_location', readLocation)),
    ...defined(
      'usesMax',
      take(others, 'max_uses', (uses) => (typeof uses === 'number' ? uses : undefined)),
    ),
  };
  return searchOf(search, formatName, others);
}

interface ReadChoice {
  readonly toolChoice: ToolChoice;
  readonly parallelToolCalls?: boolean;
}

export function readToolChoice(value: unknown, losses: LossList): ReadChoice {
  if (value === undefined || value === null) return { toolChoice: { kind: 'auto' } };
  const toolChoice = isObject(value) ? choiceOf(value) : undefined;
  if (toolChoice === undefined) losses.add('tool_choice', 'is an unknown choice');
  const serial = isObject(value) ? value.disable_parallel_tool_use : undefined;
  return {
    toolChoice: toolChoice ?? { kind: 'auto' },
    ...(typeof serial === 'boolean' && { parallelToolCalls: !serial }),
  };
}

function choiceOf(value: Tree): ToolChoice | undefined {
  switch (value.type) {
    case 'auto':
      return { kind: 'auto' };
    case 'any':
      return { kind: 'required' };
    case 'none':
      return { kind: 'none' };
    case 'tool':
      return typeof value.name === 'string' ? { kind: 'tool', name: value.name } : undefined;
    default:
      return undefined;
  }
}
