/** Changes a list without touching what stays the same: an unchanged list is returned as itself, so that nothing is copied. */

/** `change` returns the item itself to keep it, another one to replace it, and `undefined` to take it out. */
export function mapKept<Item extends object>(
  items: readonly Item[],
  change: (item: Item, index: number) => Item | undefined,
): readonly Item[] {
  let changed: Item[] | undefined;
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index] as Item;
    const after = change(item, index);
    if (changed === undefined) {
      if (after === item) continue;
      changed = items.slice(0, index);
    }
    if (after !== undefined) changed.push(after);
  }
  return changed ?? items;
}
