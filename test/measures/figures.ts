/** What the measurements share: processor time, memory, and one printed line for each figure with the bound that judges it. */

import { expect } from 'bun:test';

const megabyte = 1_048_576;

/** Prints the figure beside its bound, then judges it. */
export function judge(what: string, figure: number, max: number, unit = ''): void {
  const shown = `${round(figure)} of at most ${round(max)} ${unit}`.trim();
  console.log(`${figure <= max ? '  ok' : 'HIGH'}  ${what}: ${shown}`);
  expect(figure, what).toBeLessThanOrEqual(max);
}

/** As `judge`, for a figure that must not be below its bound. */
export function judgeLeast(what: string, figure: number, min: number, unit = ''): void {
  const shown = `${round(figure)} of at least ${round(min)} ${unit}`.trim();
  console.log(`${figure >= min ? '  ok' : ' LOW'}  ${what}: ${shown}`);
  expect(figure, what).toBeGreaterThanOrEqual(min);
}

export function judgeMegabytes(what: string, bytes: number, megabytesMax: number): void {
  judge(what, bytes / megabyte, megabytesMax, 'MB');
}

function round(figure: number): number {
  return Number(figure.toPrecision(3));
}

/** Processor time of this process so far. */
export function cpuNowMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The least processor time of several runs: other work on the machine can only add to it. */
export function leastCpuMs(run: () => unknown, runs = 3): number {
  let leastMs = Number.POSITIVE_INFINITY;
  for (let count = 0; count < runs; count++) {
    const startedMs = cpuNowMs();
    run();
    leastMs = Math.min(leastMs, cpuNowMs() - startedMs);
  }
  return leastMs;
}

/** Less than this is noise of the clock. */
const cpuMsMin = 1;
const times = 8;

/**
 * Eight times the input costs about eight times the processor time; work that grows with the square costs 64 times.
 * `inputOf` makes an input of one and of eight parts, outside the measured time.
 */
export function judgeLinear<Input>(
  what: string,
  inputOf: (parts: number) => Input,
  run: (input: Input) => unknown,
): void {
  const [small, large] = [inputOf(1), inputOf(times)];
  run(small);
  const smallMs = Math.max(
    cpuMsMin,
    leastCpuMs(() => run(small)),
  );
  judge(`${what}, ${times} times the input`, leastCpuMs(() => run(large)) / smallMs, times * 3, 'times the work');
}

export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN;
}
