/** What is wrong with the first account's name and password before they are sent, in the product's own words. */

import type { Words } from '../../words/en.ts';
import { safetyFacts } from '../settings/safety-facts.ts';

export interface AccountMistakes {
  readonly name?: string;
  readonly password?: string;
}

export function accountMistakes(
  { name, password }: { readonly name: string; readonly password: string },
  words: Words['session']['mistakes'],
): AccountMistakes {
  const least = safetyFacts.passwordLengthMin;
  return {
    ...(name.trim() === '' && { name: words.nameMissing }),
    ...([...password].length < least && { password: words.passwordShort(least) }),
  };
}
