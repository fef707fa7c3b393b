/** What the gateway serves and how that is doing, as the console shows it. Nothing here can hold a key. */

import type { Setting } from '../config/config.ts';
import type { Catalogue, ServedModel } from '../routing/catalogue.ts';
import type { KeyRing } from '../routing/keys.ts';
import type { HealthView, ModelView, ProviderView, SettingView } from './account-contract.ts';
import { keyHealths, targetHealths } from './health.ts';
import { withoutAbsent } from './token-terms.ts';

/** What is known of a model beside where it is served; the lists of models say the same. */
export interface ModelKnowledge {
  readonly contextTokens: number | undefined;
  readonly inputModalities: readonly string[] | undefined;
  readonly outputModalities?: readonly string[] | undefined;
  readonly operations?: readonly string[] | undefined;
  readonly description: string | undefined;
  readonly pricing: { readonly prompt: string; readonly completion: string } | undefined;
}

export interface GatewayStateOptions {
  readonly catalogue: Catalogue;
  readonly keys: KeyRing;
  readonly origins: ReadonlyMap<string, string>;
  readonly settings: readonly Setting[];
  readonly knowledgeOf: (model: ServedModel) => ModelKnowledge;
  /** The clock of health, which is not the one on the wall. */
  readonly nowMs: () => number;
}

export interface GatewayState {
  health(): HealthView;
  providers(): readonly ProviderView[];
  models(): readonly ModelView[];
  settings(): readonly SettingView[];
}

export function createGatewayState(options: GatewayStateOptions): GatewayState {
  const { catalogue, keys, origins, nowMs } = options;
  return {
    health: () => ({ targets: targetHealths(catalogue, nowMs()), keys: keyHealths(catalogue, keys, nowMs()) }),
    providers() {
      const states = keyHealths(catalogue, keys, nowMs());
      return catalogue.providers.map(({ name, baseUrl, region, free }) =>
        withoutAbsent<ProviderView>({
          name,
          origin: origins.get(name) ?? 'built in',
          baseUrl: withoutUserInfo(baseUrl),
          region,
          free,
          keys: states
            .filter(({ provider }) => provider === name)
            .map(({ keyId, state, readyInMs }) => ({
              id: keyId,
              state,
              ...(readyInMs !== undefined && { readyInMs }),
            })),
          models: catalogue.listed(name)?.length,
        }),
      );
    },
    models: () => catalogue.served().map((model) => modelView(model, options.knowledgeOf(model), nowMs())),
    settings: () => options.settings.map((setting) => withoutAbsent<SettingView>({ ...setting })),
  };
}

/** A password may stand in an address that the operator wrote. */
function withoutUserInfo(address: string): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  if (url.username === '' && url.password === '') return address;
  url.username = '';
  url.password = '';
  return url.href;
}

function modelView(model: ServedModel, known: ModelKnowledge, nowMs: number): ModelView {
  return withoutAbsent<ModelView>({
    id: model.id,
    alias: model.alias,
    providers: [...new Set(model.targets.map(({ provider }) => provider.name))],
    targets: model.targets.map(({ provider, model: name, tier, weight, health }) => ({
      provider: provider.name,
      model: name,
      tier,
      weight,
      state: health.state(nowMs),
    })),
    operations: known.operations ?? [],
    contextTokens: known.contextTokens,
    inputModalities: known.inputModalities,
    outputModalities: known.outputModalities,
    description: known.description,
    pricing: known.pricing,
  });
}
