/** Usage as a whole for the console: what happened over time and by whom, single requests, and all of them as files. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { UsageRow } from '../../ledger/ledger.ts';
import type {
  AnalyticsFilter,
  AnalyticsStore,
  Direction,
  Range,
  UsageBucket,
  UsageGroup,
} from '../../store/analytics/analytics-store.ts';
import {
  type AnalyzedRowView,
  analyticsBounds,
  type BreakdownView,
  type BucketName,
  type BucketView,
  type CountView,
  type ExportForm,
  type GroupView,
  type OverviewView,
  type RequestsView,
} from '../contracts/analytics-contract.ts';
import { cursorOf, cursorText } from '../page.ts';
import { withoutAbsent } from '../tokens/token-terms.ts';
import { type BreakdownQuestion, breakdown } from './breakdown.ts';
import { bucketFor, dayMs, startsOf } from './buckets.ts';
import { factsOf } from './dimensions.ts';
import { amounts, figuresView, isoText, noFigures } from './figure-views.ts';
import { type RequestExportParts, requestExport } from './request-export.ts';
import { type SumExportQuestion, sumExport } from './sum-export.ts';
import { rowView } from './usage.ts';

interface AnalyticsAdminOptions extends RequestExportParts {
  readonly analytics: AnalyticsStore;
}

interface RequestsQuery {
  readonly range: Range;
  readonly filter: AnalyticsFilter;
  readonly limit: number;
  readonly direction?: Direction | undefined;
  /** The `older` or `newer` of a page. */
  readonly cursor?: string | undefined;
}

export interface AnalyticsAdmin {
  /** `bucket` is chosen by the range's length where it is absent. */
  overview(range: Range, filter: AnalyticsFilter, bucket?: BucketName): Promise<OverviewView>;
  breakdown(question: BreakdownQuestion): Promise<BreakdownView>;
  requests(query: RequestsQuery): Promise<RequestsView>;
  count(range: Range, filter: AnalyticsFilter): Promise<CountView>;
  /** A file in pieces, each of some hundred rows, newest first. */
  exportText(range: Range, filter: AnalyticsFilter, form: ExportForm): AsyncIterable<string>;
  /** A file in pieces, each of one period, oldest first. */
  exportSums(question: SumExportQuestion): AsyncIterable<string>;
}

/** Of each kind, in an overview. */
const groupsShown = 10;

export function createAnalyticsAdmin(options: AnalyticsAdminOptions): AnalyticsAdmin {
  const { analytics, tokens: tokenTable } = options;

  async function named(groups: readonly UsageGroup[]): Promise<readonly GroupView[]> {
    const facts = await factsOf(
      tokenTable,
      groups.map(({ key }) => key),
    );
    return groups.map((group) => groupView(group, facts.get(group.key)?.name ?? group.key));
  }

  /** Each token is looked for once, however many rows are its. */
  async function rowsNamed(rows: readonly UsageRow[]): Promise<readonly AnalyzedRowView[]> {
    const facts = await factsOf(tokenTable, [...new Set(rows.map(({ tokenId }) => tokenId))]);
    return rows.map((row) =>
      withoutAbsent<AnalyzedRowView>({ ...rowView(row), tokenName: facts.get(row.tokenId)?.name }),
    );
  }

  return {
    async overview(range, filter, namedBucket) {
      check(range, filter);
      const bucket = bucketFor(range, namedBucket);
      const before = { fromMs: range.fromMs - (range.toMs - range.fromMs), toMs: range.fromMs };
      const failed = { by: 'code', order: 'requests' } as const;
      // One more code than asked for, because success is one of them.
      const [series, total, earlier, kinds, tokens, state] = await Promise.all([
        analytics.series(range, bucket, filter),
        analytics.total(range, filter),
        analytics.total(before, filter),
        analytics.groups([{ by: 'model' }, { by: 'provider' }, failed], range, filter, groupsShown + 1),
        analytics.groups([{ by: 'token_id' }], range, filter, groupsShown),
        analytics.state(),
      ]);
      const [models = [], providers = [], codes = []] = kinds;
      const shown = (list: readonly UsageGroup[]) =>
        list.slice(0, groupsShown).map((group) => groupView(group, group.key));
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
    async breakdown(question) {
      check(question.range, question.filter);
      return breakdown(options, { ...question, limit: Math.min(question.limit, analyticsBounds.groupsMax) });
    },
    async requests({ range, filter, limit, direction = 'older', cursor }) {
      check(range, filter);
      const most = Math.min(limit, analyticsBounds.pageRowsMax);
      const page = await analytics.page({ range, filter, limit: most, direction, cursor: cursorOf(cursor) });
      const items = await rowsNamed(page.items);
      const places = { older: page.older && cursorText(page.older), newer: page.newer && cursorText(page.newer) };
      return withoutAbsent<RequestsView>({ items, ...places, isComplete: page.isComplete });
    },
    async count(range, filter) {
      check(range, filter);
      return analytics.count(range, filter);
    },
    exportText(range, filter, form) {
      check(range, filter);
      return requestExport(options, analytics.pages(filter, range), form);
    },
    exportSums(question) {
      check(question.range, question.filter);
      return sumExport(options, question);
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

/** Puts empty buckets where nothing happened: zero requests is a figure, too. */
function filled(range: Range, name: BucketName, series: readonly UsageBucket[]): readonly BucketView[] {
  const known = new Map(series.map((bucket) => [bucket.startMs, bucket]));
  return startsOf(range, name).map((at) => ({ at: isoText(at), ...figuresView(known.get(at) ?? nothing) }));
}

const nothing: Omit<UsageBucket, 'startMs'> = { ...noFigures, firstEvents: new Map(), totals: new Map() };

const groupView = (group: UsageGroup, label: string): GroupView => ({ key: group.key, label, ...amounts(group) });
