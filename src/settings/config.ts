/** The shape of the one frozen configuration value. Everything below `main.ts` receives the part it needs as an argument. */

import type { JwtIssuerConfig } from './jwt-settings.ts';
import type { SettingSections } from './settings.ts';
import type { IssuerConfig, SignInRule } from './sign-in-settings.ts';

/** The sections of single-valued settings as the rows give them, the few that are derived, and the lists of the file. */
export interface Config
  extends Omit<SettingSections, 'config' | 'server' | 'egress' | 'telemetry' | 'signIn' | 'scim'> {
  readonly server: SettingSections['server'] & { readonly configFile: string | undefined };
  readonly egress: EgressConfig;
  readonly signIn: SettingSections['signIn'] & { readonly issuers: readonly IssuerConfig[] };
  readonly scim: SettingSections['scim'] & { readonly rules: readonly SignInRule[] };
  readonly jwt: { readonly issuers: readonly JwtIssuerConfig[] };
  /** Absent where nothing is exported. */
  readonly telemetry: TelemetryConfig | undefined;
  /** The bucket of images and videos, where its settings are complete; absent means a folder or the database. */
  readonly bucket: BucketConfig | undefined;
  /** Providers by name, in the order they are listed: the file's first, then those found in the environment and on loopback. */
  readonly providers: readonly ProviderConfig[];
  readonly models: readonly ModelConfig[];
  /** The operator's own prices; the first whose pattern matches wins over the library's. */
  readonly prices: readonly PriceConfig[];
  /** Every effective setting with where it came from, for `weir doctor`. */
  readonly settings: readonly Setting[];
  /** The lines of the file's providers, models and prices by `section.name`, as far as they are known. */
  readonly lines?: Readonly<Record<string, number>>;
}

export type LimitsConfig = Config['limits'];
export type ClocksConfig = Config['clocks'];
export type RoutingConfig = Config['routing'];
export type IdsConfig = Config['ids'];
export type TasksConfig = Config['tasks'];
export type ContentStorageConfig = Config['contentStorage'];
export type PriceTablesConfig = Config['priceTables'];
export type TokenDefaults = Config['tokens'];

/** How requests leave this machine. */
export interface EgressConfig {
  /** Private networks that URLs in requests may lead to (CIDR). */
  readonly allowedNetworks: readonly string[];
  /** The proxy for requests to providers, by the scheme of their base URL; it may hold a password. */
  readonly proxy: { readonly http: string | undefined; readonly https: string | undefined };
  /** Hosts that are reached without one. */
  readonly noProxy: readonly string[];
  /** Certificates, in PEM, that are trusted besides the usual ones. */
  readonly ca: string | undefined;
}

/** What is exported to an OpenTelemetry collector, and how. */
export interface TelemetryConfig {
  /** Without a slash at its end; `/v1/traces` and the like follow. */
  readonly endpoint: string;
  /** May hold credentials. */
  readonly headers: Readonly<Record<string, string>>;
  readonly protocol: 'http/protobuf' | 'http/json';
  readonly gzip: boolean;
  readonly traces: boolean;
  readonly metrics: boolean;
  readonly logs: boolean;
  readonly content: boolean;
  readonly propagate: boolean;
  readonly sampling: SamplingConfig;
  readonly serviceName: string;
  readonly resourceAttributes: Readonly<Record<string, string>>;
  readonly batchMs: number;
  readonly metricsMs: number;
  readonly timeoutMs: number;
  readonly queueBytesMax: number;
}

export interface SamplingConfig {
  readonly ratio: number;
  /** Does a request with a `traceparent` follow its flag? */
  readonly followsParent: boolean;
}

export interface BucketConfig {
  readonly bucket: string;
  readonly endpoint: string;
  readonly region: string;
  readonly prefix: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

export interface ProviderConfig {
  readonly name: string;
  /** A preset's name, or a wire format's. */
  readonly kind: string;
  readonly baseUrl: string | undefined;
  readonly keys: readonly ProviderKey[];
  /** Fixed list of upstream model names; absent means the provider is asked. */
  readonly models: readonly string[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** What fills the holes of the preset's addresses: region, project and the like. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Where it is, in the operator's own words: requests may ask for a region. */
  readonly region?: string | undefined;
  /** The proxy it is reached through, or `none`; absent means the one for all. */
  readonly proxy?: string | undefined;
  /** Certificates, in PEM, that are trusted besides the usual ones and those for all. */
  readonly ca?: string | undefined;
  /** What models take there, by patterns of their names, in the words of the file. */
  readonly profiles?: Readonly<Record<string, ProfileEntry>> | undefined;
  /** What is done with videos that it made: kept by Weir (the default), or left there and passed on. */
  readonly results?: 'keep' | 'proxy' | undefined;
  /** It passes requests on to other providers, as fields of a body may say; absent: as its preset says. */
  readonly routesElsewhere?: boolean | undefined;
  /** Its replies state what they cost, in USD; absent: as its preset says. */
  readonly reportsCost?: boolean | undefined;
  readonly enabled: boolean;
  readonly origin: 'file' | 'environment' | 'local' | 'console';
}

/** What a model takes, as an operator writes it; absent fields stay as they are known from elsewhere. */
export interface ProfileEntry {
  readonly context_tokens?: number | undefined;
  readonly output_tokens_max?: number | undefined;
  readonly cache_tokens_min?: number | undefined;
  readonly image_tokens_max?: number | undefined;
  readonly temperature_max?: number | undefined;
  readonly stops_max?: number | undefined;
  /** Names of parameters. */
  readonly refuses?: readonly string[] | undefined;
  readonly refuses_while_thinking?: readonly string[] | undefined;
  readonly thinking?: ThinkingEntry | undefined;
  readonly input?: readonly string[] | undefined;
  readonly output?: readonly string[] | undefined;
  readonly tools_format?: string | undefined;
  readonly later_instructions?: 'taken' | 'refused' | undefined;
  readonly developer_role?: 'taken' | 'refused' | undefined;
  readonly text_lists?: 'taken' | 'refused' | undefined;
  readonly allowed_tools?: 'taken' | 'refused' | undefined;
  readonly forced_tools?: 'taken' | 'refused' | undefined;
  readonly freeform_tools?: 'taken' | 'refused' | undefined;
  readonly result_media?: 'taken' | 'refused' | undefined;
  readonly older_limit?: 'taken' | 'refused' | undefined;
  readonly search_option?: 'taken' | 'refused' | undefined;
  readonly temperature_with_top_p?: 'taken' | 'refused' | undefined;
  readonly user_id?: UserIdEntry | undefined;
}

interface UserIdEntry {
  readonly characters_min?: number | undefined;
  readonly characters_max?: number | undefined;
  readonly pattern?: string | undefined;
}

/** What else is said with a kind of thinking depends on the kind. */
export interface ThinkingEntry {
  readonly kind: 'never' | 'always' | 'switch' | 'budget' | 'adaptive' | 'effort';
  readonly tokens_min?: number | undefined;
  readonly tokens_max?: number | undefined;
  readonly can_be_off?: boolean | undefined;
  readonly dynamic?: boolean | undefined;
  readonly efforts?: readonly string[] | undefined;
  /** `on` or `off`, or an effort. */
  readonly by_default?: string | undefined;
}

/** A key's value lives only here and in the request's head; `id` is what logs and rows show. */
export interface ProviderKey {
  readonly id: string;
  readonly value: string;
}

/** What a request must be like to be given to a target. */
export interface TargetConditions {
  readonly operations?: readonly string[] | undefined;
  /** Kinds of input that it may be given: text, image, audio, video, file. */
  readonly input?: readonly string[] | undefined;
  readonly inputTokensMax?: number | undefined;
  readonly region?: string | undefined;
  /** Tokens with one of these labels. */
  readonly labels?: readonly string[] | undefined;
}

export interface ModelConfig {
  readonly alias: string;
  readonly targets: readonly {
    readonly provider: string;
    readonly model: string;
    readonly weight: number;
    readonly tier: number;
    /** How long it may take to the first event before another one is asked. */
    readonly firstEventTimeoutMs?: number | undefined;
    /** What requests it is kept for; absent means all. */
    readonly conditions?: TargetConditions | undefined;
  }[];
  /** How one of several targets of a tier is chosen. */
  readonly choose?: 'weighted' | 'least_busy' | 'fastest' | 'cheapest' | undefined;
  /** Do the requests of one conversation keep to one target? */
  readonly affinity?: boolean | undefined;
  /** What of every conversation with it must pass moderation. */
  readonly moderation?: { readonly before: boolean; readonly after: boolean };
}

/** USD per million tokens, as people write prices; the ledger turns them into integers. */
export interface PriceConfig {
  /** `provider/model` or `model`, `*` allowed. */
  readonly pattern: string;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number | undefined;
  readonly cacheWrite: number | undefined;
  /** Of other kinds of tokens. */
  readonly rates?: PriceRates | undefined;
  /** Other rates for requests of more input tokens, ascending. */
  readonly steps?: readonly PriceStep[] | undefined;
  readonly serviceTiers?: { readonly [Tier in PriceTierName]?: TierPrice } | undefined;
  /** USD for one image, one minute of audio, a million characters of speech, a thousand searches, a second of video, a whole video. */
  readonly image?: number | undefined;
  /** Images by `quality/size`, size or quality, seconds of video by resolution, before those of all kinds. */
  readonly images?: Readonly<Record<string, number>> | undefined;
  readonly videoSeconds?: Readonly<Record<string, number>> | undefined;
  readonly minute?: number | undefined;
  readonly characters?: number | undefined;
  readonly searches?: number | undefined;
  readonly videoSecond?: number | undefined;
  readonly video?: number | undefined;
  /** USD for one page, a thousand searches of the web, one request. */
  readonly page?: number | undefined;
  readonly webSearches?: number | undefined;
  /** USD for each call of a tool that the provider runs, by the tool's name. */
  readonly tools?: Readonly<Record<string, number>> | undefined;
  readonly request?: number | undefined;
  /** How much the model reads at once; it bounds input that a request does not measure. */
  readonly contextTokens?: number | undefined;
  /** What rows of usage name it by, where there is more to say than whose it is. */
  readonly version?: string;
}

/** USD per million tokens of each kind. */
export type PriceRates = { readonly [Name in PriceRateName]?: number };

type PriceRateName =
  | 'input'
  | 'cacheRead'
  | 'cacheWrite'
  | 'cacheWrite1h'
  | 'inputAudio'
  | 'inputImage'
  | 'inputVideo'
  | 'cachedAudio'
  | 'cachedImage'
  | 'cachedVideo'
  | 'output'
  | 'thinking'
  | 'outputAudio'
  | 'outputImage'
  | 'outputVideo';

export type PriceTierName = 'flex' | 'priority' | 'batch' | 'fast';

export interface PriceStep {
  readonly aboveInputTokens: number;
  readonly rates: PriceRates;
}

/** Rates of a tier of service; what it leaves out costs what it costs without it. */
interface TierPrice {
  readonly rates: PriceRates;
  readonly steps?: readonly PriceStep[] | undefined;
}

export interface Setting {
  /** The key as `weir.yaml` spells it: `clocks.idle_timeout_ms`. */
  readonly key: string;
  readonly variable: string | undefined;
  readonly origin: 'default' | 'file' | 'environment';
  /** Printable; a secret shows as `set` or `not set`. */
  readonly shown: string;
  /** Absent where it is a secret, may hold a password, or has no value. */
  readonly value?: unknown;
}
