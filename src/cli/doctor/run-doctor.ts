/** Gives `weir doctor` what it looks at: the store, the providers, the folder, the key file and what the console keeps. */

import { access, constants, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EndingModelView } from '../../admin/contracts/analytics-contract.ts';
import type { ProviderHealthView } from '../../admin/contracts/health-contract.ts';
import { loadProcessConfig } from '../../config/load-process-config.ts';
import { type KeptEntries, noEntries, openEntries } from '../../configuration/kept-entries.ts';
import { readTables, shownAddress } from '../../configuration/kept-tables.ts';
import { type MergedConfiguration, mergeConfiguration } from '../../configuration/merge.ts';
import { storeOptions } from '../../gateway/store-options.ts';
import { secretSources } from '../../gateway/store-parts.ts';
import { checkCollector } from '../../observe/otlp/check-collector.ts';
import { SecretRing } from '../../secrets/key-ring.ts';
import { purposes } from '../../secrets/purposes.ts';
import { createSealing } from '../../secrets/sealing.ts';
import type { Config } from '../../settings/config.ts';
import { openStore } from '../../store/open-store.ts';
import { checkRedis } from '../../store/redis/find-redis.ts';
import { keyFilePath, loadSecrets, peekKeyOfDatabase } from '../../store/secret-keys/secret-key.ts';
import type { Store } from '../../store/store.ts';
import { createEgressRoutes } from '../../upstream/egress-routes.ts';
import { fetchBy } from '../../upstream/from-response.ts';
import { checkUnpriced } from '../prices/unpriced.ts';
import { output } from '../store-commands.ts';
import { doctor } from './doctor.ts';
import { type ConsoleFindings, checkConsole, checkSecretKey, noFindings } from './doctor-console.ts';
import { checkLeftFiles } from './doctor-folder.ts';
import { healthIn } from './doctor-health.ts';
import { endingsIn } from './doctor-models.ts';
import type { PriceFindings } from './doctor-prices.ts';
import { checkReplicas } from './doctor-replicas.ts';

export function runDoctor(args: readonly string[]): Promise<number> {
  return doctorOn(loadProcessConfig(), output.out, args);
}

/** The report for a support bundle: what providers said about requests is left out of it. */
export async function doctorText(config: Config): Promise<string> {
  let text = '';
  const write = (more: string): void => {
    text += more;
  };
  await doctorOn(config, write, [], ({ lastError, ...health }) => ({
    ...health,
    ...(lastError !== undefined && { lastError: { ...lastError, message: '' } }),
  }));
  return text;
}

async function doctorOn(
  config: Config,
  write: (text: string) => void,
  args: readonly string[],
  shown: (health: ProviderHealthView) => ProviderHealthView = (health) => health,
): Promise<number> {
  const { telemetry } = config;
  const egressRoutes = createEgressRoutes({ connectTimeoutMs: config.clocks.connectTimeoutMs, egress: config.egress });
  const keyPath = keyFilePath(config.server.dataFolder);
  const keyStat = await stat(keyPath).catch(() => undefined);
  const hasKeys = config.secretKey !== undefined || keyStat !== undefined;
  return doctor(
    {
      config,
      pingStore: () => inStore(config, pingOf),
      // Where there are no keys yet the console has kept nothing, and looking must not make a key file.
      lookAtConsole: async () => (hasKeys ? inStore(config, (store) => findingsOf(store, config)) : noFindings),
      lookAtPrices: () => inStore(config, (store) => pricesOf(store, config)),
      lookAtUnpriced: () => inStore(config, (store) => checkUnpriced(store, config, Date.now())),
      lookAtReplicas: () => inStore(config, (store) => checkReplicas(store, Date.now)),
      lookAtHealth: async () => (await healthOf(config, hasKeys)).map(shown),
      lookAtModels: () => inStore(config, (store) => modelsOf(store, config, hasKeys)),
      ...(config.redisUrl !== undefined && { checkRedis: () => checkRedis(config.redisUrl ?? '') }),
      ...(telemetry !== undefined && { askCollector: () => checkCollector(telemetry, egressRoutes.of({}).transport) }),
      fetch: (url, { provider, ...options }) => fetchBy(egressRoutes.of(provider).transport, url, options),
      tryWrite: tryWrite,
      lookAtFolder: checkLeftFiles,
      keyFile: { path: keyPath, mode: keyStat === undefined ? undefined : keyStat.mode & 0o777 },
      now: Date.now,
      write,
    },
    args,
    // Kept connections would keep the process.
  ).finally(() => egressRoutes.close());
}

const healthOf = (config: Config, hasKeys: boolean): Promise<readonly ProviderHealthView[]> =>
  inStore(config, async (store) => healthIn(store, await mergedOf(store, config, hasKeys)));

export async function inStore<Result>(config: Config, work: (store: Store) => Promise<Result>): Promise<Result> {
  const store = await openStore(storeOptions(config));
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function pingOf(store: Store) {
  await store.ping();
  const { engine, schemaVersion } = store;
  return { engine, schemaVersion, expectedSchemaVersion: schemaVersion };
}

async function findingsOf(store: Store, config: Config): Promise<ConsoleFindings> {
  const { secrets } = await loadSecrets(secretSources(config));
  const ring = new SecretRing(secrets);
  const key = await checkSecretKey(ring, () => peekKeyOfDatabase(store.settings, ring));
  const rows = await store.configuration.read();
  const kept = await openEntries(rows, createSealing(ring.purpose(purposes.consoleConfiguration)));
  const found = checkConsole(config, mergeConfiguration(config, kept), rows, ring);
  return { ...found, checks: [key, ...found.checks] };
}

async function pricesOf({ priceTables: store }: Store, { priceTables }: Config): Promise<PriceFindings> {
  const kept = await readTables({ store, addresses: priceTables.places, nowMs: Date.now });
  return { kept, fetches: await store.fetchState(), addresses: priceTables.places.map(shownAddress) };
}

async function modelsOf(store: Store, config: Config, hasKeys: boolean): Promise<readonly EndingModelView[]> {
  const { kept } = await pricesOf(store, config);
  const tables = kept.tables.map(({ table }) => table);
  return endingsIn(store, await mergedOf(store, config, hasKeys), tables);
}

async function mergedOf(store: Store, config: Config, hasKeys: boolean): Promise<MergedConfiguration> {
  return mergeConfiguration(config, hasKeys ? await entriesOf(store, config) : noEntries);
}

export async function entriesOf(store: Store, config: Config): Promise<KeptEntries> {
  const { secrets } = await loadSecrets(secretSources(config));
  const sealing = createSealing(new SecretRing(secrets).purpose(purposes.consoleConfiguration));
  return openEntries(await store.configuration.read(), sealing);
}

async function tryWrite(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await access(folder, constants.W_OK);
  const probe = join(folder, `.probe-${process.pid}`);
  await writeFile(probe, '');
  await rm(probe);
}
