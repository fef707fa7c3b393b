/** The few forms of JSON Schema in the description of the API. */

export type Schema = Readonly<Record<string, unknown>>;

export const text = (description?: string): Schema => ({ type: 'string', ...(description && { description }) });
export const number = (description?: string): Schema => ({ type: 'number', ...(description && { description }) });
export const integer = (description?: string): Schema => ({ type: 'integer', ...(description && { description }) });
export const flag = (description?: string): Schema => ({ type: 'boolean', ...(description && { description }) });
export const list = (items: Schema, description?: string): Schema => ({
  type: 'array',
  items,
  ...(description && { description }),
});
export const word = (...words: readonly string[]): Schema => ({ type: 'string', enum: words });
export const either = (...schemas: readonly Schema[]): Schema => ({ anyOf: schemas });
export const file = (description: string): Schema => ({ type: 'string', format: 'binary', description });

/** Unlisted fields pass too: within a format nothing is lost. */
export function object(properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema {
  return { type: 'object', properties, ...(required.length > 0 && { required }), additionalProperties: true };
}

export const anyObject: Schema = { type: 'object', additionalProperties: true };

export const schemaRef = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
