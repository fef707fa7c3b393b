/** Reads a content-generation request's tools and how they may be chosen. */

import { defined, isObject, type Tree } from '../../../conversation/json-tree.ts';
import type { LossList } from '../../../conversation/loss-list.ts';
import type { Extras } from '../../../conversation/parts.ts';
import type {
  HostedTool,
  JsonSchema,
  TextRequest,
  ToolChoice,
  ToolDeclaration,
} from '../../../conversation/text-request.ts';
import { callingModes, enumWord } from '../enum-words.ts';
import { formatName, listOf, said, snakeName } from '../wire.ts';
import { readOpenApiSchema } from './openapi-schema.ts';

type ReadTools = Pick<TextRequest, 'tools' | 'hostedTools' | 'toolChoice'> & {
  /** What the tool configuration says beside the choice, by its path in the body. */
  readonly unread: readonly (readonly [string, unknown])[];
};

export function readTools(tree: Tree, losses: LossList): ReadTools {
  const config = said(tree, 'toolConfig');
  const calling = isObject(config) ? said(config, 'functionCallingConfig') : undefined;
  const validated = isObject(calling) && modeOf(calling) === 'VALIDATED';
  const tools: ToolDeclaration[] = [];
  const hosted: HostedTool[] = [];
  for (const [index, tool] of listOf(said(tree, 'tools')).entries()) {
    if (!isObject(tool)) {
      losses.add(`tools[${index}]`, 'is not a tool');
      continue;
    }
    const declarations = listOf(said(tool, 'functionDeclarations'));
    for (const [place, declaration] of declarations.entries()) {
      const declared = readDeclaration(declaration, validated);
      if (declared === undefined) losses.add(`tools[${index}].functionDeclarations[${place}]`, 'has no name');
      else tools.push(declared);
    }
    hosted.push(...readHosted(tool));
  }
  return {
    tools,
    ...(hosted.length > 0 && { hostedTools: hosted }),
    toolChoice: isObject(calling) ? readChoice(calling, losses) : { kind: 'auto' },
    unread: isObject(config) ? unreadConfig(config) : [],
  };
}

const declarationFields: ReadonlySet<string> = new Set([
  'name',
  'description',
  'parameters',
  'parametersJsonSchema',
  'parameters_json_schema',
]);

/** In validated mode every call keeps to its schema, which other formats call strict. */
function readDeclaration(value: unknown, strict: boolean): ToolDeclaration | undefined {
  if (!isObject(value) || typeof value.name !== 'string' || value.name === '') return undefined;
  const schema = said(value, 'parametersJsonSchema');
  const unread = Object.entries(value).filter(([name, field]) => !declarationFields.has(name) && field !== null);
  return {
    name: value.name,
    ...defined('description', typeof value.description === 'string' ? value.description : undefined),
    ...defined('parameters', isSchema(schema) ? schema : readOpenApiSchema(value.parameters)),
    ...(strict && { strict }),
    ...(unread.length > 0 && { extras: { format: formatName, fields: Object.fromEntries(unread) } }),
  };
}

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isObject(value);
}

/** One entry may hold several tools of the provider, each under its own name. */
function readHosted(tool: Tree): HostedTool[] {
  const hosted: HostedTool[] = [];
  for (const [name, value] of Object.entries(tool)) {
    if (value === null || name === 'functionDeclarations' || name === snakeName('functionDeclarations')) continue;
    if (name === 'googleSearch' || name === snakeName('googleSearch')) {
      const settings = isObject(value) && Object.keys(value).length > 0 ? value : undefined;
      const extras: Extras | undefined = settings && { format: formatName, fields: settings };
      hosted.push({ kind: 'web-search', ...defined('extras', extras) });
    } else {
      hosted.push({ kind: 'native', format: formatName, value: { [name]: value } });
    }
  }
  return hosted;
}

function modeOf(calling: Tree): string {
  const mode = enumWord(calling.mode, callingModes);
  return mode === undefined || mode === null ? 'AUTO' : String(mode).toUpperCase();
}

function readChoice(calling: Tree, losses: LossList): ToolChoice {
  const names = listOf(said(calling, 'allowedFunctionNames')).filter((name) => typeof name === 'string');
  const [first] = names;
  const mode = modeOf(calling);
  switch (mode) {
    case 'NONE':
      return { kind: 'none' };
    case 'ANY':
      if (first === undefined) return { kind: 'required' };
      return names.length === 1 ? { kind: 'tool', name: first } : { kind: 'allowed', names, required: true };
    default:
      if (mode !== 'AUTO' && mode !== 'VALIDATED' && mode !== 'MODE_UNSPECIFIED') {
        losses.add('toolConfig.functionCallingConfig.mode', 'is an unknown choice');
      }
      return first === undefined ? { kind: 'auto' } : { kind: 'allowed', names, required: false };
  }
}

function unreadConfig(config: Tree): [string, unknown][] {
  return Object.entries(config)
    .filter(([name, value]) => value !== null && snakeName(name) !== 'function_calling_config')
    .map(([name, value]) => [`toolConfig.${name}`, value]);
}
