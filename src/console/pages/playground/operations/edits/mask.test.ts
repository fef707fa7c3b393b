/** Proves that painting can be taken back step by step, that boxes stay on the picture, and that the mask is transparent where it was painted. */

import { describe, expect, test } from 'bun:test';
import { boxWithin, changeMask, drawMarks, drawMask, emptyMask, type Mark, type Pen, placeOnPicture } from './mask.ts';

const box = (x: number, y: number, width: number, height: number, does: Mark['does'] = 'paint'): Mark => ({
  kind: 'box',
  does,
  box: { x, y, width, height },
});

describe('taking back', () => {
  const two = [box(0, 0, 1, 1), box(1, 1, 1, 1)].reduce(
    (state, mark) => changeMask(state, { type: 'add', mark }),
    emptyMask,
  );
  test('one step, and forward again', () => {
    const one = changeMask(two, { type: 'undo' });
    expect(one.marks).toEqual([box(0, 0, 1, 1)]);
    expect(changeMask(one, { type: 'redo' })).toEqual(two);
  });
  test('painting anew forgets what was taken back', () => {
    const anew = changeMask(changeMask(two, { type: 'undo' }), { type: 'add', mark: box(5, 5, 1, 1) });
    expect(anew.undone).toEqual([]);
    expect(changeMask(anew, { type: 'redo' })).toBe(anew);
  });
  test('where nothing is left nothing happens', () => {
    expect(changeMask(emptyMask, { type: 'undo' })).toBe(emptyMask);
    expect(changeMask(two, { type: 'clear' })).toBe(emptyMask);
  });
});

describe('a box', () => {
  const size = { width: 100, height: 50 };
  for (const [given, kept] of [
    [
      { x: 10, y: 10, width: 20, height: 20 },
      { x: 10, y: 10, width: 20, height: 20 },
    ],
    [
      { x: -10, y: 40, width: 30, height: 30 },
      { x: 0, y: 40, width: 20, height: 10 },
    ],
    [{ x: 200, y: 0, width: 10, height: 10 }, undefined],
    [{ x: 0, y: 0, width: 0, height: 10 }, undefined],
    [{ x: Number.NaN, y: 0, width: 10, height: 10 }, undefined],
  ] as const) {
    test(`${JSON.stringify(given)} is ${JSON.stringify(kept)}`, () => expect(boxWithin(given, size)).toEqual(kept));
  }
});

test('a place on the screen is the same place on the picture, and never beside it', () => {
  const shown = { x: 20, y: 10, width: 200, height: 100 };
  const size = { width: 1_000, height: 500 };
  expect(placeOnPicture({ x: 120, y: 60 }, shown, size)).toEqual({ x: 500, y: 250 });
  expect(placeOnPicture({ x: 0, y: 500 }, shown, size)).toEqual({ x: 0, y: 500 });
});

/** One byte of opacity for each pixel; boxes only, which is enough to see what cuts and what fills. */
class Grid implements Pen {
  globalCompositeOperation: GlobalCompositeOperation = 'source-over';
  fillStyle: Pen['fillStyle'] = '';
  strokeStyle: Pen['strokeStyle'] = '';
  lineWidth = 1;
  lineCap: CanvasLineCap = 'butt';
  lineJoin: CanvasLineJoin = 'miter';
  readonly strokes: string[] = [];
  readonly rows = ['....', '....', '....'].map((row) => [...row]);
  fillRect(x: number, y: number, width: number, height: number): void {
    this.#set(x, y, width, height, this.globalCompositeOperation === 'destination-out' ? '.' : '#');
  }
  clearRect(x: number, y: number, width: number, height: number): void {
    this.#set(x, y, width, height, '.');
  }
  beginPath(): void {
    this.strokes.push(`${this.globalCompositeOperation} ${this.lineWidth}`);
  }
  moveTo(x: number, y: number): void {
    this.strokes.push(`from ${x},${y}`);
  }
  lineTo(x: number, y: number): void {
    this.strokes.push(`to ${x},${y}`);
  }
  stroke(): void {
    this.strokes.push('drawn');
  }
  #set(x: number, y: number, width: number, height: number, value: string): void {
    for (const row of this.rows.slice(y, y + height)) row.fill(value, x, x + width);
  }
  shown(): string[] {
    return this.rows.map((row) => row.join(''));
  }
}

const size = { width: 4, height: 3 };
const marks = [box(0, 0, 3, 2), box(1, 0, 1, 1, 'erase')];

test('the eye sees paint, the model a mask that is open where it was painted', () => {
  const eye = new Grid();
  drawMarks(eye, marks, size, 'red');
  expect(eye.shown()).toEqual(['#.#.', '###.', '....']);
  const mask = new Grid();
  drawMask(mask, marks, size);
  expect(mask.shown()).toEqual(['.#.#', '...#', '####']);
});

test('a touch without a movement is a dot', () => {
  const grid = new Grid();
  drawMask(grid, [{ kind: 'stroke', does: 'paint', widthPx: 9, points: [{ x: 1, y: 2 }] }], size);
  expect(grid.strokes).toEqual(['destination-out 9', 'from 1,2', 'to 1,2', 'drawn']);
});
