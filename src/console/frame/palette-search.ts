/** Finds what was meant by a few letters: whole words first, then beginnings of words, then letters in order. */

interface Findable {
  readonly title: string;
  /** Other words for the same. */
  readonly keywords?: string;
}

/** Best first; all of them, in their own order, where nothing was written yet. */
export function find<Item extends Findable>(items: readonly Item[], text: string): readonly Item[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return items;
  return items
    .map((item) => ({ item, score: Math.max(score(item.title, wanted), score(item.keywords ?? '', wanted) - 1) }))
    .filter((rated) => rated.score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ item }) => item);
}

function score(text: string, wanted: string): number {
  const given = text.toLowerCase();
  if (given === '') return 0;
  if (given.startsWith(wanted)) return 10;
  if (given.split(/[\s/.:_-]+/).some((word) => word.startsWith(wanted))) return 8;
  if (given.includes(wanted)) return 6;
  // “ct” finds “create token”, but single letters far apart find everything and mean nothing.
  const initials = given.split(/[\s/.:_-]+/).map((word) => word[0] ?? '');
  return wanted.length > 1 && initials.join('').startsWith(wanted) ? 4 : 0;
}
