/** The pieces of a serving Weir that take more than a line to build, or that only its composition needs. */

import { type AddressMatcher, clientAddress, compileNetworks } from '../access/address.ts';
import type { TokenAdmin } from '../admin/tokens/tokens.ts';
import { createEndingModels, type EndingModels } from '../admin/usage/ending-models.ts';
import { addLocalProviders } from '../config/add-local-providers.ts';
import { ConfigError } from '../config/problem.ts';
import { passwordsIn } from '../config/readers/read-egress.ts';
import type { LiveConfiguration } from '../configuration/live-configuration.ts';
import { GatewayError } from '../conversation/gateway-error.ts';
import type { Modality } from '../conversation/model-profile.ts';
import { ownId } from '../conversation/references/own-ids.ts';
import type { ModelFacts } from '../formats/model-facts.ts';
import { Bodies } from '../http/bodies.ts';
import { type CookieJar, sessionCookie } from '../http/cookies.ts';
import type { Deadlines } from '../http/deadlines.ts';
import type { Exchange } from '../http/exchange.ts';
import { type KnowsHost, knownHosts } from '../http/host-names.ts';
import type { Slices } from '../http/json/in-slices.ts';
import { BodyMemory } from '../http/memory/body-memory.ts';
import type { MemoryLimits } from '../http/memory/memory-guard.ts';
import { type ConsoleFiles, createConsoleFiles } from '../http/pages/console-files.ts';
import { createRollups } from '../ledger/rollups.ts';
import { createLogger, type LearningLogger, type Logger } from '../observe/logger.ts';
import { countOutageLines } from '../observe/outage-lines.ts';
import { wordsOf } from '../prices/listed-entry.ts';
import { projectFolder } from '../program/places.ts';
import { secretPartsOf } from '../providers/key-forms.ts';
import { presets } from '../providers/presets.ts';
import { findLocalServers } from '../providers/probe/find-local.ts';
import { operatorProfile } from '../providers/profile-of.ts';
import type { Pricing } from '../routing/build.ts';
import type { Catalogue, ServedModel } from '../routing/catalogue.ts';
import { shareRouting } from '../routing/fleet/share-routing.ts';
import type { KeyRing } from '../routing/keys.ts';
import { operationsOf } from '../routing/model-operations.ts';
import { parametersOf } from '../routing/model-parameters.ts';
import { createDigests, type Digests } from '../secrets/digests.ts';
import type { PurposeKeys, SecretRing } from '../secrets/key-ring.ts';
import { type Purpose, purposes } from '../secrets/purposes.ts';
import { createSealing, type Sealing } from '../secrets/sealing.ts';
import { createSigning, type Signing } from '../secrets/signing.ts';
import type { Config } from '../settings/config.ts';
import { createRedisFleetState } from '../store/redis/redis-fleet-state.ts';
import { openSecretRing } from '../store/secret-keys/secret-key.ts';
import type { Store } from '../store/store.ts';
import { createEgress } from '../upstream/egress/fetch-from-caller.ts';
import { isPublicAddress } from '../upstream/egress/public-address.ts';
import type { EgressRoutes } from '../upstream/egress-routes.ts';
import { fetchBy } from '../upstream/from-response.ts';
import { ExportedLines } from './build-telemetry.ts';
import type { WallClock } from './clock/wall-clock.ts';
import { type LogOutput, openLogOutput, standardError } from './log-output.ts';
import type { Gateway } from './running-gateway.ts';
import { secretSources } from './store-parts.ts';

export async function withLocalServers(config: Config, egressRoutes: EgressRoutes): Promise<Config> {
  if (!config.discovery.local) return config;
  const { transport } = egressRoutes.of({ proxy: 'none' });
  return addLocalProviders(
    config,
    await findLocalServers({ presets, fetch: (url, options) => fetchBy(transport, url, options) }),
  );
}

const olderKeysIn = ({ secretKeyOld }: Config): readonly string[] => secretKeyOld?.split(/,\s*/) ?? [];

/** What no log line may hold. */
export function secretsIn(config: Config): readonly string[] {
  const secrets = config.providers.flatMap(({ keys }) => keys.flatMap(({ value }) => secretPartsOf(value)));
  for (const secret of [config.secretKey, config.adminPassword, config.firstToken, ...olderKeysIn(config)])
    if (secret !== undefined) secrets.push(secret);
  for (const { clientSecret } of config.signIn.issuers) if (clientSecret !== undefined) secrets.push(clientSecret);
  for (const value of Object.values(config.telemetry?.headers ?? {})) secrets.push(value, ...value.split(/\s+/));
  const proxies = [config.egress.proxy.http, config.egress.proxy.https, ...config.providers.map(({ proxy }) => proxy)];
  for (const address of [...proxies, ...config.priceTables.places]) secrets.push(...passwordsIn(address ?? ''));
  return secrets;
}

interface OpenedLog {
  readonly log: LogOutput;
  readonly logger: LearningLogger;
  readonly exportedLines: ExportedLines;
}

/** The supervisor of several workers writes their lines too. */
export function openLog(config: Config, isWorker: boolean, wallMs: () => number): OpenedLog {
  const log = isWorker ? standardError : openLogOutput(config.log);
  const exportedLines = new ExportedLines(config);
  const logger = createLogger({
    format: config.log.format,
    get level() {
      return config.log.level;
    },
    secrets: secretsIn(config),
    nowMs: wallMs,
    write: (line) => log.write(line),
    onLine: exportedLines.onLine,
  });
  return { log, logger: countOutageLines(logger), exportedLines };
}

/** Those that can be called, for the banner. */
export function shownProviders(live: LiveConfiguration, catalogue: Catalogue): ReturnType<Gateway['providers']> {
  return live.merged.providers
    .filter(({ name }) => live.provider(name) !== undefined)
    .map(({ name, originText: origin }) => ({ name, origin, models: catalogue.listed(name)?.length }));
}

interface SharingParts {
  readonly config: Config;
  readonly store: Pick<Store, 'several' | 'fleetState'>;
  readonly catalogue: Catalogue;
  readonly keys: KeyRing;
  nowMs(): number;
  wallMs(): number;
}

/**
 * Shares the state of targets and keys between replicas: through Redis where it is configured, even while it is
 * unavailable, else through the database. A single process on SQLite is alone.
 */
export function shareStateOf({ config, store, ...parts }: SharingParts): () => void {
  const { redisUrl, clocks } = config;
  if (redisUrl === undefined) {
    return store.several ? shareRouting({ ...parts, state: store.fleetState }) : () => {};
  }
  const state = createRedisFleetState({ url: redisUrl, timeoutMs: clocks.redisTimeoutMs });
  const stop = shareRouting({ ...parts, state });
  return () => {
    stop();
    state.close();
  };
}

const firstTerms = { name: 'first token' } as const;

/** A value that begins like a token of Weir must be a valid one: a truncated or mistyped token could never be used. */
export async function ensureFirstToken(admin: TokenAdmin, secret: string): Promise<void> {
  try {
    await admin.ensure(secret, firstTerms);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const variable = 'WEIR_FIRST_TOKEN';
    throw new ConfigError([{ key: variable, source: variable, found: 'a damaged token', allowed: error.message }]);
  }
}

/**
 * Creates a token on the very first start, once the port is open: it is shown once, and a failed start shows nothing.
 */
export async function makeFirstToken(admin: TokenAdmin): Promise<string | undefined> {
  if ((await admin.list({ limit: 1 })).length > 0) return undefined;
  return (await admin.create(firstTerms)).secret;
}

export interface Secrets {
  readonly ring: SecretRing;
  readonly tokenDigests: Digests;
  readonly keptReplies: Sealing;
  readonly requestContents: Sealing;
  readonly replicaContents: Sealing;
  readonly resultAddresses: Signing;
  keysFor(purpose: Purpose): PurposeKeys;
}

/** Refuses keys of another database before anything is built on them. */
export async function openSecrets(config: Config, { settings }: Store, { warn }: Logger): Promise<Secrets> {
  const ring = await openSecretRing({ ...secretSources(config), settings, warn });
  const keysFor = (purpose: Purpose): PurposeKeys => ring.purpose(purpose);
  return {
    ring,
    keysFor,
    tokenDigests: createDigests(keysFor(purposes.tokenDigests)),
    keptReplies: createSealing(keysFor(purposes.keptReplies)),
    requestContents: createSealing(keysFor(purposes.requestContents)),
    replicaContents: createSealing(keysFor(purposes.replicaContents)),
    resultAddresses: createSigning(keysFor(purposes.resultAddresses)),
  };
}

/** Follows changes of the key file; what could not be opened before is tried again with the new keys. */
export function keyFollower(secrets: SecretRing, reload: () => Promise<void>): () => Promise<void> {
  let seen = secrets.keys;
  return async () => {
    await secrets.refresh();
    if (secrets.keys === seen) return;
    seen = secrets.keys;
    await reload();
  };
}

export async function storeFault(store: Pick<Store, 'ping'>): Promise<string | undefined> {
  try {
    await store.ping();
    return undefined;
  } catch {
    return 'the database does not answer or cannot write';
  }
}

export function factsOf(model: ServedModel, pricing: Pricing, createdAtMs: number, nowMs: number): ModelFacts {
  const [target] = model.targets;
  const note = target?.provider.notes.get(target.model);
  const operator = target && operatorProfile(target.provider, target.model);
  const listed = target && pricing.modalitiesOf(target);
  const { deprecatedAt, shutdownAt } = (target && pricing.retirementOf(target)) ?? {};
  return {
    id: model.id,
    createdAtMs,
    providers: [...new Set(model.targets.map(({ provider }) => provider.name))],
    contextTokens: note?.contextTokens ?? (target && pricing.contextTokensOf(target)),
    outputTokensMax: target && pricing.outputTokensOf(target),
    temperatureMax: target?.profile?.temperatureMax,
    inputModalities: note?.inputModalities ?? shown(operator?.input, listed?.inputModalities, target?.profile?.input),
    outputModalities:
      note?.outputModalities ?? shown(operator?.output, listed?.outputModalities, target?.profile?.output),
    operations: [...new Set(model.targets.flatMap((each) => operationsOf(each)))],
    parameters: parametersOf(model.targets, nowMs),
    description: note?.description,
    deprecatedAt,
    shutdownAt,
    pricing: target && pricing.shownPrice(target),
  };
}

/** The operator's value first, then that of the provider's list and of price tables, then the family's. */
function shown(
  operator: readonly Modality[] | undefined,
  listed: readonly string[] | undefined,
  family: readonly Modality[] | undefined,
): readonly string[] | undefined {
  return (operator && wordsOf(operator)) ?? listed ?? (family && wordsOf(family));
}

/** Models that tokens still use and that will be shut down. */
export function endingsIn({ store, catalogue, pricing, nowMs }: EndingParts): EndingModels {
  const tokenName = async (id: string): Promise<string | undefined> => (await store.tokens.byId(id))?.terms.name;
  return createEndingModels({ catalogue, pricing, analytics: store.analytics, tokenName, nowMs });
}

interface EndingParts {
  nowMs(): number;
  readonly store: Pick<Store, 'analytics' | 'tokens'>;
  readonly catalogue: Catalogue;
  readonly pricing: Pricing;
}

export function bodiesOf(
  { limits, clocks }: Config,
  { bodyBytesMax }: Pick<MemoryLimits, 'bodyBytesMax'>,
  deadlines: Deadlines,
  slices: Slices,
): Bodies {
  const memory = new BodyMemory({ ...limits, bodyMemoryBytesMax: bodyBytesMax });
  return new Bodies({ limits, timeoutMs: clocks.clientBodyTimeoutMs, deadlines, memory, slices });
}

/** Which hosts the console accepts, and which callers may read the metrics without a token. */
export function hostRulesOf({ server }: Config): HostRules {
  const knowsHost = knownHosts(server);
  const isBehindProxy = server.publicUrl !== undefined || server.trustedProxies.length > 0;
  return {
    knowsHost,
    metricsOpen: (exchange) => !isBehindProxy && exchange.isLocal() && knowsHost(exchange.request.headers.get('host')),
  };
}

interface HostRules {
  readonly knowsHost: KnowsHost;
  metricsOpen(exchange: Exchange): boolean;
}

/** The background pass that sums usage. */
export function rollupsOf(
  config: Config,
  store: Store,
  { warn }: Logger,
  { settledMs: nowMs, wallMs }: Pick<WallClock, 'settledMs' | 'wallMs'>,
): ReturnType<typeof createRollups> {
  return createRollups({
    store: store.analytics.rollup,
    ...{ nowMs, wallMs },
    get retentionDays() {
      return config.usage.retentionDays;
    },
    get rowsMax() {
      return config.usage.rowsMax;
    },
    onFault: (cause) => warn('Usage could not be summed; the next pass tries again.', { cause }),
  });
}

export function shownHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

/** The session cookie is `Secure` over TLS, which the public URL or a trusted proxy's header shows. */
export function consoleCookies(publicUrl: string | undefined): (exchange: Pick<Exchange, 'isSecure'>) => CookieJar {
  const plain = sessionCookie('weir_session', false);
  const secure = sessionCookie('weir_session', true);
  const always = publicUrl?.startsWith('https:') === true;
  return (exchange) => (always || exchange.isSecure() ? secure : plain);
}

/** The caller's address; warns once if an untrusted proxy forwards requests. */
export function addressWithProxyWarning(isTrustedProxy: AddressMatcher, warn: Logger['warn']) {
  let warned = false;
  return (peer: string, forwardedFor: string | null): string => {
    if (forwardedFor !== null && !warned && !isTrustedProxy(peer)) {
      warned = true;
      const message =
        'A proxy that is not in server.trusted_proxies forwards requests: all its callers count as one address, and the console’s cookie is not marked Secure unless server.public_url is https.';
      warn(message, { proxy: peer });
    }
    return clientAddress(peer, forwardedFor, isTrustedProxy);
  };
}

export function consoleFilesOf({ warn }: Logger, nowMs: () => number): ConsoleFiles {
  const isWatched = process.stdout.isTTY === true;
  return createConsoleFiles({ project: projectFolder, isWatched, nowMs, warn });
}

/**
 * Repeats each job; a failure is logged by the job's name and the job tried again. Returns a function that stops it.
 */
export function repeat(
  everyMs: number,
  warn: Logger['warn'],
  jobs: Readonly<Record<string, () => Promise<unknown>>>,
): () => void {
  const timer = setInterval(() => {
    for (const [fault, work] of Object.entries(jobs)) work().catch((cause: unknown) => warn(fault, { cause }));
  }, everyMs);
  return () => clearInterval(timer);
}

/** For URLs that callers name. Never through a proxy: it would resolve the name itself, and the address could not be checked. */
export function egressOf({ egress }: Config): ReturnType<typeof createEgress> {
  const isAllowedNetwork = compileNetworks(egress.allowedNetworks);
  return createEgress({
    ca: egress.ca,
    admitsAddress: (address) => isPublicAddress(address) || isAllowedNetwork(address),
  });
}

/** Ids in replies: their mark tells them from those that providers make. */
export const newId = (prefix: string): string => ownId(prefix, Bun.randomUUIDv7('hex').replaceAll('-', ''));
