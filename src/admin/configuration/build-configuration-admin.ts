/** Assembles the console's operations on the configuration. */

import type { BuiltConfiguration } from '../../configuration/build-configuration.ts';
import { createTrials, type TrialOptions } from '../../configuration/try-entry.ts';
import { presetFacts } from '../../providers/preset-facts.ts';
import type { ServedModel } from '../../routing/catalogue.ts';
import type { Store } from '../../store/store.ts';
import type { Audit } from '../accounts/audit.ts';
import type { Actor } from '../accounts/sessions.ts';
import type { ExportView, ModelDetailView, PriceView, RouteView } from '../contracts/configuration-contract.ts';
import type { HealthReader } from '../health/health-reader.ts';
import { createUnpricedModels, type UnpricedModels } from '../usage/unpriced-models.ts';
import { exportYaml } from './export-yaml.ts';
import type { ModelKnowledge } from './gateway-state.ts';
import { modelDetail } from './model-detail.ts';
import { createPriceTableAdmin, type PriceTableAdmin } from './price-tables.ts';
import { createProviderAdmin, type ProviderAdmin } from './provider-admin.ts';
import { createPriceAdmin, createRouteAdmin, type EntryAdmin } from './route-admin.ts';

interface ConfigurationAdminOptions extends TrialOptions {
  readonly configuration: BuiltConfiguration;
  readonly store: Pick<Store, 'analytics' | 'configuration' | 'priceTables'>;
  readonly audit: Audit;
  readonly knowledgeOf: (model: ServedModel) => ModelKnowledge;
  readonly health: HealthReader;
  /** The time of day. */
  wallMs(): number;
}

export interface ConfigurationAdmin {
  readonly providers: ProviderAdmin;
  readonly routes: EntryAdmin<RouteView>;
  readonly prices: EntryAdmin<PriceView>;
  readonly priceTables: PriceTableAdmin;
  modelDetail(actor: Actor, modelId: string): Promise<ModelDetailView>;
  exported(): ExportView;
  /** What was used recently and has no price. */
  readonly unpriced: UnpricedModels;
}

export function buildConfigurationAdmin(options: ConfigurationAdminOptions): ConfigurationAdmin {
  const { configuration, audit, knowledgeOf, health, wallMs } = options;
  const { live, catalogue, pricing, sealing } = configuration;
  const entries = { live, store: options.store.configuration, audit, wallMs };
  const tryEntry = createTrials(options);
  return {
    providers: createProviderAdmin({ ...entries, catalogue, health, sealing, tryEntry, presets: presetFacts }),
    routes: createRouteAdmin(entries),
    prices: createPriceAdmin(entries),
    priceTables: createPriceTableAdmin({
      tables: configuration.tables,
      store: options.store.priceTables,
      audit,
      wallMs,
    }),
    modelDetail: ({ account }, modelId) =>
      modelDetail({ live, catalogue, pricing, knowledgeOf, health }, account.role, modelId),
    unpriced: createUnpricedModels({ table: options.store.analytics, catalogue, pricing, wallMs }),
    exported: () => exportYaml(live.merged, presetFacts),
  };
}
