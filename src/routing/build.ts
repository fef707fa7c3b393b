/** Puts providers, aliases and prices together from the configuration. */

import type { Config, ProviderConfig } from '../config/config.ts';
import type { Price } from '../prices/price.ts';
import { type Prices, zeroPrice } from '../prices/prices.ts';
import { assembleProvider, type Provider } from '../providers/assemble.ts';
import { operatorProfile } from '../providers/profile-of.ts';
import { sandboxProvider } from '../providers/sandbox/provider.ts';
import type { WaysOut } from '../upstream/ways-out.ts';
import type { Target } from './catalogue.ts';

/** A provider that can be called, by its own way out. What was typed into a page must not lead to where only this machine may ask. */
export function buildProvider(config: ProviderConfig, waysOut: Pick<WaysOut, 'of'>): Provider {
  const { proxy, ca, origin } = config;
  const { transport, sockets } = waysOut.of({ proxy, ca, guarded: origin === 'console' });
  return assembleProvider(config, transport, sockets);
}

export function buildSandbox({ sandbox }: Pick<Config, 'sandbox'>): Provider | undefined {
  return sandbox.enabled ? sandboxProvider(sandbox) : undefined;
}

export interface Pricing {
  /** A promise until the price library is loaded, nothing afterwards. */
  ready(): Promise<void> | undefined;
  priceOf(target: Target): Price | undefined;
  contextTokensOf(target: Target): number | undefined;
  /** USD per token as decimal strings. */
  shownPrice(target: Target): { readonly prompt: string; readonly completion: string } | undefined;
  /** Prices have changed: requests that begin from now on are charged by the new ones, those under way by what they began with. */
  forget(): void;
}

const free = zeroPrice('free');

/** How long looked-up prices stand before they are asked again: some change with the date. */
const rememberedMs = 60_000;

interface Known {
  readonly price: Price | undefined;
  readonly contextTokens: number | undefined;
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
    const contextTokens =
      operatorProfile(provider, model).contextTokens ??
      provider.notes.get(model)?.contextTokens ??
      prices.contextWindowOf(question) ??
      target.profile?.contextTokens;
    const found = { price, contextTokens };
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
    shownPrice(target) {
      const price = priceOf(target);
      if (price === undefined) return undefined;
      return { prompt: perToken(price.input.nanoPerMillion), completion: perToken(price.output.nanoPerMillion) };
    },
  };
}

/** Nano-dollars per million tokens are 10^-15 dollars per token: written out digit by digit. */
function perToken(nanoPerMillion: bigint): string {
  const digits = nanoPerMillion.toString().padStart(16, '0');
  const fraction = digits.slice(-15).replace(/0+$/, '');
  return digits.slice(0, -15) + (fraction === '' ? '' : `.${fraction}`);
}
