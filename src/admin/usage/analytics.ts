/** Usage as a whole for the console: what happened over time and by whom, single requests, and all of them as a file. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { UsageRow } from '../../ledger/ledger.ts';
import type {
  AnalyticsFilter,
  AnalyticsStore,
  Direction,
  Range,
  TopBy,
  UsageBucket,
  UsageFigures,
  UsageGroup,
} from '../../store/analytics/analytics-store.ts';
import { percentile } from '../../store/analytics/analytics-store.ts';
import {
  type AnalyzedRowView,
  analyticsBounds,
  type BucketName,
  type BucketView,
  type CountView,
  type ExportForm,
  type FiguresView,
  type GroupView,
  type OverviewView,
  type RequestsView,
} from '../contracts/analytics-contract.ts';
import { cursorOf, cursorText } from '../page.ts';
import { withoutAbsent } from '../tokens/token-terms.ts';
import { sumCost } from './cost-views.ts';
import { csvText, jsonText } from './export-text.ts';
import { rowView } from './usage.ts';

interface AnalyticsAdminOptions {
  readonly analytics: AnalyticsStore;
  readonly tokenName: (tokenId: string) => Promise<string | undefined>;
}

interface RequestsQuery {
  readonly range: Range;
  readonly filter: AnalyticsFilter;
  readonly limit: number;
  readonly direction?: Direction | undefined;
  /** The `older` or `newer` of a page. */
  readonly cursor?: string | undefined;
  /** The greatest first, in one page, in the place of the newest. */
  readonly top?: TopBy | undefined;
}

export interface AnalyticsAdmin {
  overview(range: Range, filter: AnalyticsFilter, groups?: number): Promise<OverviewView>;
  requests(query: RequestsQuery): Promise<RequestsView>;
  count(range: Range, filter: AnalyticsFilter): Promise<CountView>;
  /** A file in pieces, each of some hundred rows, newest first. */
  exportText(range: Range, filter: AnalyticsFilter, form: ExportForm): AsyncIterable<string>;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const weekMs = 7 * dayMs;
const mondayOffsetMs = 3 * dayMs;
const groupsDefault = 10;
/** Of tokens, that an export remembers. */
const namesMax = 10_000;

/** Enough points for a line, and not more than a screen has room for. */
const buckets: readonly { readonly name: BucketName; readonly widthMs: number; readonly rangeMsMax: number }[] = [
  { name: 'minute', widthMs: minuteMs, rangeMsMax: 2 * hourMs },
  { name: 'hour', widthMs: hourMs, rangeMsMax: 8 * dayMs },
  { name: 'day', widthMs: dayMs, rangeMsMax: 100 * dayMs },
  { name: 'week', widthMs: weekMs, rangeMsMax: Number.POSITIVE_INFINITY },
];

export function createAnalyticsAdmin({ analytics, tokenName }: AnalyticsAdminOptions): AnalyticsAdmin {
  async function named(groups: readonly UsageGroup[]): Promise<readonly GroupView[]> {
    return Promise.all(groups.map(async (group) => groupView(group, (await tokenName(group.key)) ?? group.key)));
  }

  /** Each token is looked for once, however many rows are its. */
  async function rowsNamed(
    rows: readonly UsageRow[],
    names: Map<string, string | undefined>,
  ): Promise<readonly AnalyzedRowView[]> {
    const unknown = new Set(rows.map(({ tokenId }) => tokenId).filter((id) => !names.has(id)));
    await Promise.all([...unknown].map(async (id) => names.set(id, await tokenName(id))));
    return rows.map((row) => withoutAbsent<AnalyzedRowView>({ ...rowView(row), tokenName: names.get(row.tokenId) }));
  }

  async function* pagesNamed(pages: AsyncIterable<readonly UsageRow[]>): AsyncGenerator<readonly AnalyzedRowView[]> {
    const names = new Map<string, string | undefined>();
    for await (const rows of pages) {
      if (names.size > namesMax) names.clear();
      yield await rowsNamed(rows, names);
    }
  }

  return {
    async overview(range, filter, groups = groupsDefault) {
      check(range, filter);
      const bucket = bucketFor(range);
      const before = { fromMs: range.fromMs - (range.toMs - range.fromMs), toMs: range.fromMs };
      const limit = Math.min(groups, analyticsBounds.groupsMax);
      const failed = { by: 'code', order: 'requests' } as const;
      // One more code than asked for, because success is one of them.
      const [series, total, earlier, kinds, tokens, state] = await Promise.all([
        analytics.series(range, bucket, filter),
        analytics.total(range, filter),
        analytics.total(before, filter),
        analytics.groups([{ by: 'model' }, { by: 'provider' }, failed], range, filter, limit + 1),
        analytics.groups([{ by: 'token_id' }], range, filter, limit),
        analytics.state(),
      ]);
      const [models = [], providers = [], codes = []] = kinds;
      const shown = (list: readonly UsageGroup[]) => list.slice(0, limit).map((group) => groupView(group, group.key));
      return withoutAbsent<OverviewView>({
        from: isoText(range.fromMs),
        to: isoText(range.toMs),
        bucket,
        buckets: filled(range, bucket, series),
        total: figuresView(total),
        before: figuresView(earlier),
        models: shown(models),
        providers: shown(providers),
        tokens: await named(tokens[0] ?? []),
        codes: shown(codes.filter(({ key }) => key !== '')),
        rowsFrom: state.retainedFromMs === 0 ? undefined : isoText(state.retainedFromMs),
      });
    },
    async requests({ range, filter, limit, direction = 'older', cursor, top }) {
      check(range, filter);
      const most = Math.min(limit, analyticsBounds.pageRowsMax);
      if (top !== undefined) {
        const greatest = await analytics.top(range, filter, top, most);
        return { items: await rowsNamed(greatest, new Map()), isComplete: true };
      }
      const page = await analytics.page({ range, filter, limit: most, direction, cursor: cursorOf(cursor) });
      const items = await rowsNamed(page.items, new Map());
      const places = { older: page.older && cursorText(page.older), newer: page.newer && cursorText(page.newer) };
      return withoutAbsent<RequestsView>({ items, ...places, isComplete: page.isComplete });
    },
    async count(range, filter) {
      check(range, filter);
      return analytics.count(range, filter);
    },
    exportText(range, filter, form) {
      check(range, filter);
      const pages = pagesNamed(analytics.pages(filter, range));
      return form === 'csv' ? csvText(pages) : jsonText(pages);
    },
  };
}

function check({ fromMs, toMs }: Range, filter: AnalyticsFilter): void {
  const { rangeDaysMax, filterValuesMax } = analyticsBounds;
  const invalid = (param: string, rule: string) => new GatewayError('field_invalid', `${param}: ${rule}`, { param });
  if (!(fromMs < toMs)) throw invalid('to', 'must lie after from');
  if (toMs - fromMs > rangeDaysMax * dayMs) throw invalid('from', `must lie at most ${rangeDaysMax} days before to`);
  for (const [param, values] of Object.entries(filter)) {
    if (Array.isArray(values) && values.length > filterValuesMax) {
      throw invalid(param, `must have at most ${filterValuesMax} values`);
    }
  }
}

function bucketFor({ fromMs, toMs }: Range): BucketName {
  return buckets.find(({ rangeMsMax }) => toMs - fromMs <= rangeMsMax)?.name ?? 'week';
}

/** Puts empty buckets where nothing happened: zero requests is a figure, too. */
function filled({ fromMs, toMs }: Range, name: BucketName, series: readonly UsageBucket[]): readonly BucketView[] {
  const widthMs = buckets.find((bucket) => bucket.name === name)?.widthMs ?? weekMs;
  const offsetMs = name === 'week' ? mondayOffsetMs : 0;
  const known = new Map(series.map((bucket) => [bucket.startMs, bucket]));
  const views: BucketView[] = [];
  for (let at = Math.floor((fromMs + offsetMs) / widthMs) * widthMs - offsetMs; at < toMs; at += widthMs) {
    views.push({ at: isoText(at), ...figuresView(known.get(at) ?? nothing) });
  }
  return views;
}

const nothing: Omit<UsageBucket, 'startMs'> = {
  requests: 0,
  failures: 0,
  inputTokens: 0,
  cacheReadTokens: 0,
  outputTokens: 0,
  costNano: 0n,
  unpriced: 0,
  firstEvents: new Map(),
  totals: new Map(),
};

const isoText = (atMs: number): string => new Date(atMs).toISOString();

function amounts(figures: UsageFigures) {
  const { requests, failures, inputTokens, cacheReadTokens, outputTokens, unpriced } = figures;
  return { requests, failures, inputTokens, cacheReadTokens, outputTokens, ...sumCost(figures), unpriced };
}

function figuresView(bucket: Omit<UsageBucket, 'startMs'>): FiguresView {
  const { firstEvents, totals } = bucket;
  return withoutAbsent<FiguresView>({
    ...amounts(bucket),
    firstEventP50Ms: percentile(firstEvents, 0.5),
    firstEventP95Ms: percentile(firstEvents, 0.95),
    totalP50Ms: percentile(totals, 0.5),
    totalP95Ms: percentile(totals, 0.95),
  });
}

const groupView = (group: UsageGroup, label: string): GroupView => ({ key: group.key, label, ...amounts(group) });
