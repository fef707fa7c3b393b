/** The metrics of several processes as those of one: counters, histograms and amounts are added, of states the worst counts. */

/** A larger state is a worse one, and a worker that was replaced shows as a restart. */
const largestCounts = /_state$|_info$|^process_start_time_seconds$/;
/** What one of them cannot reach is not up. */
const smallestCounts = /_up$/;

function joined(name: string, one: number, other: number): number {
  if (largestCounts.test(name)) return Math.max(one, other);
  return smallestCounts.test(name) ? Math.min(one, other) : one + other;
}

/** Without gauges: what a process that has ended counted stays counted, so that no counter falls. */
export function countersIn(text: string): string {
  const families = text.split(/^(?=# HELP )/m);
  return families.filter((family) => !/^# TYPE \S+ gauge$/m.test(family)).join('');
}

/** `own` is added to families that the texts have: what the summing process itself uses. */
export function sumMetrics(texts: readonly string[], own: ReadonlyMap<string, number> = new Map()): string {
  /** By its `# TYPE` line's name: comments first, then its series, in the order in which they appear. */
  const families = new Map<string, { readonly head: string[]; readonly series: Map<string, number> }>();
  for (const text of texts) {
    let family = { head: [] as string[], series: new Map<string, number>() };
    for (const line of text.split('\n')) {
      if (line.startsWith('# HELP ')) {
        const name = line.split(' ', 3)[2] ?? '';
        const known = families.get(name);
        family = known ?? { head: [line], series: new Map() };
        if (known === undefined) families.set(name, family);
      } else if (line.startsWith('# ')) {
        if (!family.head.includes(line)) family.head.push(line);
      } else if (line !== '') {
        const space = line.lastIndexOf(' ');
        const [series, value] = [line.slice(0, space), Number(line.slice(space + 1))];
        const before = family.series.get(series);
        const name = series.split('{', 1)[0] ?? '';
        family.series.set(series, before === undefined ? value : joined(name, before, value));
      }
    }
  }
  for (const [name, amount] of own) {
    const series = families.get(name)?.series;
    if (series?.has(name)) series.set(name, (series.get(name) ?? 0) + amount);
  }
  const lines = [...families.values()].flatMap(({ head, series }) => [
    ...head,
    ...[...series].map(([name, value]) => `${name} ${value}`),
  ]);
  return `${lines.join('\n')}\n`;
}
