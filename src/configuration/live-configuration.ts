/**
 * Puts the current configuration into effect while requests run: a change in the console, here or in another replica,
 * replaces what the catalogue, the prices and the moderation gate had, and keeps what did not change.
 */

import type { ModerationTerms } from '../access/caller.ts';
import type { Prices } from '../prices/prices.ts';
import type { Provider } from '../providers/assemble.ts';
import { secretPartsOf } from '../providers/key-forms.ts';
import { buildProvider, type Pricing } from '../routing/build.ts';
import type { Catalogue } from '../routing/catalogue.ts';
import type { KeyRing } from '../routing/keys.ts';
import type { Sealing } from '../secrets/sealing.ts';
import type { Config, ProviderConfig } from '../settings/config.ts';
import type { ConfigurationStore } from '../store/configuration/configuration-store.ts';
import type { EgressRoutes } from '../upstream/egress-routes.ts';
import { secretsOf } from './entry-secrets.ts';
import { type KeptEntries, noEntries, openEntries } from './kept-entries.ts';
import { type MergedConfiguration, mergeConfiguration } from './merge.ts';

interface LiveParts {
  /** What the file, the environment and this machine say. */
  readonly given: Config;
  /** Absent where it is disabled. */
  readonly sandbox: Provider | undefined;
  readonly store: Pick<ConfigurationStore, 'read' | 'revision'>;
  readonly sealing: Sealing;
  readonly egressRoutes: Pick<EgressRoutes, 'of'>;
  readonly catalogue: Catalogue;
  readonly keys: KeyRing;
  readonly prices: Pick<Prices, 'replace'>;
  readonly pricing: Pick<Pricing, 'forget'>;
  /** Moderation that aliases require of all their callers; its content is replaced in place. */
  readonly moderation: Map<string, ModerationTerms>;
  /** These are new or changed. */
  changed(providers: readonly Provider[]): void;
  /** No log line may hold these from now on. */
  hide(secrets: readonly string[]): void;
}

interface Built {
  /** Equal where nothing about it changed. */
  readonly fingerprint: string;
  readonly config: ProviderConfig;
  readonly provider: Provider;
}

export class LiveConfiguration {
  readonly #parts: LiveParts;
  #given: Config;
  #built = new Map<string, Built>();
  #merged: MergedConfiguration;
  #kept: KeptEntries = noEntries;
  #reading: Promise<void> = Promise.resolve();
  #polling = false;

  constructor(parts: LiveParts) {
    this.#parts = parts;
    this.#given = parts.given;
    this.#merged = mergeConfiguration(parts.given, noEntries);
  }

  get merged(): MergedConfiguration {
    return this.#merged;
  }

  get given(): Config {
    return this.#given;
  }

  /** The provider that can be called; absent where it is switched off or cannot be used. */
  provider(name: string): Provider | undefined {
    const { sandbox } = this.#parts;
    return this.#built.get(name)?.provider ?? (sandbox?.name === name ? sandbox : undefined);
  }

  /** Before the first request: no provider is asked for its models yet. */
  start(): Promise<void> {
    return this.#inTurn(() => this.#read(() => undefined));
  }

  /** After a change in this process: the next reply already follows it. */
  reload(): Promise<void> {
    return this.#inTurn(() => this.#read((providers) => this.#parts.changed(providers)));
  }

  /** The file was read again: its providers, aliases and prices take the place of those it had. */
  takeGiven(given: Config): Promise<void> {
    return this.#inTurn(async () => {
      const before = this.#given;
      this.#given = given;
      try {
        await this.#read((providers) => this.#parts.changed(providers));
      } catch (error) {
        this.#given = before;
        throw error;
      }
    });
  }

  /** Looks for changes of other processes. */
  async poll(): Promise<void> {
    if (this.#polling) return;
    this.#polling = true;
    try {
      if ((await this.#parts.store.revision()) !== this.#kept.revision) await this.reload();
    } finally {
      this.#polling = false;
    }
  }

  /** One reading at a time: an older one must not overtake a newer one. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const next = this.#reading.catch(() => undefined).then(work);
    this.#reading = next;
    return next;
  }

  async #read(changed: (providers: readonly Provider[]) => void): Promise<void> {
    const { store, sealing, hide } = this.#parts;
    const kept = await openEntries(await store.read(), sealing);
    const given = this.#given;
    hide(
      kept.providers.flatMap(({ entry, keys }) => [
        ...secretsOf(entry),
        ...keys.flatMap(({ value }) => secretPartsOf(value)),
      ]),
    );
    const fresh = this.#apply(mergeConfiguration(given, kept));
    this.#kept = kept;
    if (fresh.length > 0) changed(fresh);
  }

  /** In one step, so that no request sees a part of it. Returns the providers that are new or changed. */
  #apply(merged: MergedConfiguration): readonly Provider[] {
    const { catalogue, prices, pricing, moderation, sandbox } = this.#parts;
    const before = this.#built;
    const enabled = merged.providers.flatMap(({ config }) => (config?.enabled === true ? [config] : []));
    const built = new Map(enabled.map((config) => [config.name, this.#build(config)]));
    // Of two with one name, the console's has a problem and no effect.
    const drains = merged.providers.filter((one) => one.draining && one.problem === undefined).map(({ name }) => name);
    const aliases = merged.routes.flatMap(({ config }) => config ?? []);
    const providers = [...built.values()].map(({ provider }) => provider);
    // Last, so that a name the operator gave to a real provider's model is never the sandbox's.
    if (sandbox !== undefined) providers.push(sandbox);
    this.#built = built;
    this.#merged = merged;
    catalogue.replace(providers, aliases, new Set(drains));
    prices.replace(merged.prices.flatMap(({ config }) => config ?? []));
    pricing.forget();
    moderation.clear();
    for (const { alias, moderation: terms } of aliases) if (terms !== undefined) moderation.set(alias, terms);
    this.#forgetKeys(before);
    return [...built.values()].flatMap(({ provider, config }) =>
      before.get(config.name)?.provider === provider ? [] : [provider],
    );
  }

  #build(config: ProviderConfig): Built {
    const fingerprint = JSON.stringify(config);
    const known = this.#built.get(config.name);
    if (known?.fingerprint === fingerprint) return known;
    return { fingerprint, config, provider: buildProvider(config, this.#parts.egressRoutes) };
  }

  /** A refusal of the old key does not apply to a new key of the same name. */
  #forgetKeys(before: ReadonlyMap<string, Built>): void {
    for (const [name, { config }] of before) {
      const now = this.#built.get(name)?.config.keys ?? [];
      for (const { id, value } of config.keys) {
        if (!now.some((key) => key.id === id && key.value === value)) this.#parts.keys.forget(name, id);
      }
    }
  }
}
