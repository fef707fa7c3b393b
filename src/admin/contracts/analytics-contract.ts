/** The shapes of usage as a whole in the console's API: numbers as numbers, money as texts, times in UTC. */

import type { CostClass } from '../../ledger/cost-lines.ts';
import type { LeastReservationView, RequestView, UnpricedModelView, UsageRowView } from './usage-contract.ts';

export type { CostClass } from '../../ledger/cost-lines.ts';

export const bucketNames = ['minute', 'hour', 'day', 'week'] as const;
export type BucketName = (typeof bucketNames)[number];

export const analyticsBounds = {
  rangeDaysMax: 3_660,
  filterValuesMax: 64,
  groupsMax: 100,
  pageRowsMax: 200,
  /** Where a query names its bucket itself. */
  bucketsMax: 500,
  /** Of one period in a file of sums; what is beyond them is one row, `(others)`. */
  sumRowsMax: 20_000,
} as const;

/** What usage can be grouped by. `user` is the end user that a request names, `tag` one of its tags, `key` the provider's key that served it. */
export const dimensions = [
  'model',
  'provider',
  'token',
  'label',
  'owner',
  'team',
  'project',
  'user',
  'tag',
  'endpoint',
  'key',
  'code',
] as const;
export type Dimension = (typeof dimensions)[number];

/** What a file of sums can have a row for, any of these together, and one of the two periods, in UTC. */
export const sumColumns = [...dimensions, 'day', 'month'] as const;
export type SumColumn = (typeof sumColumns)[number];

/** What `weir usage` sums by. */
export const usageGroupings = [...dimensions, 'day'] as const;
export type UsageGrouping = (typeof usageGroupings)[number];

export const breakdownOrders = ['cost', 'requests', 'tokens'] as const;
export type BreakdownOrder = (typeof breakdownOrders)[number];

export const exportForms = ['csv', 'json'] as const;
export type ExportForm = (typeof exportForms)[number];

/**
 * The words that narrow overview, requests, count and export. These may come several times, and one of their values must hold;
 * `status` is the first digit of a status (0 where there never was one), and an empty `code` is success.
 */
export const usageListWords = [...dimensions.filter((dimension) => dimension !== 'owner'), 'status'] as const;
/**
 * Once each: two instants, an account's id, `true` or `false` twice, dollars such as 0.25, whole milliseconds, `true` for requests that
 * needed more than one attempt, the beginning of a request's id.
 */
export const usageBoundWords = [
  'from',
  'to',
  'owner',
  'stream',
  'estimated',
  'min_cost_usd',
  'min_duration_ms',
  'fallback',
  'id',
] as const;
/** Where a page of requests continues: `older` (the default) or `newer` than the cursor, and how many rows. */
export const usagePageWords = ['direction', 'cursor', 'limit'] as const;

/** Durations are absent where nothing was measured; a chart shows a gap there. */
export interface FiguresView {
  readonly requests: number;
  readonly failures: number;
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly outputTokens: number;
  /** Of what has a price; null where nothing of it has. */
  readonly costUsd: string | null;
  readonly costNano: string | null;
  /**
   * How many of the requests the cost leaves out, because what they used has no known price. 0 in sums
   * from before that was counted.
   */
  readonly unpriced: number;
  /** Within 3.2 percent of the exact ones. */
  readonly firstEventP50Ms?: number;
  readonly firstEventP95Ms?: number;
  readonly totalP50Ms?: number;
  readonly totalP95Ms?: number;
}

export interface BucketView extends FiguresView {
  /** Where the bucket begins; the first and the last one are cut by the range. */
  readonly at: string;
}

export interface GroupView {
  /** The model, provider, token id, error code, or whatever it is grouped by. Empty: requests that have none. */
  readonly key: string;
  /** What people call it, where that differs: the name of a token, an owner or a key. */
  readonly label: string;
  readonly requests: number;
  readonly failures: number;
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly outputTokens: number;
  readonly costUsd: string | null;
  readonly costNano: string | null;
  readonly unpriced: number;
}

export interface OverviewView {
  readonly from: string;
  readonly to: string;
  readonly bucket: BucketName;
  /** Every bucket of the range, oldest first, also those in which nothing happened. */
  readonly buckets: readonly BucketView[];
  readonly total: FiguresView;
  /** The period of the same length before. */
  readonly before: FiguresView;
  /** The most expensive first. */
  readonly models: readonly GroupView[];
  readonly providers: readonly GroupView[];
  readonly tokens: readonly GroupView[];
  /** The most frequent first. */
  readonly codes: readonly GroupView[];
  /** Single requests from before this are gone; their sums are not. Absent where none were removed. */
  readonly rowsFrom?: string;
}

/** One bucket of one group. */
export interface SeriesPoint {
  readonly requests: number;
  readonly failures: number;
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly outputTokens: number;
  /** Null where nothing of it has a price. */
  readonly costNano: string | null;
}

export interface BreakdownItem extends GroupView {
  /** One for each start. */
  readonly series: readonly SeriesPoint[];
}

/** `GET /console/api/usage/breakdown`: usage by one dimension, over the range and over time. */
export interface BreakdownView {
  readonly from: string;
  readonly to: string;
  readonly by: Dimension;
  readonly bucket: BucketName;
  /** One request may count in several groups: it may have several tags, and a token several labels. */
  readonly overlapping: boolean;
  /** Where the buckets begin: all of the range, the same as the overview's. */
  readonly starts: readonly string[];
  /** The largest first. */
  readonly items: readonly BreakdownItem[];
  /** All other groups together, under an empty key; absent where there are none. */
  readonly rest?: BreakdownItem;
  readonly total: FiguresView;
}

export interface AnalyzedRowView extends UsageRowView {
  readonly tokenName?: string;
}

/** A row of the file of requests. */
export interface ExportRowView extends AnalyzedRowView {
  readonly labels?: readonly string[];
  readonly ownerId?: string;
  readonly ownerName?: string;
  /** Of the token, now. */
  readonly teamId?: string;
  readonly teamName?: string;
  readonly projectId?: string;
  readonly projectName?: string;
  /** The error message that the client was sent; absent where the request succeeded. */
  readonly error?: string;
}

/** Newest first. */
export interface RequestsView {
  readonly items: readonly AnalyzedRowView[];
  /** Comes back as the cursor of a page in that direction; absent where there are no older ones. */
  readonly older?: string;
  readonly newer?: string;
  /** False where the search continues with the next page, because what is looked for is rare. */
  readonly isComplete: boolean;
}

export interface CountView {
  readonly requests: number;
  /** False: there are no more than these. */
  readonly exact: boolean;
}

/**
 * What a cost is made of. `estimate` is a sum that cannot be itemized, because what was used never became known;
 * `difference` is what several calls for one request were charged apart, beside their sum.
 */
export const costClasses = [
  'input',
  'cache read',
  'cache write',
  'cache write 1 h',
  'input audio',
  'input image',
  'input video',
  'cached audio',
  'cached image',
  'cached video',
  'output',
  'thinking',
  'output audio',
  'output image',
  'output video',
  'images',
  'seconds',
  'characters',
  'searches',
  'video seconds',
  'videos',
  'pages',
  'web searches',
  'requests',
  'estimate',
  'difference',
] as const satisfies readonly CostClass[];

/** One class of what was used, times its price: the lines add up to the cost of the row, to the last digit. */
export interface CostLineView {
  readonly class: CostClass;
  readonly quantity: number;
  /** USD for `perUnits` of it. */
  readonly usd: string;
  readonly perUnits: number;
  readonly costUsd: string;
}

/** `GET /console/api/usage/requests/{id}`: everything that is known of one request, in the order in which it happened. */
export interface RequestDetailView extends RequestView {
  readonly tokenName?: string;
  /** Empty where nothing was used; absent where its price is not known (any more). */
  readonly costLines?: readonly CostLineView[];
  /** Which list of prices they come from. */
  readonly priceVersion?: string;
  readonly bytesIn?: number;
  readonly bytesOut?: number;
  /** Its content is stored and may be read with `/content`. */
  readonly hasContent: boolean;
}

/**
 * `GET /console/api/usage/unpriced`: models that were used in the last 30 days and have no price now, the most used first. Of single
 * requests that are still kept.
 */
export interface UnpricedView {
  readonly from: string;
  readonly items: readonly UnpricedModelView[];
}

/** `GET /console/api/usage/budgets`: tokens whose budget is nearly spent, the nearest first. */
export interface BudgetAlarmView {
  readonly tokenId: string;
  readonly tokenName: string;
  readonly limitUsd: string;
  readonly spentUsd: string;
  /** Reserved by requests in flight. */
  readonly heldUsd: string;
  readonly leftUsd: string;
  readonly period: string;
  /** Absent where the budget never resets. */
  readonly resetsAt?: string;
  /** Present where less is left than any request without an output limit reserves. */
  readonly least?: LeastReservationView;
  /** 0 to 1, and above where a budget was lowered. */
  readonly share: number;
}

/** `GET /console/api/usage/ending`: models that their providers will shut down and that tokens used in the last 30 days. */
export interface EndingModelView {
  readonly provider: string;
  /** As the provider names it. */
  readonly model: string;
  /** Under which it was asked for. */
  readonly names: readonly string[];
  /** Days in UTC, as `2026-11-16`. */
  readonly deprecatedAt?: string;
  readonly shutdownAt?: string;
  /** The 20 that asked for it most. */
  readonly tokens: readonly { readonly id: string; readonly name: string; readonly requests: number }[];
  /** Some of the names lead to other models of the same provider too: the counts are the most that they can be. */
  readonly isMost?: boolean;
}
