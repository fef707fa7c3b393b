/** Converts an operator's price entry, with amounts as people write them, into the integers of the ledger. */

import type { PriceConfig, PriceRates, PriceStep } from '../settings/config.ts';
import {
  type Price,
  type Rate,
  type TokenRateName,
  type TokenRates,
  tokenRateNames,
  type UnitPrices,
  wholeOf,
} from './price.ts';
import { nanoPerMillion } from './price-library.ts';

/** Versions of the operator's own prices begin so. */
export const ownPriceVersion = 'operator';

export function operatorPrice(config: PriceConfig): Price {
  const { input, output, cacheRead, cacheWrite, rates, steps, serviceTiers } = config;
  const own: PriceRates = {
    input,
    output,
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
    ...rates,
  };
  const tiers = Object.entries(serviceTiers ?? {}).flatMap(([name, tier]) =>
    tier === undefined ? [] : [[name, ratesFrom(tier.rates, tier.steps ?? [], { ...own, ...tier.rates })] as const],
  );
  return {
    version: config.version ?? ownPriceVersion,
    ...ratesFrom(own, steps ?? [], own),
    input: rateOf('input', own, steps ?? [], own) ?? zero,
    output: rateOf('output', own, steps ?? [], own) ?? zero,
    units: unitPrices(config),
    ...(tiers.length > 0 && { serviceTiers: Object.fromEntries(tiers) }),
  };
}

const zero: Rate = { nanoPerMillion: 0n, tiers: [] };

function ratesFrom(given: PriceRates, steps: readonly PriceStep[], all: PriceRates): TokenRates {
  const named = tokenRateNames.map((name) => [name, rateOf(name, given, steps, all)] as const);
  return Object.fromEntries(named.filter(([, rate]) => rate !== undefined));
}

function rateOf(
  name: TokenRateName,
  given: PriceRates,
  steps: readonly PriceStep[],
  all: PriceRates,
): Rate | undefined {
  const tiers = steps.flatMap(({ aboveInputTokens, rates }) => {
    const usd = rates[name];
    return usd === undefined ? [] : [{ aboveInputTokens, nanoPerMillion: nanoPerMillion(usd) }];
  });
  const base = given[name] ?? (tiers.length === 0 ? undefined : usdOf(name, all));
  return base === undefined ? undefined : { nanoPerMillion: nanoPerMillion(base), tiers };
}

function usdOf(name: TokenRateName, all: PriceRates): number {
  const whole = wholeOf[name];
  return all[name] ?? (whole === undefined ? 0 : usdOf(whole, all));
}

const eachToMillion = 1e6;
const thousandToMillion = 1e3;

/** Each as people write it: an image, a minute, a million characters, a thousand searches, a second of video, a video, a page, a request. */
function unitPrices(config: PriceConfig): UnitPrices {
  const nano = (name: keyof UnitPrices, usd: number | undefined, by: number): UnitPrices =>
    usd === undefined ? {} : { [name]: nanoPerMillion(usd * by) };
  const kinds = (name: keyof UnitPrices, given: Readonly<Record<string, number>> | undefined): UnitPrices =>
    given === undefined
      ? {}
      : {
          [name]: Object.fromEntries(
            Object.entries(given).map(([kind, usd]) => [kind, nanoPerMillion(usd * eachToMillion)]),
          ),
        };
  return {
    ...nano('images', config.image, eachToMillion),
    ...kinds('imagesOf', config.images),
    ...nano('seconds', config.minute, eachToMillion),
    ...nano('characters', config.characters, 1),
    ...nano('searches', config.searches, thousandToMillion),
    ...nano('videoSeconds', config.videoSecond, eachToMillion),
    ...kinds('videoSecondsOf', config.videoSeconds),
    ...nano('videos', config.video, eachToMillion),
    ...nano('pages', config.page, eachToMillion),
    ...nano('webSearches', config.webSearches, thousandToMillion),
    ...nano('requests', config.request, eachToMillion),
    ...kinds('tools', config.tools),
  };
}
