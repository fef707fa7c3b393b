/** What a provider's own list says of a model, in the form that tables have. */

import {
  type ListedModel,
  type ListedPrice,
  type ListedRate,
  listedRateNames,
  listedUnitNames,
  type Modality as ProfileModality,
} from '../conversation/model-profile.ts';
import type { Rate, UnitPrices } from './price.ts';
import type { Modality, TableEntry, TablePrice } from './tables/table.ts';

export function entryOfListed({ profile = {}, price, deprecatedAt, shutdownAt }: ListedModel): TableEntry {
  const { contextTokens, outputTokensMax, input, output } = profile;
  const said = price === undefined ? undefined : priceOfListed(price);
  return {
    ...(said !== undefined && { price: said }),
    ...(contextTokens !== undefined && { contextTokens }),
    ...(outputTokensMax !== undefined && { outputTokensMax }),
    ...(input !== undefined && { inputModalities: wordsOf(input) }),
    ...(output !== undefined && { outputModalities: wordsOf(output) }),
    ...(deprecatedAt !== undefined && { deprecatedAt }),
    ...(shutdownAt !== undefined && { shutdownAt }),
  };
}

/** In the words of public lists, where any other document is a file too. */
export function wordsOf(modalities: readonly ProfileModality[]): readonly Modality[] {
  return modalities.map((modality) => (modality === 'pdf' ? 'file' : modality));
}

/** Undefined where it is not in Weir's own form: a database may hold older values, or values changed by hand. */
function priceOfListed({ rates, units }: ListedPrice): TablePrice | undefined {
  try {
    const tokens = listedRateNames.flatMap((name) => {
      const rate = rates[name];
      return rate === undefined ? [] : [[name, rateOf(rate)] as const];
    });
    const others = listedUnitNames.flatMap((name) => {
      const nano = units?.[name];
      return nano === undefined ? [] : [[name, nanoOf(nano)] as const];
    });
    if (rates.input === undefined || rates.output === undefined) return undefined;
    const sold: UnitPrices = Object.fromEntries(others);
    return { ...Object.fromEntries(tokens), ...(others.length > 0 && { units: sold }) };
  } catch {
    return undefined;
  }
}

function rateOf({ nano, steps = [] }: ListedRate): Rate {
  const tiers = steps.map((step) => {
    if (!Number.isSafeInteger(step.above)) throw new TypeError('no number of tokens');
    return { aboveInputTokens: step.above, nanoPerMillion: nanoOf(step.nano) };
  });
  return { nanoPerMillion: nanoOf(nano), tiers };
}

function nanoOf(digits: string): bigint {
  if (!/^\d{1,30}$/.test(digits)) throw new TypeError('no amount');
  return BigInt(digits);
}
