/** The schemas of the admin interface as JSON Schema, made from those that its routes check with. */

import { z } from 'zod';
import { bodyMeanings, bodySchemas, replySchemas } from '../../admin/description/schema-names.ts';
import { type Schema, schemaRef } from './schema.ts';

const place = '#/components/schemas/';

function converted(registry: typeof bodySchemas): ReadonlyMap<string, Schema> {
  // What only code can check, such as a date in the future, has no form in JSON Schema.
  const options = { io: 'input', unrepresentable: 'any', uri: (id: string) => `${place}${id}` } as const;
  return new Map(Object.entries(z.toJSONSchema(registry, options).schemas as Readonly<Record<string, Schema>>));
}

/** Without what every schema repeats. */
function plain(value: unknown, isOpen: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => plain(item, isOpen));
  if (typeof value !== 'object' || value === null) return value;
  const { $schema: _dialect, $id: _id, propertyNames, ...rest } = value as Schema;
  const isClosed = rest['additionalProperties'] === false;
  const entries = Object.entries(rest)
    // A later version may add fields to replies.
    .filter(([name]) => !(isOpen && isClosed && name === 'additionalProperties'))
    .map(([name, item]) => [name, plain(item, isOpen)]);
  const isAnyName = JSON.stringify(propertyNames) === '{"type":"string"}';
  return { ...Object.fromEntries(entries), ...(propertyNames !== undefined && !isAnyName && { propertyNames }) };
}

function withMeanings(schema: Schema, meanings: Readonly<Record<string, string>>): Schema {
  const properties = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, Schema>>);
  if (properties.length === 0) return schema;
  const described = properties.map(([name, property]) => {
    const description = meanings[name];
    return [name, description === undefined ? property : { ...property, description }];
  });
  return { ...schema, properties: Object.fromEntries(described) };
}

export function adminSchemas(): Readonly<Record<string, Schema>> {
  const bodies = Array.from(converted(bodySchemas), ([id, schema]): [string, Schema] => [
    id,
    withMeanings(plain(schema, false) as Schema, bodyMeanings.get(id) ?? {}),
  ]);
  const replies = Array.from(converted(replySchemas), ([id, schema]): [string, Schema] => [
    id,
    plain(schema, true) as Schema,
  ]);
  return Object.fromEntries([...bodies, ...replies]);
}

/** The reference to a schema that has a name. */
export function namedRef(schema: z.ZodType): Schema {
  const { id } = bodySchemas.get(schema) ?? replySchemas.get(schema) ?? {};
  if (id === undefined) throw new Error('A body or reply of the admin interface has no name.');
  return schemaRef(id);
}
