/** Fits a JSON Schema to what the messages format guarantees: closed objects, and none of the keywords that it refuses. */

import { isObject } from '../../conversation/json-tree.ts';
import type { LossList } from '../../conversation/loss-list.ts';
import { mapSubschemas, pathOf, type SchemaPlace } from '../../conversation/schema/positions.ts';
import type { JsonSchema } from '../../conversation/text-request.ts';

const refusedKeywords: ReadonlySet<string> = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'maxItems',
  'uniqueItems',
  'contains',
  'minContains',
  'maxContains',
  'minProperties',
  'maxProperties',
  'patternProperties',
  'propertyNames',
  'dependentRequired',
  'dependentSchemas',
  'unevaluatedProperties',
  'unevaluatedItems',
  'if',
  'then',
  'else',
  'not',
]);

const knownStringFormats: ReadonlySet<unknown> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
]);

/** Every removed keyword is reported by its place. */
export function fitSchema(schema: JsonSchema, losses: LossList): object {
  const fitted = fit(schema, 'schema', losses);
  return isObject(fitted) ? fitted : {};
}

function fit(schema: JsonSchema, place: SchemaPlace | string, losses: LossList): JsonSchema {
  if (typeof schema === 'boolean') return schema;
  const entries: [string, unknown][] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (isRefused(keyword, value)) lose(place, keyword, losses, 'is a keyword that the format refuses in schemas');
    else if (keyword !== 'additionalProperties') entries.push([spelled(keyword, schema), value]);
  }
  const { additionalProperties: others } = schema;
  if (describesObject(schema)) {
    if (others !== undefined && others !== false) {
      lose(place, 'additionalProperties', losses, 'must be false in schemas of the format');
    }
    entries.push(['additionalProperties', false]);
  }
  return mapSubschemas(Object.fromEntries(entries), (inner, keyword, member) =>
    fit(inner, { outer: place, keyword, member }, losses),
  );
}

function lose(place: SchemaPlace | string, keyword: string, losses: LossList, why: string): void {
  if (!losses.isFull) losses.add(`${pathOf(place)}.${keyword}`, why);
}

function isRefused(keyword: string, value: unknown): boolean {
  if (refusedKeywords.has(keyword)) return true;
  if (keyword === 'minItems') return value !== 0 && value !== 1;
  return keyword === 'format' && !knownStringFormats.has(value);
}

/** The format has one keyword for alternatives; it cannot guarantee that exactly one of them holds anyway. */
function spelled(keyword: string, schema: object): string {
  return keyword === 'oneOf' && !('anyOf' in schema) ? 'anyOf' : keyword;
}

function describesObject({ type, properties }: Exclude<JsonSchema, boolean>): boolean {
  return type === 'object' || (Array.isArray(type) && type.includes('object')) || isObject(properties);
}
