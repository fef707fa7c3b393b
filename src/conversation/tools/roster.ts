/**
 * The items present now, for thousands of additions and removals a second. A `Set` links each table that it outgrew to the
 * next, and the collector keeps the items of those tables reachable until a full collection; an array has no old tables.
 */
export class Roster<Item extends object | string> {
  readonly #items: Item[] = [];

  get size(): number {
    return this.#items.length;
  }

  has(item: Item): boolean {
    return this.#items.lastIndexOf(item) !== -1;
  }

  /** The caller makes sure that the item is not present yet. */
  add(item: Item): void {
    this.#items.push(item);
  }

  /** True if it was present. Most are removed soon after they were added, so the search starts at the end. */
  delete(item: Item): boolean {
    const at = this.#items.lastIndexOf(item);
    if (at === -1) return false;
    const last = this.#items.pop();
    if (last !== undefined && at < this.#items.length) this.#items[at] = last;
    return true;
  }

  /** A copy, so that later removals do not change it. */
  all(): readonly Item[] {
    return [...this.#items];
  }
}
