/** Drawing in units of the image's shorter side, so that drafts and final images show the same scene. */

import { addGlow, type Bitmap, fillOutlines, type Paint, type Point } from './bitmap.ts';
import type { Color } from './colors.ts';

export interface Canvas {
  readonly bitmap: Bitmap;
  /** In units: the shorter of the two is 1. */
  readonly width: number;
  readonly height: number;
  polygon(points: readonly Point[], paint: Paint): void;
  ellipse(x: number, y: number, radiusX: number, radiusY: number, paint: Paint): void;
  circle(x: number, y: number, radius: number, paint: Paint): void;
  ring(x: number, y: number, outer: number, inner: number, paint: Paint): void;
  rectangle(x: number, y: number, width: number, height: number, paint: Paint): void;
  line(from: Point, to: Point, thickness: number, paint: Paint): void;
  glow(x: number, y: number, radius: number, color: Color, strength: number): void;
}

export function createCanvas(bitmap: Bitmap): Canvas {
  const unit = Math.min(bitmap.width, bitmap.height);
  const scaled = (points: readonly Point[]): Point[] => points.map(([x, y]) => [x * unit, y * unit]);
  const fill = (outlines: readonly (readonly Point[])[], paint: Paint): void =>
    fillOutlines(bitmap, outlines.map(scaled), paint);
  const corners = (radius: number): number => Math.min(160, Math.max(16, Math.ceil(radius * unit)));
  const round = (x: number, y: number, radiusX: number, radiusY: number): Point[] =>
    regularPoints(corners(Math.max(radiusX, radiusY)), x, y, radiusX, radiusY);
  return {
    bitmap,
    width: bitmap.width / unit,
    height: bitmap.height / unit,
    polygon: (points, paint) => fill([points], paint),
    ellipse: (x, y, radiusX, radiusY, paint) => fill([round(x, y, radiusX, radiusY)], paint),
    circle: (x, y, radius, paint) => fill([round(x, y, radius, radius)], paint),
    ring: (x, y, outer, inner, paint) => fill([round(x, y, outer, outer), round(x, y, inner, inner)], paint),
    rectangle: (x, y, width, height, paint) => fill([boxPoints(x, y, width, height)], paint),
    line: (from, to, thickness, paint) => fill([linePoints(from, to, thickness)], paint),
    glow: (x, y, radius, color, strength) => addGlow(bitmap, [x * unit, y * unit], radius * unit, color, strength),
  };
}

function boxPoints(x: number, y: number, width: number, height: number): Point[] {
  return [
    [x, y],
    [x + width, y],
    [x + width, y + height],
    [x, y + height],
  ];
}

function linePoints([fromX, fromY]: Point, [toX, toY]: Point, thickness: number): Point[] {
  const length = Math.hypot(toX - fromX, toY - fromY) || 1;
  const acrossX = (((fromY - toY) / length) * thickness) / 2;
  const acrossY = (((toX - fromX) / length) * thickness) / 2;
  return [
    [fromX + acrossX, fromY + acrossY],
    [toX + acrossX, toY + acrossY],
    [toX - acrossX, toY - acrossY],
    [fromX - acrossX, fromY - acrossY],
  ];
}

/** The corners of a regular figure, the first of them at the top. */
export function regularPoints(corners: number, x: number, y: number, radiusX: number, radiusY: number): Point[] {
  return Array.from({ length: corners }, (_, index): Point => {
    const angle = (index / corners) * 2 * Math.PI - Math.PI / 2;
    return [x + Math.cos(angle) * radiusX, y + Math.sin(angle) * radiusY];
  });
}
