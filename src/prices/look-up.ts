/** Looks a model up in price tables: at its own host first, and if that has no price, at other hosts. */

import { type MergedPrice, mergedFacts, mergedPrice, type Sourced } from './merge-price.ts';
import type { Price, TableNames } from './price.ts';
import {
  type ElsewhereEntry,
  hostsIn,
  isPaid,
  type ModelFacts,
  namesOf,
  type PriceTable,
  priceOf,
  type TableEntry,
  type TableSource,
  weightOf,
} from './tables/table.ts';

export interface KnownFacts extends ModelFacts {
  /** The host whose context length it is, where this one's is not known: the largest that any has. */
  readonly contextOf?: string;
}

export interface Found {
  readonly price: Price | undefined;
  readonly facts: KnownFacts;
}

interface LookUp {
  readonly tables: readonly PriceTable[];
  readonly names: TableNames | undefined;
  readonly model: string;
  /** What the provider's own list says. */
  readonly listed: TableEntry | undefined;
  /** Hosts that sell their own models, by table. */
  readonly vendors: Readonly<Partial<Record<TableSource, ReadonlySet<string>>>>;
  readonly atMs: number;
}

/** Versions of prices from a provider's own list of models begin so. */
export const listedPriceVersion = 'provider list';
/** Versions of prices of another host begin so. */
export const guessVersion = 'guess: ';
/** Versions of prices with a unit that is not known begin so: they count as guesses. */
export const incompleteVersion = 'incomplete: ';

export function lookUp(asked: LookUp): Found {
  const own = ownSources(asked);
  const merged = mergedPrice(own.priced, asked.model);
  const facts = mergedFacts(own.all.map(({ entry }) => entry));
  const isKnown = merged !== undefined && facts.contextTokens !== undefined;
  const others = isKnown ? [] : elsewhere(asked);
  const price = merged === undefined ? guessOf(others, asked) : ownPrice(merged);
  return { price, facts: withContext(facts, others) };
}

function ownPrice({ price, version }: MergedPrice): Price {
  return price.incomplete ? priceOf(price, `${incompleteVersion}${version}`, true) : priceOf(price, version);
}

/** `priced` are the sources with the closest name that has a price. */
function ownSources({ tables, names, model, listed, atMs }: LookUp): {
  readonly priced: readonly Sourced[];
  readonly all: readonly Sourced[];
} {
  const all: Sourced[] = [];
  let priced: readonly Sourced[] | undefined;
  if (listed !== undefined) all.push({ version: listedPriceVersion, entry: listed, isOwnWord: true });
  for (const name of namesOf(model)) {
    const found = tables.flatMap((table) =>
      hostsIn(table.source, names).flatMap((host): Sourced[] => {
        const entry = table.find(host, name, atMs);
        return entry === undefined ? [] : [{ version: table.version, entry }];
      }),
    );
    const before = all.length;
    all.push(...found);
    if (priced === undefined && found.some(({ entry }) => entry.price !== undefined))
      priced = before > 0 && listed !== undefined ? [all[0] as Sourced, ...found] : found;
  }
  return { priced: priced ?? all, all };
}

interface Other extends ElsewhereEntry {
  readonly table: PriceTable;
}

function elsewhere({ tables, model, atMs }: LookUp): readonly Other[] {
  const seen: Other[] = [];
  for (const name of namesOf(model)) {
    for (const table of tables) seen.push(...table.elsewhere(name, atMs).map((other) => ({ ...other, table })));
  }
  return seen;
}

/**
 * The vendor's own price, else the most expensive: a guess should rather be too high. A free offer
 * elsewhere is no evidence.
 */
function guessOf(others: readonly Other[], asked: LookUp): Price | undefined {
  const priced = others.flatMap((other) => {
    const { price } = other.entry;
    return price !== undefined && isPaid(price) ? [{ other, price }] : [];
  });
  const [first, ...rest] = priced;
  if (first === undefined) return undefined;
  const vendor = priced.find(({ other }) => isVendor(other, asked));
  const chosen = vendor ?? rest.reduce((best, one) => (weightOf(one.price) > weightOf(best.price) ? one : best), first);
  const { table, host } = chosen.other;
  return priceOf(chosen.price, `${guessVersion}${table.version} ${host}`, true);
}

/** A path before the name often is its vendor's. */
function isVendor({ host, isVendor: isSaid, table }: Other, { model, vendors }: LookUp): boolean {
  const [name = '', prefix] = model.toLowerCase().split('/').reverse();
  return isSaid || vendors[table.source]?.has(host) === true || (name !== '' && prefix === host.toLowerCase());
}

function withContext(facts: ModelFacts, others: readonly Other[]): KnownFacts {
  if (facts.contextTokens !== undefined) return facts;
  let largest: Other | undefined;
  for (const other of others) {
    if ((other.entry.contextTokens ?? 0) > (largest?.entry.contextTokens ?? 0)) largest = other;
  }
  const contextTokens = largest?.entry.contextTokens;
  if (largest === undefined || contextTokens === undefined) return facts;
  return { ...facts, contextTokens, contextOf: largest.host };
}
