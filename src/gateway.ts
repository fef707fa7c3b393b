/** The composition root of a serving Weir: builds every object once, in the order of a request's path, and hands them down. */

import { join } from 'node:path';
import { clientAddress, compileNetworks } from './access/address.ts';
import { createAuthenticator } from './access/authenticate.ts';
import type { Limiter } from './access/limits.ts';
import { createMemoryLimiter } from './access/memory-limiter.ts';
import { tokenTable } from './admin/store-tables.ts';
import type { TokenAdmin } from './admin/tokens.ts';
import { storeOptions, tokenAdminOf } from './cli/store-commands.ts';
import { addLocalProviders } from './config/add-local-providers.ts';
import type { Config } from './config/config.ts';
import { usesProxy } from './config/load-process-config.ts';
import { createAdmit } from './endpoints/admit.ts';
import { routeList, writeUnknown } from './endpoints/route-list.ts';
import { formats } from './formats/all.ts';
import type { ModelFacts } from './formats/model-facts.ts';
import { Deadlines } from './http/deadlines.ts';
import { listen } from './http/listener.ts';
import { sweepSpool } from './http/multipart/spool-file.ts';
import { createTokenCounter } from './ledger/count-tokens.ts';
import { openLedger } from './ledger/open-ledger.ts';
import { createPrices } from './ledger/prices.ts';
import { createLogger, type Logger } from './observe/logger.ts';
import { Metrics } from './observe/metrics.ts';
import { tidyMemory } from './observe/tidy-memory.ts';
import { providerWire } from './operations/wires.ts';
import { secretPartsOf } from './providers/key-forms.ts';
import { presets } from './providers/presets.ts';
import { buildLive } from './realtime/build-live.ts';
import type { RelayParts } from './relay/call.ts';
import { connectionMemoryBytesMax } from './relay/connection-memory.ts';
import { createCountInput } from './relay/count-input.ts';
import { IdempotentReplies } from './relay/idempotency.ts';
import { KeptReplies } from './relay/kept-replies.ts';
import { createReplyLookUp } from './relay/look-up-reply.ts';
import { createGate } from './relay/moderation-gate/gate.ts';
import { defaultModelOf } from './relay/operations/default-model.ts';
import { createOperator } from './relay/operations/operate.ts';
import { createRelay } from './relay/relay.ts';
import { RunningAttempts } from './relay/running-attempts.ts';
import { createSealMemo } from './relay/seal-memo.ts';
import { buildRouting, createPricing } from './routing/build.ts';
import type { ServedModel } from './routing/catalogue.ts';
import { KeyRing } from './routing/keys.ts';
import { operationsOf } from './routing/model-operations.ts';
import { createRefresh } from './routing/refresh.ts';
import { BucketResults } from './store/bucket-results.ts';
import { FolderResults } from './store/folder-results.ts';
import { createRedisLimiter } from './store/redis-limits.ts';
import { ResultFiles } from './store/result-files.ts';
import type { ResultStore } from './store/result-store.ts';
import { derive, loadSecretKey, verifySecretKey } from './store/secret-key.ts';
import { openStore, type Store } from './store/store.ts';
import { buildTasks } from './tasks/build-tasks.ts';
import { createEgress } from './upstream/egress/fetch-from-caller.ts';
import { isPublicAddress } from './upstream/egress/public-address.ts';
import { fetchModels } from './upstream/fetch-models.ts';
import { findLocalServers } from './upstream/find-local.ts';
import { createHttpTransport } from './upstream/http1/http-transport.ts';
import { network } from './upstream/network.ts';
import { createAuthorizer } from './upstream/sign/authorize.ts';
import { createSocketTransport } from './upstream/websocket/websocket-transport.ts';

export interface Gateway {
  /** With `/v1`. */
  readonly baseUrl: string;
  readonly storeName: string;
  readonly firstToken: string | undefined;
  readonly sampleModel: string | undefined;
  providers(): readonly { readonly name: string; readonly origin: string; readonly models: number | undefined }[];
  modelCount(): number;
  /** Not ready at once, streams run out, money is written, the port is closed. */
  stop(): Promise<void>;
  stopAtOnce(): void;
}

/** How often other processes' changes of tokens are looked for; a revocation acts within a second. */
const revisionPollMs = 400;
/** How long replies that are settled may take to leave the process at shutdown. */
const lastBytesMs = 1_000;
const forgetEveryMs = 60 * 60 * 1_000;
/** As long as the official service keeps what it made. */
const resultLifetimeMs = 60 * 60 * 1_000;
const dayMs = 24 * 60 * 60 * 1_000;

export async function buildGateway(given: Config): Promise<Gateway> {
  const [config, store] = await Promise.all([withLocalServers(given), openStore(storeOptions(given))]);
  const logger = loggerOf(config);
  const nowMs = (): number => performance.now();
  const { key: secretKey } = await loadSecretKey({
    dataFolder: config.server.dataFolder,
    fromConfig: config.secretKey,
  });
  await verifySecretKey(store.settings, secretKey);
  const ledger = openLedger({
    store,
    nowMs: Date.now,
    onFault: (what, cause) => logger.error(`The ledger could not ${what}; it tries again.`, { cause }),
  });
  await ledger.start();

  const transport = usesProxy() ? network : createHttpTransport({ connectTimeoutMs: config.clocks.connectTimeoutMs });
  const sockets = createSocketTransport({ connectTimeoutMs: config.clocks.connectTimeoutMs });
  const { catalogue, origins } = buildRouting(config, transport, sockets);
  const prices = createPrices({ overrides: config.prices });
  const pricing = createPricing(prices);
  const refresh = createRefresh({
    catalogue,
    store: store.providerModels,
    refreshMs: config.clocks.modelRefreshMs,
    fetch: (provider) => fetchModels(provider, provider.keys[0] ?? { id: 'none', value: '' }),
    nowMs: Date.now,
    warn: logger.warn,
  });
  await refresh.recall();

  const authenticator = createAuthenticator({
    tokens: tokenTable(store),
    digestKey: derive(secretKey, 'token-digest'),
    nowMs: Date.now,
  });
  const limiter = limiterOf(config, logger);
  const metrics = new Metrics();
  const counter = createTokenCounter();
  const idempotency = new IdempotentReplies(store.idempotency, Date.now);
  const keptReplies = new KeptReplies({
    table: store.keptReplies,
    key: derive(secretKey, 'kept-replies'),
    storesContent: config.contentStorage.responses,
    lifetimeMs: config.contentStorage.responseDays * dayMs,
    wallMs: Date.now,
    warn: logger.warn,
  });
  const deadlines = new Deadlines(nowMs);
  const running = new RunningAttempts(deadlines);
  const relayParts: RelayParts = {
    formats,
    authorizer: createAuthorizer({ transport, nowMs: Date.now }),
    sealMemo: createSealMemo(Date.now),
    catalogue,
    keys: new KeyRing(),
    ledger,
    limiter,
    idempotency,
    keptReplies,
    limits: config.limits,
    clocks: config.clocks,
    deadlines,
    running,
    pricesReady: pricing.ready,
    priceOf: pricing.priceOf,
    contextTokensOf: pricing.contextTokensOf,
    countTokens: (text) => counter.count(text),
    nowMs,
    wallMs: Date.now,
    random: Math.random,
    newId: (prefix) => prefix + Bun.randomUUIDv7('hex').replaceAll('-', ''),
    warn: logger.warn,
    observe: (seen) => metrics.observe(seen),
  };
  const results = new ResultFiles({
    folder: join(config.server.dataFolder, 'results'),
    key: derive(secretKey, 'result-address'),
    lifetimeMs: resultLifetimeMs,
    bytesMax: config.limits.replyBytesMax,
    wallMs: Date.now,
    onFault: (message, cause) => logger.error(message, { cause }),
  });
  const spoolFolder = join(config.server.dataFolder, 'uploads');
  await sweepSpool(spoolFolder);
  let publicBase = '';
  const isAllowedNetwork = compileNetworks(config.egress.allowedNetworks);
  const egress = createEgress({
    admitsAddress: (address) => isPublicAddress(address) || isAllowedNetwork(address),
  });
  const operator = createOperator({
    ...relayParts,
    egress,
    wireOf: providerWire,
    defaultModel: (operation) => defaultModelOf(catalogue, operation),
    keepResult: (data, mediaType) => `${publicBase}/v1/results/${results.keep(Buffer.from(data, 'base64'), mediaType)}`,
  });
  const tasks = buildTasks({
    relay: relayParts,
    config: config.tasks,
    store: store.tasks,
    results: videoResultsOf(config),
    egress,
    addressKey: derive(secretKey, 'task-address'),
    callbackKey: derive(secretKey, 'task-callback'),
    baseUrl: () => publicBase,
    isPublic: config.server.publicUrl !== undefined,
  });
  const ofModels = new Map(config.models.flatMap(({ alias, moderation }) => (moderation ? [[alias, moderation]] : [])));
  const relay = createRelay(relayParts, createGate({ operator, ofModels, nowMs, warn: logger.warn }));

  const newRequestId = (): string => `req_${Bun.randomUUIDv7('base64url')}`;
  const realtime = buildLive({
    parts: { ...relayParts, newRequestId },
    config: config.realtime,
    table: store.clientSecrets,
    authenticator,
    derive: (label) => derive(secretKey, label),
  });

  const admin = tokenAdminOf(store, config, secretKey);
  // Before the port opens: whoever set the token may use it at once.
  if (config.firstToken !== undefined) await admin.ensure(config.firstToken, firstTerms);
  let stopping = false;
  const isTrustedProxy = compileNetworks(config.server.trustedProxies);
  const startedAtMs = Date.now();
  const report = logger.error;
  const listener = listen({
    host: config.server.host,
    port: config.server.port,
    routes: routeList({
      admit: createAdmit(authenticator),
      relay,
      report,
      bodyBytesMax: config.limits.jsonBodyBytesMax,
      bodyTimeoutMs: config.clocks.clientBodyTimeoutMs,
      jsonDepthMax: config.limits.jsonDepthMax,
      operator,
      formBytesMax: config.limits.multipartBodyBytesMax,
      spool: { folder: spoolFolder },
      findResult: (id, query) => results.find(id, query),
      ...tasks,
      live: realtime.live,
      countInput: createCountInput(relayParts),
      lookUp: createReplyLookUp(relayParts),
      eventBytesMax: config.limits.streamEventBytesMax,
      clientStallTimeoutMs: config.clocks.clientStallTimeoutMs,
      socketMemory: { freeBytes: connectionMemoryBytesMax },
      newRequestId,
      nowMs,
      deadlines,
      catalogue,
      factsOf: (model) => factsOf(model, pricing, startedAtMs),
      metrics,
      notReady: async () => (stopping ? 'shutting down' : storeFault(store)),
      publicUrl: config.server.publicUrl,
    }),
    writeUnknown: (error, exchange) => writeUnknown(error, exchange, report),
    bodyTimeoutMs: config.clocks.clientBodyTimeoutMs,
    concurrentRequestsMax: config.limits.concurrentRequestsMax,
    streaming: () => running.size,
    messageBytesMax: config.limits.jsonBodyBytesMax,
    // A whole event beside what waits already.
    backlogBytesMax: 2 * config.limits.streamEventBytesMax + config.limits.jsonBodyBytesMax,
    newRequestId,
    nowMs,
    clientAddress: (peer, forwardedFor) => clientAddress(peer, forwardedFor, isTrustedProxy),
    onAnswer: (status) => metrics.answered(status),
  });
  publicBase = config.server.publicUrl ?? `http://${shownHost(config.server.host)}:${listener.port}`;
  tasks.start();
  metrics.setGauges(() => ({ requestsInFlight: listener.inFlight, attemptsRunning: running.size }));

  const poll = setInterval(() => {
    authenticator
      .poll()
      .catch((cause: unknown) => logger.warn('Changes of tokens could not be looked for.', { cause }));
  }, revisionPollMs);
  const forget = setInterval(() => {
    void results.expire();
    tasks.tidy().catch((cause: unknown) => logger.warn('Results of tasks could not be tidied away.', { cause }));
    realtime.tidy().catch((cause: unknown) => logger.warn('Old client secrets could not be removed.', { cause }));
    idempotency
      .expire()
      .catch((cause: unknown) => logger.warn('Old idempotency keys could not be removed.', { cause }));
    keptReplies
      .expire()
      .catch((cause: unknown) => logger.warn('Replies that have expired could not be removed.', { cause }));
  }, forgetEveryMs);
  const stopTidying = tidyMemory();
  refresh.start();
  void prices.ready();
  const firstToken = await makeFirstToken(admin);

  return {
    baseUrl: `${publicBase}/v1`,
    storeName: store.engine === 'sqlite' ? `SQLite in ${config.server.dataFolder}` : 'PostgreSQL',
    firstToken,
    sampleModel: catalogue.served().find(({ targets }) => targets[0]?.provider.free)?.id,
    providers: () =>
      catalogue.providers.map(({ name }) => ({
        name,
        origin: origins.get(name) ?? 'built in',
        models: catalogue.listed(name)?.length,
      })),
    modelCount: () => catalogue.served().length,
    async stop() {
      stopping = true;
      listener.drain();
      // Still listening: those who ask whether to send more learn that they should not.
      await running.drain(config.clocks.drainMs);
      await Promise.race([listener.stop(false), Bun.sleep(lastBytesMs)]);
      await listener.stop(true);
      await tasks.stop();
      clearInterval(poll);
      clearInterval(forget);
      stopTidying();
      egress.close();
      refresh.stop();
      counter.stop();
      await ledger.stop();
      await store.close();
    },
    stopAtOnce() {
      void listener.stop(true);
    },
  };
}

async function withLocalServers(config: Config): Promise<Config> {
  if (!config.discovery.local) return config;
  return addLocalProviders(config, await findLocalServers({ presets, fetch: (url, options) => fetch(url, options) }));
}

function loggerOf(config: Config): Logger {
  const secrets = config.providers.flatMap(({ keys }) => keys.flatMap(({ value }) => secretPartsOf(value)));
  for (const secret of [config.secretKey, config.adminPassword, config.firstToken])
    if (secret !== undefined) secrets.push(secret);
  return createLogger({
    ...config.log,
    secrets,
    nowMs: Date.now,
    write: (line) => void process.stderr.write(`${line}\n`),
  });
}

function limiterOf(config: Config, logger: Logger): Limiter {
  if (config.redisUrl === undefined) return createMemoryLimiter({ nowMs: Date.now });
  const onChange = (available: boolean): void => {
    if (available) logger.info('Redis answers: limits are shared between replicas.');
    else logger.warn('Redis is away: each replica counts limits by itself.');
  };
  return createRedisLimiter({ url: config.redisUrl, nowMs: Date.now, onChange });
}

const firstTerms = { name: 'first token' } as const;

/** On the very first start somebody needs a token. Only once the port is ours: it is shown once, and a failed start shows nothing. */
async function makeFirstToken(admin: TokenAdmin): Promise<string | undefined> {
  if ((await admin.list({ limit: 1 })).length > 0) return undefined;
  return (await admin.create(firstTerms)).secret;
}

/** Videos outlive the process and are larger than pictures: they have a place of their own. */
function videoResultsOf({ server, results }: Config): ResultStore {
  if (results === undefined) return new FolderResults({ folder: join(server.dataFolder, 'videos') });
  const { endpoint, bucket, region, prefix, accessKey, secretKey } = results;
  return new BucketResults({
    endpoint,
    bucket,
    region,
    prefix,
    accessKeyId: accessKey,
    secretAccessKey: secretKey,
  });
}

async function storeFault(store: Store): Promise<string | undefined> {
  try {
    await store.ping();
    return undefined;
  } catch {
    return 'the database does not answer';
  }
}

function factsOf(model: ServedModel, pricing: ReturnType<typeof createPricing>, createdAtMs: number): ModelFacts {
  const [target] = model.targets;
  const note = target?.provider.notes.get(target.model);
  return {
    id: model.id,
    createdAtMs,
    providers: [...new Set(model.targets.map(({ provider }) => provider.name))],
    contextTokens: note?.contextTokens ?? (target && pricing.contextTokensOf(target)),
    inputModalities: note?.inputModalities,
    outputModalities: note?.outputModalities,
    operations: [...new Set(model.targets.flatMap((each) => operationsOf(each)))],
    description: note?.description,
    pricing: target && pricing.shownPrice(target),
  };
}

function shownHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
