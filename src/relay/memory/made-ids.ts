/** Records the ids that a reply brought for the token that gets it. */

import { isObject } from '../../conversation/json-tree.ts';
import { isOwnId } from '../../conversation/references/own-ids.ts';
import type { Attempt } from '../attempts/attempt.ts';
import type { RelayParts } from '../relay-parts.ts';

type Parts = Pick<RelayParts, 'ownedIds'>;

/** Of a whole reply. A reply that was translated has ids of Weir's own, which no provider knows. */
export function noteReply(parts: Parts, attempt: Attempt, reply: unknown): Promise<void> | undefined {
  const { call, lane } = attempt;
  if (call.format.madeIn === undefined || lane.providerFormat !== call.format.name || !isObject(reply))
    return undefined;
  const made = call.format.madeIn(reply);
  return noteMade(parts, attempt, lane.kind === 'translate' ? made.filter((id) => !isOwnId(id)) : made);
}

export function noteMade(
  { ownedIds }: Parts,
  { call }: Attempt,
  made: readonly string[] | undefined,
): Promise<void> | undefined {
  if (made === undefined || made.length === 0) return undefined;
  return ownedIds.note(call.caller.tokenId, made, call.references);
}
