/** The composition root of a serving Weir: builds every object once, in the order of a request's path, and hands them down. */

import { join } from 'node:path';
import { clientAddress, compileNetworks } from './access/address.ts';
import { createAuthenticator } from './access/authenticate.ts';
import { buildAdmin } from './admin/build-admin.ts';
import { setUpAddress } from './admin/contract.ts';
import { createGatewayState } from './admin/gateway-state.ts';
import { keyHealths, targetHealths } from './admin/health.ts';
import { tokenTable } from './admin/store-tables.ts';
import { storeOptions, tokenAdminOf } from './cli/store-commands.ts';
import type { Config } from './config/config.ts';
import { createAdmit } from './endpoints/admit.ts';
import { endpointNames, routeList, writeUnknown } from './endpoints/route-list.ts';
import { formats } from './formats/all.ts';
import {
  ensureFirstToken,
  factsOf,
  limiterOf,
  loggerOf,
  makeFirstToken,
  shareHealthOf,
  shownHost,
  storeFault,
  videoResultsOf,
  withLocalServers,
} from './gateway-pieces.ts';
import { sessionCookie } from './http/cookies.ts';
import { Deadlines } from './http/deadlines.ts';
import { listen } from './http/listener.ts';
import { sweepSpool } from './http/multipart/spool-file.ts';
import { createConsoleFiles } from './http/pages/console-files.ts';
import { createTokenCounter } from './ledger/count-tokens.ts';
import { openLedger } from './ledger/open-ledger.ts';
import { createPrices } from './ledger/prices.ts';
import { createRollups } from './ledger/rollups.ts';
import { Metrics } from './observe/metrics.ts';
import { tidyMemory } from './observe/tidy-memory.ts';
import { providerWire } from './operations/wires.ts';
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
import { RetryBudget } from './relay/retry-budget.ts';
import { RunningAttempts } from './relay/running-attempts.ts';
import { createSealMemo } from './relay/seal-memo.ts';
import { MovedConversations } from './routing/affinity.ts';
import { buildRouting, createPricing } from './routing/build.ts';
import { KeyRing } from './routing/keys.ts';
import { createRefresh } from './routing/refresh.ts';
import { ResultFiles } from './store/result-files.ts';
import { derive, loadSecretKey, verifySecretKey } from './store/secret-key.ts';
import { openStore } from './store/store.ts';
import { buildTasks } from './tasks/build-tasks.ts';
import { createEgress } from './upstream/egress/fetch-from-caller.ts';
import { isPublicAddress } from './upstream/egress/public-address.ts';
import { fetchModels } from './upstream/fetch-models.ts';
import { createAuthorizer } from './upstream/sign/authorize.ts';
import { createWaysOut } from './upstream/ways-out.ts';
import { version } from './version.ts';

export interface Gateway {
  /** With `/v1`. */
  readonly baseUrl: string;
  readonly storeName: string;
  readonly firstToken: string | undefined;
  /** Where the first person sets the console up; absent once that is done. */
  readonly setUpUrl: string | undefined;
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
  const waysOut = createWaysOut({ connectTimeoutMs: given.clocks.connectTimeoutMs, egress: given.egress });
  const [config, store] = await Promise.all([withLocalServers(given, waysOut), openStore(storeOptions(given))]);
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

  const { catalogue, origins } = buildRouting(config, waysOut);
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
  const keys = new KeyRing();
  const retries = new RetryBudget(config.routing.retryPercentMax / 100);
  const relayParts: RelayParts = {
    formats,
    authorizer: createAuthorizer({ nowMs: Date.now }),
    sealMemo: createSealMemo(Date.now),
    catalogue,
    keys,
    retries,
    moved: new MovedConversations(),
    affinityBytesMin: config.routing.affinityBytesMin,
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
    budgetOf: store.budgets.read,
    countTokens: (text) => counter.count(text),
    nowMs,
    wallMs: Date.now,
    random: Math.random,
    newId: (prefix) => prefix + Bun.randomUUIDv7('hex').replaceAll('-', ''),
    warn: logger.warn,
    observe: (seen) => metrics.observe(seen),
    attempted: (provider, verdict) => metrics.attempted(provider, verdict),
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
  // Never through a proxy: that would find the address of a name itself, and nobody could check it.
  const egress = createEgress({
    ca: config.egress.ca,
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
  if (config.firstToken !== undefined) await ensureFirstToken(admin, config.firstToken);
  const people = buildAdmin({
    store,
    config,
    tokenAdmin: admin,
    derive: (label) => derive(secretKey, label),
    playgroundEndpoints: endpointNames.filter((name) => name !== 'metrics'),
    nowMs: Date.now,
  });
  await people.start();
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
      version,
      consoleFiles: createConsoleFiles({ project: join(import.meta.dir, '..'), nowMs, warn: logger.warn }),
      console: {
        admin: people,
        state: createGatewayState({
          catalogue,
          keys,
          origins,
          settings: config.settings,
          knowledgeOf: (model) => factsOf(model, pricing, startedAtMs),
          nowMs,
        }),
        cookie: sessionCookie('weir_session', config.server.publicUrl?.startsWith('https:') === true),
        publicUrl: config.server.publicUrl,
        report,
        deadlines,
        bodyTimeoutMs: config.clocks.clientBodyTimeoutMs,
      },
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
  metrics.setGauges(() => ({
    requestsInFlight: listener.inFlight,
    attemptsRunning: running.size,
    routing: {
      targets: targetHealths(catalogue, nowMs()),
      keys: keyHealths(catalogue, keys, nowMs()),
      retriesDenied: retries.denied,
    },
  }));
  const stopSharing = shareHealthOf(config, catalogue, keys, nowMs);

  const poll = setInterval(() => {
    authenticator
      .poll()
      .catch((cause: unknown) => logger.warn('Changes of tokens could not be looked for.', { cause }));
  }, revisionPollMs);
  const forget = setInterval(() => {
    void results.expire();
    people.tidy().catch((cause: unknown) => logger.warn('Old sessions could not be removed.', { cause }));
    tasks.tidy().catch((cause: unknown) => logger.warn('Results of tasks could not be tidied away.', { cause }));
    realtime.tidy().catch((cause: unknown) => logger.warn('Old client secrets could not be removed.', { cause }));
    idempotency
      .expire()
      .catch((cause: unknown) => logger.warn('Old idempotency keys could not be removed.', { cause }));
    keptReplies
      .expire()
      .catch((cause: unknown) => logger.warn('Replies that have expired could not be removed.', { cause }));
  }, forgetEveryMs);
  const rollups = createRollups({
    store: store.analytics.rollup,
    nowMs: Date.now,
    retentionDays: config.usage.retentionDays,
    onFault: (cause) => logger.warn('Usage could not be summed; the next pass tries again.', { cause }),
  });
  rollups.start();
  const stopTidying = tidyMemory();
  refresh.start();
  void prices.ready();
  const firstToken = await makeFirstToken(admin);
  const setUpCode = await people.setUpCode();

  return {
    baseUrl: `${publicBase}/v1`,
    storeName: store.engine === 'sqlite' ? `SQLite in ${config.server.dataFolder}` : 'PostgreSQL',
    firstToken,
    setUpUrl: setUpCode === undefined ? undefined : setUpAddress(publicBase, setUpCode),
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
      stopSharing();
      egress.close();
      waysOut.close();
      refresh.stop();
      counter.stop();
      await rollups.stop();
      await ledger.stop();
      await store.close();
    },
    stopAtOnce() {
      void listener.stop(true);
    },
  };
}
