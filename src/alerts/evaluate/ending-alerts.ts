/** What ends soon: tokens that expire and models that are shut down; and models that are used without a price. */

import { windowStartMs } from '../../ledger/window.ts';
import type { NewAlert } from '../../store/alerts/alert-records.ts';
import type { ExpiryFact, Facts } from '../facts.ts';
import { countText, dayMs, isoDay, momentText, nearestEnd } from './finding.ts';

export function expiryAlerts(
  expiring: readonly ExpiryFact[],
  days: readonly number[],
  nowMs: number,
): readonly NewAlert[] {
  return expiring.flatMap(({ tokenId, name, expiresAtMs }) => {
    const reached = nearestEnd(days, expiresAtMs - nowMs);
    if (reached === undefined || expiresAtMs <= nowMs) return [];
    return [
      {
        kind: 'token-expiry',
        subject: `token:${tokenId}`,
        subjectName: name,
        occurrence: new Date(expiresAtMs).toISOString(),
        threshold: `${reached}d`,
        severity: reached <= 1 ? 'warning' : 'info',
        title: `Token ${name} expires ${leftText(expiresAtMs - nowMs)}`,
        detail: `It expires at ${momentText(expiresAtMs)}. Extend it, or rotate it and give out the new one.`,
        facts: { tokenId, expiresAt: new Date(expiresAtMs).toISOString() },
        state: 'noted',
      } as const,
    ];
  });
}

export function shutdownAlerts(ending: Facts['ending'], days: readonly number[], nowMs: number): readonly NewAlert[] {
  return ending.flatMap(({ provider, model, names, shutdownAt, tokens }) => {
    if (shutdownAt === undefined) return [];
    const leftMs = Date.parse(shutdownAt) - nowMs;
    const reached = nearestEnd(days, leftMs);
    if (reached === undefined || leftMs < -dayMs) return [];
    const users = tokens.map((token) => token.name).slice(0, 5);
    return [
      {
        kind: 'model-shutdown',
        subject: `target:${provider}/${model}`,
        subjectName: `${model} at ${provider}`,
        occurrence: shutdownAt,
        threshold: `${reached}d`,
        severity: reached <= 1 ? 'critical' : reached <= 7 ? 'warning' : 'info',
        title: `${model} at ${provider} shuts down on ${shutdownAt}`,
        detail: `${countText(tokens.length, 'token')} still used it in the last 30 days: ${users.join(', ')}. Requested as ${names.slice(0, 5).join(', ')}.`,
        facts: { provider, model, shutdownAt, tokens: tokens.length },
        state: 'noted',
      } as const,
    ];
  });
}

/** Once a week for each model. */
export function unpricedAlerts(unpriced: Facts['unpriced'], nowMs: number): readonly NewAlert[] {
  return unpriced.map(({ provider, model, requests }) => ({
    kind: 'unpriced-use',
    subject: `target:${provider}/${model}`,
    subjectName: `${model} at ${provider}`,
    occurrence: isoDay(windowStartMs('week', nowMs)),
    threshold: 'used',
    severity: 'warning',
    title: `${model} at ${provider} is used without a price`,
    detail: `${countText(requests, 'request')} of the last hour count as free, also against budgets. Set a price for the model.`,
    facts: { provider, model, requests },
    state: 'noted',
  }));
}

function leftText(leftMs: number): string {
  const hours = Math.max(1, Math.round(leftMs / 3_600_000));
  return hours < 48 ? `in ${countText(hours, 'hour')}` : `in ${countText(Math.round(hours / 24), 'day')}`;
}
