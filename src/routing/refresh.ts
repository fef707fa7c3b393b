/** Keeps the catalogue's model lists fresh: from the store at once, from the providers in the background. */

import { isObject } from '../conversation/json-tree.ts';
import { type ListedModel, saysMore } from '../conversation/model-profile.ts';
import type { Provider } from '../providers/assemble.ts';
import type { Catalogue } from './catalogue.ts';

interface ListStore {
  get(provider: string): Promise<{ readonly models: unknown; readonly fetchedAtMs: number } | undefined>;
  put(provider: string, models: readonly (string | ListedModel)[], fetchedAtMs: number): Promise<void>;
}

interface RefreshParts {
  readonly catalogue: Catalogue;
  readonly store: ListStore;
  readonly refreshMs: number;
  fetch(provider: Provider): Promise<readonly (string | ListedModel)[]>;
  nowMs(): number;
  /** Lists have changed, prices included. */
  changed?(): void;
  warn(message: string, details: Readonly<Record<string, unknown>>): void;
}

export interface Refresh {
  /** Puts the stored lists into the catalogue; quick, before listening. */
  recall(): Promise<void>;
  /** Asks every provider whose list is missing or old. Failures keep the old list. */
  refreshAll(): Promise<void>;
  /** Asks these at once: they are new or changed. */
  look(providers: readonly Provider[]): Promise<void>;
  start(): void;
  stop(): void;
}

export function createRefresh(parts: RefreshParts): Refresh {
  const { catalogue, store } = parts;
  const fetchedAtMs = new Map<string, number>();
  let timer: Timer | undefined;
  const open = (): readonly Provider[] => catalogue.providers.filter(({ fixedModels }) => fixedModels === undefined);

  async function recall(): Promise<void> {
    for (const provider of open()) {
      const known = await store.get(provider.name);
      if (known === undefined || !isList(known.models)) continue;
      fetchedAtMs.set(provider.name, known.fetchedAtMs);
      catalogue.setModels(provider.name, known.models);
    }
    parts.changed?.();
  }

  async function refreshOne(provider: Provider): Promise<void> {
    const atMs = parts.nowMs();
    if (atMs - (fetchedAtMs.get(provider.name) ?? Number.NEGATIVE_INFINITY) < parts.refreshMs) return;
    try {
      const models = await parts.fetch(provider);
      // The provider was changed or removed meanwhile: the list is the old one's.
      if (!catalogue.providers.includes(provider)) return;
      fetchedAtMs.set(provider.name, atMs);
      catalogue.setModels(provider.name, models);
      parts.changed?.();
      await store.put(provider.name, models.map(asKept), atMs);
    } catch (cause) {
      parts.warn(`The models of ${provider.name} could not be listed.`, { provider: provider.name, cause });
    }
  }

  const refreshAll = async (): Promise<void> => {
    await Promise.all(open().map(refreshOne));
  };

  const look = async (providers: readonly Provider[]): Promise<void> => {
    const asked = providers.filter(({ fixedModels }) => fixedModels === undefined);
    for (const { name } of asked) fetchedAtMs.delete(name);
    await Promise.all(asked.map(refreshOne));
  };

  return {
    recall,
    refreshAll,
    look,
    start() {
      void refreshAll();
      timer = setInterval(() => void refreshAll(), Math.max(parts.refreshMs / 4, 60_000));
    },
    stop() {
      clearInterval(timer);
    },
  };
}

/** The name alone where nothing else is known of it. */
function asKept(model: string | ListedModel): string | ListedModel {
  if (typeof model === 'string') return model;
  return saysMore(model) ? model : model.name;
}

/** As this version writes it, or an older one, which wrote names alone. */
function isList(value: unknown): value is readonly (string | ListedModel)[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string' || isListed(entry));
}

function isListed(entry: unknown): boolean {
  if (!isObject(entry) || typeof entry['name'] !== 'string') return false;
  return isObject(entry['profile'] ?? {}) && isObject(entry['price'] ?? {});
}
