/** What the version of a price says, as far as pages tell it. */

const guessStart = 'guess: ';

/** Whose price a guess is: the table and the provider in it. */
export const guessedFrom = (version: string): string =>
  version.startsWith(guessStart) ? version.slice(guessStart.length) : version;
