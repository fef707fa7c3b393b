/** The store over a driver: every part by its own folder. */

import { randomUUID } from 'node:crypto';
import { accountStore, auditStore, sessionStore, setUpStore, signInTryStore } from './accounts/account-methods.ts';
import { adminKeyStore, idempotentWriteStore } from './admin-keys/admin-key-store.ts';
import { alertStore } from './alerts/alert-store.ts';
import { analyticsStore } from './analytics/analytics-methods.ts';
import { readBudgetWindow } from './attempts/attempt-queries.ts';
import { attemptStore } from './attempts/attempt-store.ts';
import { configurationStore } from './configuration/configuration-methods.ts';
import { consoleSettingStore } from './configuration/console-settings.ts';
import {
  beatInstance,
  forgetInstance,
  getProviderModels,
  getSetting,
  otherInstances,
  ping,
  putProviderModels,
  putSetting,
  putSettingIfAbsent,
  seenInstances,
} from './configuration/server-state-queries.ts';
import { deviceSignInStore } from './device/sign-in-store.ts';
import { clockReadings } from './engines/database-clock.ts';
import { factorStore } from './factors/factor-store.ts';
import { invitationStore } from './factors/invitation-store.ts';
import { attemptHealthStore } from './health/attempt-health-store.ts';
import { fleetStateStore } from './health/fleet-state-store.ts';
import { jwtStore } from './jwt/jwt-store.ts';
import { changeSetStore } from './organization/change-set-store.ts';
import { endUserStore } from './organization/end-user-store.ts';
import { organizationStore } from './organization/organization-store.ts';
import { getPrice, putPrice } from './prices/price-queries.ts';
import { priceTableStore } from './prices/price-tables.ts';
import { clientSecretStore } from './requests/client-secrets.ts';
import { idempotencyStore } from './requests/idempotency.ts';
import { keptReplyStore } from './requests/kept-replies.ts';
import { ownedIdStore } from './requests/owned-ids.ts';
import { replicaContentStore } from './requests/replica-contents.ts';
import { requestContentStore } from './requests/request-contents.ts';
import { requestErrorStore } from './requests/request-errors.ts';
import { requestExportStore } from './requests/request-exports.ts';
import { keptResultStore, resultPartStore } from './results/result-rows.ts';
import { scimStore } from './scim/scim-store.ts';
import { secretUseStore } from './secret-keys/secret-uses.ts';
import { identityStore } from './sign-in/identity-store.ts';
import type { Driver } from './sql/driver.ts';
import type { Store } from './store.ts';
import { taskStore } from './tasks/task-methods.ts';
import { taskPageStore } from './tasks/task-pages.ts';
import { budgetStandings } from './tokens/token-budgets.ts';
import { revision } from './tokens/token-queries.ts';
import { tokenRecord, tokenStore } from './tokens/token-store.ts';
import { usageStore } from './usage/usage-store.ts';

export function makeStore(driver: Driver, nowMs: () => number): Store {
  const id = randomUUID();
  const startedAtMs = nowMs();
  const attempts = attemptStore(driver, id);
  const beat = async (): Promise<void> => {
    await driver.run(beatInstance, { id, pid: process.pid, startedAtMs, heartbeatMs: nowMs() });
  };
  return {
    engine: driver.engine,
    several: driver.several,
    failsOver: driver.failsOver,
    instanceId: id,
    schemaVersion: driver.schemaVersion,
    tokens: tokenStore(driver, nowMs),
    attempts,
    usage: usageStore(driver),
    analytics: analyticsStore(driver),
    idempotency: idempotencyStore(driver, id),
    keptReplies: keptReplyStore(driver),
    ownedIds: ownedIdStore(driver),
    replicaContents: replicaContentStore(driver),
    keptResults: keptResultStore(driver),
    resultParts: resultPartStore(driver),
    tasks: taskStore(driver, nowMs),
    taskPages: taskPageStore(driver),
    contents: requestContentStore(driver),
    requestErrors: requestErrorStore(driver),
    requestExports: requestExportStore(driver),
    attemptHealth: attemptHealthStore(driver, id),
    clock: clockReadings(driver),
    fleetState: fleetStateStore(driver),
    consoleSettings: consoleSettingStore(driver),
    clientSecrets: clientSecretStore(driver),
    organization: organizationStore(driver),
    changeSets: changeSetStore(driver),
    endUsers: endUserStore(driver),
    alerts: alertStore(driver),
    adminKeys: adminKeyStore(driver),
    idempotentWrites: idempotentWriteStore(driver),
    deviceSignIns: deviceSignInStore(driver),
    accounts: accountStore(driver),
    sessions: sessionStore(driver),
    identities: identityStore(driver),
    jwts: jwtStore(driver),
    scim: scimStore(driver),
    audit: auditStore(driver),
    setUp: setUpStore(driver),
    invitations: invitationStore(driver),
    factors: factorStore(driver),
    signInTries: signInTryStore(driver),
    configuration: configurationStore(driver),
    secretUses: secretUseStore(driver),
    priceTables: priceTableStore(driver),
    ...smallParts(driver),
    instances: {
      async register() {
        await driver.holdAlone();
        await beat();
      },
      heartbeat: beat,
      others: () => driver.run(otherInstances, id),
      seen: () => driver.run(seenInstances),
      alone: () => driver.alone,
      async forget(instanceId) {
        await driver.run(forgetInstance, instanceId);
      },
    },
    revision: () => driver.run(revision),
    async ping() {
      // A full disk and a read-only replica answer reads: after a failure only a write shows whether it is over.
      if (!driver.faulted) return void (await driver.run(ping));
      await beat();
      driver.clearFault();
    },
    notices: () => driver.notices(),
    async close() {
      await attempts.finish();
      await driver.close();
    },
  };
}

function smallParts(driver: Driver): Pick<Store, 'prices' | 'budgets' | 'providerModels' | 'settings'> {
  return {
    prices: {
      async put(name, text, atMs) {
        await driver.run(putPrice, name, text, Math.round(atMs));
      },
      get: async (name) => (await driver.run(getPrice, name)) ?? undefined,
    },
    budgets: {
      async read(scope, windowStartMs) {
        const { spentNano, heldNano } = await driver.run(readBudgetWindow, scope, windowStartMs);
        return { spentNano: BigInt(spentNano), heldNano: BigInt(heldNano) };
      },
      async standings(windowStartsMs, seenBy) {
        const found = await driver.run(budgetStandings, windowStartsMs, seenBy ?? null);
        return found.map(({ token, windowStartMs, spentNano, heldNano }) => ({
          token: tokenRecord(token),
          windowStartMs,
          spentNano: BigInt(spentNano),
          heldNano: BigInt(heldNano),
        }));
      },
    },
    providerModels: {
      async get(provider) {
        const found = await driver.run(getProviderModels, provider);
        return found === null ? undefined : { models: JSON.parse(found.models), fetchedAtMs: found.fetchedAtMs };
      },
      async put(provider, models, fetchedAtMs) {
        await driver.run(putProviderModels, { provider, models: JSON.stringify(models), fetchedAtMs });
      },
    },
    settings: {
      get: async (key) => (await driver.run(getSetting, key)) ?? undefined,
      putIfAbsent: (key, value) => driver.run(putSettingIfAbsent, key, value),
      async put(key, value) {
        await driver.run(putSetting, key, value);
      },
    },
  };
}
