/** Asks for one value to have the shape of its name: the project's own oracles, which a clone has too. */

import { namedSchemas } from '../oracles/index.ts';
import { schemaFault } from '../oracles/oracle.ts';
import { type PublishedName, publishedFault } from './published-schemas.ts';

export type SchemaName = keyof typeof namedSchemas | PublishedName;

/** Throws what is wrong. */
export function expectValid(name: SchemaName, value: unknown): void {
  const schema = Object.hasOwn(namedSchemas, name) ? namedSchemas[name as keyof typeof namedSchemas] : undefined;
  const fault = schema === undefined ? publishedFault(name as PublishedName, value) : schemaFault(schema, value);
  if (fault !== undefined) throw new Error(`not a ${name}: ${fault}`);
}
