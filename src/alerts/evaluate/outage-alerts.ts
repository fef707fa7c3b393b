/** Providers and models that serve nothing, and keys that providers refuse. */

import type { NewAlert } from '../../store/alerts/alert-records.ts';
import type { AttemptEnd, AttemptWindow } from '../../store/health/attempt-health-store.ts';
import { byModel } from './error-rate-alerts.ts';
import { countText, type Findings, lasting, momentText, type Over } from './finding.ts';

interface OutageFacts {
  readonly recent: AttemptWindow;
  readonly recentFromMs: number;
  readonly providers: readonly string[];
}

/** A circuit opens after as many failures in a row; fewer attempts say too little. */
const attemptsMin = 5;
export const outageWindowMinutes = 5;
const once = 'down';

export function outageAlerts({ recent, recentFromMs, providers }: OutageFacts): Findings {
  const raise: NewAlert[] = [];
  const over: Over[] = [];
  const endsOf = Map.groupBy(recent.ends, ({ provider }) => provider);
  const models = Map.groupBy(byModel(recent.sums), ({ provider }) => provider);
  for (const provider of providers) {
    const ends = endsOf.get(provider) ?? [];
    const counts = models.get(provider) ?? [];
    const all = counts.reduce((sum, each) => sum + each.attempts, 0);
    const failed = counts.reduce((sum, each) => sum + each.failed, 0);
    const subject = `provider:${provider}`;
    const isDown = all >= attemptsMin && failed === all && !servedSince(ends, recentFromMs);
    if (isDown) raise.push(downAlert(subject, provider, failed, ends));
    if (servedSince(ends, recentFromMs)) over.push({ kind: 'provider-down', subject, threshold: once });
    for (const { model, ...count } of counts) {
      const ofModel = ends.filter((end) => end.model === model);
      const target = `target:${provider}/${model}`;
      const served = servedSince(ofModel, recentFromMs);
      if (served) over.push({ kind: 'provider-down', subject: target, threshold: once });
      else if (!isDown && count.attempts >= attemptsMin && count.failed === count.attempts)
        raise.push(downAlert(target, `${model} at ${provider}`, count.failed, ofModel, 'warning'));
    }
  }
  const keys = keyAlerts(recent.ends, providers);
  return { raise: [...raise, ...keys.raise], over: [...over, ...keys.over] };
}

const servedSince = (ends: readonly AttemptEnd[], fromMs: number): boolean =>
  ends.some(({ servedAtMs, failedAtMs }) => servedAtMs >= fromMs && servedAtMs > failedAtMs);

function lastFailed(ends: readonly AttemptEnd[]): AttemptEnd | undefined {
  return ends.filter(({ failedAtMs }) => failedAtMs > 0).toSorted((one, other) => other.failedAtMs - one.failedAtMs)[0];
}

function downAlert(
  subject: string,
  shown: string,
  failed: number,
  ends: readonly AttemptEnd[],
  severity: NewAlert['severity'] = 'critical',
): NewAlert {
  const last = lastFailed(ends);
  const servedAtMs = Math.max(0, ...ends.map((end) => end.servedAtMs));
  const since = servedAtMs === 0 ? 'Nothing was served before.' : `It last served at ${momentText(servedAtMs)}.`;
  const error = last === undefined ? '' : ` Last error: ${errorText(last)}`;
  return {
    kind: 'provider-down',
    subject,
    subjectName: shown,
    occurrence: lasting,
    threshold: once,
    severity,
    title: `${shown} is down`,
    detail: `The last ${countText(failed, 'attempt')} failed and none was served. ${since}${error}`,
    facts: { failed, ...(last !== undefined && { code: last.code, ...(last.status && { status: last.status }) }) },
    state: 'open',
  };
}

/** A key that was refused stays so until something was served with it. */
function keyAlerts(ends: readonly AttemptEnd[], providers: readonly string[]): Findings {
  const raise: NewAlert[] = [];
  const over: Over[] = [];
  const keys = Map.groupBy(
    ends.filter(({ provider, keyId }) => providers.includes(provider) && keyId !== ''),
    ({ provider, keyId }) => `${provider}/${keyId}`,
  );
  const isRefused = (of: readonly AttemptEnd[]): boolean =>
    Math.max(...of.map(({ rejectedAtMs }) => rejectedAtMs)) > Math.max(...of.map(({ servedAtMs }) => servedAtMs));
  for (const [name, of] of keys) {
    const [{ provider, keyId } = { provider: '', keyId: '' }] = of;
    if (!isRefused(of)) {
      over.push({ kind: 'key-refused', subject: `key:${name}`, threshold: once });
      continue;
    }
    const others = [...keys].filter(([other]) => other !== name && other.startsWith(`${provider}/`));
    const hasOther = others.some(([, theirs]) => !isRefused(theirs));
    raise.push(keyAlert(provider, keyId, of, hasOther));
  }
  return { raise, over };
}

function keyAlert(provider: string, keyId: string, ends: readonly AttemptEnd[], hasOther: boolean): NewAlert {
  const last = lastFailed(ends);
  const rest = hasOther ? 'Other keys of the provider still work.' : 'No other key of the provider is known to work.';
  return {
    kind: 'key-refused',
    subject: `key:${provider}/${keyId}`,
    subjectName: `${keyId} of ${provider}`,
    occurrence: lasting,
    threshold: once,
    severity: hasOther ? 'warning' : 'critical',
    title: `${provider} refuses the key ${keyId}`,
    detail: `${rest}${last === undefined ? '' : ` Last error: ${errorText(last)}`} Replace the key or check its account.`,
    facts: { provider, keyId, ...(last?.status && { status: last.status }) },
    state: 'open',
  };
}

const messageLengthMax = 300;

function errorText({ status, code, message }: AttemptEnd): string {
  const said = message === '' ? code : message;
  const shown = said.length > messageLengthMax ? `${said.slice(0, messageLengthMax)}…` : said;
  return `${status === undefined ? '' : `${status} `}${shown}${/[.!?…]$/.test(shown) ? '' : '.'}`;
}
