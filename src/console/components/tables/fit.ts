/** Which columns fit beside each other, and how wide each of them is. */

interface Measured {
  readonly widthPx?: number;
  readonly minPx?: number;
  readonly drop?: number;
}

/** Enough for a short name. */
const minPxDefault = 112;

const leastOf = ({ widthPx, minPx }: Measured): number => widthPx ?? minPx ?? minPxDefault;
const sumOf = (columns: readonly Measured[]): number => columns.reduce((sum, column) => sum + leastOf(column), 0);

interface Fitted<Column> {
  readonly columns: readonly Column[];
  /** Of each of these columns, in pixels. */
  readonly widthsPx: readonly number[];
  /** Even what has to stay is wider than the room. */
  readonly overflows: boolean;
}

/**
 * Leaves columns out until the rest fits, those with one number together; what is then still free goes to those that
 * have no width of their own.
 */
export function fitColumns<Column extends Measured>(columns: readonly Column[], roomPx: number): Fitted<Column> {
  const numbers = [...new Set(columns.flatMap(({ drop }) => drop ?? []))].sort((one, other) => other - one);
  let kept = columns;
  for (const number of numbers) {
    if (sumOf(kept) <= roomPx) break;
    kept = kept.filter(({ drop }) => drop !== number);
  }
  const freePx = Math.max(0, roomPx - sumOf(kept));
  const growing = kept.filter(({ widthPx }) => widthPx === undefined);
  const growingPx = sumOf(growing);
  const grown = (column: Column): number =>
    growing.length === 0
      ? leastOf(column) + freePx / kept.length
      : leastOf(column) + (column.widthPx === undefined ? (freePx * leastOf(column)) / growingPx : 0);
  return { columns: kept, widthsPx: kept.map(grown), overflows: sumOf(kept) > roomPx };
}
