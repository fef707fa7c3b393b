/** Commands that work on the database beside a running gateway: each opens the store, does its work and closes it. */

import { createAudit } from '../admin/accounts/audit.ts';
import { buildAdminKeys } from '../admin/keys/build-admin-keys.ts';
import { createTeamAccess } from '../admin/organization/team-access.ts';
import { usageTable } from '../admin/store-tables.ts';
import { createUsageAdmin, type UsageTable } from '../admin/usage/usage.ts';
import { createLiveSettings } from '../config/live-settings.ts';
import { loadProcessConfig } from '../config/load-process-config.ts';
import { storeOptions } from '../gateway/store-options.ts';
import { secretSources, tokenAdminOf } from '../gateway/store-parts.ts';
import { createDigests } from '../secrets/digests.ts';
import { type Purpose, purposes } from '../secrets/purposes.ts';
import type { Config } from '../settings/config.ts';
import { openStore } from '../store/open-store.ts';
import { openSecretRing } from '../store/secret-keys/secret-key.ts';
import type { Store } from '../store/store.ts';
import { adminKeyCommand } from './admin-key.ts';
import { unitsOf } from './named-records.ts';
import type { Output } from './output.ts';
import { unpricedUses } from './prices/unpriced.ts';
import { teamCommand } from './team.ts';
import { tokenCommand } from './token.ts';
import { usageCommand } from './usage/usage.ts';

export const output = {
  out: (text: string): void => void process.stdout.write(text),
  err: (text: string): void => void process.stderr.write(text),
};

export async function withStore(work: (store: Store, config: Config) => Promise<number>): Promise<number> {
  const config = loadProcessConfig();
  const store = await openStore(storeOptions(config));
  try {
    return await work(store, config);
  } finally {
    await store.close();
  }
}

export function token(args: readonly string[]): Promise<number> {
  return withStore((store, config) => tokenOn(store, config, output, args));
}

export async function tokenOn(store: Store, config: Config, to: Output, args: readonly string[]): Promise<number> {
  const warn = (message: string): void => to.err(`${message}\n`);
  const secrets = await openSecretRing({ ...secretSources(config), settings: store.settings, warn });
  const digests = createDigests(secrets.purpose(purposes.tokenDigests));
  // A new token gets the console's defaults too.
  const settings = createLiveSettings(config);
  settings.take(await store.consoleSettings.all());
  return tokenCommand(
    { ...to, units: () => unitsOf(store), tokens: tokenAdminOf(store, settings.config, digests, Date.now) },
    args,
  );
}

export function team(args: readonly string[]): Promise<number> {
  return withStore((store) => teamCommand({ ...output, store, nowMs: Date.now }, args));
}

export function adminKey(args: readonly string[]): Promise<number> {
  return withStore(async (store, config) => {
    const warn = (message: string): void => output.err(`${message}\n`);
    const secrets = await openSecretRing({ ...secretSources(config), settings: store.settings, warn });
    const audit = createAudit({ table: store.audit, nowMs: Date.now });
    const access = createTeamAccess(store.organization);
    const keysFor = (purpose: Purpose) => secrets.purpose(purpose);
    const keys = buildAdminKeys({ store, config, access, audit, keysFor, warn, nowMs: Date.now });
    return adminKeyCommand({ ...output, keys, store, nowMs: Date.now }, args);
  });
}

export function usage(args: readonly string[]): Promise<number> {
  return withStore((store, config) => usageOn(store, config, output, args));
}

export async function usageOn(store: Store, config: Config, to: Output, args: readonly string[]): Promise<number> {
  const table: UsageTable = {
    ...usageTable(store),
    unpriced: (fromMs, toMs, limit) => unpricedUses(store, config, fromMs, toMs, limit),
  };
  const admin = createUsageAdmin({ usage: table });
  return usageCommand({ ...to, usage: admin, nowMs: Date.now }, args);
}

/** Opening the store migrates it; a deployment can do that once before its replicas start. */
export function migrate(): Promise<number> {
  return withStore(async (store) => {
    output.out(`The schema is at version ${store.schemaVersion} (${store.engine}).\n`);
    return 0;
  });
}
