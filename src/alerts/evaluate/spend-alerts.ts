/** An hour that costs much more than the same hour of the last weeks did. */

import { usdText } from '../../ledger/money.ts';
import type { NewAlert } from '../../store/alerts/alert-records.ts';
import type { SpendFact } from '../facts.ts';
import { countText, momentText } from './finding.ts';

/** With fewer weeks there is nothing to compare with. */
export const weeksMin = 3;

export function spendAlerts(spends: readonly SpendFact[], factor: number, leastNano: bigint): readonly NewAlert[] {
  return spends.flatMap((spend) => {
    const { spentNano, earlierNano } = spend;
    if (earlierNano.length < weeksMin || spentNano < leastNano) return [];
    const usualNano = medianOf(earlierNano);
    // In thousandths, so that no money is held in a float.
    const isUnusual = spentNano * 1_000n > usualNano * BigInt(Math.round(factor * 1_000));
    return isUnusual ? [alertOf(spend, usualNano, factor)] : [];
  });
}

function alertOf(spend: SpendFact, usualNano: bigint, factor: number): NewAlert {
  const { subject, name, hourStartMs, spentNano, earlierNano } = spend;
  const hour = momentText(hourStartMs);
  const weeks = countText(earlierNano.length, 'week');
  return {
    kind: 'unusual-spend',
    subject,
    subjectName: name,
    occurrence: new Date(hourStartMs).toISOString(),
    threshold: `${factor}x`,
    severity: 'warning',
    title: `Unusual spend of ${name}: $${usdText(spentNano)} in an hour`,
    detail:
      `The hour from ${hour} cost $${usdText(spentNano)} so far. ` +
      `The same hour of the last ${weeks} cost $${usdText(usualNano)} (median). Alert from ${factor} times that.`,
    facts: {
      spentUsd: usdText(spentNano),
      usualUsd: usdText(usualNano),
      weeks: earlierNano.length,
      factor,
      hour: new Date(hourStartMs).toISOString(),
    },
    state: 'noted',
  };
}

/** Of an even number, the mean of the two in the middle. */
export function medianOf(values: readonly bigint[]): bigint {
  const sorted = values.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0));
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0n;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0n) + upper) / 2n;
}
