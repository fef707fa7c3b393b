/** Writes tools, their schemas and how they may be chosen, for a provider. */

import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import type { LossList } from '../../../conversation/loss-list.ts';
import { nativeName } from '../../../conversation/native-name.ts';
import { keepKeywords } from '../../../conversation/schema/dialect.ts';
import type { InlinedSchemas } from '../../../conversation/schema/inlined-schemas.ts';
import { mapSubschemas } from '../../../conversation/schema/positions.ts';
import type { HostedTool, JsonSchema, TextRequest, ToolDeclaration } from '../../../conversation/text-request.ts';
import { ownFields } from '../../web-search.ts';
import { writtenName } from '../function-names.ts';
import { formatName } from '../wire.ts';

/** The keywords that the format's documentation lists. */
const keywords: ReadonlySet<string> = new Set([
  '$id',
  '$defs',
  '$ref',
  '$anchor',
  'type',
  'format',
  'title',
  'description',
  'enum',
  'items',
  'prefixItems',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'anyOf',
  'oneOf',
  'properties',
  'additionalProperties',
  'required',
  'propertyOrdering',
]);

/** References are inlined, since older models do not support them; where they are recursive or too many, they stay. */
export function writeSchema(schema: JsonSchema, path: string, losses: LossList, inlined: InlinedSchemas): Tree {
  if (isObject(schema) && isPlain(schema, 0)) return schema;
  const { schema: whole, isCut } = inlined.of(schema);
  let written = whole;
  if (isCut) {
    if (refersOnlyToDefs(schema)) written = schema;
    else
      losses.add(`${path}.$ref`, 'is recursive or inlined too often; from there on anything of its type is accepted');
  }
  const kept = keepKeywords(plainSpelling(written), keywords, path, losses);
  if (isObject(kept)) return kept;
  if (kept === false) losses.add(path, 'allows nothing, which the format does not support');
  return {};
}

/** The format knows references to definitions under their present name. */
function refersOnlyToDefs(schema: JsonSchema): boolean {
  const found = { defs: false, definitions: false };
  findReferences(schema, found);
  return found.defs && !found.definitions;
}

function findReferences(schema: JsonSchema, found: { defs: boolean; definitions: boolean }): void {
  if (typeof schema === 'boolean') return;
  const { $ref: reference } = schema;
  if (typeof reference === 'string') {
    found.defs ||= reference.startsWith('#/$defs/');
    found.definitions ||= reference.startsWith('#/definitions/');
  }
  mapSubschemas(schema, (inner) => {
    findReferences(inner, found);
    return inner;
  });
}

const depthMax = 64;
const references: ReadonlySet<string> = new Set(['$ref', '$defs', '$anchor', '$id']);

/** Most schemas need no change; checking that costs a tenth of the change. */
function isPlain(schema: Tree, depth: number): boolean {
  if (depth > depthMax) return false;
  for (const keyword in schema) {
    if (!keywords.has(keyword) || references.has(keyword)) return false;
    const value = schema[keyword];
    if (keyword === 'properties') {
      if (!isObject(value)) return false;
      for (const name in value) if (!isPlainInner(value[name], depth)) return false;
    } else if (keyword === 'items' || keyword === 'additionalProperties') {
      if (!isPlainInner(value, depth)) return false;
    } else if (keyword === 'anyOf' || keyword === 'oneOf' || keyword === 'prefixItems') {
      if (!Array.isArray(value) || !value.every((inner) => isPlainInner(inner, depth))) return false;
    }
  }
  return true;
}

function isPlainInner(value: unknown, depth: number): boolean {
  return typeof value === 'boolean' || (isObject(value) && isPlain(value, depth + 1));
}

/** The version of JSON Schema makes no difference here, and `const` is an enum of one. */
function plainSpelling(schema: JsonSchema): JsonSchema {
  if (typeof schema === 'boolean') return schema;
  let plain: Tree = schema;
  if ('$schema' in plain) {
    const { $schema: _, ...rest } = plain;
    plain = rest;
  }
  if ('const' in plain && plain.enum === undefined) {
    const { const: value, ...rest } = plain;
    plain = { ...rest, enum: [value] };
  }
  return mapSubschemas(plain, (inner) => plainSpelling(inner));
}

export function writeTools(request: TextRequest, losses: LossList, inlined: InlinedSchemas): Tree {
  const tools: Tree[] = [];
  if (request.tools.length > 0) {
    tools.push({
      functionDeclarations: request.tools.map((tool, index) => writeDeclaration(tool, index, losses, inlined)),
    });
  }
  for (const tool of request.hostedTools ?? []) {
    const written = writeHosted(tool, losses);
    if (written !== undefined) tools.push(written);
  }
  if (request.parallelToolCalls === false) {
    losses.add('parallel_tool_calls', 'the format cannot forbid several calls at once');
  }
  const config = request.tools.length > 0 ? writeChoice(request, losses) : undefined;
  return {
    ...(tools.length > 0 && { tools }),
    ...(config !== undefined && { toolConfig: { functionCallingConfig: config } }),
  };
}

function writeDeclaration(tool: ToolDeclaration, index: number, losses: LossList, inlined: InlinedSchemas): Tree {
  const place = `tools[${index}]`;
  losses.addForeign(tool.extras, formatName, `${place}.`);
  return {
    name: writtenName(tool.name, place, losses),
    ...(tool.description !== undefined && { description: tool.description }),
    ...(tool.parameters !== undefined && {
      parametersJsonSchema: writeSchema(tool.parameters, `${place}.parameters`, losses, inlined),
    }),
    ...(tool.extras?.format === formatName && tool.extras.fields),
  };
}

function writeHosted(tool: HostedTool, losses: LossList): Tree | undefined {
  if (tool.kind === 'web-search') {
    return { googleSearch: ownFields(tool, formatName, [], losses) };
  }
  if (tool.format === formatName && isObject(tool.value)) return tool.value;
  losses.add(`tool ${nativeName(tool.value) ?? `of ${tool.format}`}`, `is run by providers of ${tool.format} only`);
  return undefined;
}

/** Strict tools ask for the mode in which every call is held to its schema; a forced call is held to it anyway. */
function writeChoice({ tools, toolChoice }: TextRequest, losses: LossList): Tree | undefined {
  const named = (names: readonly string[]): string[] => names.map((name) => writtenName(name, 'tool choice', losses));
  const strict = tools.some((tool) => tool.strict === true);
  switch (toolChoice.kind) {
    case 'auto':
      return strict ? { mode: 'VALIDATED' } : undefined;
    case 'none':
      return { mode: 'NONE' };
    case 'required':
      return { mode: 'ANY' };
    case 'tool':
      return { mode: 'ANY', allowedFunctionNames: named([toolChoice.name]) };
    case 'allowed':
      return { mode: toolChoice.required ? 'ANY' : 'VALIDATED', allowedFunctionNames: named(toolChoice.names) };
  }
}
