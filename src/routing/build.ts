/** Puts providers, aliases and prices together from the configuration. */

import type { Config } from '../config/config.ts';
import type { Price } from '../ledger/price.ts';
import { type Prices, zeroPrice } from '../ledger/prices.ts';
import { assembleProvider, type Provider } from '../providers/assemble.ts';
import { sandboxProvider } from '../providers/sandbox/provider.ts';
import { network } from '../upstream/network.ts';
import { Catalogue, type Target } from './catalogue.ts';

export interface Routing {
  readonly catalogue: Catalogue;
  /** Where each provider came from, for people. */
  readonly origins: ReadonlyMap<string, string>;
}

const originNames = { file: 'weir.yaml', environment: 'environment', local: 'this machine' } as const;

export function buildRouting(config: Config): Routing {
  const enabled = config.providers.filter((provider) => provider.enabled);
  const providers: Provider[] = enabled.map((provider) => assembleProvider(provider, network));
  // Last, so that a name the operator gave to a real provider's model is never the sandbox's.
  if (config.sandbox.enabled) providers.push(sandboxProvider(config.sandbox.paceMs));
  const origins = new Map(enabled.map(({ name, origin }) => [name, originNames[origin]]));
  return { catalogue: new Catalogue(providers, config.models), origins };
}

export interface Pricing {
  /** A promise until the price library is loaded, nothing afterwards. */
  ready(): Promise<void> | undefined;
  priceOf(target: Target): Price | undefined;
  contextTokensOf(target: Target): number | undefined;
  /** USD per token as decimal strings. */
  shownPrice(target: Target): { readonly prompt: string; readonly completion: string } | undefined;
}

const free = zeroPrice('free');

export function createPricing(prices: Prices): Pricing {
  const question = (target: Target) => ({
    providerName: target.provider.name,
    priceProvider: target.provider.priceProvider,
    model: target.model,
  });
  const priceOf = (target: Target): Price | undefined => {
    const known = target.provider.free ? undefined : prices.priceOf(question(target));
    return known ?? (target.provider.free ? free : undefined);
  };
  let loading: Promise<void> | undefined = prices.ready().then(() => {
    loading = undefined;
  });
  return {
    ready: () => loading,
    priceOf,
    contextTokensOf: (target) => prices.contextWindowOf(question(target)),
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
