/** The store's contract and methods for alerts. */

import type { TokenRecord } from '../../access/caller.ts';
import type { LevelTerms } from '../../access/organization.ts';
import { readLevelTerms } from '../organization/unit-terms.ts';
import type { Driver } from '../sql/driver.ts';
import { type Page, type PageRequest, pageOf } from '../sql/pages.ts';
import { removeAll } from '../sql/removal.ts';
import { tokenRecord } from '../tokens/token-store.ts';
import { peopleWithBudgets, tokensWithBudgets, tokensWithExpiry } from './alert-fact-queries.ts';
import {
  type AlertFilter,
  claimAlertTurn,
  claimDeliveries,
  deliveriesOfAlerts,
  dropDeliveries,
  endTry,
  knownAlerts,
  lastDeliveries,
  listAlerts,
  openAlerts,
  raiseAlert,
  raisedAtOfNth,
  removeAlerts,
  removeDeliveries,
  resolveAlert,
} from './alert-queries.ts';
import type {
  AlertKey,
  AlertRecord,
  ChannelRecord,
  ClaimedDelivery,
  DeliveryRecord,
  NewAlert,
  NewDelivery,
  RuleRecord,
} from './alert-records.ts';
import {
  alertChannels,
  alertRules,
  putAlertChannel,
  putAlertRule,
  removeAlertChannel,
  removeAlertRule,
} from './alert-rule-queries.ts';

/** What came of a try to deliver. */
type TryOutcome =
  | { readonly state: 'delivered'; readonly atMs: number }
  | { readonly state: 'pending'; readonly dueAtMs: number; readonly error: string }
  | { readonly state: 'failed'; readonly atMs: number; readonly error: string };

export interface AlertStore {
  /** True where this replica is to evaluate next. */
  claimTurn(nowMs: number, nextMs: number): Promise<boolean>;
  /** Those that were raised before. */
  known(keys: readonly AlertKey[]): Promise<readonly AlertRecord[]>;
  /** True for the one replica that raised it; one that was raised before is repeated where a delivery asks for that. */
  raise(id: string, alert: NewAlert, to: readonly NewDelivery[], atMs: number): Promise<boolean>;
  open(): Promise<readonly AlertRecord[]>;
  /** True for the one replica that resolved it. */
  resolve(id: string, to: readonly NewDelivery[], atMs: number): Promise<boolean>;
  /** Newest first. */
  list(page: PageRequest, filter: AlertFilter): Promise<Page<AlertRecord>>;
  deliveriesOf(alertIds: readonly string[]): Promise<readonly DeliveryRecord[]>;
  /** Whole batches that are due; until the lease ends no other replica gets them. */
  claim(nowMs: number, leaseMs: number, batchesMax: number): Promise<readonly ClaimedDelivery[]>;
  endTry(batch: string, tries: number, outcome: TryOutcome): Promise<void>;
  /** Of each channel, the newest that was tried. */
  lastDeliveries(): Promise<readonly DeliveryRecord[]>;
  /** Removes what is older, and what exceeds the number. */
  expire(beforeMs: number, alertsMax: number): Promise<void>;
  readonly channels: {
    list(): Promise<readonly ChannelRecord[]>;
    put(channel: ChannelRecord): Promise<void>;
    /** What it has not received yet is not sent any more. */
    remove(id: string, atMs: number): Promise<boolean>;
  };
  readonly rules: {
    list(): Promise<readonly RuleRecord[]>;
    put(rule: RuleRecord): Promise<void>;
    remove(id: string): Promise<boolean>;
  };
  peopleWithBudgets(): Promise<readonly { readonly id: string; readonly name: string; readonly terms: LevelTerms }[]>;
  /** Tokens that were not revoked and have budgets beside the first one. */
  tokensWithBudgets(): Promise<readonly TokenRecord[]>;
  /** Of tokens that were not revoked and have an end: all of them, in pages. */
  expiringTokens(beforeMs: number): Promise<readonly TokenRecord[]>;
}

export const alertBounds = { channelsMax: 200, rulesMax: 200, openMax: 2_000, peopleMax: 2_000 } as const;
const deliveriesPerAlertMax = 50;
const tokensPerReading = 1_000;
const tokensReadMax = 100_000;

export function alertStore(driver: Driver): AlertStore {
  return {
    claimTurn: (nowMs, nextMs) => driver.run(claimAlertTurn, Math.round(nowMs), Math.round(nextMs)),
    known: (keys) => driver.run(knownAlerts, keys),
    raise: (id, alert, to, atMs) => driver.run(raiseAlert, id, alert, to, Math.round(atMs)),
    open: () => driver.run(openAlerts, alertBounds.openMax),
    resolve: (id, to, atMs) => driver.run(resolveAlert, id, to, Math.round(atMs)),
    async list({ limit, after }, filter) {
      const rows = await driver.run(listAlerts, filter, { limit: limit + 1, after });
      return pageOf(rows, limit, ({ raisedAtMs, id }) => ({ atMs: raisedAtMs, id }));
    },
    deliveriesOf: (ids) => driver.run(deliveriesOfAlerts, ids, deliveriesPerAlertMax),
    claim: (nowMs, leaseMs, batchesMax) =>
      driver.run(claimDeliveries, Math.round(nowMs), Math.round(nowMs + leaseMs), batchesMax),
    async endTry(batch, tries, outcome) {
      await driver.run(endTry, batch, tries, {
        state: outcome.state,
        dueAtMs: Math.round(outcome.state === 'pending' ? outcome.dueAtMs : outcome.atMs),
        error: outcome.state === 'delivered' ? null : outcome.error,
        endedAtMs: outcome.state === 'pending' ? null : Math.round(outcome.atMs),
      });
    },
    lastDeliveries: () => driver.run(lastDeliveries, alertBounds.channelsMax),
    async expire(beforeMs, alertsMax) {
      const atMs = Math.max(beforeMs, await driver.run(raisedAtOfNth, alertsMax));
      await removeAll(driver, removeAlerts, atMs);
      await removeAll(driver, removeDeliveries, atMs);
    },
    channels: {
      list: () => driver.run(alertChannels, alertBounds.channelsMax),
      async put(channel) {
        await driver.run(putAlertChannel, channel);
      },
      async remove(id, atMs) {
        const removed = await driver.run(removeAlertChannel, id);
        await driver.run(dropDeliveries, id, 'The channel was deleted.', Math.round(atMs));
        return removed;
      },
    },
    rules: {
      list: () => driver.run(alertRules, alertBounds.rulesMax),
      async put(rule) {
        await driver.run(putAlertRule, rule);
      },
      remove: (id) => driver.run(removeAlertRule, id),
    },
    async peopleWithBudgets() {
      const found = await driver.run(peopleWithBudgets, alertBounds.peopleMax);
      return found.map(([id, name, terms]) => ({ id, name, terms: readLevelTerms(terms) }));
    },
    tokensWithBudgets: () => tokensFound(driver, tokensWithBudgets, ({ terms }) => terms.budgets !== undefined),
    expiringTokens: (beforeMs) =>
      tokensFound(driver, tokensWithExpiry, ({ terms }) => (terms.expiresAtMs ?? beforeMs) < beforeMs),
  };
}

/** In pages, because most of what a query finds may not be meant. */
async function tokensFound(
  driver: Driver,
  query: typeof tokensWithExpiry,
  isMeant: (token: TokenRecord) => boolean,
): Promise<readonly TokenRecord[]> {
  const found: TokenRecord[] = [];
  let afterId = '';
  for (let read = 0; read < tokensReadMax; read += tokensPerReading) {
    const page = (await driver.run(query, afterId, tokensPerReading)).map(tokenRecord);
    found.push(...page.filter(isMeant));
    afterId = page.at(-1)?.id ?? '';
    if (page.length < tokensPerReading) break;
  }
  return found;
}
