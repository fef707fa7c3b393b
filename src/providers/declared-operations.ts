/** Operations other than conversations, as a preset declares them: one path and one wire format for each. */

import type { ServiceName } from '../operations/wire.ts';

/** As a preset declares it: a path below the base address, or a whole address on the maker's own host. */
export interface DeclaredOperation {
  readonly wire: string;
  /** `{model}` stands for the model's name as one path segment, `{+model}` for one whose slashes stay. */
  readonly path: string;
  /** The models that are asked for it here, `*` allowed; absent means all. */
  readonly models?: readonly string[];
  /** How many inputs it takes at once, where that is fewer than others of the same wire take. */
  readonly inputsMax?: number;
  /** It does not fetch what lies behind an address, though its wire has a place for one. */
  readonly fetchesNothing?: boolean;
}

/** Several where models of one provider want different wires: the first that fits a model counts. */
export type DeclaredOperations = Partial<
  Readonly<Record<ServiceName, DeclaredOperation | readonly DeclaredOperation[]>>
>;

export function declaredRows(given: DeclaredOperations[ServiceName]): readonly DeclaredOperation[] {
  return given === undefined ? [] : 'wire' in given ? [given] : given;
}
