/**
 * Merges several sources for the same model at the same host into one price and one set of facts; the
 * first source takes precedence.
 */

import type { ServiceTier } from '../conversation/usage.ts';
import { type Rate, type TokenRateName, type TokenRates, tokenRateNames, type UnitPrices, wholeOf } from './price.ts';
import {
  isPaid,
  type ModelFacts,
  sells,
  sellsTokens,
  type TableEntry,
  type TablePrice,
  usedUnits,
} from './tables/table.ts';

export interface Sourced {
  /** The name of the source, as usage rows have it. */
  readonly version: string;
  readonly entry: TableEntry;
  /** A price of 0 is meant so: it comes from the host itself. */
  readonly isOwnWord?: boolean;
}

export interface MergedPrice {
  readonly price: TablePrice;
  readonly version: string;
}

/**
 * Tables write 0 also for unknown prices; a price elsewhere takes precedence, unless the name says that it is free. So
 * does one that is complete.
 */
export function mergedPrice(sources: readonly Sourced[], model: string): MergedPrice | undefined {
  const priced = sources.flatMap(({ entry: { price }, ...rest }) => (price === undefined ? [] : [{ ...rest, price }]));
  const mayBeFree = /[:-]free$/.test(model);
  const isMeant = ({ price, isOwnWord }: (typeof priced)[number]) => isOwnWord === true || mayBeFree || isPaid(price);
  const meant = priced.filter(isMeant);
  const main = meant.find(({ price }) => price.incomplete !== true) ?? meant[0] ?? priced[0];
  if (main === undefined) return undefined;
  let { price } = main;
  const versions = [main.version];
  for (const other of isPaid(price) ? priced : []) {
    if (other === main) continue;
    const filled = filledIn(price, other.price);
    if (filled !== price && !versions.includes(other.version)) versions.push(other.version);
    price = filled;
  }
  return { price, version: versions.join(' + ') };
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** What only a later source has. Units are not mixed: a model that is sold by tokens is not sold by images too. */
function filledIn(price: TablePrice, later: TablePrice): TablePrice {
  const added: Mutable<TablePrice> = {};
  if (sellsTokens(price) && sellsTokens(later)) Object.assign(added, missingRates(price, later));
  const units = missingUnits(price.units ?? {}, later.units ?? {});
  if (Object.keys(units).length > 0) added.units = { ...price.units, ...units };
  const tiers = missingTiers(price, later);
  if (Object.keys(tiers).length > 0) added.serviceTiers = { ...price.serviceTiers, ...tiers };
  return Object.keys(added).length === 0 ? price : { ...price, ...added };
}

const outputKinds = ['outputImage', 'outputAudio', 'outputVideo'] as const;
const cachedKinds: readonly TokenRateName[] = ['cacheRead', 'cachedAudio', 'cachedImage', 'cachedVideo'];

function missingRates(price: TablePrice, later: TablePrice): TokenRates {
  const rates: Mutable<TokenRates> = {};
  for (const name of tokenRateNames) {
    const rate = later[name];
    if (price[name] !== undefined || rate === undefined) continue;
    // A cached rate above the input rate is outdated; a rate equal to that of the whole adds nothing.
    const isStale = cachedKinds.includes(name) && isAbove(rate, price.input);
    const whole = wholeOf[name];
    const isOwn = whole === undefined || !isSameThroughout(rate, later[whole]);
    if (!isStale && isOwn) rates[name] = rate;
  }
  // A source with a single output rate for a model that draws or speaks gives the higher one.
  const { output } = later;
  const isCoarse = outputKinds.some((kind) => price[kind] === undefined && isSame(price.output, later[kind]));
  if (isCoarse && output !== undefined && isAbove(price.output, output)) rates.output = output;
  return rates;
}

function isAbove(rate: Rate | undefined, than: Rate | undefined): boolean {
  return rate !== undefined && than !== undefined && rate.nanoPerMillion > than.nanoPerMillion;
}

function isSame(a: Rate | undefined, b: Rate | undefined): boolean {
  return a !== undefined && a.nanoPerMillion === b?.nanoPerMillion;
}

function isSameThroughout(a: Rate, b: Rate | undefined): boolean {
  if (!isSame(a, b) || a.tiers.length !== b?.tiers.length) return false;
  return a.tiers.every(({ aboveInputTokens, nanoPerMillion }, index) => {
    const other = b.tiers[index];
    return aboveInputTokens === other?.aboveInputTokens && nanoPerMillion === other.nanoPerMillion;
  });
}

/** Fees come on top of any use; a kind of use is only refined where the earlier source sells it too. */
function missingUnits(units: UnitPrices, later: UnitPrices): UnitPrices {
  const added: Mutable<UnitPrices> = {};
  for (const fee of ['webSearches', 'requests'] as const) {
    if (units[fee] === undefined && later[fee] !== undefined) added[fee] = later[fee];
  }
  if (later.tools !== undefined) added.tools = { ...later.tools, ...units.tools };
  for (const unit of usedUnits) {
    if (!sells(units, unit) || !sells(later, unit)) continue;
    if (unit === 'images' && units.imagesOf === undefined && later.imagesOf !== undefined)
      added.imagesOf = later.imagesOf;
    if (unit === 'videoSeconds' && units.videoSecondsOf === undefined && later.videoSecondsOf !== undefined)
      added.videoSecondsOf = later.videoSecondsOf;
  }
  return added;
}

function missingTiers(price: TablePrice, later: TablePrice): NonNullable<TablePrice['serviceTiers']> {
  if (later.serviceTiers === undefined || !sellsTokens(price)) return {};
  const known = price.serviceTiers ?? {};
  const missing = Object.entries(later.serviceTiers).filter(([tier]) => known[tier as ServiceTier] === undefined);
  return Object.fromEntries(missing);
}

/** Field by field, each from the first source that has it. */
export function mergedFacts(entries: readonly TableEntry[]): ModelFacts {
  const facts: Record<string, unknown> = {};
  for (const { price: _price, ...said } of entries) {
    for (const [name, value] of Object.entries(said)) {
      if (value !== undefined && facts[name] === undefined) facts[name] = value;
    }
  }
  return facts;
}
