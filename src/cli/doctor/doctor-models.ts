/** The doctor's report on models that end: which tokens used each in the last 30 days, and how often. */

import type { EndingModelView } from '../../admin/contracts/analytics-contract.ts';
import { createEndingModels } from '../../admin/usage/ending-models.ts';
import type { MergedConfiguration } from '../../configuration/merge.ts';
import { entryOfListed } from '../../prices/listed-entry.ts';
import { createPrices } from '../../prices/prices.ts';
import type { PriceTable } from '../../prices/tables/table.ts';
import { assembleProvider } from '../../providers/assemble.ts';
import { createPricing } from '../../routing/build.ts';
import { Catalogue } from '../../routing/catalogue.ts';
import { createRefresh } from '../../routing/refresh.ts';
import type { Store } from '../../store/store.ts';
import { printable } from '../table.ts';
import type { Check } from './doctor-providers.ts';

const tokensShown = 5;

export function checkEndings(endings: readonly EndingModelView[], nowMs: number): readonly Check[] {
  const today = new Date(nowMs).toISOString().slice(0, 10);
  return endings.map(({ provider, model, names, deprecatedAt, shutdownAt, tokens, isMost }) => {
    const name = printable(`model ${provider}/${model}`);
    const end =
      shutdownAt === undefined
        ? `deprecated since ${deprecatedAt}`
        : shutdownAt <= today
          ? `was shut down on ${shutdownAt}`
          : `is shut down on ${shutdownAt}`;
    const shown = tokens.slice(0, tokensShown).map((token) => `${printable(token.name)} ${token.requests}×`);
    const more = tokens.length > tokensShown ? [`${tokens.length - tokensShown} more`] : [];
    const most = isMost === true ? ' at most' : '';
    const others = names.filter((other) => other !== model);
    const asked = others.length === 0 ? '' : ` (asked for as ${printable(names.join(', '))})`;
    const detail = `${end}; used in the last 30 days${most} by ${[...shown, ...more].join(', ')}${asked}`;
    return { name, state: 'warning', detail };
  });
}

/** As a serving Weir would see it, by the stored lists of models; no provider is called. */
export async function endingsIn(
  store: Pick<Store, 'analytics' | 'providerModels' | 'tokens'>,
  merged: MergedConfiguration,
  tables: readonly PriceTable[] = [],
): Promise<readonly EndingModelView[]> {
  const unused = () => Promise.reject(new Error('No provider is called here.'));
  const configs = merged.providers.flatMap(({ config }) => (config?.enabled === true ? [config] : []));
  const providers = configs.map((config) => assembleProvider(config, unused));
  const aliases = merged.routes.flatMap(({ config }) => config ?? []);
  const catalogue = new Catalogue(providers, aliases);
  const prices = createPrices({
    overrides: [],
    listed({ providerName, model }) {
      const listed = catalogue.listedModel(providerName, model);
      return listed && entryOfListed(listed);
    },
  });
  prices.setTables(tables);
  const refresh = createRefresh({
    catalogue,
    store: store.providerModels,
    refreshMs: 0,
    fetch: unused,
    nowMs: Date.now,
    warn: () => undefined,
  });
  await refresh.recall();
  const endings = createEndingModels({
    catalogue,
    pricing: createPricing(prices),
    analytics: store.analytics,
    tokenName: async (id) => (await store.tokens.byId(id))?.terms.name,
    nowMs: Date.now,
  });
  return endings();
}
