/** Replies about usage as a whole. */

import { z } from 'zod';
import type {
  BreakdownItem,
  BreakdownView,
  BucketView,
  BudgetAlarmView,
  CountView,
  EndingModelView,
  FiguresView,
  GroupView,
  OverviewView,
  SeriesPoint,
  UnpricedView,
} from '../../contracts/analytics-contract.ts';
import { bucketNames, dimensions } from '../../contracts/analytics-contract.ts';
import type { UnpricedModelView } from '../../contracts/usage-contract.ts';
import { day, reply, time } from '../schema-names.ts';
import { leastReservation } from './tokens.ts';

const figures = reply<FiguresView>()(
  'Figures',
  z.strictObject({
    requests: z.number(),
    failures: z.number(),
    inputTokens: z.number(),
    cacheReadTokens: z.number(),
    outputTokens: z.number(),
    costUsd: z.string().nullable().describe('Of what has a price; null where nothing of it has.'),
    costNano: z.string().nullable().describe('The same in billionths of a dollar.'),
    unpriced: z
      .number()
      .describe(
        'How many of the requests the cost leaves out, because what they used has no known price. 0 in sums from before that was counted.',
      ),
    firstEventP50Ms: z.number().exactOptional().describe('Within 3.2 percent of the exact ones.'),
    firstEventP95Ms: z.number().exactOptional(),
    totalP50Ms: z.number().exactOptional(),
    totalP95Ms: z.number().exactOptional(),
  }),
);

const bucket = reply<BucketView>()(
  'Bucket',
  z.strictObject({
    ...figures.shape,
    at: time.describe('Where the bucket begins; the first and the last one are cut by the range.'),
  }),
);

const group = reply<GroupView>()(
  'Group',
  z.strictObject({
    key: z
      .string()
      .describe(
        'The model, provider, token id, error code, or whatever it is grouped by. Empty: requests that have none.',
      ),
    label: z.string().describe('What people call it, where that differs: the name of a token, an owner or a key.'),
    requests: z.number(),
    failures: z.number(),
    inputTokens: z.number(),
    cacheReadTokens: z.number(),
    outputTokens: z.number(),
    costUsd: z.string().nullable(),
    costNano: z.string().nullable(),
    unpriced: z.number(),
  }),
);

export const overview = reply<OverviewView>()(
  'Overview',
  z.strictObject({
    from: time,
    to: time,
    bucket: z.enum(bucketNames),
    buckets: z.array(bucket).describe('Every bucket of the range, oldest first, also those in which nothing happened.'),
    total: figures,
    before: figures.describe('The period of the same length before.'),
    models: z.array(group).describe('The most expensive first.'),
    providers: z.array(group),
    tokens: z.array(group),
    codes: z.array(group).describe('The most frequent first.'),
    rowsFrom: time
      .exactOptional()
      .describe('Single requests from before this are gone; their sums are not. Absent where none were removed.'),
  }),
);

const seriesPoint = reply<SeriesPoint>()(
  'SeriesPoint',
  z.strictObject({
    requests: z.number(),
    failures: z.number(),
    inputTokens: z.number(),
    cacheReadTokens: z.number(),
    outputTokens: z.number(),
    costNano: z.string().nullable().describe('Null where nothing of it has a price.'),
  }),
);

const breakdownItem = reply<BreakdownItem>()(
  'BreakdownItem',
  z.strictObject({
    ...group.shape,
    series: z.array(seriesPoint).describe('One for each start.'),
  }),
);

export const breakdown = reply<BreakdownView>()(
  'Breakdown',
  z.strictObject({
    from: time,
    to: time,
    by: z.enum(dimensions),
    bucket: z.enum(bucketNames),
    overlapping: z.boolean().describe('One request may count in several groups: a token may have several labels.'),
    starts: z.array(time).describe('Where the buckets begin: all of the range, the same as the overview’s.'),
    items: z.array(breakdownItem).describe('The largest first.'),
    rest: breakdownItem
      .exactOptional()
      .describe('All other groups together, under an empty key; absent where there are none.'),
    total: figures,
  }),
);

export const count = reply<CountView>()(
  'Count',
  z.strictObject({
    requests: z.number(),
    exact: z.boolean().describe('False: there are no more than these.'),
  }),
);

const unpricedModel = reply<UnpricedModelView>()(
  'UnpricedModel',
  z.strictObject({
    provider: z.string(),
    model: z.string(),
    requests: z.number(),
    inputTokens: z.number(),
    outputTokens: z.number(),
    lastAt: time,
    units: z
      .array(z.string())
      .exactOptional()
      .describe('What was used beside tokens, by the names that cost lines are made of; absent where nothing was.'),
  }),
);

export const unpricedModels = reply<UnpricedView>()(
  'UnpricedModels',
  z.strictObject({
    from: time,
    items: z.array(unpricedModel),
  }),
);

export const budgetAlarm = reply<BudgetAlarmView>()(
  'BudgetAlarm',
  z.strictObject({
    tokenId: z.string(),
    tokenName: z.string(),
    limitUsd: z.string(),
    spentUsd: z.string(),
    heldUsd: z.string().describe('Reserved by requests in flight.'),
    leftUsd: z.string(),
    period: z.string(),
    resetsAt: time.exactOptional().describe('Absent where the budget never resets.'),
    least: leastReservation
      .exactOptional()
      .describe('Present where less is left than any request without an output limit reserves.'),
    share: z.number().describe('0 to 1, and above where a budget was lowered.'),
  }),
);

export const endingModel = reply<EndingModelView>()(
  'EndingModel',
  z.strictObject({
    provider: z.string(),
    model: z.string().describe('As the provider names it.'),
    names: z.array(z.string()).describe('Under which it was asked for.'),
    deprecatedAt: day.exactOptional().describe('Days in UTC, as `2026-11-16`.'),
    shutdownAt: day.exactOptional(),
    tokens: z
      .array(z.strictObject({ id: z.string(), name: z.string(), requests: z.number() }))
      .describe('The 20 that asked for it most.'),
    isMost: z
      .boolean()
      .exactOptional()
      .describe(
        'Some of the names lead to other models of the same provider too: the counts are the most that they can be.',
      ),
  }),
);
