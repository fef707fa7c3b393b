/** `weir doctor`: shows every effective setting with its origin, tests what Weir depends on, and never shows a secret. */

import type { EndingModelView } from '../../admin/contracts/analytics-contract.ts';
import type { ProviderHealthView } from '../../admin/contracts/health-contract.ts';
import { blotOut } from '../../config/problem.ts';
import { passwordsIn } from '../../config/readers/read-egress.ts';
import type { Config } from '../../settings/config.ts';
import { type ConsoleFindings, noFindings } from './doctor-console.ts';
import { checkHealth } from './doctor-health.ts';
import { checkEndings } from './doctor-models.ts';
import { checkPrices, type PriceFindings } from './doctor-prices.ts';
import { type Check, checkProviders, type ProviderFetch } from './doctor-providers.ts';
import { reportAsJson, reportAsText } from './doctor-report.ts';

interface StorePing {
  /** `sqlite` or `postgresql`, with its version where it tells. */
  readonly engine: string;
  readonly schemaVersion: number;
  /** The version this Weir brings its migrations up to. */
  readonly expectedSchemaVersion: number;
}

export interface DoctorDependencies {
  readonly config: Config;
  readonly pingStore: () => Promise<StorePing>;
  /** What the console keeps, and whether the secret key belongs to it; absent: not checked. */
  readonly lookAtConsole?: () => Promise<ConsoleFindings>;
  /** The price tables that are in effect; absent: not checked. */
  readonly lookAtPrices?: () => Promise<PriceFindings>;
  /** Models that were used recently without a price; absent: not checked. */
  readonly lookAtUnpriced?: () => Promise<readonly Check[]>;
  /** How attempts at each provider ended; absent: not checked. */
  readonly lookAtHealth?: () => Promise<readonly ProviderHealthView[]>;
  /** What processes that serve say is wrong with them, and the database's clock; absent: not checked. */
  readonly lookAtReplicas?: () => Promise<readonly Check[]>;
  /** Models that end and are still used; absent: not checked. */
  readonly lookAtModels?: () => Promise<readonly EndingModelView[]>;
  /** Present where telemetry is on; undefined where the collector accepts exports, else why not. */
  readonly askCollector?: () => Promise<string | undefined>;
  /** Present where Redis is configured: writes there, and says where; rejects with the reason where it cannot be used. */
  readonly checkRedis?: () => Promise<string>;
  readonly fetch: ProviderFetch;
  /** Resolves when a file could be written there and removed again. */
  readonly tryWrite: (folder: string) => Promise<void>;
  /** Files in the data folder that need attention; absent: not checked. */
  readonly lookAtFolder?: (folder: string) => Promise<readonly Check[]>;
  /** The file that holds the secret key, and its permission bits; no mode where there is no such file yet. */
  readonly keyFile: { readonly path: string; readonly mode: number | undefined };
  readonly now: () => number;
  readonly write: (text: string) => void;
  readonly timeoutMs?: number;
}

/** Providers' clocks are kept by time servers; more than this apart, ours is wrong and expiries and windows with it. */
const clockSkewMsMax = 30_000;

/** Prints the report and resolves to the exit code: 0, or 1 where something is broken. */
export async function doctor(deps: DoctorDependencies, args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    deps.write(
      'Usage: weir doctor [--json]\n\nShows every setting and checks the database, secret key, providers, console configuration, health, price lists and clock.\n',
    );
    return 0;
  }
  const unknown = args.filter((arg) => arg !== '--json');
  if (unknown.length > 0) {
    deps.write(`weir doctor: unknown argument ${unknown.join(' ')}; only --json is supported\n`);
    return 1;
  }
  const checks = await runChecks(deps);
  const report = { settings: deps.config.settings, checks };
  deps.write(args.includes('--json') ? reportAsJson(report) : reportAsText(report));
  return checks.some((check) => check.state === 'broken') ? 1 : 0;
}

async function runChecks(deps: DoctorDependencies): Promise<readonly Check[]> {
  const { config, fetch, now, timeoutMs = 10_000 } = deps;
  const store = await checkStore(deps);
  // In sequence: an embedded database is opened by one process at a time, and one that is unavailable is not read.
  const kept = store.state === 'ok' ? await lookAtConsole(deps) : noFindings;
  const lookedAt = store.state === 'ok' ? await lookAround(deps) : [];
  const all = [...config.providers, ...kept.providers];
  const [redis, collector, folder, providers] = await Promise.all([
    lookAtRedis(deps),
    checkTelemetry(deps),
    checkFolder(deps),
    checkProviders({ providers: all, fetch, now, timeoutMs, secrets: proxyPasswords(config) }),
  ]);
  const rest = [
    checkKeyFile(deps),
    ...checkProxy(deps),
    ...kept.checks,
    checkClock(providers.skewsMs),
    ...providers.checks,
    ...lookedAt,
  ];
  const left = (await deps.lookAtFolder?.(config.server.dataFolder)) ?? [];
  return [store, ...redis, ...collector, folder, ...left, ...checkResults(config), ...rest];
}

/** Requests are served without a collector: no more than a warning. */
async function checkTelemetry({ config, askCollector }: DoctorDependencies): Promise<Check[]> {
  if (askCollector === undefined) return [];
  const name = 'telemetry';
  const fault = await askCollector();
  const where = config.telemetry?.endpoint ?? '';
  if (fault === undefined) return [{ name, state: 'ok', detail: `the collector at ${where} accepts exports` }];
  const detail = `the collector at ${where} does not accept exports: ${fault}. Check telemetry.endpoint and its headers`;
  return [{ name, state: 'warning', detail: blotOut(detail, Object.values(config.telemetry?.headers ?? {})) }];
}

/** Whether replicas share a folder cannot be seen from one of them. */
function checkResults({ bucket, database, server }: Config): Check[] {
  const name = 'results';
  if (bucket !== undefined)
    return [{ name, state: 'ok', detail: `images and videos are stored in the bucket ${bucket.bucket}` }];
  if (database.url === undefined) return [];
  const detail = `images are stored in the database, videos in ${server.dataFolder}: replicas must share that folder, or set results.bucket; otherwise a video is served only by the replica that created it`;
  return [{ name, state: 'not checked', detail }];
}

async function lookAtConsole({ config, lookAtConsole: look }: DoctorDependencies): Promise<ConsoleFindings> {
  try {
    return (await look?.()) ?? noFindings;
  } catch (error) {
    return { ...noFindings, checks: [{ name: 'secret key', state: 'broken', detail: errorText(error, config) }] };
  }
}

/** Checks prices, health and models in the store; a check that fails is reported and does not prevent the others. */
async function lookAround(deps: DoctorDependencies): Promise<readonly Check[]> {
  const { config, now } = deps;
  const looks: readonly (readonly [string, () => Promise<readonly Check[]>])[] = [
    [
      'prices',
      async () => {
        const found = await deps.lookAtPrices?.();
        return found === undefined ? [] : checkPrices(found, now());
      },
    ],
    ['prices', async () => (await deps.lookAtUnpriced?.()) ?? []],
    ['replicas', async () => (await deps.lookAtReplicas?.()) ?? []],
    ['health', async () => checkHealth((await deps.lookAtHealth?.()) ?? [], now())],
    ['models', async () => checkEndings((await deps.lookAtModels?.()) ?? [], now())],
  ];
  const checks: Check[] = [];
  for (const [name, look] of looks) {
    try {
      checks.push(...(await look()));
    } catch (error) {
      checks.push({ name, state: 'broken', detail: errorText(error, config) });
    }
  }
  return checks;
}

function proxyPasswords({ egress }: Config): string[] {
  return [egress.proxy.http, egress.proxy.https].flatMap((proxy) => passwordsIn(proxy ?? ''));
}

async function checkStore({ config, pingStore, now }: DoctorDependencies): Promise<Check> {
  const startedMs = now();
  try {
    const { engine, schemaVersion, expectedSchemaVersion } = await pingStore();
    const detail = `${engine}, schema ${schemaVersion}, ${Math.round(now() - startedMs)} ms`;
    if (schemaVersion === expectedSchemaVersion) return { name: 'database', state: 'ok', detail };
    const cure = schemaVersion < expectedSchemaVersion ? 'run weir migrate' : 'start the newer Weir that made it';
    return { name: 'database', state: 'broken', detail: `${detail}; expected ${expectedSchemaVersion}: ${cure}` };
  } catch (error) {
    return { name: 'database', state: 'broken', detail: errorText(error, config) };
  }
}

async function lookAtRedis({ config, checkRedis, now }: DoctorDependencies): Promise<Check[]> {
  if (checkRedis === undefined) return [];
  const startedMs = now();
  try {
    const found = await checkRedis();
    return [{ name: 'redis', state: 'ok', detail: `${found}, ${Math.round(now() - startedMs)} ms` }];
  } catch (error) {
    return [{ name: 'redis', state: 'broken', detail: errorText(error, config) }];
  }
}

async function checkFolder({ config, tryWrite }: DoctorDependencies): Promise<Check> {
  const folder = config.server.dataFolder;
  try {
    await tryWrite(folder);
    return { name: 'data folder', state: 'ok', detail: `${folder} is writable` };
  } catch (error) {
    return { name: 'data folder', state: 'broken', detail: errorText(error, config) };
  }
}

function checkKeyFile({ config, keyFile }: DoctorDependencies): Check {
  const name = 'key file';
  if (config.secretKey !== undefined) return { name, state: 'not checked', detail: 'WEIR_SECRET_KEY is used instead' };
  if (keyFile.mode === undefined) return { name, state: 'not checked', detail: `${keyFile.path} does not exist yet` };
  const bits = keyFile.mode & 0o777;
  const shown = `${keyFile.path} has mode 0${bits.toString(8).padStart(3, '0')}`;
  if ((bits & 0o077) === 0) return { name, state: 'ok', detail: shown };
  return { name, state: 'broken', detail: `${shown}; others can read it: chmod 600` };
}

/** From the settings alone: the proxy that is really in front shows only when requests come. */
function checkProxy({ config: { server } }: DoctorDependencies): Check[] {
  const name = 'proxy';
  const isProxied = server.publicUrl !== undefined || server.trustedProxies.length > 0;
  if (!isProxied) return [];
  if (server.trustedProxies.length === 0) {
    const detail =
      'server.public_url is set and server.trusted_proxies is empty: behind a proxy, all clients count as one IP address';
    return [{ name, state: 'not checked', detail }];
  }
  if (server.publicUrl === undefined) {
    const detail =
      'server.public_url is not set: the console’s cookie is Secure only where the proxy sends x-forwarded-proto: https';
    return [{ name, state: 'not checked', detail }];
  }
  return [{ name, state: 'ok', detail: 'server.public_url and server.trusted_proxies are set' }];
}

function checkClock(skewsMs: readonly number[]): Check {
  // The provider with the smallest difference decides: one provider with a wrong clock must not count against ours.
  const nearest = skewsMs.toSorted((a, b) => Math.abs(a) - Math.abs(b))[0];
  if (nearest === undefined) return { name: 'clock', state: 'not checked', detail: 'no provider answered' };
  const seconds = Math.round(Math.abs(nearest) / 1000);
  if (Math.abs(nearest) <= clockSkewMsMax) {
    return { name: 'clock', state: 'ok', detail: `within ${seconds} s of a provider’s` };
  }
  const direction = nearest > 0 ? 'ahead of' : 'behind';
  return { name: 'clock', state: 'broken', detail: `${seconds} s ${direction} a provider’s` };
}

/** Drivers often repeat the URL they were given, password included. */
function errorText(error: unknown, config: Config): string {
  const addresses = [config.database.url, config.redisUrl].flatMap((address) => address ?? []);
  const passwords = addresses.flatMap((address) => URL.parse(address)?.password ?? []);
  const secrets = [...addresses, ...passwords, ...passwords.map(decodeURIComponent)];
  return blotOut(error instanceof Error ? error.message : String(error), secrets);
}
