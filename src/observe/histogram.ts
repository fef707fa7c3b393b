/** A histogram of seconds in Prometheus' text form. */

const secondsBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

export interface Histogram {
  readonly counts: number[];
  sum: number;
  total: number;
}

export function emptyHistogram(): Histogram {
  return { counts: secondsBuckets.map(() => 0), sum: 0, total: 0 };
}

export function record(into: Histogram, seconds: number): void {
  into.sum += seconds;
  into.total++;
  for (let index = secondsBuckets.length - 1; index >= 0 && seconds <= (secondsBuckets[index] ?? 0); index--) {
    into.counts[index] = (into.counts[index] ?? 0) + 1;
  }
}

export function histogram<Labelled extends { readonly labels: string }>(
  name: string,
  help: string,
  all: readonly Labelled[],
  of: (series: Labelled) => Histogram,
): string[] {
  const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`];
  for (const series of all) {
    const { counts, sum, total } = of(series);
    secondsBuckets.forEach((bound, index) => {
      lines.push(`${name}_bucket{${series.labels},le="${bound}"} ${counts[index]}`);
    });
    lines.push(`${name}_bucket{${series.labels},le="+Inf"} ${total}`);
    lines.push(`${name}_sum{${series.labels}} ${sum}`, `${name}_count{${series.labels}} ${total}`);
  }
  return lines;
}
