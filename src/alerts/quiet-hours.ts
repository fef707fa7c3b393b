/** Hours in which only critical alerts are sent. Times are local to a time zone, so that they follow its daylight saving. */

import type { QuietHours } from '../store/alerts/alert-records.ts';

const minuteMs = 60_000;
const dayMinutes = 24 * 60;
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  formats.set(timeZone, made);
  return made;
}

/** Also rejects what is no name of a time zone, such as an offset. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-GB', { timeZone: name });
    return /^[A-Za-z]/.test(name);
  } catch {
    return false;
  }
}

const minutesOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5));

function localMinutes(timeZone: string, atMs: number): number {
  return minutesOf(formatOf(timeZone).format(atMs));
}

/** When the quiet hours of this moment end; undefined where it is in none. */
export function quietUntilMs({ timeZone, from, to }: QuietHours, nowMs: number): number | undefined {
  const now = localMinutes(timeZone, nowMs);
  const begin = minutesOf(from);
  const end = minutesOf(to);
  if (begin === end) return undefined;
  const since = (now - begin + dayMinutes) % dayMinutes;
  const length = (end - begin + dayMinutes) % dayMinutes;
  if (since >= length) return undefined;
  const left = (end - now + dayMinutes) % dayMinutes;
  const untilMs = nowMs - (nowMs % minuteMs) + left * minuteMs;
  // Where the clock is changed in between, the local time is another one than was counted.
  const shift = ((localMinutes(timeZone, untilMs) - end + dayMinutes + dayMinutes / 2) % dayMinutes) - dayMinutes / 2;
  const corrected = untilMs - shift * minuteMs;
  // An end that the clock skips is when it jumps over it.
  return corrected > nowMs ? corrected : untilMs;
}
