/** The source of a price, read from its version: lists, pages and the command line show it alike. */

import { guessVersion, incompleteVersion, listedPriceVersion } from './look-up.ts';
import { ownPriceVersion } from './operator-price.ts';
import type { Price } from './price.ts';

/** `provider` is the provider's own model list, `guess` another provider's price of the same model or an incomplete one. */
const priceSources = ['operator', 'provider', 'table', 'guess', 'unknown', 'free'] as const;
export type PriceSource = (typeof priceSources)[number];

const freeVersions: readonly string[] = ['free', 'sandbox'];

export const isGuess = (version: string): boolean =>
  version.startsWith(guessVersion) || version.startsWith(incompleteVersion);

/** The host that a guess is from; undefined for any other version. */
export const guessedFrom = (version: string): string | undefined =>
  version.startsWith(guessVersion) ? version.slice(guessVersion.length) : undefined;

/** The tables of an incomplete price; undefined for any other version. */
export const incompleteIn = (version: string): string | undefined =>
  version.startsWith(incompleteVersion) ? version.slice(incompleteVersion.length) : undefined;

export function priceSourceOf(price: Pick<Price, 'version' | 'guess'> | undefined): PriceSource {
  if (price === undefined || price.version === '') return 'unknown';
  const { version } = price;
  if (freeVersions.includes(version)) return 'free';
  if (price.guess === true || isGuess(version)) return 'guess';
  if (version.startsWith(ownPriceVersion)) return 'operator';
  return version.startsWith(listedPriceVersion) ? 'provider' : 'table';
}

/** Of several calls for one request: unknown where the price of one is unknown, a guess where one is guessed. */
export function jointVersion(before: string | undefined, own: string): string {
  if (before === undefined || before === own) return own;
  if (before === '' || own === '') return '';
  return isGuess(before) ? before : own;
}
