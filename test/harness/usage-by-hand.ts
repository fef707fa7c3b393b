/** The slow and plain method to sum usage rows, with which the store's fast ones are compared. */

import type { UsageRow } from '../../src/ledger/ledger.ts';
import { isUnpriced } from '../../src/ledger/unpriced.ts';
import type {
  AnalyticsFilter,
  Bucket,
  Range,
  UsageBucket,
  UsageGroup,
} from '../../src/store/analytics/analytics-store.ts';
import type { Bins } from '../../src/store/analytics/durations.ts';
import { binOf } from '../../src/store/analytics/durations.ts';
import type { GroupColumn, GroupOrder } from '../../src/store/analytics/usage-groups.ts';
import { aUsageRow } from './store-places.ts';

/** A small generator of chance with a seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const failures = [
  [429, 'rate_limited'],
  [502, 'upstream_failed'],
  [499, 'client_left'],
  [0, 'swept'],
] as const;

/** Some differ in case alone, and some hold what SQL's patterns mean otherwise. */
const tagSets = [['nightly'], ['Nightly', 'eu'], ['nightly', 'eu'], ['a_b', 'job:100%'], ['eu']] as const;

export function randomRows(random: () => number, count: number, fromMs: number, toMs: number): UsageRow[] {
  const below = (most: number): number => Math.floor(random() * most);
  return Array.from({ length: count }, (_, index) => {
    const failure = random() < 0.15 ? failures[below(failures.length)] : undefined;
    const [status, code] = failure ?? [200, ''];
    const { firstEventMs: _given, ...row } = aUsageRow({
      requestId: `r${index}`,
      // Many at the edges of hours, where mistakes are made.
      atMs: random() < 0.2 ? edgeNear(fromMs + below(toMs - fromMs), below(3) - 1) : fromMs + below(toMs - fromMs),
      tokenId: `token-${below(6)}`,
      model: `model-${below(5)}`,
      provider: `up-${below(3)}`,
      endpoint: random() < 0.8 ? 'chat' : 'embed',
      stream: random() < 0.6,
      estimated: random() < 0.1,
      status,
      code,
      costNano: BigInt(below(1_000_000_000)),
      attempts: 1 + below(3),
      totalMs: below(3) === 0 ? below(20) : below(25_000),
      usage: {
        input: random() < 0.9 ? { total: below(5_000), ...(random() < 0.5 && { cacheRead: below(500) }) } : {},
        output: random() < 0.9 ? { total: below(900) } : {},
      },
      priceVersion: random() < 0.25 ? '' : 'library',
      ...(random() < 0.6 && { endUser: `user-${below(7)}` }),
      ...(random() < 0.8 && { keyId: `key-${below(2)}` }),
      ...(random() < 0.1 && { units: { images: 1 } }),
      ...(random() < 0.5 && { tags: tagSets[below(tagSets.length)] }),
    });
    if (code === 'rate_limited') return { ...row, attempts: 0, ...(random() < 0.5 && { requests: 2 + below(90) }) };
    return random() < 0.7 ? { ...row, firstEventMs: below(4_000) } : row;
  });
}

const edgeNear = (atMs: number, beside: number): number => Math.round(atMs / 3_600_000) * 3_600_000 + beside;

export function matches(row: UsageRow, filter: AnalyticsFilter, { fromMs, toMs }: Range): boolean {
  const among = <Value>(values: readonly Value[] | undefined, value: Value): boolean => values?.includes(value) ?? true;
  return (
    row.atMs >= fromMs &&
    row.atMs < toMs &&
    among(filter.tokenIds, row.tokenId) &&
    among(filter.models, row.model) &&
    among(filter.providers, row.provider) &&
    among(filter.endpoints, row.endpoint) &&
    among(filter.endUsers, row.endUser ?? '') &&
    (filter.tags?.some((tag) => row.tags?.includes(tag)) ?? true) &&
    among(filter.keys, keyOf(row)) &&
    among(filter.codes, row.code) &&
    among(filter.statusClasses, Math.floor(row.status / 100)) &&
    (filter.stream ?? row.stream) === row.stream &&
    (filter.estimated ?? row.estimated) === row.estimated &&
    row.costNano >= (filter.costNanoMin ?? 0n) &&
    row.totalMs >= (filter.totalMsMin ?? 0) &&
    row.attempts >= (filter.attemptsMin ?? 0) &&
    row.requestId.startsWith(filter.requestIdPrefix ?? '')
  );
}

const keyOf = ({ provider, keyId }: UsageRow): string => (keyId === undefined ? '' : `${provider}/${keyId}`);

/** A row may count several refused requests. */
export const requestsIn = (rows: readonly UsageRow[]): number =>
  rows.reduce((sum, { requests = 1 }) => sum + requests, 0);

export const figuresOf = (rows: readonly UsageRow[]) => ({
  requests: requestsIn(rows),
  failures: requestsIn(rows.filter(({ status }) => status < 200 || status > 399)),
  inputTokens: rows.reduce((sum, row) => sum + (row.usage.input.total ?? 0), 0),
  cacheReadTokens: rows.reduce((sum, row) => sum + (row.usage.input.cacheRead ?? 0), 0),
  outputTokens: rows.reduce((sum, row) => sum + (row.usage.output.total ?? 0), 0),
  costNano: rows.reduce((sum, row) => sum + row.costNano, 0n),
  unpriced: rows.filter(isUnpriced).length,
});

function binsOf(durations: readonly (number | undefined)[]): Bins {
  const bins: Bins = new Map();
  for (const duration of durations) {
    if (duration !== undefined) bins.set(binOf(duration), (bins.get(binOf(duration)) ?? 0) + 1);
  }
  return bins;
}

export function sumByHand(startMs: number, rows: readonly UsageRow[]): UsageBucket {
  const firstEvents = binsOf(rows.map((row) => row.firstEventMs));
  const called = rows.filter(({ attempts }) => attempts > 0);
  return { startMs, ...figuresOf(rows), firstEvents, totals: binsOf(called.map((row) => row.totalMs)) };
}

/** By the calendar and not by division, so that the two methods can differ. */
function bucketStart(atMs: number, bucket: Bucket): number {
  const date = new Date(atMs);
  date.setUTCSeconds(0, 0);
  if (bucket === 'minute') return date.getTime();
  date.setUTCMinutes(0);
  if (bucket === 'hour') return date.getTime();
  date.setUTCHours(0);
  while (bucket === 'week' && date.getUTCDay() !== 1) date.setUTCDate(date.getUTCDate() - 1);
  return date.getTime();
}

export function bucketsByHand(rows: readonly UsageRow[], bucket: Bucket): readonly UsageBucket[] {
  const groups = Map.groupBy(rows, (row) => bucketStart(row.atMs, bucket));
  return [...groups].sort(([a], [b]) => a - b).map(([startMs, members]) => sumByHand(startMs, members));
}

export const columnOf = {
  model: (row: UsageRow) => row.model,
  provider: (row: UsageRow) => row.provider,
  token_id: (row: UsageRow) => row.tokenId,
  end_user: (row: UsageRow) => row.endUser ?? '',
  tags: (row: UsageRow) => (row.tags === undefined ? '' : `,${row.tags.join(',')},`),
  endpoint: (row: UsageRow) => row.endpoint,
  key: keyOf,
  code: (row: UsageRow) => row.code,
  status_class: (row: UsageRow) => String(Math.floor(row.status / 100)),
} as const satisfies Record<GroupColumn, (row: UsageRow) => string>;

const tokensOf = ({ inputTokens, outputTokens }: UsageGroup): number => inputTokens + outputTokens;

export function groupsByHand(rows: readonly UsageRow[], by: GroupColumn, order: GroupOrder): readonly UsageGroup[] {
  const groups = [...Map.groupBy(rows, columnOf[by])].map(([key, members]) => ({ key, ...figuresOf(members) }));
  const cost = (a: UsageGroup, b: UsageGroup): number => Number(b.costNano - a.costNano);
  const requests = (a: UsageGroup, b: UsageGroup): number => b.requests - a.requests;
  const tokens = (a: UsageGroup, b: UsageGroup): number => tokensOf(b) - tokensOf(a);
  const key = (a: UsageGroup, b: UsageGroup): number => (a.key < b.key ? -1 : 1);
  const [first, second] = { cost: [cost, requests], requests: [requests, cost], tokens: [tokens, cost] }[order] as [
    typeof cost,
    typeof cost,
  ];
  return groups.sort((a, b) => first(a, b) || second(a, b) || key(a, b));
}
