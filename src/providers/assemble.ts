/** Turns a row of configuration and its preset into a provider that can be called. Declares and combines; does no I/O. */

import type { ParameterName } from '../conversation/parameters.ts';
import type { FieldTable } from '../formats/fields/field-table.ts';
import type { FormatName } from '../formats/format.ts';
import type { ListPricing } from '../formats/list-prices.ts';
import type { TableNames } from '../prices/price.ts';
import type { ProviderConfig, ProviderKey } from '../settings/config.ts';
import type { SocketTransport } from '../upstream/socket-transport.ts';
import type { Transport } from '../upstream/transport.ts';
import { type Addresses, addressesOf, fillHoles, type Settings } from './address.ts';
import type { DeclaredOperations } from './declared-operations.ts';
import { genAiNames } from './gen-ai-names.ts';
import { listPricingOf } from './list-pricing.ts';
import { type OperationPlaces, operationPlaces } from './operation-places.ts';
import { type OperatorProfile, operatorProfiles } from './operator-profiles.ts';
import { familyOperations, rerank } from './presets/paths.ts';
import { routerFields } from './presets/router-fields.ts';
import { presetByName } from './presets.ts';
import type { Auth, ModelFormats, ProviderRules, Quirks } from './provider.ts';

/** What is known of a model without a request. */
export interface ModelNote {
  readonly contextTokens: number;
  readonly inputModalities: readonly string[];
  readonly outputModalities?: readonly string[];
  readonly description: string;
  /** What it can do beside or instead of conversing (`converse`); absent where unknown. */
  readonly operations?: readonly string[];
  /** What it takes beside the conversation; absent where unknown. */
  readonly parameters?: readonly ParameterName[];
}

const noNotes: ReadonlyMap<string, ModelNote> = new Map();
const noProfiles: readonly OperatorProfile[] = [];

export interface Provider {
  readonly name: string;
  /** How OpenTelemetry names it; absent where it has no name for it. */
  readonly genAiName?: string | undefined;
  /** How tables of prices name it. */
  readonly tables: TableNames | undefined;
  /** Where its own list of models writes prices; absent means in texts as most do, or nowhere. */
  readonly listPricing: ListPricing | undefined;
  /** Costs nothing: the sandbox and inference servers on this machine. */
  readonly free: boolean;
  readonly keys: readonly ProviderKey[];
  readonly auth: Auth;
  readonly headers: Readonly<Record<string, string>>;
  readonly quirks: Quirks;
  /** What the operator filled into the holes of URLs; a signature needs some of it too. */
  readonly settings: Settings;
  /** The URL of each format; `addressOf` reads it. */
  readonly addresses: Addresses;
  /** Its formats, in the order of preference; `formatsFor` returns which of them a model has. */
  readonly formats: readonly FormatName[];
  readonly modelFormats: readonly ModelFormats[];
  /** What it does beside conversations. */
  readonly operations: OperationPlaces;
  readonly modelsUrl: string | undefined;
  /** A URL that costs nothing and shows whether a key is valid, where there is no list of models. */
  readonly checkUrl: string | undefined;
  /** The models it serves, where configuration fixes them. */
  readonly fixedModels: readonly string[] | undefined;
  readonly notes: ReadonlyMap<string, ModelNote>;
  /** The operator's profiles of its models; of several patterns that match, the later overrides the earlier. */
  readonly profiles: readonly OperatorProfile[];
  readonly transport: Transport;
  /** Absent where it has no live conversations. */
  readonly sockets: SocketTransport | undefined;
  /** With its version path, holes filled; without a slash at its end. */
  readonly baseUrl: string;
  /** How its results are served: kept by Weir, or left with the provider and passed on when a caller fetches them. */
  readonly results: 'keep' | 'proxy';
  /** In the operator's own words. */
  readonly region: string | undefined;
  /** Present where it passes requests on to other providers: its fields beside those of a format that have no part in it. */
  readonly routes: FieldTable | undefined;
  /** Its replies state what they cost, in USD. */
  readonly reportsCost: boolean;
}

export function assembleProvider(config: ProviderConfig, transport: Transport, sockets?: SocketTransport): Provider {
  const preset = presetByName(config.kind);
  if (preset === undefined) throw new Error(`No preset or wire format is called ${config.kind}.`);
  return providerOf({
    preset,
    name: config.name,
    baseUrl: config.baseUrl ?? preset.baseUrl,
    keys: config.keys,
    headers: { ...preset.headers, ...config.headers },
    models: config.models,
    settings: config.settings ?? {},
    transport,
    sockets,
    results: config.results,
    region: config.region,
    routesElsewhere: config.routesElsewhere,
    reportsCost: config.reportsCost,
    profiles: operatorProfiles(config.profiles),
  });
}

export function providerOf(given: {
  readonly preset: ProviderRules;
  readonly name: string;
  readonly baseUrl: string;
  readonly keys: readonly ProviderKey[];
  readonly headers: Readonly<Record<string, string>>;
  readonly models: readonly string[] | undefined;
  readonly settings?: Settings;
  readonly transport: Transport;
  readonly sockets?: SocketTransport | undefined;
  readonly results?: 'keep' | 'proxy' | undefined;
  readonly region?: string | undefined;
  /** What the operator says of it; absent: as the preset does. */
  readonly routesElsewhere?: boolean | undefined;
  readonly reportsCost?: boolean | undefined;
  readonly free?: boolean;
  readonly notes?: ReadonlyMap<string, ModelNote>;
  readonly profiles?: readonly OperatorProfile[];
}): Provider {
  const { preset, transport } = given;
  const settings = { ...defaultSettings(preset), ...given.settings };
  const base = fillHoles(given.baseUrl.replace(/\/+$/, ''), settings);
  const addresses = addressesOf(preset, base, settings);
  return Object.freeze({
    name: given.name,
    genAiName: genAiNames[preset.name],
    tables: preset.tables,
    listPricing: listPricingOf(preset.name),
    free: given.free ?? preset.local ?? false,
    keys: given.keys.length > 0 ? given.keys : [{ id: 'none', value: '' }],
    auth: preset.auth,
    headers: given.headers,
    quirks: preset.quirks ?? {},
    settings,
    addresses,
    formats: orderOf(addresses, isElsewhere(preset, base)),
    modelFormats: preset.modelFormats ?? [],
    operations: operationPlaces(operationsOf(preset), base, settings),
    modelsUrl: preset.modelsPath === undefined ? undefined : base + preset.modelsPath,
    checkUrl: preset.checkPath === undefined ? undefined : fillHoles(base + preset.checkPath, settings),
    fixedModels: given.models,
    notes: given.notes ?? noNotes,
    profiles: given.profiles ?? noProfiles,
    transport,
    sockets: given.sockets,
    baseUrl: base,
    results: given.results ?? 'keep',
    region: given.region,
    routes: (given.routesElsewhere ?? preset.routes !== undefined) ? (preset.routes ?? routerFields) : undefined,
    reportsCost: given.reportsCost ?? preset.reportsCost ?? false,
  });
}

/** A server of the chat family is assumed to do what the family does; where it does not, its own error says so. */
function operationsOf({ operations, formats }: ProviderRules): DeclaredOperations | undefined {
  if (operations !== undefined) return operations;
  return formats['openai-chat'] === undefined ? undefined : { ...familyOperations, ...rerank };
}

/** Has the operator pointed the preset at another host than the vendor's own? */
function isElsewhere(preset: ProviderRules, base: string): boolean {
  const own = URL.parse(preset.baseUrl)?.origin;
  return own !== undefined && own !== URL.parse(base)?.origin;
}

/** As declared; but a URL of the operator's own often leads to a server that serves the chat format best. */
function orderOf(addresses: Addresses, elsewhere: boolean): readonly FormatName[] {
  const declared = Object.keys(addresses) as FormatName[];
  if (!elsewhere) return declared;
  return declared.toSorted((a, b) => Number(b === 'openai-chat') - Number(a === 'openai-chat'));
}

function defaultSettings(preset: ProviderRules): Settings {
  const entries = Object.entries(preset.settings ?? {});
  return Object.fromEntries(entries.flatMap(([name, setting]) => (setting.default ? [[name, setting.default]] : [])));
}

/**
 * The head a provider gets: its own authentication and what the operator adds. A client's credential is never among it.
 * Where a request must be signed or a token fetched, only what the operator adds: the authorizer does the rest.
 */
export function providerHeaders(provider: Provider, key: ProviderKey): Record<string, string> {
  const { auth } = provider;
  if (key.value === '') return { ...provider.headers };
  if (auth.style === 'bearer') return { authorization: `Bearer ${key.value}`, ...provider.headers };
  if (auth.style === 'header') return { [auth.header]: (auth.prefix ?? '') + key.value, ...provider.headers };
  return { ...provider.headers };
}
