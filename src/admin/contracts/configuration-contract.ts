/**
 * What the console may change and how it sees it. Everything is spelled as `weir.yaml` spells it, so that what was made in the
 * console can be moved into the file, and one reader checks both.
 */

import type { KeyHealthView, ProviderHealthView, ShownTargetHealth, TargetHealthView } from './health-contract.ts';
import type { PriceSourceName } from './usage-contract.ts';

/** Where something is configured. What is not the console's own is shown, and changed only there. */
export type EntryOrigin = 'file' | 'environment' | 'local' | 'built-in' | 'console';

/** A provider as `weir.yaml` writes it, without its keys. */
export interface ProviderEntry {
  readonly kind?: string;
  readonly base_url?: string;
  readonly models?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly settings?: Readonly<Record<string, string>>;
  readonly region?: string;
  readonly proxy?: string;
  readonly results?: 'keep' | 'proxy';
  /** It passes requests on to other providers; absent: as its preset says. */
  readonly routes_elsewhere?: boolean;
  /** Its replies state what they cost, in USD; absent: as its preset says. */
  readonly reports_cost?: boolean;
  /** What models take there, by patterns of their names. */
  readonly profiles?: Readonly<Record<string, object>>;
  readonly enabled?: boolean;
}

/** A key as entered; it is sealed at once and never shown again. */
export interface NewKey {
  readonly id?: string;
  readonly value: string;
}

/** `POST /console/api/providers`: makes a provider, or tries it where nothing is kept yet. */
export interface NewProvider {
  readonly name: string;
  readonly entry: ProviderEntry;
  readonly keys: readonly NewKey[];
}

/** `PATCH /console/api/providers/{name}`: the whole new entry; keys by what is added and removed. */
export interface ProviderChanges {
  readonly entry?: ProviderEntry;
  /** Takes no new requests; those in flight continue. */
  readonly draining?: boolean;
  readonly addKeys?: readonly NewKey[];
  readonly removeKeys?: readonly string[];
}

/** `POST /console/api/providers/{name}/pause`: all that can be changed here of a provider that is configured elsewhere. */
export interface ProviderPause {
  readonly paused: boolean;
}

export interface ConfiguredKeyView extends Omit<KeyHealthView, 'provider' | 'keyId'> {
  readonly id: string;
  /** The last four characters, to tell several keys apart; absent where the key is short. */
  readonly ending?: string;
  /** Only the console's own keys can be removed here. */
  readonly locked: boolean;
}

export interface ConfiguredProviderView {
  readonly name: string;
  readonly kind: string;
  readonly origin: EntryOrigin;
  /** In words: `weir.yaml, line 12`, `OPENAI_API_KEY`. */
  readonly originText: string;
  readonly locked: boolean;
  /** `paused`: configured elsewhere, and paused in the console. */
  readonly state: 'serving' | 'draining' | 'paused' | 'disabled';
  /** Present where it is paused. */
  readonly pausedAt?: string;
  /** Where a console entry became wrong, for example because the file now has the same name. */
  readonly problem?: string;
  /** As it is in effect, without credentials. */
  readonly baseUrl: string;
  readonly entry: ProviderEntry;
  readonly keys: readonly ConfiguredKeyView[];
  readonly free: boolean;
  /** Absent until the provider has listed them. */
  readonly models?: readonly string[];
  readonly health: ProviderHealthView;
  /** Those that were called, or cannot be. */
  readonly targets: readonly TargetHealthView[];
  /** Names of routes that lead here. */
  readonly routes: readonly string[];
}

/** What a change of the destination took away: keys and hidden header values never follow to another address. */
export interface RemovedSecrets {
  /** The fields that changed, as `weir.yaml` spells them: `base_url`, `proxy`, `headers.host`. */
  readonly because: readonly string[];
  /** Ids. */
  readonly keys: readonly string[];
  readonly headers: readonly string[];
}

/** The answer to `PATCH /console/api/providers/{name}`. */
export interface ChangedProviderView extends ConfiguredProviderView {
  readonly removed?: RemovedSecrets;
}

/** What a trial found: never a charge, only the list of models. */
export interface ProviderTrialView {
  readonly ok: boolean;
  readonly latencyMs: number;
  readonly models: readonly string[];
  /** The exact refusal, with every key taken out. */
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly status?: number;
    readonly body?: string;
    /** What to do about it. */
    readonly hint: string;
  };
}

/** A provider that Weir knows by name, for the list to choose from. */
export interface PresetView {
  readonly kind: string;
  readonly title: string;
  readonly group: 'maker' | 'host' | 'cloud' | 'plan' | 'media' | 'local' | 'format';
  /** May have placeholders such as `{region}`, which the settings fill. */
  readonly baseUrl: string;
  readonly needsKey: boolean;
  readonly needsBaseUrl: boolean;
  readonly settings: readonly { readonly name: string; readonly required: boolean; readonly example: string }[];
  readonly keyVariable?: string;
  /** It can be asked for its models. */
  readonly listsModels: boolean;
  readonly operations: readonly string[];
  /** Other words by which people look for it. */
  readonly synonyms: readonly string[];
  /** A provider of this kind is there already. */
  readonly configured: boolean;
}

/** A target as `weir.yaml` writes it. */
export interface TargetEntry {
  readonly provider: string;
  readonly model: string;
  readonly weight?: number;
  readonly tier?: number;
  readonly first_event_timeout_ms?: number;
  readonly only?: {
    readonly operations?: readonly string[];
    readonly input?: readonly string[];
    readonly input_tokens_max?: number;
    readonly region?: string;
    readonly labels?: readonly string[];
  };
}

export interface RouteEntry {
  readonly targets: readonly TargetEntry[];
  readonly choose?: 'weighted' | 'least_busy' | 'fastest' | 'cheapest';
  readonly affinity?: boolean;
  readonly moderation?: 'before' | 'after' | 'both';
}

/** `POST /console/api/routes`: makes a route or replaces it; a name may hold slashes and one star. */
export interface RouteChange {
  readonly alias: string;
  readonly entry: RouteEntry;
}

export interface RouteView {
  readonly alias: string;
  readonly origin: EntryOrigin;
  readonly originText: string;
  readonly locked: boolean;
  readonly problem?: string;
  readonly entry: RouteEntry;
}

/** USD per million tokens of each kind. */
export interface TokenPriceEntry {
  readonly input?: number;
  readonly output?: number;
  readonly cache_read?: number;
  readonly cache_write?: number;
  readonly cache_write_1h?: number;
  readonly input_audio?: number;
  readonly input_image?: number;
  readonly input_video?: number;
  readonly cached_audio?: number;
  readonly cached_image?: number;
  readonly cached_video?: number;
  readonly thinking?: number;
  readonly output_audio?: number;
  readonly output_image?: number;
  readonly output_video?: number;
}

/** USD per million tokens, or per unit, as `weir.yaml` writes it. */
export interface PriceEntry extends TokenPriceEntry {
  readonly image?: number;
  /** By `quality/size`, size or quality. */
  readonly images?: Readonly<Record<string, number>>;
  readonly minute?: number;
  readonly characters?: number;
  readonly searches?: number;
  readonly video_second?: number;
  /** By resolution. */
  readonly video_seconds?: Readonly<Record<string, number>>;
  readonly video?: number;
  readonly page?: number;
  /** For a thousand. */
  readonly web_searches?: number;
  /** For a call of a tool that the provider runs, by the tool's name. */
  readonly tools?: Readonly<Record<string, number>>;
  readonly request?: number;
  /** The only one; others are not converted. */
  readonly currency?: 'USD';
  /** By the number of input tokens above which they hold. */
  readonly above?: Readonly<Record<string, TokenPriceEntry>>;
  /** By tier: `flex`, `priority`, `batch`, `fast`. */
  readonly service_tiers?: Readonly<
    Record<string, TokenPriceEntry & { readonly above?: Readonly<Record<string, TokenPriceEntry>> }>
  >;
  readonly context_tokens?: number;
}

/** `POST /console/api/prices`: creates a price or replaces it. Requests in flight keep the one they began with. */
export interface PriceChange {
  readonly pattern: string;
  readonly entry: PriceEntry;
}

export interface PriceView {
  readonly pattern: string;
  readonly origin: EntryOrigin;
  readonly originText: string;
  readonly locked: boolean;
  readonly entry: PriceEntry;
}

/** What one target of a model costs, and who says so. */
export interface TargetPriceView {
  readonly provider: string;
  readonly model: string;
  readonly source: PriceSourceName;
  readonly version: string;
  /** One line for each class that is charged. */
  readonly lines: readonly { readonly class: string; readonly usd: string; readonly per: string }[];
}

export const capabilityNames = [
  'tools',
  'parallel-tools',
  'vision',
  'files',
  'audio-input',
  'video-input',
  'json',
  'structured-output',
  'reasoning',
  'image-output',
  'audio-output',
] as const;
export type CapabilityName = (typeof capabilityNames)[number];

/** `GET /console/api/model?id=`: one served model with all that is known of it. */
export interface ModelDetailView {
  readonly id: string;
  readonly alias: boolean;
  /** The route that leads to it; absent where it is simply a provider's model. */
  readonly route?: RouteView;
  readonly choose: string;
  readonly affinity: boolean;
  readonly targets: readonly (ShownTargetHealth & {
    readonly provider: string;
    readonly model: string;
    readonly tier: number;
    readonly weight: number;
    readonly inFlight: number;
    readonly formats: readonly string[];
  })[];
  readonly prices: readonly TargetPriceView[];
  readonly operations: readonly string[];
  /** What a conversation with it can use; empty where that is not known. */
  readonly capabilities: readonly CapabilityName[];
  readonly contextTokens?: number;
  /** The most that one reply can have. */
  readonly outputTokensMax?: number;
  /** Days in UTC, as `2026-11-16`: since when its provider advises against it, and when it stops serving it. */
  readonly deprecatedAt?: string;
  readonly shutdownAt?: string;
  readonly inputModalities?: readonly string[];
  readonly outputModalities?: readonly string[];
  readonly description?: string;
}

/** `POST /console/api/explain`: the sample is a request's body in the format of its endpoint; the answer is the public explanation. */
export interface ExplainQuestionBody {
  readonly endpoint: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** `GET /console/api/export`: the console's state as the part of `weir.yaml` that it would be, keys by the names of variables. */
export interface ExportView {
  readonly yaml: string;
  /** Variables that must be set where the file is used, since keys are not written into it. */
  readonly variables: readonly string[];
}
