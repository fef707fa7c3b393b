/** Writes tools, the choice among them, and the reply's shape as the chat format declares them. */

import { defined, isObject, type Tree } from '../../../conversation/json-tree.ts';
import type { LossList } from '../../../conversation/loss-list.ts';
import { nativeName } from '../../../conversation/native-name.ts';
import type {
  FreeformInput,
  HostedTool,
  TextRequest,
  ToolChoice,
  ToolDeclaration,
} from '../../../conversation/text-request.ts';
import { ownFields } from '../../web-search.ts';
import { formatName } from '../wire.ts';
import { type PartContext, writeMark } from './parts.ts';

export function writeToolFields(request: TextRequest, context: PartContext): Record<string, unknown> {
  const { losses } = context;
  const fields: Record<string, unknown> = {};
  const tools: object[] = request.tools.map((tool) => writeTool(tool, context));
  const custom = new Set(request.tools.flatMap((tool) => (tool.freeform === undefined ? [] : [tool.name])));
  for (const hosted of request.hostedTools ?? []) {
    if (hosted.kind === 'web-search') {
      const { searchOption } = context.profile;
      if (searchOption !== 'taken') losses.add('web search', 'is not known to be made by this model');
      if (searchOption !== 'refused') fields.web_search_options = writeSearch(hosted, losses);
    } else if (hosted.format === formatName && isObject(hosted.value)) {
      tools.push(hosted.value);
    } else {
      const name = nativeName(hosted.value) ?? `of ${hosted.format}`;
      losses.add(`tool ${name}`, 'is run by providers of another format only');
    }
  }
  if (tools.length > 0) {
    fields.tools = tools;
    const choice = writeToolChoice(request.toolChoice, custom);
    if (choice !== undefined) fields.tool_choice = choice;
    if (request.parallelToolCalls !== undefined) fields.parallel_tool_calls = request.parallelToolCalls;
  } else if (request.toolChoice.kind !== 'auto' && request.toolChoice.kind !== 'none') {
    losses.add('tool choice', 'there is no tool to choose');
  }
  return fields;
}

function writeSearch(tool: Extract<HostedTool, { kind: 'web-search' }>, losses: LossList): object {
  const own = ownFields(tool, formatName, ['location', 'contextSize'], losses);
  const { location, contextSize } = tool.search ?? {};
  return {
    ...own,
    ...defined('search_context_size', contextSize),
    ...(location !== undefined && { user_location: { type: 'approximate', approximate: location } }),
  };
}

function writeTool(tool: ToolDeclaration, context: PartContext): object {
  const own = tool.extras?.format === formatName ? tool.extras.fields : {};
  context.losses.addForeign(tool.extras, formatName, `tool ${tool.name} `);
  if (tool.freeform !== undefined) return writeFreeform(tool, tool.freeform, own, context);
  if (tool.parameters === false) context.losses.add(`tool ${tool.name} parameters`, 'must be a schema of an object');
  const { function: inside, ...outside } = own;
  return {
    type: 'function',
    function: {
      name: tool.name,
      ...(tool.description === undefined ? {} : { description: tool.description }),
      ...(tool.parameters === undefined ? {} : { parameters: isObject(tool.parameters) ? tool.parameters : {} }),
      ...(tool.strict === undefined ? {} : { strict: tool.strict }),
      ...(isObject(inside) ? inside : {}),
    },
    ...outside,
    ...writeMark(tool.cacheMark, context),
  };
}

function writeFreeform(tool: ToolDeclaration, input: FreeformInput, own: Tree, context: PartContext): object {
  const { custom: inside, ...outside } = own;
  const { syntax, definition } = input;
  const format = { type: 'grammar', grammar: { ...(syntax !== undefined && { syntax }), definition } };
  return {
    type: 'custom',
    custom: {
      name: tool.name,
      ...(tool.description === undefined ? {} : { description: tool.description }),
      ...(definition === undefined ? {} : { format }),
      ...(isObject(inside) ? inside : {}),
    },
    ...outside,
    ...writeMark(tool.cacheMark, context),
  };
}

/** Undefined is the format's default: the model chooses. */
function writeToolChoice(choice: ToolChoice, custom: ReadonlySet<string>): unknown {
  const named = (name: string): object =>
    custom.has(name) ? { type: 'custom', custom: { name } } : { type: 'function', function: { name } };
  switch (choice.kind) {
    case 'auto':
      return undefined;
    case 'none':
    case 'required':
      return choice.kind;
    case 'tool':
      return named(choice.name);
    case 'allowed': {
      const mode = choice.required ? 'required' : 'auto';
      return { type: 'allowed_tools', allowed_tools: { mode, tools: choice.names.map(named) } };
    }
  }
}

/** The format insists on a name for a schema. */
const schemaName = 'response';

export function writeOutput({ output }: TextRequest): Record<string, unknown> {
  if (output.kind === 'text') return {};
  if (output.kind === 'json') return { response_format: { type: 'json_object' } };
  const shape = {
    name: output.name ?? schemaName,
    ...(output.description === undefined ? {} : { description: output.description }),
    schema: output.schema,
    ...(output.strict === undefined ? {} : { strict: output.strict }),
  };
  return { response_format: { type: 'json_schema', json_schema: shape } };
}
