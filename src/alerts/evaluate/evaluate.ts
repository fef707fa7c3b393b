/** All evaluators over one reading of facts, with the thresholds of one rule. */

import { nanoFromUsd } from '../../ledger/money.ts';
import type { AlertKind, AlertRecord, NewAlert, RuleTerms } from '../../store/alerts/alert-records.ts';
import type { Facts } from '../facts.ts';
import { budgetAlerts } from './budget-alerts.ts';
import { conditionAlerts, conditionSubject } from './condition-alerts.ts';
import { expiryAlerts, shutdownAlerts, unpricedAlerts } from './ending-alerts.ts';
import { errorRateAlerts, isSilent } from './error-rate-alerts.ts';
import type { Findings } from './finding.ts';
import { outageAlerts } from './outage-alerts.ts';
import { spendAlerts } from './spend-alerts.ts';

export type Thresholds = Omit<RuleTerms, 'kinds' | 'channels' | 'severityMin' | 'quiet' | 'repeatMinutes'>;

/** What is used where there is no rule, and what a new rule begins with. */
export const thresholdDefaults: Thresholds = {
  budgetPercents: [50, 80, 100],
  spendFactor: 3,
  spendUsdMin: '5',
  errorPercent: 20,
  errorAttemptsMin: 20,
  expiryDays: [7, 1],
  shutdownDays: [30, 7, 1],
};

export function evaluate(facts: Facts, thresholds: Thresholds): Findings {
  const { nowMs } = facts;
  const rates = errorRateAlerts(facts.attempts, {
    percent: thresholds.errorPercent,
    attemptsMin: thresholds.errorAttemptsMin,
  });
  const outages = outageAlerts(facts);
  return {
    raise: [
      ...budgetAlerts(facts.budgets, thresholds.budgetPercents),
      ...spendAlerts(facts.spends, thresholds.spendFactor, nanoFromUsd(thresholds.spendUsdMin) ?? 0n),
      ...rates.raise,
      ...outages.raise,
      ...expiryAlerts(facts.expiring, thresholds.expiryDays, nowMs),
      ...shutdownAlerts(facts.ending, thresholds.shutdownDays, nowMs),
      ...unpricedAlerts(facts.unpriced, nowMs),
      ...conditionAlerts(facts.conditions),
    ],
    over: [...rates.over, ...outages.over],
  };
}

/**
 * The provider or key of an open alert was removed from the configuration, its model has no attempts any more, or the replica says
 * no more that anything is wrong.
 */
export function isGone(alert: AlertRecord, { providers, attempts, recent, conditions }: Facts): boolean {
  if (alert.kind === 'replica-fault') return !conditions.some((each) => conditionSubject(each) === alert.subject);
  if (alert.kind === 'error-rate' && isSilent(attempts, alert.subject)) return true;
  const provider = /^(?:provider|target|key):([^/]+)/.exec(alert.subject)?.[1];
  if (provider === undefined || !providers.includes(provider)) return true;
  const hasEnds = recent.ends.some(
    (end) => end.provider === provider && `key:${provider}/${end.keyId}` === alert.subject,
  );
  return alert.kind === ('key-refused' satisfies AlertKind) && !hasEnds;
}

export const keyOf = ({ kind, subject, occurrence, threshold }: NewAlert): string =>
  JSON.stringify([kind, subject, occurrence, threshold]);
