/** Where the axes of a chart have their labels: round values, and round times of the viewer's clock. */

import { isMidnight } from './buckets.ts';

const minuteS = 60;
const hourS = 60 * minuteS;
const dayS = 24 * hourS;

/** Into how many equal parts a round top divides without odd fractions. */
const parts: readonly (readonly [factor: number, count: number])[] = [
  [1, 5],
  [1.2, 4],
  [1.5, 3],
  [2, 4],
  [2.5, 5],
  [3, 3],
  [4, 4],
  [5, 5],
  [6, 3],
  [8, 4],
];

/** From zero to the top, which is a round number. */
export function valueTicks(top: number): readonly number[] {
  const factor = top / 10 ** Math.floor(Math.log10(top) + 1e-9);
  const count = parts.find(([value]) => Math.abs(value - factor) < 1e-6)?.[1] ?? 4;
  return Array.from({ length: count + 1 }, (_, index) => (top * index) / count);
}

interface Step {
  readonly s: number;
  /** The first tick at or before a time, and the one after a tick; by the fields of a date, which follow the clocks. */
  floor(date: Date): Date;
  next(date: Date): Date;
}

const ofMinutes = (minutes: number): Step => ({
  s: minutes * minuteS,
  floor: (date) =>
    new Date(
      date.getFullYear(),
      date.getMonth(),
      date.getDate(),
      date.getHours(),
      Math.floor(date.getMinutes() / minutes) * minutes,
    ),
  next: (date) => new Date(date.getTime() + minutes * minuteS * 1_000),
});

const ofHours = (hours: number): Step => ({
  s: hours * hourS,
  floor: (date) =>
    new Date(date.getFullYear(), date.getMonth(), date.getDate(), Math.floor(date.getHours() / hours) * hours),
  next: (date) => new Date(date.getFullYear(), date.getMonth(), date.getDate(), date.getHours() + hours),
});

const ofDays = (days: number): Step => ({
  s: days * dayS,
  floor: (date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()),
  next: (date) => new Date(date.getFullYear(), date.getMonth(), date.getDate() + days),
});

const ofMonths = (months: number): Step => ({
  s: months * 30 * dayS,
  floor: (date) => new Date(date.getFullYear(), Math.floor(date.getMonth() / months) * months, 1),
  next: (date) => new Date(date.getFullYear(), date.getMonth() + months, 1),
});

const steps: readonly Step[] = [
  ...[1, 2, 5, 10, 15, 30].map(ofMinutes),
  ...[1, 2, 3, 6, 12].map(ofHours),
  ...[1, 2, 4, 7, 14].map(ofDays),
  ...[1, 2, 3, 6, 12].map(ofMonths),
];
const ticksMost = 200;

/** At most `countMax` of them, in seconds since 1970. */
export function timeTicks(fromS: number, toS: number, countMax: number): readonly number[] {
  const step = steps.find(({ s }) => (toS - fromS) / s <= Math.max(1, countMax)) ?? ofMonths(12);
  const ticks: number[] = [];
  let date = step.floor(new Date(fromS * 1_000));
  for (let made = 0; made < ticksMost && date.getTime() <= toS * 1_000; made++) {
    if (date.getTime() >= fromS * 1_000) ticks.push(date.getTime() / 1_000);
    const next = step.next(date);
    // Where the clocks are set back an hour comes twice, and its fields name the first one.
    date = next > date ? next : new Date(date.getTime() + step.s * 1_000);
  }
  return ticks;
}

/** A clock's time within a day, and the day where one starts. */
export function tickText(atS: number, tag: string): string {
  const options = isMidnight(atS * 1_000)
    ? ({ month: 'short', day: 'numeric' } as const)
    : ({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const);
  return new Intl.DateTimeFormat(tag, options).format(atS * 1_000);
}
