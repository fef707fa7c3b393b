/** Builds a price from single rates as a reader finds them: each with its class, its tier of service and the step it begins at. */

import type { ServiceTier } from '../conversation/usage.ts';
import { type Rate, type TokenRateName, type TokenRates, tokenRateNames, type UnitPrices } from './price.ts';
import type { TablePrice } from './tables/table.ts';

interface RateParts {
  base: bigint | undefined;
  readonly steps: { readonly aboveInputTokens: number; readonly nanoPerMillion: bigint }[];
}

type Offer = Map<TokenRateName, RateParts>;

const outputKinds: ReadonlySet<TokenRateName> = new Set(['thinking', 'outputAudio', 'outputImage', 'outputVideo']);

/** The class that a kind of tokens is part of. */
const parentOf = (name: TokenRateName): TokenRateName => (outputKinds.has(name) ? 'output' : 'input');

export class RateBuilder {
  readonly #standard: Offer = new Map();
  readonly #tiers = new Map<ServiceTier, Offer>();
  readonly units: { -readonly [Unit in keyof UnitPrices]: UnitPrices[Unit] } = {};

  /** `aboveInputTokens` of 0 is where it begins. Of a rate that is given twice, the higher counts. */
  set(name: TokenRateName, nanoPerMillion: bigint, aboveInputTokens = 0, tier?: ServiceTier): void {
    const parts = partsIn(this.#offer(tier), name);
    if (aboveInputTokens === 0) {
      if (parts.base === undefined || parts.base < nanoPerMillion) parts.base = nanoPerMillion;
    } else parts.steps.push({ aboveInputTokens, nanoPerMillion });
  }

  has(name: TokenRateName): boolean {
    return this.#standard.get(name)?.base !== undefined;
  }

  #offer(tier: ServiceTier | undefined): Offer {
    if (tier === undefined) return this.#standard;
    let offer = this.#tiers.get(tier);
    if (offer === undefined) {
      offer = new Map();
      this.#tiers.set(tier, offer);
    }
    return offer;
  }

  /** Undefined where nothing was set. */
  price(): TablePrice | undefined {
    const rates = ratesOf(this.#standard, this.#standard);
    const tiers = [...this.#tiers].flatMap(([tier, offer]) => {
      const own = ratesOf(offer, this.#standard);
      return Object.keys(own).length === 0 ? [] : [[tier, own] as const];
    });
    const isSold = Object.keys(rates).length > 0 || Object.keys(this.units).length > 0;
    if (!isSold) return undefined;
    return {
      ...rates,
      ...(Object.keys(this.units).length > 0 && { units: this.units }),
      ...(tiers.length > 0 && { serviceTiers: Object.fromEntries(tiers) }),
    };
  }
}

function partsIn(offer: Offer, name: TokenRateName): RateParts {
  let parts = offer.get(name);
  if (parts === undefined) {
    parts = { base: undefined, steps: [] };
    offer.set(name, parts);
  }
  return parts;
}

function ratesOf(offer: Offer, standard: Offer): TokenRates {
  const rates: { [Name in TokenRateName]?: Rate } = {};
  for (const name of tokenRateNames) {
    const parts = offer.get(name);
    const rate = parts && rateOf(name, parts, offer, standard);
    if (rate !== undefined) rates[name] = rate;
  }
  return rates;
}

/**
 * A step without a base rate begins with that of the class it is part of. A part priced 0 beside a whole with a price
 * means that the table has no price for the part.
 */
function rateOf(name: TokenRateName, { base, steps }: RateParts, offer: Offer, standard: Offer): Rate | undefined {
  const parent = parentOf(name);
  const baseOf = (one: TokenRateName) => offer.get(one)?.base ?? standard.get(one)?.base;
  const whole = baseOf(parent);
  const begins = base ?? baseOf(name) ?? whole;
  if (begins === undefined) return undefined;
  const isPart = parent !== name;
  if (isPart && begins === 0n && (whole ?? 0n) > 0n) return undefined;
  const tiers = [...steps].sort((a, b) => a.aboveInputTokens - b.aboveInputTokens);
  return { nanoPerMillion: begins, tiers };
}
