/** The statistics of the bench. */

export function median(samples: readonly number[]): number {
  return percentile(samples, 50);
}

/** Nearest-rank percentile; NaN without samples, so that a missing measurement is never taken for zero. */
export function percentile(samples: readonly number[], percent: number): number {
  const sorted = [...samples].sort((left, right) => left - right);
  const rank = Math.ceil((percent / 100) * sorted.length);
  return sorted[Math.max(0, rank - 1)] ?? Number.NaN;
}

/** Ratios are computed within a round, in which both sides have the same conditions, and only then summarized. */
export function medianRatio(over: readonly number[], under: readonly number[]): number {
  return median(over.map((value, round) => value / (under[round] ?? Number.NaN)));
}

/** The mean of the middle half: a few figures of a busy machine do not count, and more of the others do than in a median. */
export function middleMean(samples: readonly number[]): number {
  const sorted = [...samples].sort((left, right) => left - right);
  const dropped = Math.floor(sorted.length / 4);
  const middle = sorted.slice(dropped, sorted.length - dropped);
  return sum(middle) / middle.length;
}

export function sum(samples: readonly number[]): number {
  return samples.reduce((total, sample) => total + sample, 0);
}

/** The line nearest to all points by relative distance: large ones weigh no more than small ones. */
export function fitLine(points: readonly (readonly [x: number, y: number])[]): { fixed: number; slope: number } {
  const total = (pick: (x: number, y: number) => number): number =>
    points.reduce((sum, [x, y]) => sum + pick(x, y) / y ** 2, 0);
  const weight = total(() => 1);
  const [meanX, meanY] = [total((x) => x) / weight, total((_, y) => y) / weight];
  const slope = total((x, y) => (x - meanX) * (y - meanY)) / total((x) => (x - meanX) ** 2);
  return { fixed: meanY - slope * meanX, slope };
}
