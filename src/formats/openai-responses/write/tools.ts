/** Writes declared and hosted tools and the choice among them. */

import { defined, isObject } from '../../../conversation/json-tree.ts';
import type { LossList } from '../../../conversation/loss-list.ts';
import type { HostedTool, TextRequest, ToolChoice, ToolDeclaration } from '../../../conversation/text-request.ts';
import { ownFields } from '../../web-search.ts';
import type { Tools } from '../output-items.ts';
import { formatName } from '../wire.ts';
import { kindOf } from './content.ts';
import type { InputWriter } from './input.ts';

/** Tools declared by an item of the conversation are declared there. */
export function writeTools(request: TextRequest, input: InputWriter, losses: LossList): object[] {
  const tools: object[] = [];
  const groups = new Map<string, object[]>();
  for (let index = 0; index < request.tools.length; index++) {
    const tool = request.tools[index];
    if (tool === undefined || tool.placedIn === formatName) continue;
    input.noteMark(tool);
    const written = writeTool(tool, `tools[${index}].`, losses);
    if (tool.namespace === undefined) tools.push(written);
    else groupOf(tool.namespace, tools, groups).push(written);
  }
  for (const tool of request.hostedTools ?? []) {
    if (tool.placedIn === formatName) continue;
    const written = writeHosted(tool, losses);
    if (written !== undefined) tools.push(written);
  }
  return tools;
}

function groupOf(
  { name, description }: NonNullable<ToolDeclaration['namespace']>,
  tools: object[],
  groups: Map<string, object[]>,
): object[] {
  const known = groups.get(name);
  if (known !== undefined) return known;
  const members: object[] = [];
  groups.set(name, members);
  tools.push({ type: 'namespace', name, description: description ?? '', tools: members });
  return members;
}

function writeTool(tool: ToolDeclaration, path: string, losses: LossList): object {
  losses.addForeign(tool.extras, formatName, path);
  if (tool.searches === true) return writeSearch(tool);
  const written = tool.freeform === undefined ? writeFunction(tool, path, losses) : writeFreeform(tool, tool.freeform);
  return {
    ...(tool.extras?.format === formatName ? tool.extras.fields : {}),
    ...written,
    ...(tool.deferredIn === formatName ? { defer_loading: true } : {}),
  };
}

function writeSearch({ description, parameters }: ToolDeclaration): object {
  return {
    type: 'tool_search',
    execution: 'client',
    ...defined('description', description),
    ...defined('parameters', parameters),
  };
}

/** `strict` is on by default in this format, unlike in the caller's, so it is always written. */
function writeFunction(tool: ToolDeclaration, path: string, losses: LossList): object {
  if (tool.parameters === false) losses.add(`${path}parameters`, 'cannot forbid every argument');
  return {
    type: 'function',
    name: tool.namespace?.toolName ?? tool.name,
    ...defined('description', tool.description),
    parameters: typeof tool.parameters === 'boolean' ? { type: 'object' } : (tool.parameters ?? null),
    strict: tool.strict ?? false,
  };
}

function writeFreeform(tool: ToolDeclaration, input: NonNullable<ToolDeclaration['freeform']>): object {
  const { syntax, definition } = input;
  return {
    type: 'custom',
    name: tool.namespace?.toolName ?? tool.name,
    ...defined('description', tool.description),
    ...(definition === undefined ? {} : { format: { type: 'grammar', ...defined('syntax', syntax), definition } }),
  };
}

function writeHosted(tool: HostedTool, losses: LossList): object | undefined {
  if (tool.kind === 'web-search') return writeWebSearch(tool, losses);
  if (tool.format === formatName && typeof tool.value === 'object' && tool.value !== null) return tool.value;
  losses.add(`hosted tool ${kindOf(tool.value)}`, 'is supported by its own format only');
  return undefined;
}

function writeWebSearch(tool: Extract<HostedTool, { kind: 'web-search' }>, losses: LossList): object {
  const { filters, ...own } = ownFields(tool, formatName, ['allowedDomains', 'location', 'contextSize'], losses);
  const { allowedDomains, location, contextSize } = tool.search ?? {};
  const kept = { ...(isObject(filters) && filters), ...defined('allowed_domains', allowedDomains) };
  return {
    type: 'web_search',
    ...own,
    ...(Object.keys(kept).length > 0 && { filters: kept }),
    ...(location !== undefined && { user_location: { type: 'approximate', ...location } }),
    ...defined('search_context_size', contextSize),
  };
}

/** The default choice is not written. */
export function writeToolChoice(choice: ToolChoice, tools: Tools): unknown {
  switch (choice.kind) {
    case 'auto':
      return undefined;
    case 'none':
    case 'required':
      return choice.kind;
    case 'tool':
      return chosen(choice.name, tools);
    case 'allowed':
      return {
        type: 'allowed_tools',
        mode: choice.required ? 'required' : 'auto',
        tools: choice.names.map((name) => chosen(name, tools)),
      };
  }
}

function chosen(name: string, tools: Tools): object {
  const tool = tools?.get(name);
  return {
    type: tool?.freeform === undefined ? 'function' : 'custom',
    name: tool?.namespace?.toolName ?? name,
    ...defined('namespace', tool?.namespace?.name),
  };
}
