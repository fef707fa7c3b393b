/** A histogram in Prometheus' text form. */

/** From a reply of the sandbox to a long reasoning. */
export const secondsBounds: readonly number[] = [
  ...[0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  ...[30, 60, 120, 300, 600],
];

/** From a large model on a small machine to the fastest hosts. */
export const tokensPerSecondBounds: readonly number[] = [
  ...[1, 2.5, 5, 10, 20, 30, 50, 75, 100, 150, 200, 300],
  ...[500, 1_000, 2_500],
];

export interface Histogram {
  readonly bounds: readonly number[];
  /** What lies between a bound and the one before it; they are added up when they are written, not for each request. */
  readonly counts: number[];
  sum: number;
  total: number;
}

export function emptyHistogram(bounds: readonly number[]): Histogram {
  return { bounds, counts: bounds.map(() => 0), sum: 0, total: 0 };
}

export function record(into: Histogram, value: number): void {
  const { bounds, counts } = into;
  into.sum += value;
  into.total++;
  let index = 0;
  while (index < bounds.length && value > (bounds[index] ?? 0)) index++;
  if (index < bounds.length) counts[index] = (counts[index] ?? 0) + 1;
}

/** Without a row for a series that has no such histogram. */
export function histogram<Labelled extends { readonly labels: string }>(
  name: string,
  help: string,
  all: readonly Labelled[],
  of: (series: Labelled) => Histogram | undefined,
): string[] {
  const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`];
  for (const series of all) {
    const found = of(series);
    if (found === undefined) continue;
    let upToBound = 0;
    found.bounds.forEach((bound, index) => {
      upToBound += found.counts[index] ?? 0;
      lines.push(`${name}_bucket{${series.labels},le="${bound}"} ${upToBound}`);
    });
    lines.push(`${name}_bucket{${series.labels},le="+Inf"} ${found.total}`);
    lines.push(`${name}_sum{${series.labels}} ${found.sum}`, `${name}_count{${series.labels}} ${found.total}`);
  }
  return lines;
}
