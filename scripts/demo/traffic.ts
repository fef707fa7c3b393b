/** When the requests of the demo data arrive: by the hour of the day, the day of the week and a slow growth. */

import type { Call } from './calls.ts';
import { Draws } from './draws.ts';
import { type Rhythm, strangerRow, type TokenRow, tokenRows } from './people.ts';

export interface Arrival {
  readonly atMs: number;
  readonly token: string;
  /** At once. */
  readonly calls: readonly Call[];
}

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;
/** What shows the last hour has something to show, whatever the time of day is. */
const lastHourRequests = 45;
/** Time goes by while the data is looked at: a range as long as the data must still begin before it. */
const quietMs = hourMs;
/** A bound for the whole run, whatever was asked for. */
const requestsMax = 60_000;

/** How busy each hour in UTC is. */
const hourShares: Readonly<Record<Rhythm, readonly number[]>> = {
  office: [0, 0, 0, 0, 0, 0, 1, 4, 8, 10, 9, 7, 6, 9, 10, 9, 8, 5, 3, 2, 1, 1, 0, 0],
  always: [3, 2, 2, 1, 1, 2, 3, 5, 6, 7, 7, 7, 8, 7, 7, 7, 7, 8, 9, 10, 10, 8, 6, 4],
  night: [8, 10, 10, 9, 6, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 6],
};
/** From Sunday on. */
const dayShares: Readonly<Record<Rhythm, readonly number[]>> = {
  office: [0.06, 1, 1.1, 1.1, 1.05, 0.9, 0.08],
  always: [0.75, 1, 1, 1, 1, 1.05, 0.85],
  night: [0.2, 1, 1, 1, 1, 1, 0.2],
};

interface Period {
  readonly startMs: number;
  readonly endMs: number;
}

/** Oldest first. */
export function arrivalsIn(period: Period): readonly Arrival[] {
  const rows = [...tokenRows, strangerRow];
  const arrivals = rows.flatMap((row) => [...dailyArrivals(row, period), ...lastHour(row, rows, period)]);
  if (arrivals.reduce((sum, { calls }) => sum + calls.length, 0) > requestsMax)
    throw new Error(`More than ${requestsMax} requests: choose fewer days.`);
  return arrivals.sort((one, other) => one.atMs - other.atMs);
}

function dailyArrivals(row: TokenRow, { startMs, endMs }: Period): Arrival[] {
  const draws = Draws.of(row.name);
  const arrivals: Arrival[] = [];
  for (let dayStart = Math.floor(startMs / dayMs) * dayMs; dayStart < endMs; dayStart += dayMs) {
    const growth = 0.75 + (0.5 * (dayStart - startMs)) / Math.max(dayMs, endMs - startMs);
    const share = dayShares[row.rhythm][new Date(dayStart).getUTCDay()] ?? 1;
    for (let left = draws.count(row.perDay * share * growth); left > 0; left -= 1) {
      const atMs = dayStart + hourOf(row.rhythm, draws) * hourMs + Math.floor(draws.next() * hourMs);
      const arrival = arrivalOf(row, atMs, draws);
      if (atMs >= startMs + quietMs && atMs < endMs - hourMs) arrivals.push(arrival);
    }
  }
  return arrivals;
}

const hourOf = (rhythm: Rhythm, draws: Draws): number =>
  draws.weighted(hourShares[rhythm].map((share, hour) => [share, hour] as const));

/** Also one of each rare call, which a short time might not draw. */
function lastHour(row: TokenRow, all: readonly TokenRow[], { endMs }: Period): Arrival[] {
  if (row.nearlySpent === true) return [];
  const draws = Draws.of(`${row.name}, last hour`);
  const perDay = all.reduce((sum, each) => sum + each.perDay, 0);
  const count = Math.ceil((lastHourRequests * row.perDay) / perDay);
  const time = (): number => endMs - Math.floor(draws.next() * hourMs);
  const rare = row.calls.filter(([weight]) => weight < 1);
  return [
    ...Array.from({ length: count }, () => arrivalOf(row, time(), draws)),
    ...rare.map(([, make]) => ({ atMs: time(), token: row.name, calls: [make(draws, row.people ?? 0)] })),
  ];
}

function arrivalOf(row: TokenRow, atMs: number, draws: Draws): Arrival {
  const call = (): Call => draws.weighted(row.calls)(draws, row.people ?? 0);
  return { atMs, token: row.name, calls: Array.from({ length: row.burst ?? 1 }, call) };
}
