/** The spend of the running hour and the one before, with that of the same hours of the last four weeks. */

import type { AnalyticsFilter, AnalyticsStore } from '../store/analytics/analytics-store.ts';
import type { TokenStore } from '../store/tokens/token-store.ts';
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
const everything = { subject: 'all', name: 'all requests', filter: {} } as const;

interface Spender {
  readonly subject: string;
  readonly name: string;
  readonly filter: AnalyticsFilter;
}

export function createSpendReader({ analytics, tokens }: SpendParts): ReadSpends {
  /** Earlier weeks do not change: they are read once for each hour. */
  let known = new Map<string, readonly bigint[]>();
  let knownOfMs = 0;

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

  return async (nowMs, leastNano) => {
    const hourStartMs = nowMs - (nowMs % hourMs);
    if (knownOfMs !== hourStartMs) known = new Map();
    knownOfMs = hourStartMs;
    const range = { fromMs: hourStartMs - hourMs, toMs: hourStartMs + hourMs };
    const facts: SpendFact[] = [];
    for (const spender of [everything, ...(await spenders(range, leastNano))]) {
      const { subject, name, filter } = spender;
      for (const { startMs, costNano } of await analytics.series(range, 'hour', filter)) {
        // Below the least amount nothing is compared.
        if (costNano < leastNano) continue;
        const earlierNano = await earlier(spender, startMs);
        facts.push({ subject, name, hourStartMs: startMs, spentNano: costNano, earlierNano });
      }
    }
    return facts;
  };
}
