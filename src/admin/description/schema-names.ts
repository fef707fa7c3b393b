/** The names of schemas in the description of the admin interface, and the proof that a reply's schema equals its interface. */

import { z } from 'zod';
import { emptySchema } from '../contracts/account-contract.ts';

interface SchemaName {
  readonly id: string;
}

export const bodySchemas = z.registry<SchemaName>();
export const replySchemas = z.registry<SchemaName>();
/** What the fields of bodies mean, by the name of the body. */
export const bodyMeanings = new Map<string, Readonly<Record<string, string>>>();

/** A type without `readonly`, with the members of everything that it extends. */
type Plain<Type> = { -readonly [Key in keyof Type]: Plain<Type[Key]> };

/** Equal, not just assignable: a new optional member of an interface must be described too. */
type Same<One, Other> =
  (<Type>() => Type extends One ? 1 : 2) extends <Type>() => Type extends Other ? 1 : 2 ? true : false;

type Proven<View, Schema> =
  Same<Plain<View>, Plain<z.output<Schema>>> extends true ? unknown : 'The schema differs from the interface.';

/** What other replies begin with; it has no name of its own. */
export const fieldsOf =
  <View>() =>
  <Schema extends z.ZodType>(schema: Schema & Proven<View, Schema>): Schema =>
    schema;

export const reply =
  <View>() =>
  <Schema extends z.ZodType>(name: string, schema: Schema & Proven<View, Schema>): Schema => {
    replySchemas.add(schema, { id: `Admin${name}` });
    return schema;
  };

/** The schema that the route itself checks with. */
export function body<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  meanings: { readonly [Field in keyof z.input<Schema>]?: string } = {},
): Schema {
  bodySchemas.add(schema, { id: `Admin${name}` });
  bodyMeanings.set(`Admin${name}`, meanings as Readonly<Record<string, string>>);
  return schema;
}

/** Of writes that need nothing but their path; they take JSON as all writes with a body do. */
export const emptyBody = body('Empty', emptySchema);

export function listOf<Item extends z.ZodType>(name: string, item: Item) {
  const schema = z.strictObject({ items: z.array(item) });
  replySchemas.add(schema, { id: `Admin${name}List` });
  return schema;
}

/** `next` goes back as `after`. */
export function pageOf<Item extends z.ZodType>(name: string, item: Item) {
  const next = z.string().exactOptional().describe('The `after` of the next page; absent on the last one.');
  const schema = z.strictObject({ items: z.array(item), next });
  replySchemas.add(schema, { id: `Admin${name}Page` });
  return schema;
}

export const time = z.string().meta({ format: 'date-time' });
export const day = z.string().meta({ format: 'date' });
