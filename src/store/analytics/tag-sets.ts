/**
 * The tags of requests in sums. Cells distinguish sets of tags, as rows have them (`,a,b,`), so that a request with several tags
 * is summed once and a reader adds it to each of its tags. Callers choose tags freely, also one for every request: only
 * the tags that cost most are kept in a period, and then only the sets of them that cost most. The others are one,
 * under `otherTags`, in the set of a request as well: `nightly` beside a tag of its own stays `nightly`.
 */

/** A tag of many, as a set of its own. */
export const otherTags = '(others)';
const othersSet = `,${otherTags},`;

/** How many tags a period has in its cells, and how many sets of them. */
export const tagsPerPeriodMax = 1_000;
const setsPerPeriodMax = 1_000;
/** Sets that one period is summed from; the smallest ones beyond these are `otherTags` before they are read. */
export const setsReadMax = 20_000;

export const tagsIn = (set: string): readonly string[] => (set === '' ? [] : set.slice(1, -1).split(','));
/** A tag between its commas: what is looked for in a set. */
export const tagPattern = (tag: string): string => `,${tag},`;

interface TaggedSum {
  readonly tags: string;
  readonly costNano: bigint;
  readonly requests: number;
}

/** By which set each set is kept. */
export function keptSets(sums: Iterable<TaggedSum>, tagsMax = tagsPerPeriodMax): ReadonlyMap<string, string> {
  const sets = summed(sums, ({ tags }) => [tags]);
  const tags = largest(
    summed(sets.values(), ({ name }) => tagsIn(name).filter((tag) => tag !== otherTags)),
    tagsMax,
  );
  const reduced = new Map([...sets.keys()].map((set) => [set, reducedTo(set, tags)]));
  const kept = largest(
    summed(sets.values(), ({ name }) => [reduced.get(name) ?? othersSet]),
    setsPerPeriodMax,
  );
  return new Map([...reduced].map(([set, to]) => [set, kept.has(to) ? to : othersSet]));
}

function reducedTo(set: string, kept: ReadonlySet<string>): string {
  const tags = tagsIn(set);
  const known = tags.filter((tag) => kept.has(tag));
  if (known.length === tags.length) return set;
  return `,${[...known, otherTags].join(',')},`;
}

interface NamedSum {
  readonly name: string;
  costNano: bigint;
  requests: number;
}

function summed<Sum extends { readonly costNano: bigint; readonly requests: number }>(
  sums: Iterable<Sum>,
  namesOf: (sum: Sum) => readonly string[],
): Map<string, NamedSum> {
  const found = new Map<string, NamedSum>();
  for (const sum of sums) {
    for (const name of namesOf(sum)) {
      const one = found.get(name) ?? { name, costNano: 0n, requests: 0 };
      found.set(name, one);
      one.costNano += sum.costNano;
      one.requests += sum.requests;
    }
  }
  return found;
}

function largest(sums: ReadonlyMap<string, NamedSum>, max: number): ReadonlySet<string> {
  if (sums.size <= max) return new Set(sums.keys());
  const sorted = [...sums.values()].sort((one, other) =>
    one.costNano === other.costNano
      ? other.requests - one.requests || (one.name < other.name ? -1 : 1)
      : one.costNano < other.costNano
        ? 1
        : -1,
  );
  return new Set(sorted.slice(0, max).map(({ name }) => name));
}
