/** Checks that a value has the named schema: the project's own oracles, which a clone has too. */

import { namedSchemas } from '../oracles/index.ts';
import { schemaFault } from '../oracles/oracle.ts';

export type SchemaName = keyof typeof namedSchemas;

/** Throws what is wrong. */
export function expectValid(name: SchemaName, value: unknown): void {
  const fault = schemaFault(namedSchemas[name], value);
  if (fault !== undefined) throw new Error(`not a ${name}: ${fault}`);
}
