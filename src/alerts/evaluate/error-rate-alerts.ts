/** Models at a provider of which too many attempts fail. */

import type { NewAlert } from '../../store/alerts/alert-records.ts';
import type { AttemptWindow } from '../../store/health/attempt-health-store.ts';
import { type Findings, lasting, type Over } from './finding.ts';

interface ErrorRateTerms {
  readonly percent: number;
  readonly attemptsMin: number;
}

interface Counts {
  readonly provider: string;
  readonly model: string;
  attempts: number;
  failed: number;
}

/** Below this part of the threshold it is over: a rate that stays near the threshold does not alternate. */
const overShare = 0.5;
export const errorWindowMinutes = 15;

export function errorRateAlerts({ sums }: Pick<AttemptWindow, 'sums'>, terms: ErrorRateTerms): Findings {
  const raise: NewAlert[] = [];
  const over: Over[] = [];
  const threshold = thresholdOf(terms);
  for (const counts of byModel(sums)) {
    const { provider, model, attempts, failed } = counts;
    const percent = (failed * 100) / attempts;
    if (attempts >= terms.attemptsMin && percent >= terms.percent) raise.push(alertOf(counts, terms));
    else if (percent < terms.percent * overShare)
      over.push({ kind: 'error-rate', subject: subjectOf(provider, model), threshold });
  }
  return { raise, over };
}

/** A model without attempts in the window has no rate: an alert about it is over. */
export function isSilent({ sums }: Pick<AttemptWindow, 'sums'>, subject: string): boolean {
  return !sums.some(({ provider, model }) => subjectOf(provider, model) === subject);
}

const subjectOf = (provider: string, model: string): string => `target:${provider}/${model}`;
const thresholdOf = ({ percent, attemptsMin }: ErrorRateTerms): string => `${percent}%/${attemptsMin}`;

/** All keys of a provider together. */
export function byModel(sums: AttemptWindow['sums']): readonly Counts[] {
  const found = new Map<string, Counts>();
  for (const { provider, model, attempts, failed } of sums) {
    const key = subjectOf(provider, model);
    const counts = found.get(key) ?? { provider, model, attempts: 0, failed: 0 };
    counts.attempts += attempts;
    counts.failed += failed;
    found.set(key, counts);
  }
  return [...found.values()].filter(({ attempts }) => attempts > 0);
}

function alertOf({ provider, model, attempts, failed }: Counts, terms: ErrorRateTerms): NewAlert {
  const percent = Math.round((failed * 1_000) / attempts) / 10;
  return {
    kind: 'error-rate',
    subject: subjectOf(provider, model),
    subjectName: `${model} at ${provider}`,
    occurrence: lasting,
    threshold: thresholdOf(terms),
    severity: percent >= 50 ? 'critical' : 'warning',
    title: `Error rate of ${model} at ${provider}: ${percent} %`,
    detail:
      `${failed} of ${attempts} attempts failed in the last ${errorWindowMinutes} minutes. ` +
      `Alert from ${terms.percent} % of at least ${terms.attemptsMin} attempts.`,
    facts: { provider, model, attempts, failed, percent, minutes: errorWindowMinutes },
    state: 'open',
  };
}
