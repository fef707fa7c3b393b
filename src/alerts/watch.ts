/** Evaluates by turns and delivers: every half minute one replica evaluates, and each delivers what it can claim. */

import { nanoFromUsd } from '../ledger/money.ts';
import type { AlertRecord, NewAlert, NewDelivery, RuleRecord } from '../store/alerts/alert-records.ts';
import { severities } from '../store/alerts/alert-records.ts';
import type { AlertStore } from '../store/alerts/alert-store.ts';
import type { ReadFacts } from './collect-facts.ts';
import type { Deliver } from './deliver.ts';
import { evaluate, isGone, keyOf, type Thresholds, thresholdDefaults } from './evaluate/evaluate.ts';
import type { Over } from './evaluate/finding.ts';
import type { Facts } from './facts.ts';
import { quietUntilMs } from './quiet-hours.ts';

interface WatchParts {
  readonly store: AlertStore;
  readonly readFacts: ReadFacts;
  readonly deliver: Deliver;
  readonly periodMs: number;
  readonly retentionDays: number;
  nowMs(): number;
  /** What is removed is removed by this time. */
  settledMs?(): number;
  newId(): string;
  onFault(what: string, cause: unknown): void;
}

export interface AlertWatch {
  /** How many alerts were raised and resolved; undefined where it is another replica's turn. */
  evaluate(): Promise<{ readonly raised: number; readonly resolved: number } | undefined>;
  start(): void;
  stop(): Promise<void>;
}

const dayMs = 86_400_000;
const minuteMs = 60_000;
/** More at once would be a flood for every channel; the next pass raises the next ones. */
const raisedPerPassMax = 500;
const alertsKeptMax = 50_000;
const expireEveryMs = 3_600_000;
/** An alert that lasts is marked as seen no oftener. */
const seenEveryMs = 10 * minuteMs;

export function createAlertWatch(parts: WatchParts): AlertWatch {
  const { store, nowMs, periodMs } = parts;
  const stopping = new AbortController();
  let timer: Timer | undefined;
  let running: Promise<unknown> | undefined;
  let expiredAtMs = 0;

  async function evaluateAll(): Promise<{ raised: number; resolved: number }> {
    const rules = (await store.rules.list()).filter(({ disabled }) => !disabled);
    const channels = new Set((await store.channels.list()).filter(({ disabled }) => !disabled).map(({ id }) => id));
    const facts = await parts.readFacts(limitsOf(rules));
    const { found, over } = findingsOf(facts, rules);
    const raised = await raiseAll([...found.values()].slice(0, raisedPerPassMax), channels);
    const resolved = await resolveAll(facts, over, rules, channels);
    return { raised, resolved };
  }

  async function raiseAll(found: readonly Found[], channels: ReadonlySet<string>): Promise<number> {
    const known = new Map(
      (await store.known(found.map(({ alert }) => alert))).map((one) => [keyOf({ ...one, state: 'noted' }), one]),
    );
    let raised = 0;
    for (const { alert, rules } of found) {
      const atMs = nowMs();
      const to = deliveriesFor(alert, rules, channels, atMs);
      const before = known.get(keyOf(alert));
      if (before !== undefined && !isWorthWriting(before, to, atMs)) continue;
      if (await store.raise(parts.newId(), alert, to, atMs)) raised++;
    }
    return raised;
  }

  async function resolveAll(
    facts: Facts,
    over: readonly Over[],
    rules: readonly RuleRecord[],
    channels: ReadonlySet<string>,
  ): Promise<number> {
    const ended = new Set(over.map(({ kind, subject, threshold }) => JSON.stringify([kind, subject, threshold])));
    let resolved = 0;
    for (const alert of await store.open()) {
      const { id, kind, subject, threshold } = alert;
      if (!ended.has(JSON.stringify([kind, subject, threshold])) && !isGone(alert, facts)) continue;
      // Channels that received the alert receive its end.
      const notified = new Set((await store.deliveriesOf([id])).map(({ channelId }) => channelId));
      const to = deliveriesFor(alert, rules, channels, nowMs()).filter(({ channelId }) => notified.has(channelId));
      if (await store.resolve(id, to, nowMs())) resolved++;
    }
    return resolved;
  }

  async function pass() {
    // Somewhat before the next tick, so that a timer that is early by a moment still finds its turn.
    if (!(await store.claimTurn(nowMs(), nowMs() + periodMs * 0.9))) return undefined;
    if (nowMs() - expiredAtMs >= expireEveryMs) {
      const settledMs = parts.settledMs?.() ?? nowMs();
      await store.expire(settledMs - parts.retentionDays * dayMs, alertsKeptMax);
      expiredAtMs = nowMs();
    }
    return evaluateAll();
  }

  async function round(): Promise<void> {
    await pass().catch((cause: unknown) =>
      parts.onFault('Alerts could not be evaluated; the next round tries again.', cause),
    );
    if (stopping.signal.aborted) return;
    await parts
      .deliver(stopping.signal)
      .catch((cause: unknown) => parts.onFault('Alerts could not be delivered; the next round tries again.', cause));
  }

  function tick(): void {
    running ??= round().finally(() => {
      running = undefined;
    });
  }

  return {
    evaluate: pass,
    start() {
      timer ??= setInterval(tick, periodMs);
      tick();
    },
    async stop() {
      clearInterval(timer);
      stopping.abort(new Error('Weir is shutting down.'));
      await running;
    },
  };
}

interface Found {
  readonly alert: NewAlert;
  readonly rules: RuleRecord[];
}

/** Every rule has thresholds of its own; what several rules find is one alert. Without rules the defaults apply. */
function findingsOf(facts: Facts, rules: readonly RuleRecord[]): { found: Map<string, Found>; over: readonly Over[] } {
  const found = new Map<string, Found>();
  const over: Over[] = [];
  const add = (thresholds: Thresholds, rule: RuleRecord | undefined): void => {
    const findings = evaluate(facts, thresholds);
    over.push(...findings.over);
    for (const alert of findings.raise) {
      if (rule !== undefined && !rule.terms.kinds.includes(alert.kind)) continue;
      const key = keyOf(alert);
      const known = found.get(key) ?? { alert, rules: [] };
      found.set(key, known);
      if (rule !== undefined) known.rules.push(rule);
    }
  };
  for (const rule of rules) add(rule.terms, rule);
  if (rules.length === 0) add(thresholdDefaults, undefined);
  return { found, over };
}

function limitsOf(rules: readonly RuleRecord[]): Parameters<ReadFacts>[0] {
  const terms: readonly Thresholds[] = rules.length === 0 ? [thresholdDefaults] : rules.map((rule) => rule.terms);
  const leasts = terms.map(({ spendUsdMin }) => nanoFromUsd(spendUsdMin) ?? 0n);
  return {
    daysAhead: Math.max(1, ...terms.flatMap(({ expiryDays }) => expiryDays)),
    spendNanoMin: leasts.reduce((least, each) => (each < least ? each : least)),
  };
}

/** One for each channel, of the first rule that names it. In quiet hours they wait and become one message. */
function deliveriesFor(
  alert: Pick<NewAlert, 'kind' | 'severity'>,
  rules: readonly RuleRecord[],
  channels: ReadonlySet<string>,
  nowMs: number,
): readonly NewDelivery[] {
  const found = new Map<string, NewDelivery>();
  for (const { id: ruleId, terms } of rules) {
    if (!terms.kinds.includes(alert.kind)) continue;
    if (severities.indexOf(alert.severity) < severities.indexOf(terms.severityMin)) continue;
    const passes = alert.severity === 'critical' && terms.quiet?.criticalPasses === true;
    const heldMs = terms.quiet === undefined || passes ? undefined : quietUntilMs(terms.quiet, nowMs);
    const repeatMs = terms.repeatMinutes === undefined ? undefined : terms.repeatMinutes * minuteMs;
    for (const channelId of terms.channels) {
      if (!channels.has(channelId) || found.has(channelId)) continue;
      const batch = heldMs === undefined ? undefined : `digest.${channelId}.${heldMs}`;
      found.set(channelId, { channelId, ruleId, dueAtMs: heldMs ?? nowMs, batch, repeatMs });
    }
  }
  return [...found.values()];
}

/** A known alert is written again only where it is time to mark it as seen or to repeat it. */
function isWorthWriting(known: AlertRecord, to: readonly NewDelivery[], nowMs: number): boolean {
  if (nowMs - known.seenAtMs >= seenEveryMs) return true;
  const repetition = (atMs: number, repeatMs: number): number => Math.floor((atMs - known.raisedAtMs) / repeatMs);
  return to.some(
    ({ repeatMs }) => repeatMs !== undefined && repetition(nowMs, repeatMs) > repetition(known.seenAtMs, repeatMs),
  );
}
