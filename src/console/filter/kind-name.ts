/** What a kind of condition is called: dimensions have their names in one table, the others in that of the filter. */

import type { Dimension } from '../../admin/contracts/analytics-contract.ts';
import type { Words } from '../words/en.ts';
import type { FilterKind } from './filter.ts';

export function kindName(kind: FilterKind, words: Words): string {
  return isDimension(kind, words) ? words.usage.dimensions[kind].name : words.requests.kinds[kind];
}

export function isDimension(word: string, words: Words): word is Dimension {
  return Object.hasOwn(words.usage.dimensions, word);
}
