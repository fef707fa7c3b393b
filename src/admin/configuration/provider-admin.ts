/**
 * Adds, changes, removes and tries providers from the console. Mistakes are worded as by the reader of
 * the configuration file.
 */

import { z } from 'zod';
import { withoutUrlSecrets } from '../../config/problem.ts';
import { changedDestination, withoutHiddenHeaders } from '../../configuration/destination.ts';
import { splitEntry, unseenHeaders, withUnseen } from '../../configuration/entry-secrets.ts';
import { entryPlace, keyPlace } from '../../configuration/kept-entries.ts';
import type { LiveConfiguration } from '../../configuration/live-configuration.ts';
import type { MergedProvider } from '../../configuration/merge.ts';
import { type EntryMistake, readProviderEntry } from '../../configuration/read-entry.ts';
import type { Trial, TryEntry } from '../../configuration/try-entry.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Tree } from '../../conversation/json-tree.ts';
import type { Sealing } from '../../secrets/sealing.ts';
import type { ProviderConfig, ProviderKey } from '../../settings/config.ts';
import type { ConfigurationStore, SealedKey } from '../../store/configuration/configuration-store.ts';
import type { Audit } from '../accounts/audit.ts';
import type { Actor } from '../accounts/sessions.ts';
import type {
  ChangedProviderView,
  ConfiguredProviderView,
  PresetView,
  ProviderTrialView,
  RemovedSecrets,
} from '../contracts/configuration-contract.ts';
import { checked } from '../tokens/token-terms.ts';
import { pauseProvider } from './pause-provider.ts';
import { endingOf, type ProviderViewParts, presetViews, providerViews } from './provider-views.ts';
import { trialHints } from './trial-hints.ts';

interface ProviderAdminParts extends ProviderViewParts {
  readonly live: LiveConfiguration;
  readonly store: ConfigurationStore;
  readonly sealing: Sealing;
  readonly tryEntry: TryEntry;
  readonly audit: Audit;
  /** The time of day. */
  wallMs(): number;
}

export interface ProviderAdmin {
  presets(): readonly PresetView[];
  list(): Promise<readonly ConfiguredProviderView[]>;
  create(actor: Actor, input: unknown): Promise<ConfiguredProviderView>;
  change(actor: Actor, name: string, input: unknown): Promise<ChangedProviderView>;
  remove(actor: Actor, name: string): Promise<void>;
  /** Of a provider that is configured elsewhere. */
  pause(actor: Actor, name: string, input: unknown): Promise<ConfiguredProviderView>;
  /** Of an entry that is not stored yet. */
  tryDraft(actor: Actor, input: unknown): Promise<ProviderTrialView>;
  tryExisting(actor: Actor, name: string): Promise<ProviderTrialView>;
}

const providerBounds = { providersMax: 200, keysMax: 50, keyCharactersMax: 20_000 } as const;

const keyId = z.string().regex(/^[\w.-]{1,64}$/, 'must have 1 to 64 letters, digits, dots, dashes or underscores');
const newKey = z.strictObject({
  id: keyId.optional(),
  // Keys are pasted, often with a line break behind them.
  value: z
    .string('must be text')
    .trim()
    .min(1, 'must not be empty')
    .max(providerBounds.keyCharactersMax, 'is too long'),
});
const newKeys = z
  .array(newKey, 'must be a list')
  .max(providerBounds.keysMax, `must have at most ${providerBounds.keysMax}`);
const entryTree = z.record(z.string(), z.unknown(), 'must be an object');
export const newProviderSchema = z.strictObject({
  name: z.string('must be text').trim(),
  entry: entryTree,
  keys: newKeys.default([]),
});
export const providerChangesSchema = z.strictObject({
  entry: entryTree.optional(),
  draining: z.boolean('must be true or false').optional(),
  addKeys: newKeys.default([]),
  removeKeys: z
    .array(z.string('must be text'), 'must be a list')
    .max(providerBounds.keysMax, 'is too long')
    .default([]),
});

export function createProviderAdmin(parts: ProviderAdminParts): ProviderAdmin {
  const { live, store, audit } = parts;

  async function viewOf(name: string): Promise<ConfiguredProviderView> {
    const view = (await providerViews(parts)).find((each) => each.name === name && each.origin === 'console');
    if (view === undefined) throw unknown(name);
    return view;
  }

  function draftOf(input: unknown): {
    readonly name: string;
    readonly entry: Tree;
    readonly keys: readonly ProviderKey[];
  } {
    const { name, entry, keys } = checked(newProviderSchema, input);
    const taken = live.merged.providers.find((provider) => provider.name === name);
    if (taken !== undefined) throw invalid('name', `is already taken by a provider from ${taken.originText}`);
    return { name, entry, keys: named(keys, [], 'keys') };
  }

  /** The console's own entry; throws the reason if it is not. */
  function ownOf(name: string): MergedProvider & { readonly kept: NonNullable<MergedProvider['kept']> } {
    const all = live.merged.providers.filter((provider) => provider.name === name);
    const own = all.find(({ origin }) => origin === 'console');
    if (own?.kept !== undefined) return { ...own, kept: own.kept };
    if (all[0] === undefined) throw unknown(name);
    throw invalid('name', `is configured elsewhere (${all[0].originText}) and can only be changed there`);
  }

  async function changed(actor: Actor, name: string, input: unknown): Promise<ChangedProviderView> {
    const { entry: given, draining, addKeys, removeKeys } = checked(providerChangesSchema, input);
    const { kept } = ownOf(name);
    const gone = removeKeys.find((id) => !kept.keys.some((key) => key.id === id));
    if (gone !== undefined) throw invalid('removeKeys', `contains ${gone}, which is not a key of this provider`);
    const { entry, removed } = nextEntry(parts, name, kept, given);
    const left = removed === undefined ? kept.keys.filter(({ id }) => !removeKeys.includes(id)) : [];
    const added = named(addKeys, left, 'addKeys');
    if (given !== undefined || addKeys.length + removeKeys.length > 0) {
      const paramOf = (param: string) => keyParamOf(param, left.length);
      if (removed !== undefined && added.length === 0) requireNoKey(name, entry, removed);
      configOf(name, entry, [...left, ...added], paramOf);
    }
    const done = await store.changeProvider({
      ...stamp(parts, actor, name),
      entry: given && sealedEntry(parts.sealing, name, entry),
      draining,
      addKeys: added.map((key) => sealedKey(parts.sealing, name, key)),
      removeKeys: removed === undefined ? removeKeys : 'all',
    });
    if (!done) throw unknown(name);
    const keysRemoved = removed?.keys ?? removeKeys;
    const detail = {
      ...(given !== undefined && { fields: Object.keys(given) }),
      ...(draining !== undefined && { draining }),
      ...(added.length > 0 && { keysAdded: added.map(({ id }) => id) }),
      ...(keysRemoved.length > 0 && { keysRemoved }),
      ...(removed !== undefined && { destination: removed.because, headersRemoved: removed.headers }),
    };
    await audit.write(actor, { action: 'provider-change', subject: `provider:${name}`, detail });
    await live.reload();
    return removed === undefined ? viewOf(name) : { ...(await viewOf(name)), removed };
  }

  /** Also where it failed: the credentials that were given left for this URL. */
  async function tried(actor: Actor, config: ProviderConfig, draft: boolean): Promise<ProviderTrialView> {
    const view = trialView(await parts.tryEntry(config));
    const url = withoutUrlSecrets(config.baseUrl ?? presetUrl(parts, config.kind) ?? '');
    const detail = { url, draft, ok: view.ok, keys: config.keys.map(({ id }) => id) };
    await audit.write(actor, { action: 'provider-trial', subject: `provider:${config.name}`, detail });
    return view;
  }

  return {
    presets: () => presetViews(parts),
    list: () => providerViews(parts),
    async create(actor, input) {
      const { name, entry, keys } = draftOf(input);
      const { kind } = configOf(name, entry, keys);
      if (live.merged.providers.filter(({ origin }) => origin === 'console').length >= providerBounds.providersMax) {
        throw invalid('name', `exceeds the limit of ${providerBounds.providersMax}`);
      }
      const { text, sealed } = sealedEntry(parts.sealing, name, entry);
      const added = await store.addProvider({
        ...stamp(parts, actor, name),
        entry: text,
        sealed,
        keys: keys.map((key) => sealedKey(parts.sealing, name, key)),
      });
      if (!added) throw invalid('name', 'is already taken by a provider from console');
      const detail = { kind, keys: keys.map(({ id }) => id) };
      await audit.write(actor, { action: 'provider-create', subject: `provider:${name}`, detail });
      await live.reload();
      return viewOf(name);
    },
    change: changed,
    async remove(actor, name) {
      ownOf(name);
      if (!(await store.remove('providers', name))) throw unknown(name);
      await audit.write(actor, { action: 'provider-delete', subject: `provider:${name}` });
      await live.reload();
    },
    async pause(actor, name, input) {
      await pauseProvider(parts, actor, name, input);
      const views = await providerViews(parts);
      const view = views.find((each) => each.name === name && each.origin !== 'console');
      if (view === undefined) throw unknown(name);
      return view;
    },
    async tryDraft(actor, input) {
      const { name, entry, keys } = draftOf(input);
      return tried(actor, configOf(name, { ...entry, enabled: true }, keys), true);
    },
    async tryExisting(actor, name) {
      const all = live.merged.providers.filter((provider) => provider.name === name);
      const merged = all.find(({ config }) => config !== undefined) ?? all[0];
      if (merged === undefined) throw unknown(name);
      if (merged.problem !== undefined) throw new GatewayError('field_invalid', merged.problem, { param: 'entry' });
      // The built-in one is not configured, and always there.
      if (merged.config === undefined)
        return { ok: true, latencyMs: 0, models: live.provider(name)?.fixedModels ?? [] };
      return tried(actor, merged.config, false);
    },
  };
}

const presetUrl = ({ presets }: ProviderViewParts, kind: string): string | undefined =>
  presets.find((preset) => preset.kind === kind)?.baseUrl;

/** The entry as it will be kept, and what it loses because its secrets would be sent elsewhere. */
function nextEntry(
  parts: ProviderViewParts,
  name: string,
  kept: NonNullable<MergedProvider['kept']>,
  given: Tree | undefined,
): { readonly entry: Tree; readonly removed: RemovedSecrets | undefined } {
  if (given === undefined) return { entry: kept.entry, removed: undefined };
  const entry = withUnseen(given, kept.entry);
  const because = changedDestination(kept.entry, entry, (kind) => presetUrl(parts, kind), name);
  if (because.length === 0) return { entry, removed: undefined };
  const unseen = withoutHiddenHeaders(given);
  // A proxy that stayed the same keeps its password: it is sent to the proxy alone.
  const proxy = entry['proxy'];
  const next = proxy === undefined ? unseen.entry : { ...unseen.entry, proxy };
  return { entry: next, removed: { because, keys: kept.keys.map(({ id }) => id), headers: unseen.headers } };
}

/** The plain reader would only say that a key is missing. */
function requireNoKey(name: string, entry: Tree, { because, keys }: RemovedSecrets): void {
  const { mistakes } = readProviderEntry(name, entry, []);
  if (keys.length === 0 || !mistakes.some(({ param }) => param === 'keys')) return;
  throw invalid('addKeys', `must include the keys again, because ${because.join(', ')} changed`);
}

/** The configuration that the entry means; throws the first mistake. */
function configOf(
  name: string,
  entry: Tree,
  keys: readonly ProviderKey[],
  paramOf: (param: string) => string = (param) => param,
): ProviderConfig {
  const [unseen] = unseenHeaders(entry);
  if (unseen !== undefined) throw invalid(`entry.headers.${unseen}`, 'is hidden and was never set; enter its value');
  const { config, mistakes } = readProviderEntry(name, entry, keys);
  const [mistake] = mistakes;
  if (mistake !== undefined) throw mistaken({ ...mistake, param: paramOf(mistake.param) }, mistake.param);
  if (config === undefined) throw invalid('entry', 'cannot be used');
  return config;
}

export function mistaken({ param, message }: EntryMistake, spelled = param): GatewayError {
  return new GatewayError('field_invalid', message.replace(spelled, param), { param });
}

/** Keys that are there already come first; the caller knows only of those that it adds. */
function keyParamOf(param: string, before: number): string {
  const [, index, rest = ''] = /^keys\[(\d+)\](.*)$/.exec(param) ?? [];
  return index === undefined ? param : `addKeys[${Number(index) - before}]${rest}`;
}

/** A key without an id gets the next free one. */
function named(
  keys: readonly { readonly id?: string | undefined; readonly value: string }[],
  before: readonly ProviderKey[],
  field: string,
): readonly ProviderKey[] {
  const taken = new Set(before.map(({ id }) => id));
  for (const [index, { id }] of keys.entries()) {
    if (id === undefined) continue;
    if (taken.has(id)) throw invalid(`${field}[${index}].id`, 'is the ID of another key of this provider');
    taken.add(id);
  }
  if (taken.size + keys.length > 2 * providerBounds.keysMax) throw invalid(field, 'exceed the limit for one provider');
  let number = 1;
  return keys.map(({ id, value }) => {
    if (id !== undefined) return { id, value };
    while (taken.has(`key-${number}`)) number++;
    taken.add(`key-${number}`);
    return { id: `key-${number}`, value };
  });
}

function stamp({ wallMs }: ProviderAdminParts, { account }: Actor, name: string) {
  return { section: 'providers' as const, name, atMs: wallMs(), by: account.id };
}

function sealedEntry(
  sealing: Sealing,
  name: string,
  entry: Tree,
): { readonly text: string; readonly sealed: string | undefined } {
  const { open, secret } = splitEntry(entry);
  return { text: JSON.stringify(open), sealed: secret && sealing.seal(entryPlace(name), JSON.stringify(secret)) };
}

function sealedKey(sealing: Sealing, name: string, { id, value }: ProviderKey): SealedKey {
  return { keyId: id, sealed: sealing.seal(keyPlace(name, id), value), ending: endingOf(value) };
}

function trialView({ latencyMs, models, fault }: Trial): ProviderTrialView {
  if (fault === undefined) return { ok: true, latencyMs, models };
  return { ok: false, latencyMs, models, error: { ...fault, hint: trialHints[fault.code] } };
}

function invalid(param: string, rule: string): GatewayError {
  return new GatewayError('field_invalid', `${param}: ${rule}`, { param });
}

function unknown(name: string): GatewayError {
  return new GatewayError('not_found', `Provider ${name.slice(0, 100)} not found.`, { param: 'name' });
}
