/** What the description of the admin interface says of one route, and the forms of its query parameters. */

import type { z } from 'zod';
import type { Tree } from '../../conversation/json-tree.ts';
import { accountBounds } from '../contracts/account-contract.ts';
import type { SignedInRouteName } from '../role-table.ts';

type AreaOf<Name extends string> = Name extends `${string} /console/api/${infer Rest}`
  ? Rest extends `${infer Area}/${string}`
    ? Area
    : Rest
  : never;

/** As in `keys/key-routes.ts`; a test compares the two. */
type SessionArea = 'session' | 'sessions' | 'factors' | 'device' | 'programs' | 'playground-token' | 'admin-keys';

/** A route that an admin key may call. */
export type KeyRouteName = {
  [Name in SignedInRouteName]: AreaOf<Name> extends SessionArea ? never : Name;
}[SignedInRouteName];

export interface QueryParameter {
  readonly description: string;
  /** JSON Schema, or a schema that has a name. */
  readonly schema: Tree | z.ZodType;
  readonly required?: true;
  /** It may be given several times; one of the values must hold. */
  readonly repeated?: true;
}

export interface JsonContent {
  readonly schema: z.ZodType;
  readonly example: unknown;
}

export interface FileContent {
  /** Media types, each with the JSON Schema of its content. */
  readonly file: Readonly<Record<string, Tree>>;
  /** It can be had as JSON too: a list of these. */
  readonly rows?: z.ZodType;
}

/** How a list continues: the reply's field `next` goes back as the query parameter `parameter`. */
interface Paging {
  readonly next: string;
  readonly parameter: string;
}

export interface RouteDescription {
  /** `tokens.create`: the area and the method of the generated client. */
  readonly call: `${string}.${string}`;
  readonly summary: string;
  readonly description?: string;
  readonly query?: Readonly<Record<string, QueryParameter>>;
  readonly body?: JsonContent;
  /** Absent: 204. */
  readonly reply?: JsonContent | FileContent;
  readonly paging?: Paging;
}

type Frozen<Type> = { readonly [Key in keyof Type]: Frozen<Type[Key]> };

/** With an example that the compiler has checked. */
export const json = <Schema extends z.ZodType>(schema: Schema, example: Frozen<z.input<Schema>>): JsonContent => ({
  schema,
  example,
});

export const text = (description: string): QueryParameter => ({ description, schema: { type: 'string' } });
export const requiredText = (description: string): QueryParameter => ({ ...text(description), required: true });
export const texts = (description: string): QueryParameter => ({ ...text(description), repeated: true });
export const choice = (values: readonly string[], description: string): QueryParameter => ({
  description,
  schema: { type: 'string', enum: values },
});
export const flag = (description: string): QueryParameter => ({ description, schema: { type: 'boolean' } });
export const instant = (description: string): QueryParameter =>
  text(`${description} A date such as \`2030-01-31T12:00:00Z\`, or milliseconds since 1970.`);
export const wholeNumber = (description: string, bounds: Tree): QueryParameter => ({
  description,
  schema: { type: 'integer', ...bounds },
});

export const limit = (most: number = accountBounds.pageItemsMax, fallback = 50): QueryParameter =>
  wholeNumber('Items per page.', { minimum: 1, maximum: most, default: fallback });

/** A list that is read newest first. */
export const paging: Paging = { next: 'next', parameter: 'after' };
export const pageQuery = {
  limit: limit(),
  after: text('The `next` of the previous page.'),
} as const;
