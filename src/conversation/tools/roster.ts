/**
 * Who is there now, for those who come and go by the thousand a second. A `Set` links each table that it outgrew to the next one,
 * and what those tables still name looks alive to the collector until it goes through everything: a list has no such past.
 */
export class Roster<Item extends object | string> {
  readonly #items: Item[] = [];

  get size(): number {
    return this.#items.length;
  }

  has(item: Item): boolean {
    return this.#items.lastIndexOf(item) !== -1;
  }

  /** Whoever calls makes sure that it is not there yet. */
  add(item: Item): void {
    this.#items.push(item);
  }

  /** True where it was there. Most leave soon after they came, so the latest are looked at first. */
  delete(item: Item): boolean {
    const at = this.#items.lastIndexOf(item);
    if (at === -1) return false;
    const last = this.#items.pop();
    if (last !== undefined && at < this.#items.length) this.#items[at] = last;
    return true;
  }

  /** Those who are there now, also where some of them leave meanwhile. */
  all(): readonly Item[] {
    return [...this.#items];
  }
}
