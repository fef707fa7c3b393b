/** What pages about usage ask: a range and conditions, as the admin interface reads them, and as answers are kept. */

import { keyOf } from '../api/use-ask.ts';
import { askedWords, type Condition } from '../filter/filter.ts';
import { type ChosenRange, rangeKey, rangeQuery } from '../range/range.ts';

export interface UsageQuestion {
  readonly range: ChosenRange;
  readonly conditions: readonly Condition[];
}

export type QueryWord = [name: string, value: string];

export function questionWords({ range, conditions }: UsageQuestion): QueryWord[] {
  return [...rangeQuery(range, Date.now()), ...askedWords(conditions)].map(([name, value]) => [name, value]);
}

/** The range by its name and not by its moments, so that another visit finds what the last one saw. */
export function questionKey(path: string, { range, conditions }: UsageQuestion): readonly string[] {
  const words = new URLSearchParams(askedWords(conditions).map(([...pair]) => pair));
  return [...keyOf(path), rangeKey(range, Date.now()), words.toString()];
}
