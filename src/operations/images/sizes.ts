/** Sizes and shapes of images: callers name pixels, many providers only proportions, and what does not fit exactly is reported. */

import type { LossList } from '../../conversation/loss-list.ts';

type Size =
  | { readonly kind: 'auto' }
  | { readonly kind: 'pixels'; readonly width: number; readonly height: number }
  | { readonly kind: 'ratio'; readonly width: number; readonly height: number }
  /** `2K`: the length of the longer edge, the proportions left open. */
  | { readonly kind: 'edge'; readonly edge: number };

export const pixelEdgeMax = 8_192;
const ratioPartMax = 100;

/** The longer edge of each resolution that providers name. */
const edges = { '1K': 1_024, '2K': 2_048, '4K': 4_096 } as const;
type EdgeName = keyof typeof edges;

/** Undefined where the text names no size at all. */
export function readSize(text: string): Size | undefined {
  if (text === 'auto') return { kind: 'auto' };
  const edge = (Object.keys(edges) as EdgeName[]).find((name) => name === text.toUpperCase());
  if (edge !== undefined) return { kind: 'edge', edge: edges[edge] };
  const [, first = '', sign, second = ''] = /^(\d{1,5})([x:])(\d{1,5})$/.exec(text) ?? [];
  const [width, height] = [Number(first), Number(second)];
  const most = sign === 'x' ? pixelEdgeMax : ratioPartMax;
  if (sign === undefined || width < 1 || height < 1 || width > most || height > most) return undefined;
  return { kind: sign === 'x' ? 'pixels' : 'ratio', width, height };
}

interface Shape {
  /** Absent leaves the proportions to the model. */
  readonly ratio: string | undefined;
  readonly edge: EdgeName | undefined;
}

/** The nearest of the shapes that a provider offers. */
export function nearestShape(
  size: string | undefined,
  ratios: readonly string[],
  edgeNames: readonly EdgeName[],
  losses: LossList,
): Shape {
  const wanted = size === undefined ? undefined : readSize(size);
  if (wanted === undefined || wanted.kind === 'auto') return { ratio: undefined, edge: undefined };
  if (wanted.kind === 'edge') {
    const edge = nearestEdge(wanted.edge, edgeNames);
    if (edge === undefined || edges[edge] !== wanted.edge) losses.add('size', `${size} is made as ${edge ?? 'usual'}`);
    return { ratio: undefined, edge };
  }
  const ratio = nearestRatio(wanted.width / wanted.height, ratios);
  const edge = wanted.kind === 'pixels' ? nearestEdge(Math.max(wanted.width, wanted.height), edgeNames) : undefined;
  if (!isExact(wanted, ratio, edge))
    losses.add('size', `${size} is made as ${[ratio, edge].filter(Boolean).join(' ')}`);
  return { ratio, edge };
}

function isExact(wanted: Extract<Size, { width: number }>, ratio: string, edge: EdgeName | undefined): boolean {
  const sameShape = Math.abs(Math.log(wanted.width / wanted.height / quotient(ratio))) < 0.001;
  if (wanted.kind === 'ratio') return sameShape;
  // Only the square of a named resolution is known to the pixel; models round other shapes differently.
  return sameShape && wanted.width === wanted.height && wanted.width === edges[edge ?? '1K'];
}

function quotient(ratio: string): number {
  const [width = 1, height = 1] = ratio.split(':').map(Number);
  return width / height;
}

function nearestRatio(wanted: number, ratios: readonly string[]): string {
  const distance = (ratio: string): number => Math.abs(Math.log(wanted / quotient(ratio)));
  return ratios.reduce((best, ratio) => (distance(ratio) < distance(best) ? ratio : best), ratios[0] ?? '1:1');
}

function nearestEdge(wanted: number, names: readonly EdgeName[]): EdgeName | undefined {
  const distance = (name: EdgeName): number => Math.abs(Math.log(wanted / edges[name]));
  const [first, ...others] = names;
  return first === undefined
    ? undefined
    : others.reduce((best, name) => (distance(name) < distance(best) ? name : best), first);
}

interface PixelGrid {
  readonly step: number;
  readonly least: number;
  readonly most: number;
}

export interface Pixels {
  readonly width: number;
  readonly height: number;
}

const usualArea = 1_024 * 1_024;

/** The pixels nearest to what was asked for that a provider's grid allows; undefined leaves them to the model. */
export function pixelsWithin(size: string | undefined, grid: PixelGrid, losses: LossList): Pixels | undefined {
  const wanted = size === undefined ? undefined : readSize(size);
  if (wanted === undefined || wanted.kind === 'auto') return undefined;
  const { width, height } = pixelsOf(wanted);
  const fitted = { width: onGrid(width, grid), height: onGrid(height, grid) };
  const isSame = fitted.width === width && fitted.height === height;
  if (wanted.kind === 'pixels' ? !isSame : wanted.kind === 'edge') {
    losses.add('size', `${size} is made as ${fitted.width}x${fitted.height}`);
  }
  return fitted;
}

function onGrid(length: number, { step, least, most }: PixelGrid): number {
  return Math.min(most, Math.max(least, Math.round(length / step) * step));
}

function pixelsOf(size: Exclude<Size, { kind: 'auto' }>): Pixels {
  if (size.kind === 'edge') return { width: size.edge, height: size.edge };
  if (size.kind === 'pixels') return size;
  const height = Math.sqrt((usualArea * size.height) / size.width);
  return { width: usualArea / height, height };
}

/** Undefined where the model chooses. */
export function pixelsAsked(size: string): Pixels | undefined {
  const wanted = readSize(size);
  return wanted === undefined || wanted.kind === 'auto' ? undefined : pixelsOf(wanted);
}

/** Enough for a bound on what the image can cost; the largest that a model chooses by itself where none is given. */
export function areaOf(size: string | undefined): number {
  const wanted = size === undefined ? undefined : readSize(size);
  const automatic = 1_536 * 1_024;
  if (wanted === undefined || wanted.kind === 'auto') return automatic;
  const { width, height } = pixelsOf(wanted);
  return Math.max(usualArea, Math.ceil(width * height));
}
