/** The end user's id in a form that the target accepts. The id is opaque, so its digest can replace it. */

import { createHash } from 'node:crypto';
import type { ModelProfile } from '../model-profile.ts';

export type UserIdRule = NonNullable<ModelProfile['userId']>;

/** As many as a SHA-256 digest has in hexadecimal, and as many as the strictest service takes. */
const digestCharacters = 64;

/** Undefined if the target does not accept a digest either. */
export function fittingUserId(id: string, rule: UserIdRule): string | undefined {
  if (userIdFits(id, rule)) return id;
  const characters = Math.min(digestCharacters, rule.charactersMax ?? digestCharacters);
  const digest = createHash('sha256').update(id).digest('hex').slice(0, characters);
  return userIdFits(digest, rule) ? digest : undefined;
}

export function userIdFits(
  id: string,
  { charactersMin = 0, charactersMax = Number.POSITIVE_INFINITY, pattern }: UserIdRule,
): boolean {
  if (id.length < charactersMin || id.length > charactersMax) return false;
  return pattern === undefined || expressionOf(pattern).test(id);
}

/** Patterns are written in tables and in the operator's file, so there are few of them. */
const expressionsMax = 100;
const expressions = new Map<string, RegExp>();

function expressionOf(pattern: string): RegExp {
  const known = expressions.get(pattern);
  if (known !== undefined) return known;
  const made = new RegExp(`^(?:${pattern})$`);
  if (expressions.size < expressionsMax) expressions.set(pattern, made);
  return made;
}
