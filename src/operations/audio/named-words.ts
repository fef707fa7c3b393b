/** A field that is one of a few words, or absent. */

import { invalid } from '../field-checks.ts';

export function oneOf<Word extends string>(param: string, value: unknown, words: readonly Word[]): Word | undefined {
  if (value === undefined || value === null) return undefined;
  const found = words.find((word) => word === value);
  if (found === undefined) throw invalid(param, `must be one of ${words.join(', ')}`);
  return found;
}
