/** Sums of usage as the console reads them. */

import { percentile, type UsageBucket, type UsageFigures } from '../../store/analytics/analytics-store.ts';
import type { FiguresView, GroupView } from '../contracts/analytics-contract.ts';
import { withoutAbsent } from '../tokens/token-terms.ts';
import { sumCost } from './cost-views.ts';

export const isoText = (atMs: number): string => new Date(atMs).toISOString();

export const noFigures: UsageFigures = {
  ...{ requests: 0, failures: 0, inputTokens: 0, cacheReadTokens: 0, outputTokens: 0 },
  ...{ costNano: 0n, unpriced: 0 },
};

export function plus(one: UsageFigures, other: UsageFigures): UsageFigures {
  return {
    requests: one.requests + other.requests,
    failures: one.failures + other.failures,
    inputTokens: one.inputTokens + other.inputTokens,
    cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    costNano: one.costNano + other.costNano,
    unpriced: one.unpriced + other.unpriced,
  };
}

/** What is left of a sum. Requests may end between two readings, so that the part can be the larger one for a moment. */
export function minus(whole: UsageFigures, part: UsageFigures): UsageFigures {
  const left = (of: number, taken: number): number => Math.max(0, of - taken);
  return {
    requests: left(whole.requests, part.requests),
    failures: left(whole.failures, part.failures),
    inputTokens: left(whole.inputTokens, part.inputTokens),
    cacheReadTokens: left(whole.cacheReadTokens, part.cacheReadTokens),
    outputTokens: left(whole.outputTokens, part.outputTokens),
    costNano: whole.costNano > part.costNano ? whole.costNano - part.costNano : 0n,
    unpriced: left(whole.unpriced, part.unpriced),
  };
}

export function amounts(figures: UsageFigures): Omit<GroupView, 'key' | 'label'> {
  const { requests, failures, inputTokens, cacheReadTokens, outputTokens, unpriced } = figures;
  return { requests, failures, inputTokens, cacheReadTokens, outputTokens, ...sumCost(figures), unpriced };
}

export function figuresView(bucket: Omit<UsageBucket, 'startMs'>): FiguresView {
  const { firstEvents, totals } = bucket;
  return withoutAbsent<FiguresView>({
    ...amounts(bucket),
    firstEventP50Ms: percentile(firstEvents, 0.5),
    firstEventP95Ms: percentile(firstEvents, 0.95),
    totalP50Ms: percentile(totals, 0.5),
    totalP95Ms: percentile(totals, 0.95),
  });
}
