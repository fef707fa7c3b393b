/** The composition root of a serving Weir: builds every object once, in the order of a request's path, and hands them down. */

import { join } from 'node:path';
import { compileNetworks } from '../access/address.ts';
import { TokenWatch } from '../access/token-watch.ts';
import { buildAdmin } from '../admin/build-admin.ts';
import { buildConfigurationAdmin } from '../admin/configuration/build-configuration-admin.ts';
import { createGatewayState } from '../admin/configuration/gateway-state.ts';
import { setUpAddress } from '../admin/contracts/contract.ts';
import { buildAlerts } from '../alerts/build-alerts.ts';
import { createAudioEncoder } from '../audio/encode-audio.ts';
import { createLiveSettings } from '../config/live-settings.ts';
import { buildConfiguration } from '../configuration/build-configuration.ts';
import { createExplain } from '../endpoints/admin/explain.ts';
import { createAdmit } from '../endpoints/admit.ts';
import { routeList, writeUnknown } from '../endpoints/route-list.ts';
import { formats } from '../formats/all.ts';
import type { ModelFacts } from '../formats/model-facts.ts';
import { otherPath } from '../formats/other-paths.ts';
import { Deadlines } from '../http/deadlines.ts';
import { Slices } from '../http/json/in-slices.ts';
import { listen } from '../http/listener.ts';
import { sweepSpool } from '../http/multipart/spool-file.ts';
import { UploadMemory } from '../http/multipart/upload-memory.ts';
import { socketOptionsOf } from '../http/socket-options.ts';
import { createTokenCounter } from '../ledger/count-tokens.ts';
import { Metrics } from '../observe/metrics.ts';
import { shareConditions } from '../observe/share-conditions.ts';
import { providerWire } from '../operations/wires.ts';
import { createAuthorizer } from '../providers/sign/authorize.ts';
import { buildLive } from '../realtime/build-live.ts';
import { RetryBudget } from '../relay/attempts/retry-budget.ts';
import { RunningAttempts } from '../relay/attempts/running-attempts.ts';
import { createCountInput } from '../relay/count-input.ts';
import { connectionMemoryBytesMax } from '../relay/memory/connection-memory.ts';
import { createReplyLookUp } from '../relay/memory/look-up-reply.ts';
import { createGate } from '../relay/moderation-gate/gate.ts';
import { defaultModelOf } from '../relay/operations/default-model.ts';
import { createOperator } from '../relay/operations/operate.ts';
import { Refusals } from '../relay/refusals/refusals.ts';
import { createRelay } from '../relay/relay.ts';
import type { RelayParts } from '../relay/relay-parts.ts';
import { MovedConversations } from '../routing/affinity.ts';
import type { ServedModel } from '../routing/catalogue.ts';
import { sandboxProvider } from '../sandbox/provider.ts';
import { purposes } from '../secrets/purposes.ts';
import type { Config } from '../settings/config.ts';
import { storeOver } from '../store/open-store.ts';
import type { Driver } from '../store/sql/driver.ts';
import { buildTasks } from '../tasks/build-tasks.ts';
import { createEgressRoutes } from '../upstream/egress-routes.ts';
import type { WorkerLink } from '../workers/worker-link.ts';
import { buildAccess } from './build-access.ts';
import { backgroundOf } from './build-background.ts';
import { buildHealth } from './build-health.ts';
import { leaveStore, ledgerOf } from './build-ledger.ts';
import { limiterOf } from './build-limits.ts';
import { buildReload } from './build-reload.ts';
import { buildReplicas } from './build-replicas.ts';
import { buildTelemetry } from './build-telemetry.ts';
import { startClock } from './clock/start-clock.ts';
import { memoriesOf } from './gateway-memories.ts';
import {
  addressWithProxyWarning,
  bodiesOf,
  consoleCookies,
  consoleFilesOf,
  egressOf,
  endingsIn,
  ensureFirstToken,
  factsOf,
  hostRulesOf,
  makeFirstToken,
  newId,
  openLog,
  openSecrets,
  shareStateOf,
  shownHost,
  shownProviders,
  storeFault,
  withLocalServers,
} from './gateway-pieces.ts';
import { ownTokenParts } from './own-token-parts.ts';
import { clocksWithin, memoryOf, sheddingOf } from './process-memory.ts';
import type { Gateway } from './running-gateway.ts';
import { startTimers } from './start-timers.ts';
import { tokenAdminOf } from './store-parts.ts';
import { version } from './version.ts';

/** How long replies that are settled may take to leave the process at shutdown. */
const lastBytesMs = 1_000;

/** Over the opened database; `link` where this process is one of several workers. */
export async function buildGateway(given: Config, driver: Driver, link?: WorkerLink): Promise<Gateway> {
  const nowMs = (): number => performance.now();
  const memory = memoryOf(given, link?.processes ?? 1, nowMs);
  const egressRoutes = createEgressRoutes({ ...memory, ...given.clocks, egress: given.egress });
  const known = await withLocalServers(given, egressRoutes);
  const { clock, conditions } = await startClock(driver);
  const { wallMs } = clock;
  const store = storeOver(driver, wallMs);
  const settings = createLiveSettings(known);
  const { config } = settings;
  const { log, logger, exportedLines } = openLog(config, link !== undefined, wallMs);
  conditions.tell(logger);
  const secrets = await openSecrets(config, store, logger);
  const ledger = ledgerOf(config, store, logger, conditions, wallMs);
  await ledger.start();
  for (const notice of store.notices()) logger.error(notice);
  const configuration = await buildConfiguration({
    config,
    sandbox: config.sandbox.enabled ? sandboxProvider(config.sandbox) : undefined,
    store,
    egressRoutes,
    sealingKeys: secrets.keysFor(purposes.consoleConfiguration),
    hide: logger.hide,
    warn: logger.warn,
    nowMs: wallMs,
  });
  const { live, catalogue, keys, prices, pricing, tables, refresh } = configuration;
  const reload = buildReload({ given, known, settings, live, logger, isWorker: link !== undefined });

  const accessParts = { config, store, digests: secrets.tokenDigests, egressRoutes, warn: logger.warn, wallMs };
  const { authenticator, endUsers } = buildAccess(accessParts, () => tokens.changed());
  const limiter = await limiterOf({ config, conditions, logger, nowMs, link });
  const metrics = new Metrics({ version, startedAtMs: performance.timeOrigin });
  const { instanceId } = store;
  const telemetry = buildTelemetry({ config, instanceId, egressRoutes, logger, metrics, nowMs, wallMs }, exportedLines);
  const { tracing } = telemetry;
  const health = buildHealth({ store, live, catalogue, keys, metrics, conditions, warn: logger.warn, nowMs, wallMs });
  const counter = createTokenCounter();
  const replicas = buildReplicas({ config, store, secrets, logger, livedSince: ledger.livedSince, clock });
  const { ownedIds, keptReplies, contents } = memoriesOf(config, store, secrets, logger, clock);
  const deadlines = new Deadlines(nowMs);
  const slices = new Slices({ nowMs });
  const clocks = clocksWithin(memory, config.clocks);
  const running = new RunningAttempts(deadlines, { limits: config.limits, clocks });
  const [{ standingOf }, { warn }] = [authenticator, logger];
  const tokens = new TokenWatch({ standingOf, running: () => running.uses(), nowMs, wallMs, warn });
  const retries = new RetryBudget(config.routing);
  const observe: RelayParts['observe'] = (seen) => metrics.observe(seen);
  const refusals = new Refusals({ ledger, nowMs, wallMs, observe, tracing, info: logger.info });
  const relayParts: RelayParts = {
    formats,
    authorizer: createAuthorizer({ nowMs: wallMs }),
    ...{ sealMemo: replicas.sealMemo, itemMemo: replicas.itemMemo },
    catalogue,
    keys,
    retries,
    moved: new MovedConversations(),
    routing: config.routing,
    ledger,
    refusals,
    limiter,
    endUsers,
    naming: config.usage,
    idempotency: replicas.idempotency,
    keptReplies,
    ownedIds,
    contents,
    limits: config.limits,
    replyRoom: memory.replyRoom,
    clocks,
    deadlines,
    slices,
    running,
    tokens,
    gateFor: (caller, model) => gate.openFor(caller, model),
    pricesReady: pricing.ready,
    priceOf: pricing.priceOf,
    knowsModel: prices.knows,
    contextTokensOf: pricing.contextTokensOf,
    priceTables: config.priceTables,
    outputTokensOf: pricing.outputTokensOf,
    outputBoundOf: pricing.outputBoundOf,
    retirementOf: pricing.retirementOf,
    budgetOf: store.budgets.read,
    countTokens: (text) => counter.count(text),
    ...{ nowMs, wallMs, newId, random: Math.random },
    warn: logger.warn,
    observe,
    tracing,
    attempted: health.attempted,
  };
  const spoolFolder = join(config.server.dataFolder, 'uploads');
  await sweepSpool(spoolFolder);
  let publicBase = '';
  const egress = egressOf(config);
  const operator = createOperator({
    ...relayParts,
    egress,
    encodeAudio: createAudioEncoder(),
    wireOf: providerWire,
    defaultModel: (operation) => defaultModelOf(catalogue, operation),
    keepResult(tokenId, data, mediaType) {
      const { address, kept } = replicas.images.keep(tokenId, Buffer.from(data, 'base64'), mediaType);
      return { url: `${publicBase}/v1/results/${address}`, kept };
    },
  });
  const tasks = buildTasks({
    relay: relayParts,
    config: config.tasks,
    store: store.tasks,
    results: replicas.videos,
    egress,
    addressKeys: secrets.keysFor(purposes.taskAddresses),
    callbackKeys: secrets.keysFor(purposes.taskCallbacks),
    baseUrl: () => publicBase,
    isPublic: config.server.publicUrl !== undefined,
  });
  const gate = createGate({ operator, ofModels: configuration.moderation, nowMs, warn: logger.warn });
  const relay = createRelay({ ...relayParts, follow: tasks.follow });
  const newRequestId = (): string => `req_${Bun.randomUUIDv7('base64url')}`;
  const realtime = buildLive({
    parts: { ...relayParts, newRequestId },
    config: config.realtime,
    table: store.clientSecrets,
    authenticator,
    keysFor: secrets.keysFor,
  });

  const admin = tokenAdminOf(store, config, secrets.tokenDigests, wallMs);
  // Before the port opens: the operator's token works from the first request.
  if (config.firstToken !== undefined) await ensureFirstToken(admin, config.firstToken);
  const adminParts = { ...relayParts, keysFor: secrets.keysFor, egressRoutes };
  const people = buildAdmin({ ...adminParts, store, settings, contents, tokenAdmin: admin, nowMs: wallMs });
  await people.start();
  const endings = endingsIn({ store, catalogue, pricing, nowMs: wallMs });
  const alerts = buildAlerts({
    ...people,
    ...health,
    ...adminParts,
    config,
    store,
    egress,
    endings,
    logger,
    clock,
  });
  let stopping = false;
  const isTrustedProxy = compileNetworks(config.server.trustedProxies);
  const startedAtMs = wallMs();
  const knowledgeOf = (model: ServedModel): ModelFacts => factsOf(model, pricing, startedAtMs, nowMs());
  const report = logger.error;
  const listener = listen({
    host: config.server.host,
    port: link?.port ?? config.server.port,
    reusePort: link !== undefined,
    routes: routeList({
      admit: createAdmit(authenticator, limiter),
      relay,
      report,
      bodies: bodiesOf(config, memory, deadlines, slices),
      bodyBytesMax: config.limits.jsonBodyBytesMax,
      operator,
      formBytesMax: config.limits.multipartBodyBytesMax,
      spool: { folder: spoolFolder, memory: new UploadMemory() },
      findResult: (id, query) => replicas.images.find(id, query),
      standingOf,
      tokens,
      ...tasks,
      live: realtime.live,
      countInput: createCountInput(relayParts),
      lookUp: createReplyLookUp(relayParts),
      refusals,
      eventBytesMax: config.limits.streamEventBytesMax,
      clocks,
      socketMemory: { freeBytes: connectionMemoryBytesMax },
      newRequestId,
      nowMs,
      deadlines,
      catalogue,
      ...ownTokenParts(store, limiter, secrets.tokenDigests, wallMs),
      factsOf: knowledgeOf,
      metrics: { text: link?.metrics ?? telemetry.metricsText },
      configurationFault: () => reload.fault,
      notReady: async () => (stopping ? 'shutting down' : storeFault(store)),
      conditions: () => conditions.all,
      ...hostRulesOf(config),
      publicUrl: config.server.publicUrl,
      home: config.home,
      version,
      consoleFiles: consoleFilesOf(logger, nowMs),
      console: {
        admin: people,
        videos: tasks.taskService,
        state: createGatewayState({ catalogue, knowledgeOf, health: health.reader }),
        endings,
        alerts,
        configuration: buildConfigurationAdmin({
          ...relayParts,
          ...people,
          configuration,
          store,
          egressRoutes,
          knowledgeOf,
          health: health.reader,
        }),
        explain: createExplain({ relay, operator, order: tasks.order, limits: config.limits }),
        cookieOf: consoleCookies(config.server.publicUrl),
        ...hostRulesOf(config),
        publicUrl: config.server.publicUrl,
        report,
        deadlines,
        bodyTimeoutMs: config.clocks.clientBodyTimeoutMs,
      },
    }),
    otherPath,
    writeUnknown: (error, exchange) => writeUnknown(error, exchange, report),
    bodyTimeoutMs: config.clocks.clientBodyTimeoutMs,
    limits: config.limits,
    streaming: () => running.size,
    memoryIsShort: () => memory.guard.isShort,
    unreadMs: () => Math.min(config.clocks.clientBodyTimeoutMs, clocks.clientStallTimeoutMs),
    messageBytesMax: config.limits.jsonBodyBytesMax,
    // Room for a whole event besides what is already buffered.
    backlogBytesMax: 2 * config.limits.streamEventBytesMax + config.limits.jsonBodyBytesMax,
    newRequestId,
    nowMs,
    clientAddress: addressWithProxyWarning(isTrustedProxy, logger.warn),
    isTrustedProxy,
    onRefused: (error, exchange) => refusals.record(exchange, error),
    onAnswer: (status) => metrics.answered(status),
  });
  memory.guard.relieveBy(sheddingOf(listener, logger.warn, nowMs));
  const socketOptions = socketOptionsOf(listener.port);
  const setSocketOptions = (): void => socketOptions?.setStallTimeout(config.clocks.clientStallTimeoutMs);
  setSocketOptions();
  publicBase = config.server.publicUrl ?? `http://${shownHost(config.server.host)}:${listener.port}`;
  tasks.start();
  metrics.setGauges(health.gauges({ listener, running, retries, limiter, ledger, reload }));
  const stopSharing = shareStateOf({ config, store, catalogue, keys, nowMs, wallMs });

  const stopTimers = startTimers({
    ...{ authenticator, refusals, tokens, live, link, reload, tables, people, tasks, realtime, replicas, ownedIds },
    ...{ keptReplies, contents, health, warn, setSocketOptions, ring: secrets.ring },
  });
  const background = backgroundOf(config, store, logger, alerts, clock);
  background.start();
  const sharing = shareConditions({ conditions, state: store.fleetState, instanceId });
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
    providers: () => shownProviders(live, catalogue),
    modelCount: () => catalogue.served().length,
    prices: () => tables.summary(),
    instanceId,
    metrics: telemetry.metricsText,
    async reload() {
      await log.reopen();
      await reload.reload();
    },
    endInstance: ledger.endInstance,
    async stop() {
      stopping = true;
      listener.leave();
      // Load balancers see that this replica is not ready, and requests are served until they have seen it.
      if (config.clocks.drainDelayMs > 0) await Bun.sleep(config.clocks.drainDelayMs);
      const untilMs = nowMs() + config.clocks.drainMs;
      listener.drain();
      await running.drain(config.clocks.drainMs, () => listener.inFlight);
      await Promise.race([listener.stop(false), Bun.sleep(lastBytesMs)]);
      await listener.stop(true);
      await tasks.stop();
      await limiter.finish?.();
      stopTimers();
      replicas.stop();
      stopSharing();
      await tables.stop();
      await telemetry.stop(untilMs - nowMs());
      egress.close();
      egressRoutes.close();
      refresh.stop();
      counter.stop();
      await background.stop();
      refusals.flush(true);
      await ownedIds.flush();
      await health.stop();
      await sharing.stop();
      clock.stop();
      memory.guard.stop();
      await leaveStore(ledger, store, untilMs - nowMs());
      await log.flush();
    },
    stopAtOnce() {
      void listener.stop(true);
    },
  };
}
