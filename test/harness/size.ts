/** How many a crowd or a sample has: enough for its states in the whole run, the full number in `npm run soak`. */

export const isFullSize = process.env['WEIR_TEST_SIZE'] === 'full';

export function sized<T>(usual: T, full: T): T {
  return isFullSize ? full : usual;
}

/**
 * All items in the full size; in the usual one `count` of them, which follow one another with `index`, so that each occurs
 * with some index.
 */
export function sampled<Item>(items: readonly Item[], index: number, count = 1): readonly Item[] {
  if (isFullSize) return items;
  return items.filter((_, at) => (at - ((index * count) % items.length) + items.length) % items.length < count);
}
