/**
 * Which end users and sets of tags a period keeps: those that cost most, tallied slice by slice in bounded memory. Callers choose
 * both freely, also one for every request. The others are one, and so are other tags in the set of a request: `nightly` beside a
 * tag of its own stays `nightly`.
 */

import { otherTags, tagPattern, tagsIn, tagsPerPeriodMax } from '../tag-sets.ts';

interface NamedSum {
  readonly name: string;
  readonly costNano: bigint;
  readonly requests: number;
}

/** A name, its cost in digits and its requests, as a slice has them. */
export type NameShare = readonly [name: string, costNano: string, requests: number];

/** Far more than a period keeps. Where callers make up more, those that cost least so far are forgotten. */
const namesTalliedMax = 100_000;
const setsPerPeriodMax = 1_000;

export class NameTally {
  readonly #sums = new Map<string, { readonly name: string; costNano: bigint; requests: number }>();
  readonly #max: number;

  constructor(max = namesTalliedMax) {
    this.#max = max;
  }

  add(shares: Iterable<NameShare>): void {
    for (const [name, costNano, requests] of shares) {
      const sum = this.#sums.get(name);
      if (sum === undefined) this.#sums.set(name, { name, costNano: BigInt(costNano), requests });
      else {
        sum.costNano += BigInt(costNano);
        sum.requests += requests;
      }
    }
    if (this.#sums.size > this.#max) this.#forget();
  }

  sums(): readonly NamedSum[] {
    return [...this.#sums.values()];
  }

  /** Those that cost most; of equal costs those with most requests, then by name. */
  largest(max: number): ReadonlySet<string> {
    if (this.#sums.size <= max) return new Set(this.#sums.keys());
    const sorted = this.sums().toSorted(byCost);
    return new Set(sorted.slice(0, max).map(({ name }) => name));
  }

  #forget(): void {
    const kept = this.largest(Math.floor(this.#max / 2));
    for (const name of this.#sums.keys()) if (!kept.has(name)) this.#sums.delete(name);
  }
}

function byCost(one: NamedSum, other: NamedSum): number {
  if (one.costNano !== other.costNano) return one.costNano < other.costNano ? 1 : -1;
  return other.requests - one.requests || (one.name < other.name ? -1 : 1);
}

/** By which set each set is kept. */
export function setKeeper(sets: NameTally, tagsMax = tagsPerPeriodMax): (set: string) => string {
  const tags = new NameTally(Number.POSITIVE_INFINITY);
  for (const { name, costNano, requests } of sets.sums()) {
    const own = tagsIn(name).filter((tag) => tag !== otherTags);
    tags.add(own.map((tag) => [tag, `${costNano}`, requests] as const));
  }
  const keptTags = tags.largest(tagsMax);
  const reduced = new NameTally(Number.POSITIVE_INFINITY);
  reduced.add(
    sets.sums().map(({ name, costNano, requests }) => [reducedTo(name, keptTags), `${costNano}`, requests] as const),
  );
  const keptSets = reduced.largest(setsPerPeriodMax);
  return (set) => {
    const to = reducedTo(set, keptTags);
    return keptSets.has(to) ? to : tagPattern(otherTags);
  };
}

function reducedTo(set: string, kept: ReadonlySet<string>): string {
  const tags = tagsIn(set);
  const known = tags.filter((tag) => kept.has(tag));
  if (known.length === tags.length) return set;
  return `,${[...known, otherTags].join(',')},`;
}
