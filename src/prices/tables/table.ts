/** The common form of price tables, whatever their source: prices and facts by host and model. */

import type { ServiceTier } from '../../conversation/usage.ts';
import { scaledUp } from '../decimal.ts';
import type { Price, Rate, TableNames, TokenRateName, TokenRates, UnitPrices } from '../price.ts';
import type { LeftOutReport } from './left-out.ts';

/** A price as in a table; the price that applies in the end has a version too. */
export interface TablePrice extends TokenRates {
  readonly units?: UnitPrices;
  readonly serviceTiers?: { readonly [Tier in ServiceTier]?: TokenRates };
  /** The table also charges by a unit that is not known: the model may cost more than this. */
  readonly incomplete?: true;
}

/** The capabilities that a table gives for a model; absent where it gives none. */
export interface ModelCapabilities {
  readonly tools?: boolean;
  readonly structuredOutput?: boolean;
  readonly reasoning?: boolean;
  readonly caching?: boolean;
  readonly webSearch?: boolean;
}

export const modalities = ['text', 'image', 'audio', 'video', 'file'] as const;
export type Modality = (typeof modalities)[number];

/** What is known of a model besides its price. Dates are days, as `2026-11-16`. */
export interface ModelFacts {
  readonly contextTokens?: number;
  readonly outputTokensMax?: number;
  readonly inputModalities?: readonly Modality[];
  readonly outputModalities?: readonly Modality[];
  readonly capabilities?: ModelCapabilities;
  readonly deprecated?: true;
  readonly deprecatedAt?: string;
  readonly shutdownAt?: string;
}

export interface TableEntry extends ModelFacts {
  readonly price?: TablePrice;
}

export const tableSources = ['genai-prices', 'models.dev', 'litellm'] as const;
export type TableSource = (typeof tableSources)[number];

/** A model's entry at another host. */
export interface ElsewhereEntry {
  readonly host: string;
  readonly entry: TableEntry;
  /** The host sells its own model. */
  readonly isVendor: boolean;
}

export interface PriceTable {
  readonly source: TableSource;
  /** As rows name it: `genai-prices@0.1.8`, `models.dev 2026-07-02`. */
  readonly version: string;
  /** The date of its data, where it is known. */
  readonly asOf?: string;
  /** Kinds of price that it has and Weir has no class for, with the number of models. */
  readonly unread: ReadonlyMap<string, number>;
  /** Models and keys that are not understood. */
  readonly leftOut: LeftOutReport;
  /** The listed name and its host that a name is found by. */
  listingOf(host: string, model: string): readonly [host: string, model: string] | undefined;
  /** `host` is the table's own id of a host, `model` the exact name there. */
  find(host: string, model: string, atMs: number): TableEntry | undefined;
  /** The same model at any host, by its bare name; without discounts for times of day. */
  elsewhere(model: string, atMs: number): readonly ElsewhereEntry[];
  entries(atMs: number): Iterable<readonly [host: string, model: string, entry: TableEntry]>;
}

/** The ids of a provider in a table. */
export function hostsIn(source: TableSource, names: TableNames | undefined): readonly string[] {
  const named = { 'genai-prices': names?.genaiPrices, 'models.dev': names?.modelsDev, litellm: names?.litellm }[source];
  if (named === undefined) return [];
  return typeof named === 'string' ? [named] : named;
}

/** The name without the vendors and folders before it. */
export function bareName(model: string): string {
  return model.slice(model.lastIndexOf('/') + 1).toLowerCase();
}

const dateAtEnd = /[-@](\d{4}-\d{2}-\d{2}|\d{8}|latest|default)$/;

/** The names of the model at its own host, the closest first: as it is, without a path, without a date. */
export function namesOf(model: string): readonly string[] {
  const bare = model.slice(model.lastIndexOf('/') + 1);
  return [...new Set([model, bare, model.replace(dateAtEnd, ''), bare.replace(dateAtEnd, '')])];
}

/** Everything above this is a mistake: USD for a million tokens, and for one of any other unit. */
const usdPerMillionTokensMax = 1_000_000;
const usdPerUnitMax = 10_000;

/** How a table counts: each power of ten turns USD for so many into nano-USD for a million. */
export const powers = { perToken: 15, perMillion: 9, perThousand: 12, perUnit: 15 } as const;

const nanoPerUsd = 1_000_000_000n;
const million = 1_000_000n;

/** Undefined where the value is out of range. */
export function tokenNano(value: number, power: number): bigint | undefined {
  const nano = scaledUp(value, power);
  return nano === undefined || nano > BigInt(usdPerMillionTokensMax) * nanoPerUsd ? undefined : nano;
}

export function unitNano(value: number, power: number): bigint | undefined {
  const nano = scaledUp(value, power);
  return nano === undefined || nano > BigInt(usdPerUnitMax) * nanoPerUsd * million ? undefined : nano;
}

export const flatRate = (nanoPerMillion: bigint): Rate => ({ nanoPerMillion, tiers: [] });

const free: Rate = flatRate(0n);

/**
 * A price without what is not known of it. Undefined where nothing else of it costs anything, or what is not known may be
 * its price for a whole side of tokens: it is not free. `writes`: may the model have output?
 */
export function withoutUnknown(price: TablePrice | undefined, writes = true): TablePrice | undefined {
  if (price === undefined || !isPaid(price)) return undefined;
  const isOneSided = price.input === undefined || (writes && price.output === undefined);
  return isOneSided && sellsTokens(price) ? undefined : { ...price, incomplete: true };
}

/** A model that is sold by the hour, page or request has rates of 0 for tokens, and `units` say what it costs. */
export function priceOf({ incomplete: _, ...price }: TablePrice, version: string, guess = false): Price {
  return {
    ...price,
    version,
    input: price.input ?? free,
    output: price.output ?? free,
    ...(guess && { guess: true as const }),
  };
}

function isPaidRate(rate: Rate | undefined): boolean {
  return rate !== undefined && (rate.nanoPerMillion > 0n || rate.tiers.some((tier) => tier.nanoPerMillion > 0n));
}

export function sellsTokens(price: TablePrice): boolean {
  const { units: _units, serviceTiers: _tiers, incomplete: _incomplete, ...rates } = price;
  return Object.values(rates as TokenRates).some(isPaidRate);
}

/** Units of which one call's use is counted, beside fees that come on top of any use. */
export const usedUnits = ['images', 'seconds', 'characters', 'searches', 'videoSeconds', 'videos', 'pages'] as const;

export function sells(units: UnitPrices | undefined, unit: (typeof usedUnits)[number]): boolean {
  if (units === undefined) return false;
  const kinds = unit === 'images' ? units.imagesOf : unit === 'videoSeconds' ? units.videoSecondsOf : undefined;
  return (units[unit] ?? 0n) > 0n || Object.values(kinds ?? {}).some((nano) => nano > 0n);
}

/** Is any rate above 0? */
export function isPaid(price: TablePrice): boolean {
  const { units } = price;
  if (sellsTokens(price) || (units?.requests ?? 0n) > 0n) return true;
  return usedUnits.some((unit) => sells(units, unit));
}

/** A measure of how expensive a price is, to choose the highest of several. */
export function weightOf(price: TablePrice): bigint {
  const { units = {} } = price;
  const of = (name: TokenRateName) => price[name]?.nanoPerMillion ?? 0n;
  const unit = usedUnits.reduce((sum, name) => sum + (units[name] ?? 0n), 0n);
  return of('input') + of('output') + unit;
}
