/**
 * The health of every provider, key and target: one state and one set of figures, which all pages, the command line and the
 * metrics show. Figures come from attempts, cooldowns and circuits from routing; nothing comes from routing's own averages.
 */

import type { Provider } from '../../providers/assemble.ts';
import type { Catalogue } from '../../routing/catalogue.ts';
import type { Health } from '../../routing/health.ts';
import type { KeyRing, KeyState } from '../../routing/keys.ts';
import type { ProviderKey } from '../../settings/config.ts';
import type { HealthView, KeyHealthView, ProviderHealthView, TargetHealthView } from '../contracts/health-contract.ts';
import { AttemptFigures } from './health-figures.ts';
import { type KeyUse, keyState, targetState, worstOf } from './health-state.ts';
import { minuteMs, minutesShown, type WindowFigures } from './health-window.ts';

export interface HealthSources {
  readonly catalogue: Pick<Catalogue, 'homes' | 'home' | 'providers'>;
  readonly keys: Pick<KeyRing, 'states'>;
  /** Of all providers that are configured, disabled ones included. */
  providerNames(): readonly string[];
}

/** Both clocks at one moment: routing keeps monotonic times, attempts have times of day. */
export interface Moment {
  readonly nowMs: number;
  readonly wallMs: number;
}

const noFigures = new AttemptFigures();

/** Health at one moment. */
export class HealthReport {
  readonly #sources: HealthSources;
  readonly #window: WindowFigures;
  readonly #moment: Moment;
  readonly #providers: ReadonlyMap<string, Provider>;
  readonly #keyStates: ReadonlyMap<string, readonly KeyState[]>;

  constructor(sources: HealthSources, window: WindowFigures, moment: Moment) {
    this.#sources = sources;
    this.#window = window;
    this.#moment = moment;
    this.#providers = new Map(sources.catalogue.providers.map((provider) => [provider.name, provider]));
    this.#keyStates = Map.groupBy(sources.keys.states(), ({ provider, keyId }) => `${provider} ${keyId}`);
  }

  view(): HealthView {
    const names = this.#sources.providerNames();
    return {
      providers: names.map((name) => this.provider(name)),
      targets: names.flatMap((name) => this.targetsOf(name)),
      keys: this.#sources.catalogue.providers.flatMap((provider) => this.#keysOf(provider)),
    };
  }

  /** Its state is the worst of its keys and targets. */
  provider(name: string): ProviderHealthView {
    const provider = this.#named(name);
    const figures = this.#window.provider(name);
    const own = { provider: name, ...figures.all.view(), minutes: this.#minutesOf(name) };
    if (provider === undefined) return { ...own, state: 'disabled', inFlight: 0 };
    const targets = this.targetsOf(name);
    const states = [...this.#keysOf(provider), ...targets].map(({ state }) => state);
    return { ...own, state: worstOf(states), inFlight: targets.reduce((sum, { inFlight }) => sum + inFlight, 0) };
  }

  /** Undefined where the provider has no such key in effect. */
  key(providerName: string, keyId: string): KeyHealthView | undefined {
    const provider = this.#named(providerName);
    const key = provider?.keys.find(({ id }) => id === keyId);
    return provider && key && this.#keyView(provider, key);
  }

  /** Those that were called or cannot be: a provider may list thousands of models that are never used. */
  targetsOf(providerName: string): readonly TargetHealthView[] {
    if (this.#named(providerName) === undefined) return [];
    const { catalogue } = this.#sources;
    const { nowMs } = this.#moment;
    const models = new Set(this.#window.provider(providerName).calledModels);
    for (const { provider, model, health } of catalogue.homes()) {
      if (provider.name === providerName && (health.asked || health.state(nowMs) !== 'ready')) models.add(model);
    }
    return [...models].sort().map((model) => this.target(providerName, model));
  }

  target(providerName: string, model: string): TargetHealthView {
    const provider = this.#named(providerName);
    const health = this.#sources.catalogue.home(providerName, model)?.health;
    const figures = this.#figuresOf(providerName, model);
    const { nowMs } = this.#moment;
    const keys = provider?.keys.map((key) => this.#keyUse(provider, key, model)) ?? [];
    const state = targetState({ routing: health?.state(nowMs) ?? 'ready', keys, ends: figures });
    const learned = health?.learned?.all ?? [];
    return {
      provider: providerName,
      model,
      ...figures.view(),
      state: provider === undefined ? 'disabled' : state,
      ...(health && readyIn(health, nowMs)),
      inFlight: health?.inFlight ?? 0,
      ...(learned.length > 0 && { learned }),
    };
  }

  /** Several targets as one, as a model has them: the worst state, and the figures of all. */
  together(targets: readonly { readonly provider: { readonly name: string }; readonly model: string }[]) {
    const all = new AttemptFigures();
    const own = new Set(targets.map(({ provider, model }) => this.#figuresOf(provider.name, model)));
    for (const figures of own) all.addAll(figures);
    const states = targets.map(({ provider, model }) => this.target(provider.name, model).state);
    return { ...all.view(), state: worstOf(states) };
  }

  #figuresOf(providerName: string, model: string): AttemptFigures {
    return this.#window.provider(providerName).models.get(model) ?? noFigures;
  }

  #named(name: string): Provider | undefined {
    return this.#providers.get(name);
  }

  #keysOf(provider: Provider): readonly KeyHealthView[] {
    return provider.keys.map((key) => this.#keyView(provider, key));
  }

  #keyView(provider: Provider, key: ProviderKey): KeyHealthView {
    const { nowMs } = this.#moment;
    const { own, ofModels } = this.#routingOf(provider, key);
    const waiting = ofModels.filter(({ health }) => health.state(nowMs) !== 'ready');
    const state = this.#stateOfKey(provider, key, waiting.length > 0);
    const isPartial = state === 'rate-limited' && (own === undefined || own.state(nowMs) === 'ready');
    const first = isPartial ? waiting.map(({ health }) => health).sort(byReturn(nowMs))[0] : own;
    return {
      provider: provider.name,
      keyId: key.id,
      ...(this.#window.provider(provider.name).keys.get(key.id) ?? noFigures).view(),
      state,
      ...(first && readyIn(first, nowMs)),
      ...(isPartial && { models: waiting.flatMap(({ model }) => model ?? []).sort() }),
    };
  }

  #stateOfKey(provider: Provider, key: ProviderKey, coolsForModels: boolean) {
    const { nowMs, wallMs } = this.#moment;
    const { own } = this.#routingOf(provider, key);
    return keyState({
      routing: own?.state(nowMs) ?? 'ready',
      coolsForModels,
      ends: this.#window.provider(provider.name).keys.get(key.id) ?? noFigures,
      provedAtMs: own === undefined ? 0 : wallMs - (nowMs - own.servedAtMs),
      windowFromMs: this.#window.fromMs,
    });
  }

  /** For one model: cooldowns for other models do not matter. */
  #keyUse(provider: Provider, key: ProviderKey, model: string): KeyUse {
    const { nowMs } = this.#moment;
    const { ofModels } = this.#routingOf(provider, key);
    const cools = ofModels.some((state) => state.model === model && state.health.isCooling(nowMs));
    const state = this.#stateOfKey(provider, key, cools);
    return state === 'key-rejected' || state === 'rate-limited' ? state : 'usable';
  }

  #routingOf(
    provider: Provider,
    key: ProviderKey,
  ): { readonly own: Health | undefined; readonly ofModels: readonly KeyState[] } {
    const known = this.#keyStates.get(`${provider.name} ${key.id}`) ?? [];
    const own = known.find(({ model }) => model === undefined)?.health;
    return { own, ofModels: known.filter(({ model }) => model !== undefined) };
  }

  #minutesOf(name: string): ProviderHealthView['minutes'] {
    const known = this.#window.provider(name).minutes;
    const { fromMs } = this.#window;
    const nothing = { attempts: 0, failed: 0 };
    return Array.from({ length: minutesShown }, (_, index) => known.get(fromMs + index * minuteMs) ?? nothing);
  }
}

function byReturn(nowMs: number): (one: Health, other: Health) => number {
  return (one, other) => one.readyAtMs(nowMs) - other.readyAtMs(nowMs);
}

function readyIn(health: Health, nowMs: number): { readonly readyInMs?: number } {
  const readyInMs = Math.ceil(health.readyAtMs(nowMs) - nowMs);
  return readyInMs > 0 && Number.isFinite(readyInMs) ? { readyInMs } : {};
}
