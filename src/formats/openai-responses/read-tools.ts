/** Reads the declared tools and the choice among them; tools that the provider runs keep their own shape. */

import { isObject, type Tree } from '../../conversation/json-tree.ts';
import type { LossList } from '../../conversation/loss-list.ts';
import type { HostedTool, JsonSchema, ToolChoice, ToolDeclaration } from '../../conversation/text-request.ts';
import { formatName, list, text } from './wire.ts';

export interface Tools {
  readonly functions: readonly ToolDeclaration[];
  readonly hosted: readonly HostedTool[];
}

export function readTools(value: unknown, losses: LossList): Tools {
  const functions: ToolDeclaration[] = [];
  const hosted: HostedTool[] = [];
  const tools = list(value);
  for (let index = 0; index < tools.length; index++) {
    const tool = tools[index];
    if (!isObject(tool)) losses.add(`tools[${index}]`, 'is not a tool');
    else if (tool['type'] === 'function' && typeof tool['name'] === 'string') {
      functions.push(readFunction(tool, tool['name'], index, losses));
    } else if (isWebSearch(tool['type'])) hosted.push(readWebSearch(tool));
    else hosted.push({ kind: 'native', format: formatName, value: tool });
  }
  return { functions, hosted };
}

const functionFields: ReadonlySet<string> = new Set(['type', 'name', 'description', 'parameters', 'strict']);

function readFunction(tool: Tree, name: string, index: number, losses: LossList): ToolDeclaration {
  const { description, parameters, strict } = tool;
  const schema = typeof parameters === 'boolean' || isObject(parameters) ? (parameters as JsonSchema) : undefined;
  if (schema === undefined && parameters !== undefined && parameters !== null) {
    losses.add(`tools[${index}].parameters`, 'is not a schema');
  }
  const extras = otherFields(tool, functionFields);
  return {
    name,
    ...(typeof description === 'string' ? { description } : {}),
    ...(schema === undefined ? {} : { parameters: schema }),
    ...(typeof strict === 'boolean' ? { strict } : {}),
    ...(extras === undefined ? {} : { extras: { format: formatName, fields: extras } }),
  };
}

function isWebSearch(type: unknown): boolean {
  return typeof type === 'string' && type.startsWith('web_search');
}

const plainSearchFields: ReadonlySet<string> = new Set(['type']);

function readWebSearch(tool: Tree): HostedTool {
  const fields = tool['type'] === 'web_search' ? otherFields(tool, plainSearchFields) : { ...tool };
  return { kind: 'web-search', ...(fields === undefined ? {} : { extras: { format: formatName, fields } }) };
}

/** Fields that have no neutral name. A null says nothing, unless nobody knows what the field is. */
export function otherFields(
  tree: Tree,
  known: ReadonlySet<string>,
  nullable?: ReadonlySet<string>,
): Record<string, unknown> | undefined {
  let entries: [string, unknown][] | undefined;
  for (const name of Object.keys(tree)) {
    const value = tree[name];
    if (known.has(name) || value === undefined) continue;
    if (value === null && (nullable === undefined || nullable.has(name))) continue;
    entries ??= [];
    entries.push([name, value]);
  }
  // Not by assignment: a field may be called `__proto__`.
  return entries === undefined ? undefined : Object.fromEntries(entries);
}

export interface Choice {
  readonly choice: ToolChoice;
  /** The choice as it came, where the neutral one does not say all of it. */
  readonly native?: Tree;
}

const auto: Choice = { choice: { kind: 'auto' } };

export function readToolChoice(value: unknown, losses: LossList): Choice {
  if (value === undefined || value === null || value === 'auto') return auto;
  if (value === 'none') return { choice: { kind: 'none' } };
  if (value === 'required') return { choice: { kind: 'required' } };
  if (!isObject(value)) {
    losses.add('tool_choice', 'is no choice of this format');
    return auto;
  }
  if (value['type'] === 'function' && typeof value['name'] === 'string') {
    return { choice: { kind: 'tool', name: value['name'] } };
  }
  if (value['type'] === 'allowed_tools') return readAllowed(value);
  return { ...auto, native: value };
}

function readAllowed(value: Tree): Choice {
  const names: string[] = [];
  let others = false;
  for (const tool of list(value['tools'])) {
    const name = isObject(tool) && tool['type'] === 'function' ? text(tool['name']) : undefined;
    if (name === undefined) others = true;
    else names.push(name);
  }
  const choice: ToolChoice = { kind: 'allowed', names, required: value['mode'] === 'required' };
  return others ? { choice, native: value } : { choice };
}
