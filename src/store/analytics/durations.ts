/**
 * Durations as counts in bins, so that percentiles of many rows can be added up. A bin is at most a sixteenth of its value
 * wide, which keeps a percentile within 3.2 percent of the exact one.
 */

/** How many durations fell into each bin; sparse, because one cell's durations lie close together. */
export type Bins = Map<number, number>;

/** Below this every millisecond is a bin of its own; from here on each doubling is cut into as many bins. */
const stepsPerDoubling = 16;
const firstDoubling = 4;
const durationMsMax = 2_147_483_647;

export function binOf(durationMs: number): number {
  const whole = Math.min(Math.max(0, Math.round(durationMs)), durationMsMax);
  if (whole < stepsPerDoubling) return whole;
  const doubling = 31 - Math.clz32(whole);
  return stepsPerDoubling * (doubling - firstDoubling + 1) + ((whole >> (doubling - firstDoubling)) & 15);
}

/** The middle of what a bin holds. */
export function durationOf(bin: number): number {
  if (bin < stepsPerDoubling) return bin;
  const doubling = Math.floor(bin / stepsPerDoubling) - 1;
  const lowest = (stepsPerDoubling + (bin % stepsPerDoubling)) * 2 ** doubling;
  return lowest + (2 ** doubling - 1) / 2;
}

/** The duration that the given share of all durations does not exceed; undefined where there are none. */
export function percentile(bins: Bins, share: number): number | undefined {
  let count = 0;
  for (const each of bins.values()) count += each;
  if (count === 0) return undefined;
  let missing = Math.max(1, Math.ceil(share * count));
  for (const bin of [...bins.keys()].sort((a, b) => a - b)) {
    missing -= bins.get(bin) ?? 0;
    if (missing <= 0) return Math.round(durationOf(bin));
  }
  return undefined;
}

/** `bin` or `bin:count`, apart by spaces: two such texts are added up by writing one behind the other. */
export function writeBins(bins: Bins): string {
  const written: string[] = [];
  for (const bin of [...bins.keys()].sort((a, b) => a - b)) {
    const count = bins.get(bin) ?? 0;
    written.push(count === 1 ? String(bin) : `${bin}:${count}`);
  }
  return written.join(' ');
}

const space = 0x20;
const colon = 0x3a;
const zero = 0x30;

/** Adds written bins to others. By hand, because a year of them is megabytes. */
export function addWrittenBins(to: Bins, text: string): void {
  let bin = -1;
  let number = 0;
  for (let at = 0; at <= text.length; at += 1) {
    const code = at === text.length ? space : text.charCodeAt(at);
    if (code === colon) {
      bin = number;
      number = 0;
    } else if (code !== space) {
      number = number * 10 + code - zero;
    } else if (at > 0 && text.charCodeAt(at - 1) !== space) {
      if (bin === -1) to.set(number, (to.get(number) ?? 0) + 1);
      else to.set(bin, (to.get(bin) ?? 0) + number);
      bin = -1;
      number = 0;
    }
  }
}

/** Adds durations in milliseconds, apart by spaces, as a row's own columns have them. */
export function addDurations(to: Bins, text: string): void {
  if (text === '') return;
  for (const duration of text.split(' ')) {
    const bin = binOf(Number(duration));
    to.set(bin, (to.get(bin) ?? 0) + 1);
  }
}
