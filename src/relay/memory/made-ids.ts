/** Notes the ids that a reply brought, for the token that it goes to, and checks those that a request names. */

import type { Caller } from '../../access/caller.ts';
import type { Admission } from '../../access/limits.ts';
import { isObject } from '../../conversation/json-tree.ts';
import type { References } from '../../conversation/references/references.ts';
import type { RelayParts } from '../admission/call.ts';
import type { Attempt } from '../attempts/attempt.ts';

type Parts = Pick<RelayParts, 'ownedIds'>;

/** Ends the admission where the request names what is not its token's. */
export async function checkNamed(
  { ownedIds }: Parts,
  caller: Caller,
  references: References,
  admission: Admission,
): Promise<void> {
  try {
    await ownedIds.check(caller.tokenId, references);
  } catch (error) {
    admission.leave(0);
    throw error;
  }
}

/** Of a whole reply. A reply that was translated has ids of Weir's own, which no provider knows. */
export function noteReply(parts: Parts, attempt: Attempt, reply: unknown): Promise<void> | undefined {
  const { call, lane } = attempt;
  if (call.format.madeIn === undefined || lane.speaks !== call.format.name || !isObject(reply)) return undefined;
  return noteMade(parts, attempt, call.format.madeIn(reply));
}

export function noteMade(
  { ownedIds }: Parts,
  { call }: Attempt,
  made: readonly string[] | undefined,
): Promise<void> | undefined {
  if (made === undefined || made.length === 0) return undefined;
  return ownedIds.note(call.caller.tokenId, made, call.references);
}
