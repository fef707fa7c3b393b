/** Turns a row of configuration and its preset into a provider that can be called. Declares and combines; does no I/O. */

import type { ProviderConfig, ProviderKey } from '../config/config.ts';
import type { FormatName } from '../formats/format.ts';
import type { Transport } from '../upstream/transport.ts';
import { presetByName } from './presets.ts';
import type { Auth, ProviderPreset, Quirks } from './provider.ts';

/** What is known of a model without asking anybody. */
export interface ModelNote {
  readonly contextTokens: number;
  readonly inputModalities: readonly string[];
  readonly description: string;
}

const noNotes: ReadonlyMap<string, ModelNote> = new Map();

export interface Provider {
  readonly name: string;
  /** Where prices are looked up; absent for a provider the price library does not know. */
  readonly priceProvider: string | undefined;
  /** Costs nothing: the sandbox and inference servers on this machine. */
  readonly free: boolean;
  readonly keys: readonly ProviderKey[];
  readonly auth: Auth;
  readonly headers: Readonly<Record<string, string>>;
  readonly quirks: Quirks;
  /** The full address for each format it speaks. */
  readonly urls: Partial<Readonly<Record<FormatName, string>>>;
  readonly modelsUrl: string | undefined;
  /** The models it serves, where configuration fixes them. */
  readonly fixedModels: readonly string[] | undefined;
  readonly notes: ReadonlyMap<string, ModelNote>;
  readonly transport: Transport;
}

export function assembleProvider(config: ProviderConfig, transport: Transport): Provider {
  const preset = presetByName(config.kind);
  if (preset === undefined) throw new Error(`No preset or wire format is called ${config.kind}.`);
  return providerOf({
    preset,
    name: config.name,
    baseUrl: config.baseUrl ?? preset.baseUrl,
    keys: config.keys,
    headers: { ...preset.headers, ...config.headers },
    models: config.models,
    transport,
  });
}

export function providerOf(given: {
  readonly preset: ProviderPreset;
  readonly name: string;
  readonly baseUrl: string;
  readonly keys: readonly ProviderKey[];
  readonly headers: Readonly<Record<string, string>>;
  readonly models: readonly string[] | undefined;
  readonly transport: Transport;
  readonly free?: boolean;
  readonly notes?: ReadonlyMap<string, ModelNote>;
}): Provider {
  const { preset, transport } = given;
  const base = given.baseUrl.replace(/\/+$/, '');
  const urls = Object.fromEntries(Object.entries(preset.formats).map(([format, path]) => [format, base + path]));
  return Object.freeze({
    name: given.name,
    priceProvider: preset.priceProvider,
    free: given.free ?? preset.local ?? false,
    keys: given.keys.length > 0 ? given.keys : [{ id: 'none', value: '' }],
    auth: preset.auth,
    headers: given.headers,
    quirks: preset.quirks ?? {},
    urls,
    modelsUrl: preset.modelsPath === undefined ? undefined : base + preset.modelsPath,
    fixedModels: given.models,
    notes: given.notes ?? noNotes,
    transport,
  });
}

/** The head a provider gets: its own authentication and what the operator adds. A client's credential is never among it. */
export function providerHeaders(provider: Provider, key: ProviderKey): Record<string, string> {
  const { auth } = provider;
  if (auth.style === 'none' || key.value === '') return { ...provider.headers };
  if (auth.style === 'bearer') return { authorization: `Bearer ${key.value}`, ...provider.headers };
  return { [auth.header]: (auth.prefix ?? '') + key.value, ...provider.headers };
}
