/** The store's methods over a driver: types in, cells down, types back. */

import { randomUUID } from 'node:crypto';
import type { AttemptStore } from '../ledger/ledger-store.ts';
import { accountStore, auditStore, sessionStore, setUpStore, signInTryStore } from './accounts/account-methods.ts';
import { analyticsStore } from './analytics/analytics-methods.ts';
import { admitted, attemptRow, closingCells, openingCells, scopeCells, verdictOf } from './attempts/attempt-forms.ts';
import { configurationStore } from './configuration/configuration-methods.ts';
import { consoleSettingStore } from './configuration/console-settings.ts';
import { priceTableStore } from './prices/price-tables.ts';
import type { KeptReplyCells } from './requests/kept-reply-queries.ts';
import { ownedIdStore } from './requests/owned-ids.ts';
import { replicaContentStore } from './requests/replica-contents.ts';
import { requestContentStore } from './requests/request-contents.ts';
import { keptResultStore, resultPartStore } from './results/result-rows.ts';
import { secretUseStore } from './secret-keys/secret-uses.ts';
import type { Driver } from './sql/driver.ts';
import { pageOf } from './sql/pages.ts';
import { moneyCell } from './sql/statement.ts';
import type {
  ClientSecretStore,
  IdempotencyStore,
  KeptReplyRow,
  KeptReplyStore,
  SecretCeiling,
  Store,
  TokenStore,
  UsageFilter,
  UsageStore,
} from './store.ts';
import { taskStore } from './tasks/task-methods.ts';
import { taskPageStore } from './tasks/task-pages.ts';
import { storableName, termsJson, tokenRecord, usageCells, usageRow } from './usage/row-forms.ts';
import type { UsageFilterCells } from './usage/usage-queries.ts';

const summaryGroupsMax = 1_000;
/** How many lost attempts are asked for at a time. */
const sweepPageSize = 200;

export function makeStore(driver: Driver, nowMs: () => number): Store {
  const instanceId = randomUUID();
  const startedAtMs = nowMs();
  const beat = async (): Promise<void> => {
    await driver.run('beatInstance', instanceId, process.pid, startedAtMs, nowMs());
  };
  return {
    engine: driver.engine,
    instanceId,
    schemaVersion: driver.schemaVersion,
    tokens: tokenStore(driver, nowMs),
    attempts: attemptStore(driver, instanceId),
    usage: usageStore(driver),
    analytics: analyticsStore(driver),
    idempotency: idempotencyStore(driver, instanceId),
    keptReplies: keptReplyStore(driver),
    ownedIds: ownedIdStore(driver),
    replicaContents: replicaContentStore(driver),
    keptResults: keptResultStore(driver),
    resultParts: resultPartStore(driver),
    tasks: taskStore(driver, nowMs),
    taskPages: taskPageStore(driver),
    contents: requestContentStore(driver),
    consoleSettings: consoleSettingStore(driver),
    clientSecrets: clientSecretStore(driver),
    accounts: accountStore(driver),
    sessions: sessionStore(driver),
    audit: auditStore(driver),
    setUp: setUpStore(driver),
    signInTries: signInTryStore(driver),
    configuration: configurationStore(driver),
    secretUses: secretUseStore(driver),
    priceTables: priceTableStore(driver),
    prices: {
      async put(name, text, atMs) {
        await driver.run('putPrice', name, text, Math.round(atMs));
      },
      get: async (name) => (await driver.run('getPrice', name)) ?? undefined,
    },
    budgets: {
      async read(scope, windowStartMs) {
        const [spent, held] = await driver.run('readBudgetWindow', scope, windowStartMs);
        return { spentNano: BigInt(spent), heldNano: BigInt(held) };
      },
      async standings(windowStartsMs, ownerId) {
        const found = await driver.run('budgetStandings', windowStartsMs, ownerId ?? null);
        return found.map(([token, windowStartMs, spent]) => ({
          token: tokenRecord(token),
          windowStartMs,
          spentNano: BigInt(spent),
        }));
      },
    },
    providerModels: {
      async get(provider) {
        const found = await driver.run('getProviderModels', provider);
        return found === null ? undefined : { models: JSON.parse(found[0]), fetchedAtMs: found[1] };
      },
      async put(provider, models, fetchedAtMs) {
        await driver.run('putProviderModels', provider, JSON.stringify(models), fetchedAtMs);
      },
    },
    settings: {
      get: async (key) => (await driver.run('getSetting', key)) ?? undefined,
      putIfAbsent: (key, value) => driver.run('putSettingIfAbsent', key, value),
      async put(key, value) {
        await driver.run('putSetting', key, value);
      },
    },
    instances: {
      async register() {
        await driver.holdAlone();
        await beat();
      },
      heartbeat: beat,
      async others() {
        const rows = await driver.run('otherInstances', instanceId);
        return rows.map(([id, pid, started, heartbeatMs]) => ({ id, pid, startedAtMs: started, heartbeatMs }));
      },
      alone: () => driver.alone,
      async forget(id) {
        await driver.run('forgetInstance', id);
      },
    },
    revision: () => driver.run('revision'),
    async ping() {
      // A full disk and a read-only replica answer reads: after a fault only a write tells whether it has passed.
      if (!driver.faulted) return void (await driver.run('ping'));
      await beat();
      driver.clearFault();
    },
    notices: () => driver.notices(),
    close: () => driver.close(),
  };
}

function tokenStore(driver: Driver, nowMs: () => number): TokenStore {
  return {
    async insert({ id, digest, hint, terms, createdAtMs, ownerId }) {
      await driver.run('insertToken', id, digest, hint, terms.name, termsJson(terms), createdAtMs, ownerId ?? null);
    },
    insertWithin({ id, digest, hint, terms, createdAtMs, ownerId }, { most, revokedSinceMs, exceptId }) {
      const cells = [id, digest, hint, terms.name, termsJson(terms), createdAtMs, ownerId] as const;
      return driver.run('insertTokenWithin', ...cells, most, revokedSinceMs, exceptId);
    },
    async byDigest(digest) {
      const found = await driver.run('tokenByDigest', digest, nowMs());
      return found === null ? undefined : tokenRecord(found);
    },
    async byId(id) {
      const found = await driver.run('tokenById', id);
      return found === null ? undefined : tokenRecord(found);
    },
    async list({ limit, after }, ownerId, search) {
      const place = [after?.atMs ?? null, after?.id ?? null, ownerId ?? null] as const;
      const rows = await (search === undefined
        ? driver.run('listTokens', limit + 1, ...place)
        : driver.run('searchTokens', [search.words, search.state ?? null, search.atMs, ...place], limit + 1));
      return pageOf(rows.map(tokenRecord), limit, (token) => ({ atMs: token.createdAtMs, id: token.id }));
    },
    updateTerms: (id, terms) => driver.run('updateTokenTerms', id, terms.name, termsJson(terms)),
    revoke: (id, atMs) => driver.run('revokeToken', id, atMs),
    rotate: (id, digest, hint, oldValidUntilMs) => driver.run('rotateToken', id, digest, hint, oldValidUntilMs),
    renew({ id, digest, hint, terms, createdAtMs, ownerId }, oldValidUntilMs) {
      const cells = [id, digest, hint, terms.name, termsJson(terms), createdAtMs, ownerId] as const;
      return driver.run('renewToken', ...cells, oldValidUntilMs);
    },
    async moveDigest(from, to) {
      await driver.run('moveTokenDigest', from, to);
    },
    revokeOf: (ownerId, atMs) => driver.run('revokeTokensOf', ownerId, atMs),
  };
}

const admit = (): typeof admitted => admitted;

function attemptStore(driver: Driver, instanceId: string): AttemptStore {
  return {
    openNow(opening) {
      if (opening.scopes.length > 0) return undefined;
      return driver.runNow('openAttempt', openingCells(opening, instanceId)) === undefined ? undefined : admitted;
    },
    closeNow: (closing) => driver.runNow('closeAttempt', closingCells(closing)) !== undefined,
    open(opening) {
      const attempt = openingCells(opening, instanceId);
      if (opening.scopes.length === 0) return driver.run('openAttempt', ...attempt).then(admit);
      return driver.run('openAttemptWithin', scopeCells(opening), ...attempt).then(verdictOf);
    },
    close: (closing) => driver.run('closeAttempt', ...closingCells(closing)),
    async checkpointMany(costs) {
      const pairs = Array.from(costs, ([id, costNano]) => [id, moneyCell(costNano)] as const);
      if (pairs.length > 0) await driver.run('checkpointAttempts', pairs);
    },
    holders: () => driver.run('attemptHolders'),
    async sweep(deadInstanceId, atMs) {
      let swept = 0;
      for (;;) {
        const ids = await driver.run('openAttemptsOf', deadInstanceId, sweepPageSize);
        if (ids.length === 0) return swept;
        const closed = await Promise.all(ids.map((id) => driver.run('closeLostAttempt', id, Math.round(atMs))));
        swept += closed.filter(Boolean).length;
      }
    },
    async ofRequest(requestId) {
      return (await driver.run('attemptsOfRequest', requestId)).map(attemptRow);
    },
  };
}

function filterCells(filter: UsageFilter): UsageFilterCells {
  const { tokenId, model, provider, code, fromMs, toMs, ownerId } = filter;
  const instants = [fromMs ?? null, toMs ?? null] as const;
  return [tokenId ?? null, model ?? null, provider ?? null, code ?? null, ...instants, ownerId ?? null];
}

function usageStore(driver: Driver): UsageStore {
  return {
    async insertMany(rows) {
      if (rows.length > 0) await driver.run('addUsageRows', rows.map(usageCells));
    },
    async list(filter, { limit, after }) {
      const cells = filterCells(filter);
      const rows = await driver.run('listUsage', cells, limit + 1, after?.atMs ?? null, after?.id ?? null);
      return pageOf(rows.map(usageRow), limit, (row) => ({ atMs: row.atMs, id: row.requestId }));
    },
    async byId(requestId) {
      const cells = await driver.run('usageById', requestId);
      return cells === null ? undefined : usageRow(cells);
    },
    async summarise(by, filter, limit = summaryGroupsMax) {
      const rows = await driver.run('sumUsage', by, filterCells(filter), Math.min(limit, summaryGroupsMax));
      return rows.map(([key, requests, failures, input, cacheRead, output, cost, unpriced]) => ({
        key: key ?? '',
        requests: Number(requests),
        failures: Number(failures),
        inputTokens: Number(input),
        cacheReadTokens: Number(cacheRead),
        outputTokens: Number(output),
        costNano: BigInt(cost ?? 0),
        unpriced: Number(unpriced),
      }));
    },
  };
}

/** How a key can stand, as far as this Weir knows. */
const keyStates = ['running', 'finished', 'lost'] as const;

function idempotencyStore(driver: Driver, instanceId: string): IdempotencyStore {
  return {
    async begin({ tokenId, key, requestId, fingerprint, atMs, lifetimeMs }) {
      const stale = atMs - lifetimeMs;
      const times = [atMs, stale] as const;
      const holder = await driver.run('beginIdempotent', tokenId, key, requestId, fingerprint, ...times, instanceId);
      if (holder === null) return { begun: true };
      const state = keyStates.find((known) => known === holder[2]) ?? 'running';
      return { begun: false, requestId: holder[0], fingerprint: holder[1], state };
    },
    async finish(tokenId, key, requestId) {
      await driver.run('finishIdempotent', tokenId, key, requestId);
    },
    async forget(tokenId, key, requestId) {
      await driver.run('forgetIdempotent', tokenId, key, requestId);
    },
    async expire(beforeMs) {
      await driver.run('expireIdempotent', beforeMs);
    },
    holders: () => driver.run('keyHolders'),
    async heldBy(deadInstanceId, limit) {
      const keys = await driver.run('keysHeldBy', deadInstanceId, limit);
      return keys.map(([tokenId, key, requestId]) => ({ tokenId, key, requestId }));
    },
    async lose(tokenId, key, requestId) {
      await driver.run('loseIdempotent', tokenId, key, requestId);
    },
  };
}

/** How many expired rows are removed in one go. */
const expirePageSize = 200;

function keptReplyStore(driver: Driver): KeptReplyStore {
  return {
    async put({ tokenId, id, kind, provider, keyId, tokens, content, expiresAtMs }) {
      const names = [storableName(provider), storableName(keyId)] as const;
      const end = Math.round(expiresAtMs);
      await driver.run('putKeptReply', tokenId, id, kind, ...names, tokens ?? null, content ?? null, end);
    },
    async get(tokenId, id, nowMs) {
      const cells = await driver.run('getKeptReply', tokenId, id, Math.round(nowMs));
      return cells === null ? undefined : keptReplyRow(cells);
    },
    trim: (tokenId, most, bytesMax) => driver.run('trimKeptReplies', tokenId, most, bytesMax),
    trimAll: (bytesMax) => driver.run('trimAllKeptReplies', bytesMax),
    has: (id, nowMs) => driver.run('hasKeptReply', id, Math.round(nowMs)),
    remove: (tokenId, id, nowMs) => driver.run('removeKeptReply', tokenId, id, Math.round(nowMs)),
    async expire(nowMs) {
      while ((await driver.run('expireKeptReplies', Math.round(nowMs), expirePageSize)) === expirePageSize);
    },
  };
}

function keptReplyRow(cells: KeptReplyCells): KeptReplyRow {
  const [tokenId, id, kind, provider, keyId, tokens, content, expiresAtMs] = cells;
  return {
    tokenId,
    id,
    // Only this Weir's own words are written there.
    kind: kind as KeptReplyRow['kind'],
    provider,
    keyId,
    tokens: tokens ?? undefined,
    content: content ?? undefined,
    expiresAtMs,
  };
}

const noCeiling: SecretCeiling = { nowMs: 0, perTokenMax: 1_000_000_000, max: 1_000_000_000 };

function clientSecretStore(driver: Driver): ClientSecretStore {
  return {
    put({ digest, tokenId, model, content, expiresAtMs }, ceiling = noCeiling) {
      const cells = [digest, tokenId, storableName(model), content, Math.round(expiresAtMs)] as const;
      const { nowMs, perTokenMax, max } = ceiling;
      return driver.run('putClientSecret', cells, [Math.round(nowMs), perTokenMax, max]);
    },
    async get(digest, nowMs) {
      const cells = await driver.run('getClientSecret', digest, Math.round(nowMs));
      if (cells === null) return undefined;
      const [, tokenId, model, content, expiresAtMs] = cells;
      return { digest, tokenId, model, content, expiresAtMs };
    },
    async expire(nowMs) {
      while ((await driver.run('expireClientSecrets', Math.round(nowMs), expirePageSize)) === expirePageSize);
    },
  };
}
