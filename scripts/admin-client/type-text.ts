/** JSON Schema as TypeScript: the types of the generated client. */

export type Schema = Readonly<Record<string, unknown>>;

const prefix = '#/components/schemas/Admin';

/** `AdminToken` of the document is `Token` in the client. */
export const typeName = (reference: string): string => reference.slice(prefix.length);

export function typeText(schema: Schema): string {
  const { $ref, enum: values, anyOf, type, items } = schema;
  if (typeof $ref === 'string') return typeName($ref);
  if ('const' in schema) return JSON.stringify(schema['const']);
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (Array.isArray(anyOf)) return unionText((anyOf as readonly Schema[]).map(typeText));
  if (Array.isArray(type)) return unionText(type.map((one: string) => typeText({ ...schema, type: one })));
  if (type === 'array') return `readonly ${grouped(typeText((items ?? {}) as Schema))}[]`;
  if (type === 'object') return objectText(schema);
  if (type === 'integer' || type === 'number') return 'number';
  return type === 'string' || type === 'boolean' || type === 'null' ? String(type) : 'unknown';
}

const unionText = (texts: readonly string[]): string => [...new Set(texts)].join(' | ');

/** `readonly string[]` and unions need brackets inside of an array. */
const grouped = (text: string): string => (/^readonly | \| /.test(text) && !text.startsWith('{') ? `(${text})` : text);

function objectText(schema: Schema): string {
  const { properties, additionalProperties } = schema;
  if (properties !== undefined) return `{\n${fieldLines(schema)}\n}`;
  const isMap = typeof additionalProperties === 'object' && additionalProperties !== null;
  return `Readonly<Record<string, ${isMap ? typeText(additionalProperties as Schema) : 'unknown'}>>`;
}

export function fieldLines({ properties = {}, required = [] }: Schema): string {
  const needed = new Set(required as readonly string[]);
  return Object.entries(properties as Readonly<Record<string, Schema>>)
    .map(([name, field]) => fieldLine(name, typeText(field), needed.has(name), String(field['description'] ?? '')))
    .join('\n');
}

export function fieldLine(name: string, type: string, isNeeded: boolean, description: string): string {
  const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
  const comment = description === '' ? '' : `/** ${description} */\n`;
  return `${comment}readonly ${key}${isNeeded ? '' : '?'}: ${type};`;
}
