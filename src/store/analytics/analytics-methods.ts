/** The store's methods about usage as a whole, over a driver. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { UsageRow } from '../../ledger/ledger.ts';
import type { Driver } from '../sql/driver.ts';
import { moneyCell } from '../sql/statement.ts';
import { storableName, storableText } from '../sql/storable-text.ts';
import { tokensLabelled } from '../tokens/token-facts.ts';
import { unpricedModels } from '../usage/unpriced-models.ts';
import { FigureSum, type Figures } from '../usage/usage-sums.ts';
import { readUnits, storableUser, usageRecord } from '../usage/usage-table.ts';
import type {
  AnalyticsFilter,
  AnalyticsStore,
  Range,
  RequestPage,
  RequestPageQuery,
  UsageBucket,
} from './analytics-store.ts';
import { addWrittenBins, type Bins } from './durations.ts';
import { timesOfRequestId } from './request-id-time.ts';
import { rollupStore } from './summing/rollup-methods.ts';
import { tagPattern } from './tag-sets.ts';
import { usageGroups, usageJointSums, usageLines } from './usage-groups.ts';
import type { Condition, ConditionName, Conditions } from './usage-narrowing.ts';
import { countUsage, usagePage } from './usage-pages.ts';
import { rollupState } from './usage-rollup.ts';
import { type BucketRow, usageSeries } from './usage-series.ts';
import { topUsage } from './usage-top.ts';

/** More come from an export of sums and from folding tokens. */
const groupsMax = 20_000;
/** Tokens that have a label, when usage is narrowed to it. */
const labelledMax = 10_000;
const pageRowsMax = 1_000;
const exportRowsPerPage = 1_000;
/** No id begins with it, and it comes before what they begin with. */
const beforeAllIds = '!';

export function analyticsStore(driver: Driver): AnalyticsStore {
  const page = (query: RequestPageQuery): Promise<RequestPage> => readPage(driver, query);
  return {
    async series(range, bucket, filter) {
      const { fromMs, toMs } = narrowedRange(range, filter);
      return (await driver.run(usageSeries, bucket, fromMs, toMs, await conditionsOf(driver, filter))).map(bucketOf);
    },
    async total(range, filter) {
      const { fromMs, toMs } = narrowedRange(range, filter);
      const [row] = await driver.run(usageSeries, 'none', fromMs, toMs, await conditionsOf(driver, filter));
      return { ...bucketOf(row ?? nothing), startMs: range.fromMs };
    },
    async groups(breakdowns, range, filter, limit) {
      const { fromMs, toMs } = narrowedRange(range, filter);
      const most = Math.min(limit, groupsMax);
      const lists = await driver.run(usageGroups, breakdowns, fromMs, toMs, await conditionsOf(driver, filter), most);
      return lists.map((groups) => groups.map(withMoney));
    },
    async jointGroups(columns, range, filter, limit) {
      const { fromMs, toMs } = narrowedRange(range, filter);
      const most = Math.min(limit, groupsMax);
      const conditions = await conditionsOf(driver, filter);
      return (await driver.run(usageJointSums, columns, fromMs, toMs, conditions, most)).map(withMoney);
    },
    async lines(by, groups, range, bucket, filter) {
      const { fromMs, toMs } = narrowedRange(range, filter);
      const conditions = await conditionsOf(driver, filter);
      const folder = driver.engine === 'postgres' ? 'database' : 'reader';
      return (await driver.run(usageLines, bucket, by, fromMs, toMs, conditions, groups, folder)).map(withMoney);
    },
    async unpricedModels({ fromMs, toMs }, limit, seenBy) {
      const found = await driver.run(unpricedModels, Math.round(fromMs), Math.round(toMs), limit, seenBy ?? null);
      return found.map(({ units, ...sums }) => ({ ...sums, ...(units !== undefined && { units: readUnits(units) }) }));
    },
    page,
    async top(range, filter, by, limit) {
      const { fromMs, toMs } = narrowedRange(range, filter);
      const most = Math.min(limit, pageRowsMax);
      return (await driver.run(topUsage, await conditionsOf(driver, filter), fromMs, toMs, by, most)).map(usageRecord);
    },
    pages: (filter, range) => readPages(page, filter, range),
    async count(range, filter) {
      const { fromMs, toMs } = narrowedRange(range, filter);
      const [requests, exact] = await driver.run(countUsage, await conditionsOf(driver, filter), fromMs, toMs);
      return { requests, exact };
    },
    state: () => driver.run(rollupState),
    rollup: rollupStore(driver),
  };
}

async function readPage(driver: Driver, query: RequestPageQuery): Promise<RequestPage> {
  const { filter, direction = 'older', cursor } = query;
  const limit = Math.min(query.limit, pageRowsMax);
  const { fromMs, toMs } = narrowedRange(query.range, filter);
  const place = cursor === undefined ? null : ([Math.round(cursor.atMs), cursor.id] as const);
  const conditions = await conditionsOf(driver, filter);
  // One more than asked for, and left out: it only shows that there is more.
  const [rows, stoppedAtMs] = await driver.run(usagePage, conditions, fromMs, toMs, direction, place, limit + 1);
  const kept = rows.slice(0, limit).map(usageRecord);
  const hasMore = rows.length > limit;
  const items = direction === 'older' ? kept : kept.reverse();
  const first = items[0];
  const last = items.at(-1);
  const stopped = stoppedAtMs === null ? undefined : { atMs: stoppedAtMs, id: beforeAllIds };
  const isComplete = stopped === undefined;
  if (direction === 'older') {
    const older = hasMore && last !== undefined ? placeOf(last) : stopped;
    return { items, older, newer: first === undefined ? cursor : placeOf(first), isComplete };
  }
  // A caller that came from an older page can go back to it.
  const older = last === undefined ? cursor : placeOf(last);
  const newer = first === undefined ? cursor : placeOf(first);
  return { items, older, newer: hasMore ? newer : (stopped ?? newer), isComplete };
}

const placeOf = (row: UsageRow) => ({ atMs: row.atMs, id: row.requestId });

async function* readPages(
  page: (query: RequestPageQuery) => Promise<RequestPage>,
  filter: AnalyticsFilter,
  range: Range,
): AsyncGenerator<readonly UsageRow[]> {
  let cursor: RequestPage['older'];
  do {
    const read = await page({ filter, range, limit: exportRowsPerPage, cursor });
    if (read.items.length > 0) yield read.items;
    cursor = read.older;
  } while (cursor !== undefined);
}

const nothing: BucketRow = { startMs: 0, ...new FigureSum().figures(), firstEvents: '', totals: '' };

const bucketOf = ({ costNano, firstEvents, totals, ...row }: BucketRow): UsageBucket => ({
  ...row,
  costNano: BigInt(costNano),
  firstEvents: binsOf(firstEvents),
  totals: binsOf(totals),
});

const withMoney = <Sum extends Figures>({ costNano, ...sum }: Sum): Omit<Sum, 'costNano'> & { costNano: bigint } => ({
  ...sum,
  costNano: BigInt(costNano),
});

function binsOf(text: string): Bins {
  const bins: Bins = new Map();
  addWrittenBins(bins, text);
  return bins;
}

/** Whole milliseconds, narrowed to the times that ids with this prefix can have. */
function narrowedRange({ fromMs, toMs }: Range, { requestIdPrefix }: AnalyticsFilter): Range {
  const times = requestIdPrefix === undefined ? undefined : timesOfRequestId(requestIdPrefix);
  const from = Math.max(0, Math.round(fromMs), times?.fromMs ?? 0);
  return { fromMs: from, toMs: Math.max(from, Math.min(Math.round(toMs), times?.toMs ?? Number.MAX_SAFE_INTEGER)) };
}

async function conditionsOf(driver: Driver, filter: AnalyticsFilter): Promise<Conditions> {
  const conditions: Condition[] = [];
  const add = <Value>(name: ConditionName, given: Value | undefined, cells: (value: Value) => Condition[1]): void => {
    if (given !== undefined) conditions.push([name, cells(given)]);
  };
  const names = (values: readonly string[]): readonly string[] => values.map(storableName);
  const flag = (value: boolean): readonly number[] => [value ? 1 : 0];
  add('token_id', filter.tokenIds, names);
  if (filter.labels !== undefined) add('token_id', await labelled(driver, filter.labels), names);
  add('owner_id', filter.ownerId, (ownerId) => [ownerId]);
  add('seen_by', filter.seenBy, (accountId) => [accountId]);
  add('team_id', filter.teamIds, names);
  add('project_id', filter.projectIds, names);
  add('model', filter.models, names);
  add('provider', filter.providers, names);
  add('endpoint', filter.endpoints, names);
  add('end_user', filter.endUsers, (users) => users.map(storableUser));
  add('tag', filter.tags, (tags) => tags.map((tag) => tagPattern(storableText(tag))));
  add('key', filter.keys, names);
  add('code', filter.codes, names);
  add('status_class', filter.statusClasses, (classes) => classes.map(Math.round));
  add('stream', filter.stream, flag);
  add('estimated', filter.estimated, flag);
  add('cost_nano_min', filter.costNanoMin, (nano) => [moneyCell(nano)]);
  add('total_ms_min', filter.totalMsMin, (totalMs) => [Math.round(totalMs)]);
  add('attempts_min', filter.attemptsMin, (attempts) => [attempts]);
  add('request_id_prefix', filter.requestIdPrefix, (prefix) => names([prefix]));
  return conditions;
}

async function labelled(driver: Driver, labels: readonly string[]): Promise<readonly string[]> {
  const ids = await driver.run(tokensLabelled, labels, labelledMax + 1);
  if (ids.length <= labelledMax) return ids;
  throw new GatewayError('field_invalid', `label: more than ${labelledMax} tokens have it`, { param: 'label' });
}
