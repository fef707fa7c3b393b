/** Narrows a JSON Schema to what a provider supports: removes and reports unsupported keywords. */

import type { LossList } from '../loss-list.ts';
import type { JsonSchema } from '../text-request.ts';
import { mapSubschemas } from './positions.ts';

type SchemaObject = Exclude<JsonSchema, boolean>;

/** Removes keywords outside `allowed`, each reported by its path. Names of properties are no keywords. */
export function keepKeywords(
  schema: JsonSchema,
  allowed: ReadonlySet<string>,
  path: string,
  losses: LossList,
): JsonSchema {
  if (typeof schema === 'boolean') return schema;
  return mapSubschemas(narrowed(schema, allowed, path, losses), path, (inner, innerPath) =>
    keepKeywords(inner, allowed, innerPath, losses),
  );
}

function narrowed(schema: SchemaObject, allowed: ReadonlySet<string>, path: string, losses: LossList): SchemaObject {
  const unknown = Object.keys(schema).filter((keyword) => !allowed.has(keyword));
  if (unknown.length === 0) return schema;
  for (const keyword of unknown) {
    losses.add(`${path}.${keyword}`, 'is a schema keyword that the target does not support');
  }
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => allowed.has(keyword)));
}
