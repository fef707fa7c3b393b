/** Which models exist and which provider serves each: a model's name in, an ordered list of targets out. */

import { type ListedModel, type ModelProfile, saysMore } from '../conversation/model-profile.ts';
import { ownText } from '../conversation/texts/own-text.ts';
import type { Provider } from '../providers/assemble.ts';
import { formatsFor } from '../providers/formats-for.ts';
import { profileOf } from '../providers/profile-of.ts';
import type { FormatName } from '../providers/provider.ts';
import type { ModelConfig, TargetConditions } from '../settings/config.ts';
import type { ProbeTurns } from './breaker.ts';
import { Health } from './health.ts';
import type { Strategy } from './strategy-names.ts';

/** One home of a model: a provider and the name the model has there. */
export interface Target {
  readonly provider: Provider;
  readonly model: string;
  readonly tier: number;
  readonly weight: number;
  readonly health: Health;
  /** How long it may take to the first event before the fallback to another one. */
  readonly firstEventTimeoutMs?: number | undefined;
  /** The requests that it is reserved for; absent means all. */
  readonly conditions?: TargetConditions | undefined;
  /** The provider's formats for this model, looked up once. */
  readonly formats?: readonly FormatName[];
  /** The model's profile there, looked up once. */
  readonly profile?: ModelProfile;
  /** What the provider's own list says of the model. */
  readonly listed?: ListedModel | undefined;
}

/** A name's homes and how one of them is chosen. */
export interface ModelRoute {
  readonly targets: readonly Target[];
  readonly choose: Strategy;
  /** Do the requests of one conversation keep to one target? */
  readonly affinity: boolean;
}

export interface ServedModel extends ModelRoute {
  readonly id: string;
  readonly alias: boolean;
}

/** One home of models, whatever names lead to it. */
export interface Home {
  readonly provider: Provider;
  readonly model: string;
  readonly health: Health;
}

/** The most homes that are remembered; names of models come from callers. */
const homesMax = 50_000;

/** Names that were asked as `provider/model` are remembered up to this many; they come from callers. */
const askedNamesMax = 10_000;

const noneDraining: ReadonlySet<string> = new Set();
const noFacts: ReadonlyMap<string, ListedModel> = new Map();

export class Catalogue {
  #providers: readonly Provider[] = [];
  /** Those that take new requests. */
  #serving: readonly Provider[] = [];
  #aliases: readonly ModelConfig[] = [];
  readonly #lists = new Map<string, readonly string[]>();
  /** What providers' lists say of models beside their names. */
  readonly #facts = new Map<string, ReadonlyMap<string, ListedModel>>();
  readonly #targets = new Map<string, Target>();
  readonly #homes = new Map<string, Home>();
  #served = new Map<string, ServedModel>();
  #asked = new Map<string, ModelRoute>();
  /** In lower case; built when it is first needed. */
  #names: ReadonlySet<string> | undefined;
  #turnsOf: ((name: string) => ProbeTurns) | undefined;

  constructor(providers: readonly Provider[], aliases: readonly ModelConfig[]) {
    this.replace(providers, aliases);
  }

  /**
   * Replaces providers and aliases; requests in flight continue with the old ones. What is known of a provider is kept
   * while its base URL stays the same. A draining provider takes no new requests.
   */
  replace(
    providers: readonly Provider[],
    aliases: readonly ModelConfig[],
    draining: ReadonlySet<string> = noneDraining,
  ): void {
    const before = new Map(this.#providers.map((provider) => [provider.name, provider]));
    const after = new Map(providers.map((provider) => [provider.name, provider]));
    this.#providers = providers;
    this.#serving = draining.size === 0 ? providers : providers.filter(({ name }) => !draining.has(name));
    this.#aliases = aliases;
    for (const [name, old] of before) if (after.get(name) !== old) this.#forget(old, after.get(name));
    for (const { name, fixedModels } of providers) if (fixedModels !== undefined) this.#lists.set(name, fixedModels);
    this.#rebuild();
  }

  /** Draining ones included. */
  get providers(): readonly Provider[] {
    return this.#providers;
  }

  /** Sets the models that a provider lists. A list fixed by configuration stays. */
  setModels(providerName: string, models: readonly (string | ListedModel)[]): void {
    const provider = this.#providers.find(({ name }) => name === providerName);
    if (provider === undefined || provider.fixedModels !== undefined) return;
    const names = models.map((model) => (typeof model === 'string' ? model : model.name));
    this.#lists.set(providerName, names);
    this.#setFacts(provider, new Map(models.flatMap((model) => factsOf(model))));
    this.#rebuild();
  }

  /** Rebuilds targets whose profile may have changed; they share the health of their home. */
  #setFacts(provider: Provider, facts: ReadonlyMap<string, ListedModel>): void {
    const before = this.#facts.get(provider.name) ?? noFacts;
    this.#facts.set(provider.name, facts);
    for (const [key, { provider: owner, model }] of this.#targets) {
      if (owner === provider && !isSame(before.get(model), facts.get(model))) this.#targets.delete(key);
    }
  }

  /** Alias first, then a pattern among the aliases, then every provider that lists the name, then `provider/model`. */
  route(model: string): ModelRoute | undefined {
    return this.#served.get(model) ?? this.#asked.get(model) ?? this.#findRoute(model);
  }

  resolve(model: string): readonly Target[] | undefined {
    return this.route(model)?.targets;
  }

  /** Did the operator or the provider list it under this name? Otherwise the caller alone says that there is such a model. */
  isListed(name: string, { provider, model }: Pick<Home, 'provider' | 'model'>): boolean {
    return this.#served.has(name) || this.#lists.get(provider.name)?.includes(model) === true;
  }

  /** Is it a name that leads to a model, in whatever case? Patterns do not count: some match every text. */
  knows(name: string): boolean {
    this.#names ??= namesOf(this.#served.keys(), this.#lists);
    return this.#names.has(name.toLowerCase());
  }

  /** What a provider listed, where it is known. */
  listed(providerName: string): readonly string[] | undefined {
    return this.#lists.get(providerName);
  }

  /** What a provider's list says of a model beside its name. */
  listedModel(providerName: string, model: string): ListedModel | undefined {
    return this.#facts.get(providerName)?.get(model);
  }

  /** Every home, once. */
  homes(): Iterable<Home> {
    return this.#homes.values();
  }

  /** Lets replicas take turns at probing targets, those of later included. */
  shareProbes(turnsOf: (name: string) => ProbeTurns): void {
    this.#turnsOf = turnsOf;
    for (const [name, { health }] of this.#homes) health.shareProbes(turnsOf(name));
  }

  home(providerName: string, model: string): Home | undefined {
    return this.#homes.get(`${providerName} ${model}`);
  }

  served(): readonly ServedModel[] {
    return [...this.#served.values()];
  }

  find(id: string): ServedModel | undefined {
    const known = this.#served.get(id);
    if (known !== undefined) return known;
    const route = this.route(id);
    return route === undefined ? undefined : { id, ...route, alias: false };
  }

  /** Homes of this name whose provider takes no new requests; empty where none would serve it. */
  paused(name: string): readonly Pick<Home, 'provider' | 'model'>[] {
    const away = this.#providers.filter((provider) => !this.#serving.includes(provider));
    if (away.length === 0) return [];
    const alias =
      this.#aliases.find(({ alias: exact }) => exact === name) ??
      this.#patterns().find(({ alias: pattern }) => matchedPart(pattern, name) !== undefined);
    if (alias !== undefined) {
      const part = alias.alias.includes('*') ? (matchedPart(alias.alias, name) ?? '') : name;
      return alias.targets.flatMap(({ provider: owner, model }) => {
        const provider = away.find((candidate) => candidate.name === owner);
        return provider === undefined ? [] : [{ provider, model: model.replace('*', part) }];
      });
    }
    return away.flatMap((provider) => {
      const own = name.startsWith(`${provider.name}/`) ? name.slice(provider.name.length + 1) : undefined;
      if (own !== undefined && provider.fixedModels?.includes(own) !== false) return [{ provider, model: own }];
      return this.#lists.get(provider.name)?.includes(name) === true ? [{ provider, model: name }] : [];
    });
  }

  #findRoute(name: string): ModelRoute | undefined {
    const route = this.#matching(name) ?? this.#qualified(name);
    // Names come from callers, so what is remembered of them is bounded.
    if (route !== undefined && this.#asked.size < askedNamesMax) this.#asked.set(ownText(name), route);
    return route;
  }

  /** The longest pattern that fits; a star in a target's model is replaced by what the pattern's star matched. */
  #matching(name: string): ModelRoute | undefined {
    for (const config of this.#patterns()) {
      const part = matchedPart(config.alias, name);
      if (part === undefined) continue;
      const targets = this.#homesOf(config, part);
      if (targets.length > 0) return routeOf(config, targets);
    }
    return undefined;
  }

  /** The longest first. */
  #patterns(): readonly ModelConfig[] {
    const patterns = this.#aliases.filter(({ alias }) => alias.includes('*'));
    return patterns.toSorted((one, other) => other.alias.length - one.alias.length);
  }

  #homesOf({ targets }: ModelConfig, part: string): readonly Target[] {
    return targets.flatMap(({ provider: name, model, ...rest }) => {
      const provider = this.#serving.find((candidate) => candidate.name === name);
      return provider === undefined ? [] : [this.#targetOf(provider, model.replace('*', part), rest)];
    });
  }

  #qualified(name: string): ModelRoute | undefined {
    const slash = name.indexOf('/');
    if (slash <= 0) return undefined;
    const provider = this.#serving.find((candidate) => candidate.name === name.slice(0, slash));
    const model = name.slice(slash + 1);
    if (provider === undefined || model === '') return undefined;
    // A provider that was only asked for its list may serve more than it lists (fine-tunes, previews).
    if (provider.fixedModels?.includes(model) === false) return undefined;
    return { ...plainRoute, targets: [this.#targetOf(provider, model, { tier: 0, weight: 1 })] };
  }

  #rebuild(): void {
    const served = new Map<string, ServedModel>();
    for (const config of this.#aliases) {
      const { alias } = config;
      const homes = alias.includes('*') ? [] : this.#homesOf(config, alias);
      if (homes.length > 0) served.set(alias, { id: alias, ...routeOf(config, homes), alias: true });
    }
    for (const provider of this.#serving) {
      for (const model of this.#lists.get(provider.name) ?? []) {
        const known = served.get(model);
        if (known?.alias === true) continue;
        const pattern = known === undefined ? this.#matching(model) : undefined;
        if (pattern !== undefined) {
          served.set(model, { id: model, ...pattern, alias: true });
          continue;
        }
        // Each further provider that lists the same name is one tier lower: a fallback for those before it.
        const homes = known?.targets ?? [];
        served.set(model, {
          id: model,
          alias: false,
          ...plainRoute,
          targets: [...homes, this.#targetOf(provider, model, { tier: homes.length, weight: 1 })],
        });
      }
    }
    this.#served = served;
    this.#asked = new Map();
    this.#names = undefined;
  }

  /** A home at the same base URL keeps its health: it is the same machine that was overloaded or slow. */
  #forget(old: Provider, next: Provider | undefined): void {
    const isSamePlace = next?.baseUrl === old.baseUrl;
    if (!isSamePlace || old.fixedModels !== undefined || next.modelsUrl !== old.modelsUrl) {
      this.#lists.delete(old.name);
      this.#facts.delete(old.name);
    }
    for (const [key, target] of this.#targets) if (target.provider === old) this.#targets.delete(key);
    for (const [key, home] of this.#homes) {
      if (home.provider !== old) continue;
      if (isSamePlace) this.#homes.set(key, { ...home, provider: next });
      else this.#homes.delete(key);
    }
  }

  /** One object per home, so that its health survives a rebuild and is shared by every name that leads to it. */
  #targetOf(
    provider: Provider,
    model: string,
    terms: Omit<Target, 'provider' | 'model' | 'health' | 'formats' | 'profile' | 'listed'>,
  ): Target {
    const key = `${provider.name} ${model} ${JSON.stringify(terms)}`;
    const known = this.#targets.get(key);
    if (known !== undefined) return known;
    const formats = formatsFor(provider, model);
    const listed = this.#facts.get(provider.name)?.get(model);
    const profile = profileOf(provider, model, listed);
    const health = this.#healthOf(provider, model);
    const target: Target = { ...terms, provider, model, health, formats, profile, listed };
    if (this.#targets.size < homesMax) this.#targets.set(key, target);
    return target;
  }

  #healthOf(provider: Provider, model: string): Health {
    const key = `${provider.name} ${model}`;
    const known = this.#homes.get(key);
    if (known !== undefined) return known.health;
    const health = new Health();
    if (this.#homes.size >= homesMax) return health;
    this.#homes.set(key, { provider, model, health });
    if (this.#turnsOf !== undefined) health.shareProbes(this.#turnsOf(key));
    return health;
  }
}

const plainRoute = { choose: 'weighted', affinity: true } as const satisfies Omit<ModelRoute, 'targets'>;

function routeOf({ choose, affinity }: ModelConfig, targets: readonly Target[]): ModelRoute {
  return { targets, choose: choose ?? plainRoute.choose, affinity: affinity ?? plainRoute.affinity };
}

/** What the star of a pattern matches in this name; undefined where the name does not fit. */
function matchedPart(pattern: string, name: string): string | undefined {
  const star = pattern.indexOf('*');
  const before = pattern.slice(0, star);
  const after = pattern.slice(star + 1);
  if (name.length < before.length + after.length || !name.startsWith(before) || !name.endsWith(after)) return undefined;
  return name.slice(before.length, name.length - after.length);
}

function factsOf(model: string | ListedModel): readonly (readonly [string, ListedModel])[] {
  if (typeof model === 'string' || !saysMore(model)) return [];
  return [[model.name, model]];
}

function isSame(one: ListedModel | undefined, other: ListedModel | undefined): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

function namesOf(served: Iterable<string>, lists: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const names = new Set<string>();
  for (const id of served) names.add(id.toLowerCase());
  for (const [provider, models] of lists) {
    for (const model of models) for (const name of [model, `${provider}/${model}`]) names.add(name.toLowerCase());
  }
  return names;
}
