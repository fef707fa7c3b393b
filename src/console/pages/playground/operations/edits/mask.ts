/** What was painted on a picture, as data: strokes and boxes that can be taken back, and the mask that they mean. */

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

interface Box extends Point, Size {}

/** `paint` is where the picture may change; `erase` takes paint away. In pixels of the picture, not of the screen. */
export type Mark =
  | {
      readonly kind: 'stroke';
      readonly does: 'paint' | 'erase';
      readonly widthPx: number;
      readonly points: readonly Point[];
    }
  | { readonly kind: 'box'; readonly does: 'paint' | 'erase'; readonly box: Box };

export interface MaskState {
  readonly marks: readonly Mark[];
  /** Taken back, the latest last; painting anew forgets them. */
  readonly undone: readonly Mark[];
}

export type MaskAction =
  | { readonly type: 'add'; readonly mark: Mark }
  | { readonly type: 'undo' }
  | { readonly type: 'redo' }
  | { readonly type: 'clear' };

export const emptyMask: MaskState = { marks: [], undone: [] };

export function changeMask(state: MaskState, action: MaskAction): MaskState {
  const { marks, undone } = state;
  if (action.type === 'add') return { marks: [...marks, action.mark], undone: [] };
  if (action.type === 'clear') return emptyMask;
  if (action.type === 'undo') {
    const last = marks.at(-1);
    return last === undefined ? state : { marks: marks.slice(0, -1), undone: [...undone, last] };
  }
  const next = undone.at(-1);
  return next === undefined ? state : { marks: [...marks, next], undone: undone.slice(0, -1) };
}

/** The part of a box that lies on the picture; nothing where none does. */
export function boxWithin(box: Box, size: Size): Box | undefined {
  const left = Math.max(0, Math.min(size.width, box.x));
  const top = Math.max(0, Math.min(size.height, box.y));
  const right = Math.max(0, Math.min(size.width, box.x + box.width));
  const bottom = Math.max(0, Math.min(size.height, box.y + box.height));
  if (right <= left || bottom <= top || [left, top, right, bottom].some(Number.isNaN)) return undefined;
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** Where on the picture a place on the screen is, whatever size the picture is shown at. */
export function placeOnPicture(place: Point, shown: Box, size: Size): Point {
  const clamp = (value: number, most: number) => Math.max(0, Math.min(most, value));
  return {
    x: clamp(((place.x - shown.x) / Math.max(1, shown.width)) * size.width, size.width),
    y: clamp(((place.y - shown.y) / Math.max(1, shown.height)) * size.height, size.height),
  };
}

/** What of a canvas is drawn with; tests hand in one that only remembers. */
export interface Pen {
  globalCompositeOperation: GlobalCompositeOperation;
  fillStyle: string | CanvasGradient | CanvasPattern;
  strokeStyle: string | CanvasGradient | CanvasPattern;
  lineWidth: number;
  lineCap: CanvasLineCap;
  lineJoin: CanvasLineJoin;
  clearRect(x: number, y: number, width: number, height: number): void;
  fillRect(x: number, y: number, width: number, height: number): void;
  beginPath(): void;
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  stroke(): void;
}

/** For the eye: paint in one colour over nothing. */
export function drawMarks(pen: Pen, marks: readonly Mark[], size: Size, colour: string): void {
  pen.globalCompositeOperation = 'source-over';
  pen.clearRect(0, 0, size.width, size.height);
  for (const mark of marks) drawMark(pen, mark, colour, mark.does === 'erase');
  pen.globalCompositeOperation = 'source-over';
}

/** For the model: opaque everywhere, and transparent where it was painted. */
export function drawMask(pen: Pen, marks: readonly Mark[], size: Size): void {
  pen.globalCompositeOperation = 'source-over';
  pen.fillStyle = '#000000';
  pen.fillRect(0, 0, size.width, size.height);
  for (const mark of marks) drawMark(pen, mark, '#000000', mark.does === 'paint');
  pen.globalCompositeOperation = 'source-over';
}

function drawMark(pen: Pen, mark: Mark, colour: string, cutsOut: boolean): void {
  pen.globalCompositeOperation = cutsOut ? 'destination-out' : 'source-over';
  if (mark.kind === 'box') {
    pen.fillStyle = colour;
    pen.fillRect(mark.box.x, mark.box.y, mark.box.width, mark.box.height);
    return;
  }
  const [first, ...rest] = mark.points;
  if (first === undefined) return;
  pen.strokeStyle = colour;
  pen.lineWidth = mark.widthPx;
  pen.lineCap = 'round';
  pen.lineJoin = 'round';
  pen.beginPath();
  pen.moveTo(first.x, first.y);
  // A dot is a line to itself.
  for (const point of rest.length === 0 ? [first] : rest) pen.lineTo(point.x, point.y);
  pen.stroke();
}
