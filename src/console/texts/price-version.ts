/** What the version of a price says, as far as pages tell it. */

const guessStart = 'guess: ';
const incompleteStart = 'incomplete: ';

interface GuessWords {
  /** Whose price it is: the table and the provider in it. */
  readonly guess: (whose: string) => string;
  /** In which table a unit is not known. */
  readonly incomplete: (table: string) => string;
}

/** Why a price is no whole one of the provider itself. */
export function guessText(version: string, { guess, incomplete }: GuessWords): string {
  if (version.startsWith(incompleteStart)) return incomplete(version.slice(incompleteStart.length));
  return guess(version.startsWith(guessStart) ? version.slice(guessStart.length) : version);
}

/** The same in the words of a request. */
export function guessHint(
  version: string | undefined,
  words: { readonly guessHint: GuessWords['guess']; readonly incompleteHint: GuessWords['incomplete'] },
): string {
  return guessText(version ?? '', { guess: words.guessHint, incomplete: words.incompleteHint });
}
