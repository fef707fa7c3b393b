/** What the gateway serves, with its health, as the console shows it. No field can hold a key. */

import type { Catalogue, ServedModel } from '../../routing/catalogue.ts';
import type { KeyRing } from '../../routing/keys.ts';
import type { HealthView, ModelView } from '../contracts/account-contract.ts';
import { withoutAbsent } from '../tokens/token-terms.ts';
import { keyHealths, targetHealths } from './health.ts';

/** What is known of a model beside where it is served; the lists of models say the same. */
export interface ModelKnowledge {
  readonly contextTokens: number | undefined;
  readonly outputTokensMax?: number | undefined;
  readonly inputModalities: readonly string[] | undefined;
  readonly outputModalities?: readonly string[] | undefined;
  readonly operations?: readonly string[] | undefined;
  readonly description: string | undefined;
  readonly deprecatedAt?: string | undefined;
  readonly shutdownAt?: string | undefined;
  readonly pricing: ModelView['pricing'] | undefined;
}

interface GatewayStateOptions {
  readonly catalogue: Catalogue;
  readonly keys: KeyRing;
  readonly knowledgeOf: (model: ServedModel) => ModelKnowledge;
  /** The monotonic clock of health. */
  readonly nowMs: () => number;
}

export interface GatewayState {
  health(): HealthView;
  models(): readonly ModelView[];
}

export function createGatewayState(options: GatewayStateOptions): GatewayState {
  const { catalogue, keys, nowMs } = options;
  return {
    health: () => ({ targets: targetHealths(catalogue, nowMs()), keys: keyHealths(catalogue, keys, nowMs()) }),
    models: () => catalogue.served().map((model) => modelView(model, options.knowledgeOf(model), nowMs())),
  };
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
    deprecatedAt: known.deprecatedAt,
    shutdownAt: known.shutdownAt,
    pricing: known.pricing,
  });
}
