/** Most wrong names are typing errors; this finds the name that was probably meant. */

/** The known name closest to `name`, or undefined where none is close enough to be a typing error. */
export function nearestName(
  name: string,
  known: Iterable<string>,
  most: number = Math.max(1, Math.floor(name.length / 3)),
): string | undefined {
  let nearest: string | undefined;
  let least = most + 1;
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase(), least);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

/** Counts insertions, deletions, replacements and swaps of adjacent letters; stops at `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min((last[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1);
      current[j] = cost;
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? limit;
}
