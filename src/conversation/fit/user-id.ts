/** The end user's id as a provider takes it. An id is opaque, so its digest says as much as the id itself and stays the same in every request. */

import { createHash } from 'node:crypto';
import type { ModelProfile } from '../model-profile.ts';

type UserIdRule = NonNullable<ModelProfile['userId']>;

/** Patterns are written in tables and in the operator's file, so there are few of them. */
const patternsMax = 100;
const patterns = new Map<string, RegExp>();

export function userIdFits(id: string, { charactersMin = 0, charactersMax, pattern }: UserIdRule): boolean {
  if (id.length < charactersMin || id.length > (charactersMax ?? Number.POSITIVE_INFINITY)) return false;
  return pattern === undefined || patternOf(pattern).test(id);
}

/** The id itself where it fits, else 64 hexadecimal digits of it, or as many as the provider takes. */
export function fittingUserId(id: string, rule: UserIdRule): string {
  if (userIdFits(id, rule)) return id;
  return createHash('sha256')
    .update(id)
    .digest('hex')
    .slice(0, rule.charactersMax ?? 64);
}

function patternOf(source: string): RegExp {
  let pattern = patterns.get(source);
  if (pattern === undefined) {
    pattern = new RegExp(`^(?:${source})$`);
    if (patterns.size < patternsMax) patterns.set(source, pattern);
  }
  return pattern;
}
