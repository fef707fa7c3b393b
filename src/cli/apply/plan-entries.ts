/** What changes of the providers, routes and prices that the console keeps. They are checked as entries of `weir.yaml` are. */

import { endingOf } from '../../admin/configuration/provider-views.ts';
import { changedDestination } from '../../configuration/destination.ts';
import { splitEntry, unseenHeaders, withUnseen } from '../../configuration/entry-secrets.ts';
import {
  entryPlace,
  type KeptEntries,
  type KeptEntry,
  type KeptProvider,
  keyPlace,
} from '../../configuration/kept-entries.ts';
import { type MergedConfiguration, mergeConfiguration } from '../../configuration/merge.ts';
import {
  type EntryMistake,
  readPriceEntry,
  readProviderEntry,
  readRouteEntry,
} from '../../configuration/read-entry.ts';
import type { Tree } from '../../conversation/json-tree.ts';
import { isLookedFor, presetByName, presets } from '../../providers/presets.ts';
import type { Sealing } from '../../secrets/sealing.ts';
import type { Config, ProviderKey } from '../../settings/config.ts';
import type { SealedKey } from '../../store/configuration/configuration-store.ts';
import type { Draft } from './draft.ts';
import type { Mistakes, Path } from './mistakes.ts';
import type { OrgFile } from './org-file.ts';
import { type KeySources, keysOf, withoutKeys } from './provider-keys.ts';
import type { FileEntry } from './section-reader.ts';

interface EntryParts {
  readonly draft: Draft;
  readonly mistakes: Mistakes;
  readonly config: Config;
  readonly kept: KeptEntries;
  readonly sealing: Sealing;
  readonly sources: KeySources;
  readonly isPruning: boolean;
  /** Who changes it. */
  readonly by: string;
}

export function planEntries(file: OrgFile, parts: EntryParts): void {
  const planner = new EntryPlanner(file, parts);
  planner.providers(file.providers);
  planner.routes(file.models);
  planner.prices(file.prices);
}

class EntryPlanner {
  readonly #parts: EntryParts;
  readonly #merged: MergedConfiguration;
  readonly #providerNames: ReadonlySet<string>;
  #made = 0;

  constructor(file: OrgFile, parts: EntryParts) {
    this.#parts = parts;
    this.#merged = mergeConfiguration(parts.config, parts.kept);
    const named = (file.providers ?? []).map(({ name }) => name);
    const isRemoved = ({ name, origin }: { readonly name: string; readonly origin: string }): boolean =>
      parts.isPruning && file.providers !== undefined && origin === 'console' && !named.includes(name);
    const staying = this.#merged.providers.filter((provider) => !isRemoved(provider));
    // Servers on the gateway's machine are found by the gateway itself.
    const local = presets.filter(isLookedFor);
    this.#providerNames = new Set([...[...staying, ...local].map(({ name }) => name), ...named]);
  }

  /** Entries are in the order in which they were made: those of one file in the order of the file. */
  #stamp<Section extends 'providers' | 'models' | 'prices'>(section: Section, name: string) {
    return { section, name, atMs: this.#parts.draft.atMs + this.#made++, by: this.#parts.by };
  }

  #requireOpen(
    path: Path,
    name: string,
    all: readonly { readonly name: string; readonly origin: string; readonly originText: string }[],
  ): void {
    const locked = all.find((entry) => entry.name === name && entry.origin !== 'console');
    if (locked !== undefined) {
      this.#parts.mistakes.add(path, `is configured elsewhere (${locked.originText}) and can only be changed there`);
    }
  }

  providers(given: OrgFile['providers']): void {
    const { kept } = this.#parts;
    for (const entry of given ?? [])
      this.#putProvider(
        entry,
        kept.providers.find(({ name }) => name === entry.name),
      );
    this.#removeOthers('providers', given, kept.providers, 'provider', 'provider-delete');
  }

  #putProvider({ name, path, value }: FileEntry<Tree>, kept: KeptProvider | undefined): void {
    const { mistakes, sources } = this.#parts;
    const { draining = false, ...written } = value;
    if (typeof draining !== 'boolean') mistakes.add([...path, 'draining'], 'must be true or false');
    const plain = withoutKeys(written);
    const restored = kept === undefined ? plain : withUnseen(plain, kept.entry);
    const isElsewhere =
      kept !== undefined &&
      changedDestination(kept.entry, restored, (kind) => presetByName(kind)?.baseUrl, name).length > 0;
    // A secret that was entered for one destination must not follow to another one.
    const entry = isElsewhere ? plain : restored;
    const before = mistakes.list.length;
    const keys = keysOf({ entry: written, path, kept: isElsewhere ? undefined : kept, sources, mistakes });
    if (mistakes.list.length > before) return;
    const isSame =
      kept !== undefined && Bun.deepEquals(kept.entry, entry) && areSame(kept.keys, keys) && kept.draining === draining;
    if (isSame) return;
    for (const header of unseenHeaders(entry)) {
      mistakes.add([...path, 'headers', header], 'is hidden and was never set; write its value');
    }
    this.#requireOpen(path, name, this.#merged.providers);
    this.#addMistakes(path, readProviderEntry(name, entry, keys).mistakes);
    this.#writeProvider(name, entry, keys, draining === true, kept);
  }

  #writeProvider(
    name: string,
    entry: Tree,
    keys: readonly ProviderKey[],
    draining: boolean,
    kept: KeptProvider | undefined,
  ): void {
    const { draft } = this.#parts;
    const stamp = this.#stamp('providers', name);
    const { text, sealed } = this.#sealedEntry(name, entry);
    const fresh = keys.filter(({ id, value }) => !kept?.keys.some((key) => key.id === id && key.value === value));
    const added = fresh.map((key) => this.#sealedKey(name, key));
    const keysAdded = fresh.map(({ id }) => id);
    if (kept === undefined) {
      draft.rows.newProviders.push({ ...stamp, entry: text, sealed, keys: added });
      if (draining) draft.rows.providerChanges.push({ ...stamp, draining, addKeys: [], removeKeys: [] });
      const kind = typeof entry['kind'] === 'string' ? entry['kind'] : name;
      const detail = { kind, keys: keysAdded };
      draft.say('+', `provider ${name}${keysAdded.length > 0 ? `: keys ${keysAdded.join(', ')}` : ''}`, {
        action: 'provider-create',
        subject: `provider:${name}`,
        detail,
      });
      return;
    }
    const fields = changedFields(kept.entry, entry);
    const keysRemoved = kept.keys.flatMap(({ id }) => (keys.some((key) => key.id === id) ? [] : id));
    draft.rows.providerChanges.push({
      ...stamp,
      entry: fields.length > 0 ? { text, sealed } : undefined,
      draining: draining === kept.draining ? undefined : draining,
      addKeys: added,
      removeKeys: keysRemoved,
    });
    const words = [
      ...fields,
      ...(draining === kept.draining ? [] : [`draining ${kept.draining} → ${draining}`]),
      ...keysAdded.map((id) => (kept.keys.some((key) => key.id === id) ? `key ${id} replaced` : `key ${id} added`)),
      ...keysRemoved.map((id) => `key ${id} removed`),
    ];
    draft.say('~', `provider ${name}: ${words.join('; ')}`, {
      action: 'provider-change',
      subject: `provider:${name}`,
      detail: { fields, ...(keysAdded.length > 0 && { keysAdded }), ...(keysRemoved.length > 0 && { keysRemoved }) },
    });
  }

  #sealedEntry(name: string, entry: Tree): { readonly text: string; readonly sealed: string | undefined } {
    const { open, secret } = splitEntry(entry);
    const sealed = secret && this.#parts.sealing.seal(entryPlace(name), JSON.stringify(secret));
    return { text: JSON.stringify(open), sealed };
  }

  #sealedKey(name: string, { id, value }: ProviderKey): SealedKey {
    return { keyId: id, sealed: this.#parts.sealing.seal(keyPlace(name, id), value), ending: endingOf(value) };
  }

  routes(given: OrgFile['models']): void {
    const { kept } = this.#parts;
    const all = this.#merged.routes.map((route) => ({ ...route, name: route.alias }));
    for (const entry of given ?? []) {
      const before = kept.models.find(({ name }) => name === entry.name);
      const read = () => readRouteEntry(entry.name, entry.value, this.#providerNames).mistakes;
      this.#putEntry('models', entry, before, all, read);
    }
    this.#removeOthers('models', given, kept.models, 'route', 'route-delete');
  }

  prices(given: OrgFile['prices']): void {
    const { kept } = this.#parts;
    const all = this.#merged.prices.map((price) => ({ ...price, name: price.pattern }));
    for (const entry of given ?? []) {
      const before = kept.prices.find(({ name }) => name === entry.name);
      this.#putEntry('prices', entry, before, all, () => readPriceEntry(entry.name, entry.value).mistakes);
    }
    this.#removeOthers('prices', given, kept.prices, 'price', 'price-delete');
  }

  #putEntry(
    section: 'models' | 'prices',
    { name, path, value }: FileEntry<Tree>,
    before: KeptEntry | undefined,
    all: readonly { readonly name: string; readonly origin: string; readonly originText: string }[],
    read: () => readonly EntryMistake[],
  ): void {
    const { draft } = this.#parts;
    if (before !== undefined && Bun.deepEquals(before.entry, value)) return;
    this.#requireOpen(path, name, all);
    this.#addMistakes(path, read());
    const entry = JSON.stringify(value);
    draft.rows.entries.push({ ...this.#stamp(section, name), entry });
    const what = section === 'models' ? 'route' : 'price';
    const fields = before === undefined ? '' : `: ${changedFields(before.entry, value).join('; ')}`;
    draft.say(before === undefined ? '+' : '~', `${what} ${name}${fields}`, {
      action: `${what}-change`,
      subject: `${what}:${name}`,
      detail: { entry: entry.slice(0, 1_000) },
    });
  }

  #removeOthers(
    section: 'providers' | 'models' | 'prices',
    given: readonly FileEntry<Tree>[] | undefined,
    kept: readonly KeptEntry[],
    what: 'provider' | 'route' | 'price',
    action: 'provider-delete' | 'route-delete' | 'price-delete',
  ): void {
    const { draft, isPruning } = this.#parts;
    if (given === undefined) return;
    const named = new Set(given.map(({ name }) => name));
    const others = kept.filter(({ name }) => !named.has(name));
    if (!isPruning) draft.countUnnamed(what, others.length);
    for (const { name } of isPruning ? others : []) {
      draft.rows.removedEntries.push({ section, name });
      draft.say('-', `${what} ${name}`, { action, subject: `${what}:${name}` });
    }
  }

  /** The admin interface calls the place `entry.base_url`, or `keys[0].value`; a file has it below the name. */
  #addMistakes(path: Path, found: readonly EntryMistake[]): void {
    for (const { param, message } of found) {
      const words = message.startsWith(`${param}: `) ? message.slice(param.length + 2) : message;
      const steps = param.replace(/^entry\.?/, '').replace(/\.value$/, '');
      const place = ['name', 'alias', 'pattern', ''].includes(steps) ? [] : stepsOf(steps);
      this.#parts.mistakes.add([...path, ...place], words);
    }
  }
}

/** `targets[0].provider` as a path. */
const stepsOf = (text: string): Path =>
  [...text.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, name]) =>
    index === undefined ? (name ?? '') : Number(index),
  );

function areSame(before: readonly ProviderKey[], after: readonly ProviderKey[]): boolean {
  const sameIn = ({ id, value }: ProviderKey): boolean => after.some((key) => key.id === id && key.value === value);
  return before.length === after.length && before.every(sameIn);
}

/** Names only: a value may be a credential. */
function changedFields(before: Tree, after: Tree): readonly string[] {
  const fields = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...fields].filter((field) => !Bun.deepEquals(before[field], after[field]));
}
