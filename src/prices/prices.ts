/**
 * Which price applies to a model: the operator's own, then that of its provider's list, then that of the
 * tables; cached per model.
 */

import type { PriceConfig } from '../settings/config.ts';
import { type Found, type KnownFacts, lookUp } from './look-up.ts';
import { operatorPrice } from './operator-price.ts';
import type { Price, Rate, TableNames } from './price.ts';
import { loadPriceLibrary } from './price-library.ts';
import { bareName, hostsIn, namesOf, type PriceTable, type TableEntry, tableSources } from './tables/table.ts';

export interface PriceQuestion {
  /** The provider as the operator named it. */
  readonly providerName: string;
  /** Its names in the price tables, where they have it. */
  readonly tables?: TableNames | undefined;
  /** The model as the provider names it. */
  readonly model: string;
}

export interface Prices {
  /**
   * Undefined if no price is known, and until `ready` for those only the bundled table has. A guess is marked as one.
   */
  priceOf(question: PriceQuestion): Price | undefined;
  contextWindowOf(question: PriceQuestion): number | undefined;
  /** What tables and the provider's own list say of the model besides its price. */
  factsOf(question: PriceQuestion): KnownFacts;
  /** Does a table list a model by this name, at whatever host? Words that are no unmistakable name of a model do not count. */
  knows(name: string): boolean;
  /** Loads the bundled table on the first call; resolves when it answers. */
  ready(): Promise<void>;
  /** The operator's own prices from now on. A price that a request holds already stays what it is. */
  replace(overrides: readonly PriceConfig[]): void;
  /** Downloaded tables from now on, the most trusted first; all before the bundled one. */
  setTables(tables: readonly PriceTable[]): void;
  /** Downloaded tables and the bundled one, where it is loaded. */
  tables(): readonly PriceTable[];
  /** A provider's own list has changed. */
  forget(): void;
}

interface PricesOptions {
  readonly overrides: readonly PriceConfig[];
  readonly nowMs?: () => number;
  readonly load?: () => Promise<PriceTable>;
  /** What a provider's own list of models says. */
  readonly listed?: (question: PriceQuestion) => TableEntry | undefined;
  /** Providers that sell their own models, whose prices are the best guess at others. */
  readonly vendors?: readonly TableNames[];
}

const zero: Rate = { nanoPerMillion: 0n, tiers: [] };

/** For models that run on the operator's own machines, and for the sandbox. */
export function zeroPrice(version: string): Price {
  const none = undefined;
  return { version, input: zero, output: zero, cacheRead: none, cacheWrite: none, inputAudio: none, outputAudio: none };
}

/** Names of models come from callers, so what is remembered about them is bounded. */
const rememberedMax = 5_000;
/** Some prices change with the date and the hour: cached ones expire. */
const rememberedForMs = 15 * 60_000;

export function createPrices(options: PricesOptions): Prices {
  const { nowMs = Date.now, load = loadPriceLibrary, listed } = options;
  const vendors = vendorsOf(options.vendors ?? []);
  let own = ownPrices(options.overrides);
  const remembered = new Map<string, { found: Found; untilMs: number }>();
  let downloaded: readonly PriceTable[] = [];
  let bundled: readonly PriceTable[] = [];
  let loading: Promise<void> | undefined;
  /** Built when it is first needed, which is for few requests. */
  let named: ReadonlySet<string> | undefined;

  function forget(): void {
    remembered.clear();
    named = undefined;
  }

  function find(question: PriceQuestion): Found {
    const { providerName, tables: names, model } = question;
    const override = own.find(({ matches }) => matches(`${providerName}/${model}`) || matches(model));
    const tables = [...downloaded, ...bundled];
    const found = lookUp({ tables, names, model, listed: listed?.(question), vendors, atMs: nowMs() });
    if (override === undefined) return found;
    const { price, contextTokens } = override;
    if (contextTokens === undefined) return { price, facts: found.facts };
    const { contextOf: _, ...facts } = found.facts;
    return { price, facts: { ...facts, contextTokens } };
  }

  function foundFor(question: PriceQuestion): Found {
    const key = keyOf(question);
    const known = remembered.get(key);
    const now = nowMs();
    if (known !== undefined && known.untilMs > now) return known.found;
    const found = find(question);
    if (remembered.size >= rememberedMax) remembered.clear();
    remembered.set(key, { found, untilMs: now + rememberedForMs });
    return found;
  }

  return {
    replace(overrides) {
      own = ownPrices(overrides);
      forget();
    },
    setTables(tables) {
      downloaded = tables;
      forget();
    },
    tables: () => [...downloaded, ...bundled],
    forget,
    knows(name) {
      if (!isUnmistakable(name)) return false;
      named ??= namesIn([...downloaded, ...bundled], nowMs());
      const lower = name.toLowerCase();
      const names = named;
      return namesOf(lower).some((each) => names.has(each)) || own.some(({ exactly }) => exactly === name);
    },
    priceOf: (question) => foundFor(question).price,
    contextWindowOf: (question) => foundFor(question).facts.contextTokens,
    factsOf: (question) => foundFor(question).facts,
    ready() {
      loading ??= load().then((table) => {
        bundled = [table];
        forget();
      });
      return loading;
    },
  };
}

function keyOf({ providerName, tables, model }: PriceQuestion): string {
  const hosts = tableSources.map((source) => hostsIn(source, tables).join());
  return [providerName, ...hosts, model].join('\n');
}

function vendorsOf(names: readonly TableNames[]): Partial<Record<PriceTable['source'], ReadonlySet<string>>> {
  return Object.fromEntries(
    tableSources.map((source) => [source, new Set(names.flatMap((name) => hostsIn(source, name)))]),
  );
}

/** Tables also list models as `auto`, `fast` or `search`, which are words of many settings. */
function isUnmistakable(name: string): boolean {
  return /[\d/-]/.test(name) && /[a-z]/i.test(name);
}

function namesIn(tables: readonly PriceTable[], atMs: number): ReadonlySet<string> {
  const names = new Set<string>();
  for (const table of tables) {
    for (const [, model] of table.entries(atMs)) {
      for (const name of [model.toLowerCase(), bareName(model)]) if (isUnmistakable(name)) names.add(name);
    }
  }
  return names;
}

interface OwnPrice {
  /** The name, where the pattern is one. */
  readonly exactly: string | undefined;
  matches(name: string): boolean;
  readonly price: Price;
  readonly contextTokens: number | undefined;
}

function ownPrices(overrides: readonly PriceConfig[]): readonly OwnPrice[] {
  return overrides.map((config) => ({
    exactly: config.pattern.includes('*') ? undefined : config.pattern,
    matches: patternTest(config.pattern),
    price: operatorPrice(config),
    contextTokens: config.contextTokens,
  }));
}

function patternTest(pattern: string): (name: string) => boolean {
  if (!pattern.includes('*')) return (name) => name === pattern;
  const source = pattern
    .split('*')
    .map((literal) => literal.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  const expression = new RegExp(`^${source}$`, 's');
  return (name) => expression.test(name);
}
