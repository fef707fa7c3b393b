/** Checks the ids that a live conversation refers to: the rule is read once when it is opened, because frames must not wait for a database. */

import type { Tree } from '../conversation/json-tree.ts';
import { references } from '../formats/openai-realtime/references.ts';
import type { OwnedIds } from '../relay/memory/owned-ids.ts';

/** Throws where the settings of a short-lived credential name what they may not. */
export async function requireNamed(ownedIds: OwnedIds, tokenId: string, session: Tree): Promise<void> {
  const named = references(session);
  if (named !== undefined) await ownedIds.check(tokenId, named);
}

/** For the frames that follow: ids count as unknown, since nothing that a live conversation can name comes from Weir's replies. */
export async function frameRule(ownedIds: OwnedIds): Promise<(frame: Tree) => void> {
  const requireAllowed = await ownedIds.ruleForUnknown();
  return (frame) => {
    const named = references(frame);
    if (named !== undefined) requireAllowed(named);
  };
}
