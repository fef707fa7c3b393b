/** Of which callers bodies are judged beyond the model that they ask for: budgets and lists of models are what could be evaded. */

import type { Caller, Level } from '../../access/caller.ts';
import { hasToolTerms } from '../../access/levels/hosted-tools.ts';

export interface Vetting {
  /** Models that are named anywhere count, and routing is for tokens that may steer. */
  readonly models: boolean;
  /** Tools that providers run are judged. */
  readonly tools: boolean;
}

/** By the levels and not by the caller: copies of a caller share them. */
const known = new WeakMap<readonly Level[], Vetting>();

export function vettingOf(caller: Pick<Caller, 'levels'>): Vetting {
  const { levels } = caller;
  const found = known.get(levels);
  if (found !== undefined) return found;
  const models = levels.some(
    ({ terms: { models: listed, budgets = [] } }) => listed !== undefined || budgets.some(({ unit }) => unit === 'usd'),
  );
  const made = { models, tools: hasToolTerms(caller) };
  known.set(levels, made);
  return made;
}

export function needsVetting(caller: Pick<Caller, 'levels'>): boolean {
  const { models, tools } = vettingOf(caller);
  return models || tools;
}
