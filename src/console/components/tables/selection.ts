/** Rows that are marked for what is done with many at once. */

export interface Selection<Row> {
  readonly selected: ReadonlySet<string>;
  change(selected: ReadonlySet<string>): void;
  /** What the row is called, for those who hear its box. */
  nameOf(row: Row): string;
}

/** One row, or with `from` all between that one and this: they become what this one becomes. */
export function withToggled(
  selected: ReadonlySet<string>,
  keys: readonly string[],
  index: number,
  from: number | undefined,
): ReadonlySet<string> {
  const isOn = !selected.has(keys[index] ?? '');
  const [low, high] = from === undefined ? [index, index] : [Math.min(from, index), Math.max(from, index)];
  const next = new Set(selected);
  for (const key of keys.slice(low, high + 1)) {
    if (isOn) next.add(key);
    else next.delete(key);
  }
  return next;
}
