/** What the gateway serves, with its health, as the console shows it. No field can hold a key. */

import type { Role } from '../../access/account.ts';
import type { Catalogue, ServedModel } from '../../routing/catalogue.ts';
import type { Actor } from '../accounts/sessions.ts';
import type { ModelView } from '../contracts/account-contract.ts';
import type { HealthView } from '../contracts/health-contract.ts';
import type { HealthReader } from '../health/health-reader.ts';
import type { HealthReport } from '../health/health-report.ts';
import { shownHealth } from '../health/shown-health.ts';
import { withoutAbsent } from '../tokens/token-terms.ts';

/** What is known of a model beside where it is served; the lists of models say the same. */
export interface ModelKnowledge {
  readonly contextTokens: number | undefined;
  readonly outputTokensMax?: number | undefined;
  readonly inputModalities: readonly string[] | undefined;
  readonly outputModalities?: readonly string[] | undefined;
  readonly operations?: readonly string[] | undefined;
  readonly parameters?: readonly string[] | undefined;
  readonly description: string | undefined;
  readonly deprecatedAt?: string | undefined;
  readonly shutdownAt?: string | undefined;
  readonly pricing: ModelView['pricing'] | undefined;
}

interface GatewayStateOptions {
  readonly catalogue: Catalogue;
  readonly knowledgeOf: (model: ServedModel) => ModelKnowledge;
  readonly health: HealthReader;
}

export interface GatewayState {
  health(): Promise<HealthView>;
  models(actor: Actor): Promise<readonly ModelView[]>;
}

export function createGatewayState(options: GatewayStateOptions): GatewayState {
  const { catalogue, health, knowledgeOf } = options;
  return {
    health: async () => (await health.read()).view(),
    async models({ account }) {
      const report = await health.read();
      return catalogue.served().map((model) => modelView(model, knowledgeOf(model), account.role, report));
    },
  };
}

function modelView(model: ServedModel, known: ModelKnowledge, role: Role, report: HealthReport): ModelView {
  return withoutAbsent<ModelView>({
    id: model.id,
    alias: model.alias,
    providers: [...new Set(model.targets.map(({ provider }) => provider.name))],
    targets: model.targets.map(({ provider, model: name, tier, weight }) => ({
      provider: provider.name,
      model: name,
      tier,
      weight,
      state: report.target(provider.name, name).state,
    })),
    health: shownHealth(role, report.together(model.targets)),
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
