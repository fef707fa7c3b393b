/** Which models exist and which provider serves each: a model's name in, an ordered list of targets out. */

import type { ModelConfig } from '../config/config.ts';
import type { Provider } from '../providers/assemble.ts';
import { formatsFor } from '../providers/formats-for.ts';
import type { FormatName } from '../providers/provider.ts';
import { Health } from './health.ts';

/** One home of a model: a provider and the name the model has there. */
export interface Target {
  readonly provider: Provider;
  readonly model: string;
  readonly tier: number;
  readonly weight: number;
  readonly health: Health;
  /** What the provider speaks for this model, looked up once. */
  readonly formats?: readonly FormatName[];
}

export interface ServedModel {
  readonly id: string;
  readonly targets: readonly Target[];
  readonly alias: boolean;
}

/** Names that were asked as `provider/model` are remembered up to this many; they come from callers. */
const askedNamesMax = 10_000;

export class Catalogue {
  readonly #providers: readonly Provider[];
  readonly #aliases: readonly ModelConfig[];
  readonly #lists = new Map<string, readonly string[]>();
  readonly #targets = new Map<string, Target>();
  #served = new Map<string, ServedModel>();
  #asked = new Map<string, readonly Target[]>();

  constructor(providers: readonly Provider[], aliases: readonly ModelConfig[]) {
    this.#providers = providers;
    this.#aliases = aliases;
    for (const provider of providers) {
      if (provider.fixedModels !== undefined) this.#lists.set(provider.name, provider.fixedModels);
    }
    this.#rebuild();
  }

  get providers(): readonly Provider[] {
    return this.#providers;
  }

  /** A provider said which models it has. A list fixed by configuration stays. */
  setModels(providerName: string, models: readonly string[]): void {
    const provider = this.#providers.find(({ name }) => name === providerName);
    if (provider === undefined || provider.fixedModels !== undefined) return;
    this.#lists.set(providerName, models);
    this.#rebuild();
  }

  /** Alias first, then `provider/model`, then every provider that lists the name, in configured order. */
  resolve(model: string): readonly Target[] | undefined {
    return this.#served.get(model)?.targets ?? this.#asked.get(model) ?? this.#resolveQualified(model);
  }

  /** What a provider listed, where it is known. */
  listed(providerName: string): readonly string[] | undefined {
    return this.#lists.get(providerName);
  }

  served(): readonly ServedModel[] {
    return [...this.#served.values()];
  }

  find(id: string): ServedModel | undefined {
    const known = this.#served.get(id);
    if (known !== undefined) return known;
    const targets = this.resolve(id);
    return targets === undefined ? undefined : { id, targets, alias: false };
  }

  #resolveQualified(name: string): readonly Target[] | undefined {
    const slash = name.indexOf('/');
    if (slash <= 0) return undefined;
    const provider = this.#providers.find((candidate) => candidate.name === name.slice(0, slash));
    const model = name.slice(slash + 1);
    if (provider === undefined || model === '') return undefined;
    // A provider that was only asked for its list may serve more than it lists (fine-tunes, previews).
    if (provider.fixedModels?.includes(model) === false) return undefined;
    const targets = [this.#targetOf(provider, model, 0, 1)];
    if (this.#asked.size < askedNamesMax) this.#asked.set(name, targets);
    return targets;
  }

  #rebuild(): void {
    const served = new Map<string, ServedModel>();
    for (const { alias, targets } of this.#aliases) {
      const homes = targets.flatMap(({ provider: name, model, tier, weight }) => {
        const provider = this.#providers.find((candidate) => candidate.name === name);
        return provider === undefined ? [] : [this.#targetOf(provider, model, tier, weight)];
      });
      if (homes.length > 0) served.set(alias, { id: alias, targets: homes, alias: true });
    }
    for (const provider of this.#providers) {
      for (const model of this.#lists.get(provider.name) ?? []) {
        const known = served.get(model);
        if (known?.alias === true) continue;
        // Each further provider that lists the same name is one tier lower: asked only when those before it cannot answer.
        const homes = known?.targets ?? [];
        served.set(model, {
          id: model,
          alias: false,
          targets: [...homes, this.#targetOf(provider, model, homes.length, 1)],
        });
      }
    }
    this.#served = served;
    this.#asked = new Map();
  }

  /** One object per home, so that its health survives a rebuild and is shared by every name that leads to it. */
  #targetOf(provider: Provider, model: string, tier: number, weight: number): Target {
    const key = `${tier} ${weight} ${provider.name} ${model}`;
    const known = this.#targets.get(key);
    if (known !== undefined) return known;
    const formats = formatsFor(provider, model);
    const target: Target = { provider, model, tier, weight, health: this.#healthOf(provider, model), formats };
    this.#targets.set(key, target);
    return target;
  }

  readonly #health = new Map<string, Health>();

  #healthOf(provider: Provider, model: string): Health {
    const key = `${provider.name} ${model}`;
    const known = this.#health.get(key) ?? new Health();
    this.#health.set(key, known);
    return known;
  }
}
