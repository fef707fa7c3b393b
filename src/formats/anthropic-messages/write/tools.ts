/** Writes declared and hosted tools and the choice among them. */

import { defined, isObject } from '../../../conversation/json-tree.ts';
import type { LossList } from '../../../conversation/loss-list.ts';
import { nativeName } from '../../../conversation/native-name.ts';
import type { HostedTool, JsonSchema, TextRequest, ToolDeclaration } from '../../../conversation/text-request.ts';
import { ownFields } from '../../web-search.ts';
import { fitSchema } from '../output-schema.ts';
import { formatName, writeCacheMark } from '../wire.ts';

interface WrittenTools {
  readonly tools?: readonly object[];
  readonly tool_choice?: object;
}

export function writeTools(request: TextRequest, losses: LossList): WrittenTools {
  const { toolChoice } = request;
  const allowed = toolChoice.kind === 'allowed' ? new Set(toolChoice.names) : undefined;
  // The format has no list of allowed tools: declaring no others means the same.
  const declared = request.tools.filter((tool) => allowed?.has(tool.name) !== false);
  const tools = [
    ...declared.map((tool) => writeDeclaration(tool, losses)),
    ...(request.hostedTools ?? []).flatMap((tool) => writeHosted(tool, losses) ?? []),
  ];
  if (tools.length === 0) {
    if (forcesCall(request)) losses.add('tool_choice', 'demands a tool, and none is left to be declared');
    return {};
  }
  const choice = writeChoice(request);
  return { tools, ...(choice !== undefined && { tool_choice: choice }) };
}

/** Must the reply call a tool? */
export function forcesCall({ toolChoice }: TextRequest): boolean {
  const { kind } = toolChoice;
  return kind === 'required' || kind === 'tool' || (kind === 'allowed' && toolChoice.required);
}

function writeDeclaration(tool: ToolDeclaration, losses: LossList): object {
  losses.addForeign(tool.extras, formatName, `tool ${tool.name} `);
  const written: Record<string, unknown> = tool.extras?.format === formatName ? { ...tool.extras.fields } : {};
  written['name'] = tool.name;
  if (tool.description !== undefined) written['description'] = tool.description;
  written['input_schema'] = writeParameters(tool, losses);
  if (tool.strict !== undefined) written['strict'] = tool.strict;
  if (tool.deferredIn === formatName) written['defer_loading'] = true;
  return tool.cacheMark === undefined ? written : { ...written, ...writeCacheMark(tool.cacheMark) };
}

/** The format demands the outermost type; a tool without parameters takes an empty object. */
function writeParameters({ parameters, strict }: ToolDeclaration, losses: LossList): object {
  if (!isObject(parameters)) return { type: 'object', properties: {} };
  const schema: JsonSchema = parameters.type === undefined ? { type: 'object', ...parameters } : parameters;
  // Only a strict tool is limited to the keywords that the format can guarantee.
  return strict === true ? fitSchema(schema, losses) : schema;
}

const plainSearch = 'web_search_20250305';

function writeHosted(tool: HostedTool, losses: LossList): object | undefined {
  if (tool.kind === 'web-search') {
    return writeSearch(tool, losses);
  }
  if (tool.format === formatName && isObject(tool.value)) return tool.value;
  losses.add(`tool ${nativeName(tool.value) ?? `of ${tool.format}`}`, 'is supported by its own format only');
  return undefined;
}

const supported = ['allowedDomains', 'blockedDomains', 'location', 'usesMax'] as const;

/** Allowed and blocked domains exclude each other in the format. */
function writeSearch(tool: Extract<HostedTool, { kind: 'web-search' }>, losses: LossList): object {
  const own = ownFields(tool, formatName, supported, losses);
  const { allowedDomains, blockedDomains, location, usesMax } = tool.search ?? {};
  if (allowedDomains !== undefined && blockedDomains !== undefined) {
    losses.add('web search blocked domains', 'cannot be combined with allowed ones in the format');
  }
  return {
    type: plainSearch,
    name: 'web_search',
    ...own,
    ...defined('allowed_domains', allowedDomains),
    ...(allowedDomains === undefined && defined('blocked_domains', blockedDomains)),
    ...(location !== undefined && { user_location: { type: 'approximate', ...location } }),
    ...defined('max_uses', usesMax),
  };
}

/** Undefined where the choice is what the format assumes by itself. */
function writeChoice({ toolChoice, parallelToolCalls }: TextRequest): object | undefined {
  const serial = parallelToolCalls === undefined ? {} : { disable_parallel_tool_use: !parallelToolCalls };
  switch (toolChoice.kind) {
    case 'none':
      return { type: 'none' };
    case 'required':
      return { type: 'any', ...serial };
    case 'tool':
      return { type: 'tool', name: toolChoice.name, ...serial };
    case 'allowed':
      if (toolChoice.required) return { type: 'any', ...serial };
      break;
    case 'auto':
      break;
  }
  return parallelToolCalls === undefined ? undefined : { type: 'auto', ...serial };
}
