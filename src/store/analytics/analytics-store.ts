/** Queries over usage as a whole, and how its sums are kept up to date. */

import type { UsageRow } from '../../ledger/ledger.ts';
import type { RollupStore } from '../../ledger/ledger-store.ts';
import type { Consumption } from '../../operations/consumption.ts';
import type { Cursor } from '../sql/pages.ts';
import type { Bins } from './durations.ts';
import type { BucketName } from './segment-sources.ts';
import type { Breakdown, GroupColumn, GroupLines } from './usage-groups.ts';
import type { RollupState } from './usage-rollup.ts';
import type { TopBy } from './usage-top.ts';
import type { Direction } from './usage-zones.ts';

export { percentile } from './durations.ts';
export type { GroupColumn, GroupLines } from './usage-groups.ts';
export type { TopBy } from './usage-top.ts';
export type { Direction } from './usage-zones.ts';

export type Bucket = Exclude<BucketName, 'none'>;

/** Absent means everything; an empty list means nothing. */
export interface AnalyticsFilter {
  readonly tokenIds?: readonly string[] | undefined;
  /** Only what tokens of this account used. */
  readonly ownerId?: string | undefined;
  /** Only what this account may see: what its own tokens used, and those of teams whose admin or viewer it is. */
  readonly seenBy?: string | undefined;
  /** Only what tokens used that belong to one of these teams now, or to a project of it. */
  readonly teamIds?: readonly string[] | undefined;
  readonly projectIds?: readonly string[] | undefined;
  readonly models?: readonly string[] | undefined;
  readonly providers?: readonly string[] | undefined;
  /** Only what tokens with one of these labels used. */
  readonly labels?: readonly string[] | undefined;
  readonly endUsers?: readonly string[] | undefined;
  /** Only requests with one of these tags. */
  readonly tags?: readonly string[] | undefined;
  /** Each as `provider/id`. */
  readonly keys?: readonly string[] | undefined;
  readonly endpoints?: readonly string[] | undefined;
  readonly codes?: readonly string[] | undefined;
  /** The first digit of the status: 2, 4, 5; 0 where there never was one. */
  readonly statusClasses?: readonly number[] | undefined;
  readonly stream?: boolean | undefined;
  readonly estimated?: boolean | undefined;
  readonly costNanoMin?: bigint | undefined;
  readonly totalMsMin?: number | undefined;
  /** Of one request; two or more where the first target did not serve it. */
  readonly attemptsMin?: number | undefined;
  readonly requestIdPrefix?: string | undefined;
}

export interface Range {
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
}

export interface UsageFigures {
  readonly requests: number;
  readonly failures: number;
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly outputTokens: number;
  readonly costNano: bigint;
  /** How many of the requests the cost leaves out, because no price is known for what they used. 0 in sums from before that was counted. */
  readonly unpriced: number;
}

/** A model that was used and has no price: by its provider's own name, as prices are found. */
export interface UnpricedModel {
  readonly provider: string;
  readonly model: string;
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly lastAtMs: number;
  /** What one of them used beside tokens, as a sample. */
  readonly units?: Consumption | undefined;
}

export interface UsageBucket extends UsageFigures {
  readonly startMs: number;
  readonly firstEvents: Bins;
  readonly totals: Bins;
}

export interface UsageGroup extends UsageFigures {
  readonly key: string;
}

/** Of several columns together: a key for each. */
interface UsageJointGroup extends UsageFigures {
  readonly keys: readonly string[];
}

/** One bucket of one line of a chart. */
interface UsageLine extends UsageFigures {
  readonly line: number;
  readonly startMs: number;
}

/** Newest first, whichever the direction. */
export interface RequestPage {
  readonly items: readonly UsageRow[];
  /** Where the next older page starts; absent where there is none. */
  readonly older: Cursor | undefined;
  /** Where newer ones will be; present as soon as there is any place to start from. */
  readonly newer: Cursor | undefined;
  /** False where the search was left to the next page, because matches are rare. */
  readonly isComplete: boolean;
}

export interface RequestPageQuery {
  readonly filter: AnalyticsFilter;
  readonly range: Range;
  readonly limit: number;
  readonly direction?: Direction;
  readonly cursor?: Cursor | undefined;
}

export interface AnalyticsStore {
  /** Buckets in UTC, oldest first, without those in which nothing happened. The first and the last are cut by the range. */
  series(range: Range, bucket: Bucket, filter: AnalyticsFilter): Promise<readonly UsageBucket[]>;
  /** The whole range as one bucket. */
  total(range: Range, filter: AnalyticsFilter): Promise<UsageBucket>;
  /** One list for each breakdown, from one reading; the largest first. Tokens are worth a reading of their own: there may be many. */
  groups(
    breakdowns: readonly Breakdown[],
    range: Range,
    filter: AnalyticsFilter,
    limit: number,
  ): Promise<readonly (readonly UsageGroup[])[]>;
  /** By all columns together, the most expensive first. */
  jointGroups(
    columns: readonly GroupColumn[],
    range: Range,
    filter: AnalyticsFilter,
    limit: number,
  ): Promise<readonly UsageJointGroup[]>;
  /** The buckets of some groups, each added to the lines that it names; without those in which nothing happened. */
  lines(
    by: GroupColumn,
    groups: readonly GroupLines[],
    range: Range,
    bucket: Bucket,
    filter: AnalyticsFilter,
  ): Promise<readonly UsageLine[]>;
  /** Of single requests that are still kept; the most used first. `seenBy`: only what this account may see. */
  unpricedModels(range: Range, limit: number, seenBy?: string): Promise<readonly UnpricedModel[]>;
  page(query: RequestPageQuery): Promise<RequestPage>;
  /** The requests that cost or took the most, the greatest first. */
  top(range: Range, filter: AnalyticsFilter, by: TopBy, limit: number): Promise<readonly UsageRow[]>;
  /** All that match, newest first, some at a time. */
  pages(filter: AnalyticsFilter, range: Range): AsyncIterable<readonly UsageRow[]>;
  count(range: Range, filter: AnalyticsFilter): Promise<{ readonly requests: number; readonly exact: boolean }>;
  state(): Promise<RollupState>;
  readonly rollup: RollupStore;
}
