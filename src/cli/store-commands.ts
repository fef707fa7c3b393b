/** Commands that work on the database beside a running gateway: each opens the store, does its work and lets go. */

import { access, constants, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTokenDigest, mintToken } from '../access/token-format.ts';
import { budgetState, tokenTable, usageTable } from '../admin/store-tables.ts';
import { createTokenAdmin, newTokenId, type TokenAdmin } from '../admin/tokens.ts';
import { createUsageAdmin } from '../admin/usage.ts';
import type { Config } from '../config/config.ts';
import { createLiveSettings } from '../config/live-settings.ts';
import { loadProcessConfig } from '../config/load-process-config.ts';
import { endpointNames } from '../endpoints/route-list.ts';
import { pingRedis } from '../store/redis-connection.ts';
import { derive, loadSecretKey, secretKeyFileName, verifySecretKey } from '../store/secret-key.ts';
import { openStore, type Store } from '../store/store.ts';
import { fetchBy } from '../upstream/from-response.ts';
import { createWaysOut } from '../upstream/ways-out.ts';
import { doctor } from './doctor.ts';
import { tokenCommand } from './token.ts';
import { usageCommand } from './usage.ts';

const output = {
  out: (text: string): void => void process.stdout.write(text),
  err: (text: string): void => void process.stderr.write(text),
};

/** The same objects that the gateway itself uses for tokens, so that both issue and read them alike. */
export function tokenAdminOf(store: Store, config: Config, secretKey: Uint8Array): TokenAdmin {
  return createTokenAdmin({
    tokens: tokenTable(store),
    mint: mintToken,
    digest: createTokenDigest(derive(secretKey, 'token-digest')),
    nowMs: Date.now,
    newId: newTokenId,
    defaults: config.tokenDefaults,
    endpoints: endpointNames,
    budgetState: (record, atMs) => budgetState(store, record, atMs),
  });
}

export function storeOptions(config: Config): Parameters<typeof openStore>[0] {
  const { url, synchronous } = config.database;
  return { databaseUrl: url, dataFolder: config.server.dataFolder, synchronous, nowMs: Date.now };
}

async function withStore(work: (store: Store, config: Config) => Promise<number>): Promise<number> {
  const config = loadProcessConfig();
  const store = await openStore(storeOptions(config));
  try {
    return await work(store, config);
  } finally {
    await store.close();
  }
}

export function token(args: readonly string[]): Promise<number> {
  return withStore(async (store, config) => {
    const { key } = await loadSecretKey({ dataFolder: config.server.dataFolder, fromConfig: config.secretKey });
    await verifySecretKey(store.settings, key);
    // A new token gets what the console gives it too.
    const settings = createLiveSettings(config);
    settings.take(await store.consoleSettings.all());
    return tokenCommand({ ...output, tokens: tokenAdminOf(store, settings.config, key) }, args);
  });
}

export function usage(args: readonly string[]): Promise<number> {
  return withStore(async (store) => {
    const tokenName = async (id: string): Promise<string | undefined> => (await store.tokens.byId(id))?.terms.name;
    return usageCommand(
      { ...output, usage: createUsageAdmin({ usage: usageTable(store), tokenName }), nowMs: Date.now },
      args,
    );
  });
}

/** Opening the store migrates it; a deployment can do that once before its replicas start. */
export function migrate(): Promise<number> {
  return withStore(async (store) => {
    output.out(`The schema is at version ${store.schemaVersion} (${store.engine}).\n`);
    return 0;
  });
}

export async function runDoctor(args: readonly string[]): Promise<number> {
  const config = loadProcessConfig();
  const waysOut = createWaysOut({ connectTimeoutMs: config.clocks.connectTimeoutMs, egress: config.egress });
  const keyPath = join(config.server.dataFolder, secretKeyFileName);
  const keyStat = await stat(keyPath).catch(() => undefined);
  return doctor(
    {
      config,
      async pingStore() {
        const store = await openStore(storeOptions(config));
        try {
          await store.ping();
          return {
            engine: store.engine,
            schemaVersion: store.schemaVersion,
            expectedSchemaVersion: store.schemaVersion,
          };
        } finally {
          await store.close();
        }
      },
      ...(config.redisUrl !== undefined && { pingRedis: () => pingRedis(config.redisUrl ?? '') }),
      fetch: (url, { provider, ...options }) => fetchBy(waysOut.of(provider).transport, url, options),
      tryWrite: tryWrite,
      keyFile: { path: keyPath, mode: keyStat === undefined ? undefined : keyStat.mode & 0o777 },
      now: Date.now,
      write: output.out,
    },
    args,
    // Kept connections would keep the process.
  ).finally(() => waysOut.close());
}

async function tryWrite(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await access(folder, constants.W_OK);
  const probe = join(folder, `.probe-${process.pid}`);
  await writeFile(probe, '');
  await rm(probe);
}
