/** What a call is charged for where it is sold by more than tokens: what was reported, and a likely figure for what was not. */

import type { Consumption, MostUse } from '../operations/consumption.ts';
import { type Price, type Rate, tokenRateNames } from '../prices/price.ts';
import { type UnitName, unitNames } from './cost.ts';

/** Bounds assume the densest content; these are the shares of them that ordinary calls use. */
const bytesPerToken = 4;
const outputShare = 2;
/** Audio is bounded at 6 kbit/s, and is ordinarily sent at some 48. */
const secondsShare = 8;

/** Counted in the request itself, so that the provider need not report it. */
const counted: readonly (keyof Consumption)[] = ['characters', 'requests'];

/** What a call probably used, derived from the most that it can use. */
export function likelyUse({
  tokens,
  tokensLikely,
  seconds,
  secondsLikely,
  imageTerms: _,
  ...exact
}: MostUse): Consumption {
  return {
    ...exact,
    ...(seconds !== undefined && { seconds: secondsLikely ?? Math.ceil(seconds / secondsShare) }),
    ...(tokens !== undefined && {
      tokens: tokensLikely ?? {
        input: shareOf(tokens.input, bytesPerToken),
        output: shareOf(tokens.output, outputShare),
      },
    }),
  };
}

/** Of the whole and of each class of it. */
function shareOf<Counts extends object>(counts: Counts, by: number): Counts {
  const known = Object.entries(counts).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  return Object.fromEntries(known.map(([name, count]) => [name, Math.ceil(count / by)])) as Counts;
}

/** What a call that is sold by the piece can have used. Uploaded audio stays at its likely length: only its bytes are known. */
export function fullUse(most: MostUse): Consumption {
  const { secondsLikely: _, tokensLikely: _likely, imageTerms: _terms, ...full } = most;
  return most.seconds === undefined ? full : { ...full, seconds: likelyUse(most).seconds };
}

export interface Use {
  readonly used: Consumption;
  /** Something that costs money was not reported. */
  readonly estimated: boolean;
}

export const unused: Use = { used: {}, estimated: false };

/** Only what has a price is filled in: a count that changes nothing is better absent than guessed. */
export function completeUse(price: Price, reported: Consumption, most: MostUse, guess = likelyUse): Use {
  const guessed = guess({ requests: 1, ...most });
  const missing = pricedUnits(price).filter((name) => reported[name] === undefined && guessed[name] !== undefined);
  const filled = Object.fromEntries(missing.map((name) => [name, guessed[name]]));
  return {
    used: { ...kindsAsked(price, most), ...reported, ...filled },
    estimated: missing.some((name) => !counted.includes(name)),
  };
}

/** The requested kind decides which of several prices counts where the reply does not say what was made. */
function kindsAsked({ units }: Price, { imageKind, videoKind }: MostUse): Consumption {
  return {
    ...(units?.imagesOf !== undefined && imageKind !== undefined && { imageKind }),
    ...(units?.videoSecondsOf !== undefined && videoKind !== undefined && { videoKind }),
  };
}

/** A reply that broke off: the provider may have made more than it reported, so the likely use is the least. */
export function brokenUse(price: Price, reported: Consumption, most: MostUse): Use {
  const likely = likelyUse(most);
  const raised: Record<string, number | Consumption['tokens']> = {};
  for (const name of unitNames) {
    const least = likely[name];
    if (least !== undefined && (reported[name] ?? least) < least) raised[name] = least;
  }
  const written = reported.tokens?.output.total;
  if (written !== undefined && written < (likely.tokens?.output.total ?? 0)) raised['tokens'] = likely.tokens;
  const { used, estimated } = completeUse(price, { ...reported, ...raised }, most);
  return { used, estimated: estimated || Object.keys(raised).length > 0 };
}

/** Does the price cover such a call? One in other units than the call does not. */
export function prices(price: Price, most: Consumption): boolean {
  const priced = pricedUnits(price);
  return priced.length === 0 || priced.some((name) => name === 'requests' || most[name] !== undefined);
}

/** Does anything depend on how many tokens it was? */
export function billsTokens(price: Price | undefined): boolean {
  return price !== undefined && pricedUnits(price).includes('tokens');
}

function pricedUnits(price: Price): readonly (keyof Consumption)[] {
  const { units = {} } = price;
  const kinds = { images: units.imagesOf, videoSeconds: units.videoSecondsOf } as const;
  const isPriced = (name: UnitName): boolean =>
    (units[name] ?? 0n) > 0n || (name in kinds && kinds[name as keyof typeof kinds] !== undefined);
  const priced = unitNames.filter(isPriced);
  return tokenRateNames.some((name) => costs(price[name])) ? ['tokens', ...priced] : priced;
}

function costs(rate: Rate | undefined): boolean {
  if (rate === undefined) return false;
  return rate.nanoPerMillion > 0n || rate.tiers.some((tier) => tier.nanoPerMillion > 0n);
}
