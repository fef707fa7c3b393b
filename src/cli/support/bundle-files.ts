/** Collects what a support bundle holds. Each part that cannot be read says why; none prevents the others. */

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { cpus, freemem, release, totalmem } from 'node:os';
import { join } from 'node:path';
import type { ProviderHealthView } from '../../admin/contracts/health-contract.ts';
import { createLiveSettings } from '../../config/live-settings.ts';
import { callerToken } from '../../config/process-environment.ts';
import { type KeptEntries, noEntries } from '../../configuration/kept-entries.ts';
import { mergeConfiguration } from '../../configuration/merge.ts';
import { shownHost } from '../../gateway/gateway-pieces.ts';
import { version } from '../../gateway/version.ts';
import type { Config } from '../../settings/config.ts';
import { databaseFacts } from '../../store/engines/database-facts.ts';
import { keyFilePath } from '../../store/secret-keys/secret-key.ts';
import { healthIn } from '../doctor/doctor-health.ts';
import { doctorText, entriesOf, inStore } from '../doctor/run-doctor.ts';
import { createRedaction, knownSecrets, withoutQuotes } from './redact.ts';

export interface BundleFile {
  readonly name: string;
  /** What it holds, for the list that is printed. */
  readonly about: string;
  readonly text: string;
}

const metricsTimeoutMs = 5_000;
const logBytesMax = 500_000;

export async function bundleFiles(config: Config): Promise<readonly BundleFile[]> {
  const { dataFolder } = config.server;
  const keyFile = keyFilePath(dataFolder);
  const keyFileText = existsSync(keyFile) ? readFileSync(keyFile, 'utf8') : '';
  const hasKeys = config.secretKey !== undefined || keyFileText !== '';
  const stored = await readStore(config, hasKeys);
  const redact = createRedaction(knownSecrets(config, stored.entries, keyFileText));
  const parts: readonly (readonly [string, string, () => unknown])[] = [
    ['about.json', 'version of Weir and Bun, operating system, processors, memory', aboutThis],
    ['settings.json', 'every setting with its origin; secrets as `set` or `not set`', () => settingsOf(config, stored)],
    ['providers.json', 'names, kinds, origins and health of providers', () => providersOf(config, stored)],
    ['doctor.txt', 'the report of weir doctor', () => doctorText(config)],
    ['metrics.txt', 'GET /metrics of the running Weir', () => metricsOf(config)],
    ['database.json', 'schema version, size, number of rows of each table', () => databaseOf(config)],
    ['log.txt', 'the last lines of the log file, without what was said about requests', () => logOf(config)],
    ['data-folder.json', 'files and bytes of the data folder, by kind', () => folderOf(dataFolder)],
  ];
  const files: BundleFile[] = [];
  for (const [name, about, read] of parts) files.push({ name, about, text: redact(await textOf(read)) });
  return files;
}

async function textOf(read: () => unknown): Promise<string> {
  try {
    const value = await read();
    return typeof value === 'string' ? value : `${JSON.stringify(value, null, 2)}\n`;
  } catch (error) {
    return `Could not be read: ${error instanceof Error ? error.message : String(error)}\n`;
  }
}

interface Stored {
  readonly entries: KeptEntries;
  readonly settings: ReadonlyMap<string, unknown>;
  readonly health: readonly ProviderHealthView[];
}

/** A database that does not answer is one of the reasons for a bundle. */
async function readStore(config: Config, hasKeys: boolean): Promise<Stored> {
  try {
    return await inStore(config, async (store) => {
      const entries = hasKeys ? await entriesOf(store, config) : noEntries;
      const health = await healthIn(store, mergeConfiguration(config, entries));
      return { entries, settings: await store.consoleSettings.all(), health };
    });
  } catch {
    return { entries: noEntries, settings: new Map(), health: [] };
  }
}

function aboutThis() {
  return {
    weir: version,
    bun: Bun.version,
    executable: Bun.isStandaloneExecutable,
    platform: process.platform,
    architecture: process.arch,
    kernel: release(),
    processors: cpus().length,
    memoryBytes: totalmem(),
    freeMemoryBytes: freemem(),
    madeAt: new Date().toISOString(),
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}

function settingsOf(config: Config, { settings }: Stored) {
  const live = createLiveSettings(config);
  live.take(settings);
  return live.list().map(({ key, shown, origin, change }) => ({ key, shown, origin, change }));
}

function providersOf(config: Config, { entries, health }: Stored) {
  const merged = mergeConfiguration(config, entries);
  const byName = new Map(health.map((one) => [one.provider, one]));
  return merged.providers.map(({ name, origin, config: entry, draining, problem }) => ({
    name,
    kind: entry?.kind,
    origin,
    keys: entry?.keys.length,
    fixedModels: entry?.models?.length,
    enabled: entry?.enabled,
    draining,
    hasProblem: problem !== undefined,
    health: figuresOf(byName.get(name)),
  }));
}

/** Counts and times; what a provider said is left out, for it may quote a request. */
function figuresOf(health: ProviderHealthView | undefined) {
  if (health === undefined) return undefined;
  const { state, attempts, failed, firstTokenMs, totalMs, lastError } = health;
  const last = lastError && { at: lastError.at, status: lastError.status, code: lastError.code };
  return { state, attempts, failed, firstTokenMs, totalMs, lastError: last };
}

async function metricsOf({ server }: Config): Promise<string> {
  const host = server.host === '0.0.0.0' || server.host === '::' ? '127.0.0.1' : shownHost(server.host);
  const token = callerToken();
  const reply = await fetch(`http://${host}:${server.port}/metrics`, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(metricsTimeoutMs),
  });
  const text = await reply.text();
  return reply.ok ? text : `Could not be read: HTTP ${reply.status}. Set WEIR_TOKEN to a token of this Weir.\n`;
}

async function databaseOf({ database, server, clocks }: Config) {
  const facts = await databaseFacts({
    databaseUrl: database.url,
    dataFolder: server.dataFolder,
    timeoutMs: clocks.databaseTimeoutMs,
  });
  return facts ?? 'There is no database yet.\n';
}

async function logOf({ log }: Config): Promise<string> {
  if (log.file === undefined) return 'Log lines go to standard error: log.file is not set.\n';
  const file = Bun.file(log.file);
  const begin = Math.max(0, file.size - logBytesMax);
  const lines = (await file.slice(begin).text()).split('\n');
  // The first line may be cut.
  return (begin === 0 ? lines : lines.slice(1)).map(withoutQuotes).join('\n');
}

/** Names of results are parts of URLs, so they are only counted. */
function folderOf(dataFolder: string) {
  const shown = readdirSync(dataFolder, { withFileTypes: true }).map((entry) => {
    const path = join(dataFolder, entry.name);
    if (!entry.isDirectory()) return [entry.name, { files: 1, bytes: statSync(path).size }] as const;
    const sizes = readdirSync(path, { withFileTypes: true, recursive: true })
      .filter((inner) => inner.isFile())
      .map((inner) => statSync(join(inner.parentPath, inner.name), { throwIfNoEntry: false })?.size ?? 0);
    return [`${entry.name}/`, { files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) }] as const;
  });
  return Object.fromEntries(shown);
}
