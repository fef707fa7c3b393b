/**
 * What a provider's error means, whatever its status: a spent quota is reported as 429, 400 or 403, a
 * refused prompt as 403, and an overloaded model as 429.
 */

import type { ProviderFault } from '../../formats/format.ts';
import type { FaultMeaning, FaultRow } from './fault-row.ts';
import { faultRows } from './provider-fault-rows.ts';

/** Messages are classified by their opening; a very long one is not searched to its end. */
const messageCharactersMax = 2_000;

/** The service's exception name, which one provider sends as a header and not in the body. */
const typeHeader = 'x-amzn-errortype';

/**
 * `status` is 0 for an error event of a stream; a code that is a status replaces it. `header` reads
 * the reply's head by lower-case name and may be left out.
 */
export function meaningOf(given: {
  readonly status: number;
  readonly fault: ProviderFault | undefined;
  readonly header?: ((name: string) => string | undefined) | undefined;
}): FaultMeaning {
  const { fault } = given;
  const status = given.status >= 400 ? given.status : statusIn(fault?.code);
  const named = given.header?.(typeHeader)?.split(':', 1)[0];
  const words = [fault?.code, fault?.type, named].filter((word) => word !== undefined);
  const parsed: ParsedFault = { status, words, keys: keysOf(words), message: openingOf(fault?.message ?? '') };
  const row = compiled.find((candidate) => fits(candidate, parsed));
  if (row !== undefined) return row.meaning;
  return status >= 500 || (given.status < 400 && words.some((word) => ownFailure.has(keyOf(word))))
    ? 'server'
    : 'plain';
}

interface ParsedFault {
  readonly status: number;
  readonly words: readonly string[];
  readonly keys: ReadonlySet<string>;
  readonly message: string;
}

interface CompiledRow extends FaultRow {
  readonly keys: readonly string[] | undefined;
}

const compiled: readonly CompiledRow[] = faultRows.map((row) => ({
  ...row,
  keys: row.words?.trim().split(/\s+/).map(keyOf),
}));

/** Every condition of the row must hold. */
function fits(row: CompiledRow, { status, words, keys, message }: ParsedFault): boolean {
  if (row.statuses !== undefined && !row.statuses.includes(status)) return false;
  const { word } = row;
  if (word !== undefined && !words.some((said) => word.test(said))) return false;
  if (row.keys !== undefined && !row.keys.some((key) => keys.has(key))) return false;
  return row.says === undefined || row.says.some((opening) => opening.test(message));
}

/** The words of a provider's own failure in a stream, where there is no status. */
const ownFailure = new Set(['servererror', 'apierror', 'internal', 'internalservererror', 'timeouterror']);

function keyOf(word: string): string {
  return word.toLowerCase().replace(/[^a-z0-9#]/g, '');
}

/**
 * Some providers write a group and its member with a dot between; numbers are shared by several wires and count only
 * alone.
 */
function keysOf(words: readonly string[]): ReadonlySet<string> {
  const keys = new Set<string>();
  const [first] = words;
  if (words.length === 1 && first !== undefined && /^\d{4,5}$/.test(first)) return keys.add(`#${first}`);
  for (const word of words) keys.add(keyOf(word)).add(keyOf(word.split('.', 1)[0] ?? ''));
  return keys;
}

/** Hosts in front of a provider prefix its message with the name of their own exception. */
const wrapping = /^(?:(?:(?:input validation |[\w.]*)(?:error|exception)|invalid (?:request|params))(?: -|[:,]) +)+/i;

export function openingOf(message: string): string {
  return message.slice(0, messageCharactersMax).trimStart().replaceAll('\u2019', "'").replace(wrapping, '');
}

/** The status that some providers write as the code of their error; 0 if the code is none. */
export function statusIn(code: string | undefined): number {
  return code !== undefined && /^[45]\d\d$/.test(code) ? Number(code) : 0;
}
