/** Of which callers bodies are judged beyond the model that they ask for: budgets, lists of models and of tools are what could be evaded. */

import type { Caller, Level } from '../../access/caller.ts';

export interface Vetting {
  /** Anything is judged. */
  readonly any: boolean;
  /** Models that are named anywhere count, and routing is for tokens that may steer. */
  readonly models: boolean;
  /** What it orders is paid from a budget. */
  readonly money: boolean;
}

/** By the levels and not by the caller: copies of a caller share them. */
const known = new WeakMap<readonly Level[], Vetting>();

export function vettingOf({ levels }: Pick<Caller, 'levels'>): Vetting {
  const found = known.get(levels);
  if (found !== undefined) return found;
  const money = levels.some(({ terms: { budgets = [] } }) => budgets.some(({ unit }) => unit === 'usd'));
  const models = money || levels.some(({ terms }) => terms.models !== undefined);
  const made = { models, money, any: models || levels.some(({ terms }) => terms.tools !== undefined) };
  known.set(levels, made);
  return made;
}
