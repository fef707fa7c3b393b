/** The end user's id as a top-level field of a body. */

import { fittingUserId, type UserIdRule, userIdFits } from '../conversation/fit/user-id.ts';
import { unfitUser } from '../conversation/fit-model.ts';
import { isObject, type Tree } from '../conversation/json-tree.ts';
import type { LossList } from '../conversation/loss-list.ts';
import type { BodyChanges } from './body-changes.ts';

const userFields = ['user', 'safety_identifier'] as const;

/** The end user whom the body names; undefined where it names none. */
export function namedUser({ user, safety_identifier: safety, metadata }: Tree): string | undefined {
  if (typeof user === 'string' && user !== '') return user;
  if (typeof safety === 'string' && safety !== '') return safety;
  const named = isObject(metadata) ? metadata.user_id : undefined;
  return typeof named === 'string' ? named : undefined;
}

/** Keys and texts that a caller gives a request, for the caller's own use. */
export function givenMetadata({ metadata }: Tree): Tree | undefined {
  return isObject(metadata) ? metadata : undefined;
}

/** Reads only. */
export function holdsUnfitUser(tree: Tree, rule: UserIdRule): boolean {
  for (const field of userFields) {
    const id = tree[field];
    if (typeof id === 'string' && !userIdFits(id, rule)) return true;
  }
  return false;
}

export function fitUserFields(tree: Tree, rule: UserIdRule, changes: BodyChanges): void {
  for (const field of userFields) {
    const id = tree[field];
    if (typeof id !== 'string' || userIdFits(id, rule)) continue;
    const fitting = fittingUserId(id, rule);
    if (fitting === undefined) changes.remove(field);
    else changes.set(field, fitting);
    if (fitting === undefined) reportUser(changes.losses);
  }
}

export function reportUser(losses: LossList): void {
  losses.addOnce('user', unfitUser);
}
