/** Pages of lists that are read newest first. */

/** A place in a list; the next page begins after it. */
export interface Cursor {
  readonly atMs: number;
  readonly id: string;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Absent on the last page. */
  readonly next: Cursor | undefined;
}

export interface PageRequest {
  readonly limit: number;
  readonly after?: Cursor | undefined;
}

/** The query reads one row more than the page has: that row is dropped and only shows that there is a next page. */
export function pageOf<Item>(rows: readonly Item[], limit: number, cursorOf: (item: Item) => Cursor): Page<Item> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rows.length > limit && last !== undefined ? cursorOf(last) : undefined };
}
