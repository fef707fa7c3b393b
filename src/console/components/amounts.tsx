/** Money, moments, spans and counts in the person's language: short in sight, exact on hover. */

import { useSyncExternalStore } from 'react';
import { exactMoneyText, moneyText } from '../texts/money.ts';
import { countText } from '../texts/number.ts';
import { durationText, exactTimeText, relativeText, untilText } from '../texts/time.ts';
import { useSpeech } from '../words/use-words.tsx';

const figures = 'font-mono text-[0.93em] tabular-nums whitespace-nowrap';

interface MoneyProps {
  /** Null: nobody knows it. Absent: there is nothing to know. */
  readonly nano: string | null | undefined;
}

export function Money({ nano }: MoneyProps) {
  const { tag, words } = useSpeech();
  if (nano === undefined) return <span className={figures}>{words.parts.none}</span>;
  if (nano === null) {
    return (
      <span className={figures} title={words.parts.noPrice}>
        ?
      </span>
    );
  }
  return (
    <span className={figures} title={exactMoneyText(nano)}>
      {moneyText(nano, tag)}
    </span>
  );
}

/** `at` as the admin interface writes it, or milliseconds since 1970. */
export function Time({ at }: { readonly at: string | number }) {
  const { tag } = useSpeech();
  const nowMs = useNow();
  const atMs = typeof at === 'number' ? at : Date.parse(at);
  return (
    <time dateTime={new Date(atMs).toISOString()} title={exactTimeText(atMs, tag)} className="whitespace-nowrap">
      {relativeText(atMs, nowMs, tag)}
    </time>
  );
}

/** When something ends, in full words; exact on hover. */
export function Until({ at }: { readonly at: string }) {
  const { tag } = useSpeech();
  const nowMs = useNow();
  const atMs = Date.parse(at);
  return (
    <time dateTime={at} title={exactTimeText(atMs, tag)} className="whitespace-nowrap">
      {untilText(atMs, nowMs, tag)}
    </time>
  );
}

export function Duration({ ms }: { readonly ms: number | undefined }) {
  const { tag, words } = useSpeech();
  return <span className={figures}>{ms === undefined ? words.parts.none : durationText(ms, tag, words.units)}</span>;
}

export function Count({ value }: { readonly value: number | undefined }) {
  const { tag, words } = useSpeech();
  return <span className={figures}>{value === undefined ? words.parts.none : countText(value, tag)}</span>;
}

/** One clock for all moments of the page, which is only wound while someone looks at it. */
const tickMs = 5_000;
const watchers = new Set<() => void>();
let ticking: ReturnType<typeof setInterval> | undefined;
let nowMs = Date.now();

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  ticking ??= setInterval(() => {
    nowMs = Date.now();
    for (const each of watchers) each();
  }, tickMs);
  return () => {
    watchers.delete(watcher);
    if (watchers.size > 0) return;
    clearInterval(ticking);
    ticking = undefined;
  };
}

function useNow(): number {
  return useSyncExternalStore(watch, () => {
    // Nobody has watched for a while: the first to look again must not see the past.
    if (ticking === undefined && Date.now() - nowMs > tickMs) nowMs = Date.now();
    return nowMs;
  });
}
