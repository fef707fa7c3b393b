/** Every rate of a price by a name of its own, so that two prices can be compared rate by rate and shown to people. */

import { serviceTiers } from '../conversation/usage.ts';
import { type TokenRates, tokenRateNames } from './price.ts';
import type { TablePrice } from './tables/table.ts';

/** Nano-USD for a million, by names such as `input`, `input above 200000`, `batch output`, `images` and `images high/1024x1024`. */
export function ratesOf(price: TablePrice): ReadonlyMap<string, bigint> {
  const rates = new Map<string, bigint>();
  addTokenRates(rates, '', price);
  for (const tier of serviceTiers) addTokenRates(rates, `${tier} `, price.serviceTiers?.[tier] ?? {});
  for (const [unit, value] of Object.entries(price.units ?? {})) {
    if (typeof value === 'bigint') rates.set(unit, value);
    else
      for (const [kind, rate] of Object.entries(value as Record<string, bigint>)) rates.set(kindName(unit, kind), rate);
  }
  return rates;
}

/** `imagesOf` has the rates of kinds of `images`. */
const kindName = (unit: string, kind: string): string => `${unit.replace(/Of$/, '')} ${kind}`;

function addTokenRates(rates: Map<string, bigint>, prefix: string, from: TokenRates): void {
  for (const name of tokenRateNames) {
    const rate = from[name];
    if (rate === undefined) continue;
    rates.set(prefix + name, rate.nanoPerMillion);
    for (const { aboveInputTokens, nanoPerMillion } of rate.tiers) {
      rates.set(`${prefix}${name} above ${aboveInputTokens}`, nanoPerMillion);
    }
  }
}

export interface RateDifference {
  readonly rate: string;
  readonly before: bigint | undefined;
  readonly after: bigint | undefined;
}

export function differencesOf(before: TablePrice | undefined, after: TablePrice | undefined): RateDifference[] {
  const old = before === undefined ? new Map<string, bigint>() : ratesOf(before);
  const fresh = after === undefined ? new Map<string, bigint>() : ratesOf(after);
  const names = new Set([...old.keys(), ...fresh.keys()]);
  return [...names].flatMap((rate) => {
    const difference = { rate, before: old.get(rate), after: fresh.get(rate) };
    return difference.before === difference.after ? [] : [difference];
  });
}

/** A rate that changes by more than this, up or down, is more likely a mistake than a new price. */
const factorMax = 10n;

/** Also from and to nothing: what was sold is seldom given away. A rate that comes or goes as a whole is no change of it. */
export function isSuspicious({ before, after }: RateDifference): boolean {
  if (before === undefined || after === undefined || before === after) return false;
  if (before === 0n || after === 0n) return true;
  return after > before * factorMax || before > after * factorMax;
}

/** How each unit is shown: so many of it, by this name. Units not listed are shown per million tokens. */
const shownUnits: Readonly<Record<string, readonly [million: bigint, unit: string]>> = {
  images: [1_000_000n, 'image'],
  // A million of what is kept are sixty million seconds.
  seconds: [1_000_000n, 'minute'],
  characters: [1n, '1M characters'],
  searches: [1_000n, '1k searches'],
  videoSeconds: [1_000_000n, 'second of video'],
  videos: [1_000_000n, 'video'],
  pages: [1_000_000n, 'page'],
  webSearches: [1_000n, '1k web searches'],
  requests: [1_000_000n, 'request'],
};

/** The amount alone, a dash where there is none; `unitOf` gives the unit. */
export function rateText(rate: string, nanoPerMillion: bigint | undefined): string {
  if (nanoPerMillion === undefined) return '–';
  const [parts] = shownUnits[wordOf(rate)] ?? [1n];
  return decimal(nanoPerMillion, parts);
}

export const unitOf = (rate: string): string => `USD / ${shownUnits[wordOf(rate)]?.[1] ?? '1M tokens'}`;

const wordOf = (rate: string): string => rate.split(' ')[0] ?? '';

/** The same name in words: `cacheRead above 200000` is `cache read above 200000`. */
export const rateWords = (rate: string): string =>
  rate
    .split(' ')
    .map((word) => spelled.get(word) ?? word)
    .join(' ');

const spelled: ReadonlyMap<string, string> = new Map(
  [...tokenRateNames, ...Object.keys(shownUnits)].map((name) => [
    name,
    name.replace('1h', ' 1 h').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
  ]),
);

const nanoDigits = 9;

/** Nano-USD divided by a power of ten, written out digit by digit. */
function decimal(nano: bigint, parts: bigint): string {
  const places = nanoDigits + parts.toString().length - 1;
  const digits = nano.toString().padStart(places + 1, '0');
  const fraction = digits.slice(-places).replace(/0+$/, '');
  return digits.slice(0, -places) + (fraction === '' ? '' : `.${fraction}`);
}
