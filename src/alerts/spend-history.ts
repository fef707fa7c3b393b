/** The spend of the running hour and the one before, with that of the same hours of the last four weeks. */

import type { AnalyticsFilter, AnalyticsStore, UsageBucket } from '../store/analytics/analytics-store.ts';
import type { TokenStore } from '../store/tokens/token-store.ts';
import { weeksMin } from './evaluate/spend-alerts.ts';
import type { SpendFact } from './facts.ts';

interface SpendParts {
  readonly analytics: Pick<AnalyticsStore, 'series' | 'groups'>;
  readonly tokens: Pick<TokenStore, 'byId'>;
}

type ReadSpends = (nowMs: number, leastNano: bigint) => Promise<readonly SpendFact[]>;

const hourMs = 3_600_000;
const weekMs = 7 * 24 * hourMs;
const weeks = 4;
/** A week counts only if something was requested in so many hours up to the hour. */
const inUseHours = 24;
const tokensMax = 10;
/**
 * The last two hours are mostly summed from rows of single requests, some microseconds each. After so long for each of
 * them they are summed again, which takes about a hundredth of a core, and up to three where tokens are summed too;
 * beyond two million requests, where the longest rest is reached, it takes more.
 */
const restMsPerRequest = 0.3;
const restMsMax = 10 * 60_000;
const everything = { subject: 'all', name: 'all requests', filter: {} } as const;

interface Reading {
  readonly facts: readonly SpendFact[];
  readonly leastNano: bigint;
  readonly atMs: number;
  readonly untilMs: number;
}

interface Spender {
  readonly subject: string;
  readonly name: string;
  readonly filter: AnalyticsFilter;
}

export function createSpendReader({ analytics, tokens }: SpendParts): ReadSpends {
  /** Earlier weeks do not change: they are read once for each hour. */
  let known = new Map<string, readonly bigint[]>();
  let knownOfMs = 0;
  let last: Reading | undefined;

  async function earlier({ subject, filter }: Spender, hourStartMs: number): Promise<readonly bigint[]> {
    const key = `${subject} ${hourStartMs}`;
    const kept = known.get(key);
    if (kept !== undefined) return kept;
    const found: bigint[] = [];
    for (let week = 1; week <= weeks; week++) {
      const startMs = hourStartMs - week * weekMs;
      const range = { fromMs: startMs - (inUseHours - 1) * hourMs, toMs: startMs + hourMs };
      const buckets = await analytics.series(range, 'hour', filter);
      if (buckets.length > 0) found.push(buckets.find((bucket) => bucket.startMs === startMs)?.costNano ?? 0n);
    }
    known.set(key, found);
    return found;
  }

  /** No token was in use in more weeks than all of them together; with too few there is nothing to sum for. */
  async function isComparable(hourStartMs: number): Promise<boolean> {
    for (const startMs of [hourStartMs, hourStartMs - hourMs])
      if ((await earlier(everything, startMs)).length >= weeksMin) return true;
    return false;
  }

  async function spenders(range: { fromMs: number; toMs: number }, leastNano: bigint): Promise<readonly Spender[]> {
    const byCost = { by: 'token_id', order: 'cost' } as const;
    const [groups = []] = await analytics.groups([byCost], range, {}, tokensMax);
    const large = groups.filter(({ costNano }) => costNano >= leastNano);
    return Promise.all(
      large.map(async ({ key }) => ({
        subject: `token:${key}`,
        name: `token ${(await tokens.byId(key))?.terms.name ?? key}`,
        filter: { tokenIds: [key] },
      })),
    );
  }

  async function factsOf(spender: Spender, buckets: readonly UsageBucket[], leastNano: bigint) {
    const { subject, name } = spender;
    const facts: SpendFact[] = [];
    for (const { startMs, costNano } of buckets) {
      // Below the least amount nothing is compared.
      if (costNano < leastNano) continue;
      const earlierNano = await earlier(spender, startMs);
      facts.push({ subject, name, hourStartMs: startMs, spentNano: costNano, earlierNano });
    }
    return facts;
  }

  return async (nowMs, leastNano) => {
    if (last?.leastNano === leastNano && nowMs >= last.atMs && nowMs < last.untilMs) return last.facts;
    const hourStartMs = nowMs - (nowMs % hourMs);
    if (knownOfMs !== hourStartMs) known = new Map();
    knownOfMs = hourStartMs;
    if (!(await isComparable(hourStartMs))) return [];
    const range = { fromMs: hourStartMs - hourMs, toMs: hourStartMs + hourMs };
    const whole = await analytics.series(range, 'hour', {});
    const facts = await factsOf(everything, whole, leastNano);
    // No token has spent the least amount where all of them together have not.
    for (const spender of facts.length === 0 ? [] : await spenders(range, leastNano)) {
      const buckets = await analytics.series(range, 'hour', spender.filter);
      facts.push(...(await factsOf(spender, buckets, leastNano)));
    }
    const requests = whole.reduce((sum, bucket) => sum + bucket.requests, 0);
    last = { facts, leastNano, atMs: nowMs, untilMs: nowMs + Math.min(requests * restMsPerRequest, restMsMax) };
    return facts;
  };
}
