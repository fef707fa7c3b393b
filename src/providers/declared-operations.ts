/** Operations other than conversations, as a preset declares them: one path and one wire format for each. */

import type { ServiceName } from '../operations/wire.ts';

/** As a preset declares it: a path below the base URL, or a whole URL on the vendor's own host. */
export interface DeclaredOperation {
  readonly wire: string;
  /** `{model}` is replaced by the model's name as one path segment, `{+model}` by one whose slashes stay. */
  readonly path: string;
  /** The models that are called for it here, `*` allowed; absent means all. */
  readonly models?: readonly string[];
  /** How many inputs it takes at once, where that is fewer than others of the same wire take. */
  readonly inputsMax?: number;
  /** It does not fetch URLs, though its wire has a field for one. */
  readonly fetchesNothing?: boolean;
  /** Models whose transcripts come in a long form that states the length of the audio, `*` allowed; absent means none. */
  readonly statesLength?: readonly string[];
}

/** Several where models of one provider want different wires: the first that fits a model counts. */
export type DeclaredOperations = Partial<
  Readonly<Record<ServiceName, DeclaredOperation | readonly DeclaredOperation[]>>
>;

export function declaredRows(given: DeclaredOperations[ServiceName]): readonly DeclaredOperation[] {
  return given === undefined ? [] : 'wire' in given ? [given] : given;
}
