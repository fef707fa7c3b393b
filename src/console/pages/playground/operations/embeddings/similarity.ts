/** How alike texts are by their vectors: what the embeddings tab shows, without a page around it. */

export type Vector = readonly number[];

/** From -1 to 1; a vector of no length is like nothing. Undefined where the two cannot be compared. */
export function cosine(left: Vector, right: Vector): number | undefined {
  if (left.length !== right.length || left.length === 0) return undefined;
  let product = 0;
  let leftSquares = 0;
  let rightSquares = 0;
  for (const [place, one] of left.entries()) {
    const other = right[place] ?? 0;
    product += one * other;
    leftSquares += one * one;
    rightSquares += other * other;
  }
  if (leftSquares === 0 || rightSquares === 0) return 0;
  // Rounding may step over the edge by a hair.
  return Math.max(-1, Math.min(1, product / Math.sqrt(leftSquares * rightSquares)));
}

/** Every text against every text. It is symmetrical, so each pair is worked out once. */
export function similarities(vectors: readonly Vector[]): readonly (readonly (number | undefined)[])[] {
  const rows: (number | undefined)[][] = vectors.map(() => []);
  for (const [row, left] of vectors.entries()) {
    for (let column = row; column < vectors.length; column++) {
      const value = cosine(left, vectors[column] ?? []);
      const line = rows[row];
      const mirror = rows[column];
      if (line !== undefined) line[column] = value;
      if (mirror !== undefined) mirror[row] = value;
    }
  }
  return rows;
}

interface Pair {
  readonly first: number;
  readonly second: number;
  readonly value: number;
}

/** The two different texts that are most alike. */
export function closestPair(matrix: readonly (readonly (number | undefined)[])[]): Pair | undefined {
  let closest: Pair | undefined;
  for (const [first, row] of matrix.entries()) {
    for (let second = first + 1; second < row.length; second++) {
      const value = row[second];
      if (value !== undefined && (closest === undefined || value > closest.value)) closest = { first, second, value };
    }
  }
  return closest;
}

/** How deep a cell is shaded, 0 to 1: unlike texts stay white, whether their number is 0 or below. */
export function shade(value: number | undefined): number {
  return value === undefined ? 0 : Math.max(0, Math.min(1, value));
}
