/** Puts providers, aliases and prices together from the configuration. */

import type { KnownFacts } from '../prices/look-up.ts';
import type { Price } from '../prices/price.ts';
import { type PriceSource, priceSourceOf } from '../prices/price-source.ts';
import { type Prices, zeroPrice } from '../prices/prices.ts';
import { assembleProvider, type Provider } from '../providers/assemble.ts';
import { operatorProfile } from '../providers/profile-of.ts';
import type { ProviderConfig } from '../settings/config.ts';
import type { EgressRoutes } from '../upstream/egress-routes.ts';
import type { Target } from './catalogue.ts';
import { type Retirement, retirementOf } from './retirement.ts';

/**
 * A provider that can be called, over its own egress. One entered in the console must not reach the addresses of cloud
 * metadata services, which hand out a machine's credentials.
 */
export function buildProvider(config: ProviderConfig, egressRoutes: Pick<EgressRoutes, 'of'>): Provider {
  const { proxy, ca, origin } = config;
  const { transport, sockets } = egressRoutes.of({ proxy, ca, guarded: origin === 'console' });
  return assembleProvider(config, transport, sockets);
}

/** A price as lists show it: USD per token as decimal strings, absent where none is known. */
interface ShownPrice {
  readonly prompt?: string;
  readonly completion?: string;
  readonly source: PriceSource;
  readonly version?: string;
}

export interface Pricing {
  /** A promise until the price library is loaded, undefined afterwards. */
  ready(): Promise<void> | undefined;
  priceOf(target: Target): Price | undefined;
  contextTokensOf(target: Target): number | undefined;
  /** The most tokens that one reply of the model can have; undefined if unknown. */
  outputTokensOf(target: Target): number | undefined;
  /** The largest of several known values: a bound must not be too small. */
  outputBoundOf(target: Target): number | undefined;
  /** Input and output modalities as the model's own host lists them. */
  modalitiesOf(target: Target): Pick<KnownFacts, 'inputModalities' | 'outputModalities'>;
  /** Undefined for models that are not known to end. */
  retirementOf(target: Target): Retirement | undefined;
  shownPrice(target: Target): ShownPrice;
  /**
   * Prices have changed: requests that begin from now on are charged by the new ones, those in flight by
   * their old ones.
   */
  forget(): void;
}

const free = zeroPrice('free');

/** How long looked-up prices are cached: some change with the date. */
const rememberedMs = 60_000;

interface Known {
  readonly price: Price | undefined;
  readonly contextTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly outputBound: number | undefined;
  readonly facts: KnownFacts;
  readonly retirement: Retirement | undefined;
}

/** `usesGuesses`: is the price of another host a price? */
export function createPricing(prices: Prices, usesGuesses: () => boolean = () => true): Pricing {
  let known = new WeakMap<Target, Known>();
  setInterval(() => {
    known = new WeakMap();
  }, rememberedMs).unref();
  let loading: Promise<void> | undefined = prices.ready().then(() => {
    loading = undefined;
  });
  const lookUp = (target: Target): Known => {
    const { provider, model } = target;
    const question = { providerName: provider.name, tables: provider.tables, model };
    const price = provider.free ? free : prices.priceOf(question);
    const facts = prices.factsOf(question);
    const found = { price, facts, ...sizesOf(target, facts), retirement: retirementOf(facts) };
    if (loading === undefined) known.set(target, found);
    return found;
  };
  const of = (target: Target): Known => known.get(target) ?? lookUp(target);
  const priceOf = (target: Target): Price | undefined => {
    const { price } = of(target);
    return price?.guess === true && !usesGuesses() ? undefined : price;
  };
  return {
    forget() {
      known = new WeakMap();
    },
    ready: () => loading,
    priceOf,
    contextTokensOf: (target) => of(target).contextTokens,
    outputTokensOf: (target) => of(target).outputTokens,
    outputBoundOf: (target) => of(target).outputBound,
    modalitiesOf: (target) => of(target).facts,
    retirementOf: (target) => of(target).retirement,
    shownPrice(target) {
      const price = priceOf(target);
      const source = priceSourceOf(price);
      if (price === undefined) return { source };
      const [prompt, completion] = [perToken(price.input.nanoPerMillion), perToken(price.output.nanoPerMillion)];
      return { prompt, completion, source, version: price.version };
    },
  };
}

/**
 * The operator's value first, then that of the provider's list, of tables, of the model's family; the context that
 * tables give for other hosts is the last resort.
 */
function sizesOf(target: Target, facts: KnownFacts): Pick<Known, 'contextTokens' | 'outputTokens' | 'outputBound'> {
  const { provider, model, profile, listed } = target;
  const operator = operatorProfile(provider, model);
  const { contextTokens, contextOf, outputTokensMax } = facts;
  const sure = operator.outputTokensMax ?? listed?.profile?.outputTokensMax;
  const likely = [outputTokensMax, profile?.outputTokensMax].filter((tokens) => tokens !== undefined);
  return {
    contextTokens:
      operator.contextTokens ??
      provider.notes.get(model)?.contextTokens ??
      (contextOf === undefined ? contextTokens : undefined) ??
      profile?.contextTokens ??
      contextTokens,
    outputTokens: sure ?? likely[0],
    outputBound: sure ?? (likely.length === 0 ? undefined : Math.max(...likely)),
  };
}

/** Nano-dollars per million tokens are 10^-15 dollars per token: written out digit by digit. */
function perToken(nanoPerMillion: bigint): string {
  const digits = nanoPerMillion.toString().padStart(16, '0');
  const fraction = digits.slice(-15).replace(/0+$/, '');
  return digits.slice(0, -15) + (fraction === '' ? '' : `.${fraction}`);
}
