/** Builds what the configuration decides and the console may change while Weir runs: catalogue, keys, prices, and what aliases demand. */

import type { ModerationTerms } from '../access/caller.ts';
import { entryOfListed } from '../prices/listed-entry.ts';
import { loadPriceLibrary } from '../prices/price-library.ts';
import { createPrices, type Prices } from '../prices/prices.ts';
import type { PriceTable } from '../prices/tables/table.ts';
import type { Provider } from '../providers/assemble.ts';
import { vendorTables } from '../providers/preset-facts.ts';
import { fetchModels } from '../providers/probe/fetch-models.ts';
import { createKeyProbe } from '../providers/probe/probe-key.ts';
import { createAuthorizer } from '../providers/sign/authorize.ts';
import { createPricing, type Pricing } from '../routing/build.ts';
import { Catalogue } from '../routing/catalogue.ts';
import { KeyRing } from '../routing/keys.ts';
import { createRefresh, type Refresh } from '../routing/refresh.ts';
import type { PurposeKeys } from '../secrets/key-ring.ts';
import { createSealing, type Sealing } from '../secrets/sealing.ts';
import type { Config } from '../settings/config.ts';
import type { Store } from '../store/store.ts';
import type { EgressRoutes } from '../upstream/egress-routes.ts';
import { LiveConfiguration } from './live-configuration.ts';
import { LiveTables } from './live-tables.ts';
import { createTableTextReader } from './read-table-text.ts';

interface ConfigurationParts {
  readonly config: Config;
  /** Absent where it is disabled. */
  readonly sandbox: Provider | undefined;
  readonly store: Pick<Store, 'configuration' | 'providerModels' | 'priceTables'>;
  readonly egressRoutes: Pick<EgressRoutes, 'of'>;
  readonly sealingKeys: PurposeKeys;
  hide(secrets: readonly string[]): void;
  warn(message: string, details: Readonly<Record<string, unknown>>): void;
  /** The time of day. */
  nowMs(): number;
}

export interface BuiltConfiguration {
  readonly live: LiveConfiguration;
  readonly sealing: Sealing;
  readonly catalogue: Catalogue;
  readonly keys: KeyRing;
  readonly prices: Prices;
  readonly tables: LiveTables;
  readonly pricing: Pricing;
  readonly refresh: Refresh;
  readonly moderation: ReadonlyMap<string, ModerationTerms>;
}

const hourMs = 3_600_000;

/** Resolves when all of it is in effect, with the lists of models that were known before. */
export async function buildConfiguration(parts: ConfigurationParts): Promise<BuiltConfiguration> {
  const { config, store, egressRoutes, hide, warn, nowMs } = parts;
  const catalogue = new Catalogue([], []);
  const keys = new KeyRing(
    createKeyProbe({
      authorizer: createAuthorizer({ nowMs }),
      onRefused: ({ name: provider }, { id: key }, status) =>
        warn('A provider does not accept one of its keys, which is not used for a while.', { provider, key, status }),
    }),
  );
  const prices = createPrices({
    overrides: [],
    vendors: vendorTables,
    nowMs,
    listed({ providerName, model }) {
      const listed = catalogue.listedModel(providerName, model);
      return listed && entryOfListed(listed);
    },
  });
  const tables = liveTablesOf(parts, prices, (read) => {
    prices.setTables(read);
    pricing.forget();
  });
  const tablesRead = tables.start();
  // Charging waits for downloaded tables as for the bundled one.
  const ready = (): Promise<void> => Promise.all([prices.ready(), tablesRead]).then(() => undefined);
  const pricing = createPricing({ ...prices, ready }, () => config.priceTables.guesses !== 'off');
  const moderation = new Map<string, ModerationTerms>();
  const sealing = createSealing(parts.sealingKeys);
  const refresh = createRefresh({
    catalogue,
    store: store.providerModels,
    refreshMs: config.clocks.modelRefreshMs,
    fetch: (provider) => fetchModels(provider, provider.keys[0] ?? { id: 'none', value: '' }),
    changed() {
      prices.forget();
      pricing.forget();
    },
    nowMs,
    warn,
  });
  const live = new LiveConfiguration({
    given: config,
    sandbox: parts.sandbox,
    store: store.configuration,
    sealing,
    egressRoutes,
    catalogue,
    keys,
    prices,
    pricing,
    moderation,
    changed: (providers) => void refresh.look(providers),
    hide,
  });
  await live.start();
  await refresh.recall();
  return { live, sealing, catalogue, keys, prices, tables, pricing, refresh, moderation };
}

function liveTablesOf(
  parts: ConfigurationParts,
  prices: Prices,
  apply: (tables: readonly PriceTable[]) => void,
): LiveTables {
  const { store, egressRoutes, nowMs, warn } = parts;
  const { places, refreshHours } = parts.config.priceTables;
  return new LiveTables({
    store: store.priceTables,
    addresses: places,
    refreshMs: refreshHours * hourMs,
    fetch: createTableTextReader(egressRoutes),
    async bundled() {
      await prices.ready();
      // It is looked up last.
      return prices.tables().at(-1) ?? loadPriceLibrary();
    },
    apply,
    nowMs,
    warn,
  });
}
