/** Maps over the categories that every reply carries. */

import type { Tree } from '../../conversation/json-tree.ts';
import { type ModerationCategory, moderationCategories } from '../moderate.ts';

export function perCategory<Value>(
  give: (category: ModerationCategory) => Value,
): Readonly<Record<ModerationCategory, Value>> {
  const entries = moderationCategories.map((category) => [category, give(category)]);
  return Object.fromEntries(entries) as Record<ModerationCategory, Value>;
}

/** A score from 0 to 1; one that is missing or implausible counts as none. */
export function scoreIn(scores: Tree, name: string): number {
  const score = Object.hasOwn(scores, name) ? scores[name] : undefined;
  return typeof score === 'number' && Number.isFinite(score) ? Math.min(1, Math.max(0, score)) : 0;
}
