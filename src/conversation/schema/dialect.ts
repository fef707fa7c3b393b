/** Narrows a JSON Schema to what a provider supports: removes and reports unsupported keywords. */

import type { LossList } from '../loss-list.ts';
import type { JsonSchema } from '../text-request.ts';
import { mapSubschemas, pathOf, type SchemaPlace } from './positions.ts';

type SchemaObject = Exclude<JsonSchema, boolean>;

/** Removes keywords outside `allowed`, each reported by its path. Names of properties are no keywords. */
export function keepKeywords(
  schema: JsonSchema,
  allowed: ReadonlySet<string>,
  place: SchemaPlace | string,
  losses: LossList,
): JsonSchema {
  if (typeof schema === 'boolean') return schema;
  return mapSubschemas(narrowed(schema, allowed, place, losses), (inner, keyword, member) =>
    keepKeywords(inner, allowed, { outer: place, keyword, member }, losses),
  );
}

function narrowed(
  schema: SchemaObject,
  allowed: ReadonlySet<string>,
  place: SchemaPlace | string,
  losses: LossList,
): SchemaObject {
  if (knowsAll(schema, allowed)) return schema;
  const unknown = Object.keys(schema).filter((keyword) => !allowed.has(keyword));
  const path = losses.isFull ? '' : pathOf(place);
  for (const keyword of unknown) {
    losses.add(`${path}.${keyword}`, 'is a schema keyword that the target does not support');
  }
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => allowed.has(keyword)));
}

function knowsAll(schema: SchemaObject, allowed: ReadonlySet<string>): boolean {
  for (const keyword in schema) if (!allowed.has(keyword)) return false;
  return true;
}
