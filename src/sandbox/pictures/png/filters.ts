/** A PNG's rows are stored as differences from their neighbours: this turns them back into samples. */

import { PngError } from './chunks.ts';

/** The neighbour nearest to what the three of them let expect. */
export function paeth(left: number, up: number, upLeft: number): number {
  const expected = left + up - upLeft;
  const fromLeft = Math.abs(expected - left);
  const fromUp = Math.abs(expected - up);
  const fromUpLeft = Math.abs(expected - upLeft);
  if (fromLeft <= fromUp && fromLeft <= fromUpLeft) return left;
  return fromUp <= fromUpLeft ? up : upLeft;
}

/** Undoes the filters in place; each row begins with the byte that names its filter. */
export function unfilter(rows: Uint8Array, height: number, stride: number, step: number): void {
  for (let y = 0; y < height; y += 1) {
    const start = y * (stride + 1);
    const kind = rows[start] ?? 0;
    if (kind > 4) throw new PngError(`The PNG is damaged: row ${y + 1} names filter ${kind}, which does not exist.`);
    if (kind === 0) continue;
    for (let at = start + 1; at <= start + stride; at += 1) {
      const hasLeft = at - start > step;
      const left = hasLeft ? (rows[at - step] ?? 0) : 0;
      const up = y > 0 ? (rows[at - stride - 1] ?? 0) : 0;
      let guess = left;
      if (kind === 2) guess = up;
      else if (kind === 3) guess = (left + up) >> 1;
      else if (kind === 4) guess = paeth(left, up, hasLeft && y > 0 ? (rows[at - stride - 1 - step] ?? 0) : 0);
      rows[at] = (rows[at] ?? 0) + guess;
    }
  }
}
