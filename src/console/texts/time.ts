/** Moments and spans as people say them; the exact one is always at hand beside the short one. */

import type { Words } from '../words/en.ts';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const steps: readonly { readonly unit: Intl.RelativeTimeFormatUnit; readonly ms: number }[] = [
  { unit: 'year', ms: 365 * dayMs },
  { unit: 'month', ms: 30 * dayMs },
  { unit: 'week', ms: 7 * dayMs },
  { unit: 'day', ms: dayMs },
  { unit: 'hour', ms: hourMs },
  { unit: 'minute', ms: minuteMs },
  { unit: 'second', ms: secondMs },
];

/** “5m ago”, “in 3 days”; within a few seconds it is now. */
export function relativeText(atMs: number, nowMs: number, tag: string): string {
  const awayMs = atMs - nowMs;
  const format = new Intl.RelativeTimeFormat(tag, { numeric: 'auto', style: 'narrow' });
  if (Math.abs(awayMs) < 5 * secondMs) return format.format(0, 'second');
  const step = steps.find(({ ms }) => Math.abs(awayMs) >= ms);
  return step === undefined ? format.format(0, 'second') : format.format(Math.trunc(awayMs / step.ms), step.unit);
}

const nearlyWhole = 0.05;

/** “in 6 weeks”, “3 days ago”: in full words, and never rounded to “next month”. */
export function untilText(atMs: number, nowMs: number, tag: string): string {
  const awayMs = atMs - nowMs;
  const format = new Intl.RelativeTimeFormat(tag, { numeric: 'always', style: 'long' });
  // A unit is only used from two of it on: six weeks say more than one month.
  const step = steps.find(({ ms }) => Math.abs(awayMs) >= 2 * ms) ?? { unit: 'second', ms: secondMs };
  // Three days that are a minute old are still three days.
  const count = Math.trunc(awayMs / step.ms + Math.sign(awayMs) * nearlyWhole);
  return format.format(count, step.unit);
}

export function exactTimeText(atMs: number, tag: string): string {
  return new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'long' }).format(atMs);
}

/** The time of day, with its date where that is another day. */
export function clockText(atMs: number, nowMs: number, tag: string): string {
  const isToday = new Date(atMs).toDateString() === new Date(nowMs).toDateString();
  return new Intl.DateTimeFormat(tag, { timeStyle: 'short', ...(!isToday && { dateStyle: 'medium' }) }).format(atMs);
}

/** A day in UTC, as `2026-11-16`, which is the same day for everybody. */
export function dayText(day: string, tag: string): string {
  return new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeZone: 'UTC' }).format(Date.parse(day));
}

/** Two units at most, and no more digits than a person would compare: `420 ms`, `1.24 s`, `3 min 20 s`, `2 h 5 min`. */
export function durationText(ms: number, tag: string, units: Words['units']): string {
  const number = (value: number, decimals: number) =>
    new Intl.NumberFormat(tag, { minimumFractionDigits: decimals, maximumFractionDigits: decimals }).format(value);
  if (ms < 1) return `${number(ms, ms === 0 ? 0 : 2)} ${units.ms}`;
  if (Math.round(ms) < secondMs) return `${number(ms, 0)} ${units.ms}`;
  if (ms < 9_995) return `${number(ms / secondMs, 2)} ${units.s}`;
  if (ms < 59_950) return `${number(ms / secondMs, 1)} ${units.s}`;
  if (ms < hourMs - secondMs / 2) return pair(ms, minuteMs, secondMs, units.min, units.s);
  if (ms < dayMs - minuteMs / 2) return pair(ms, hourMs, minuteMs, units.h, units.min);
  return pair(ms, dayMs, hourMs, units.d, units.h);
}

function pair(ms: number, largeMs: number, smallMs: number, large: string, small: string): string {
  const smalls = Math.round(ms / smallMs);
  const perLarge = largeMs / smallMs;
  const rest = smalls % perLarge;
  const first = `${Math.floor(smalls / perLarge)} ${large}`;
  return rest === 0 ? first : `${first} ${rest} ${small}`;
}
