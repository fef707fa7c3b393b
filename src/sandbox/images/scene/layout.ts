/** Assigns a place to every thing of a scene, so that no two of the same row touch and all can be counted. */

import type { Random } from '../raster/random.ts';
import type { Place, Scene, SceneItem, Size } from './scene.ts';
import { type Spot, type Thing, things } from './things.ts';

/** The horizon, and the shore where there is land before the sea, as shares of the height. */
export const horizonAt = 0.58;
export const shoreAt = 0.8;
/** The caption lies below this. */
const floorAt = 0.92;
const perRowMax = 9;
/** So many things in the sky at most are placed side by side. */
const skyRowMax = 5;

const sizeFactors: Readonly<Record<Size, number>> = { small: 0.55, medium: 1, large: 1.5 };
/** How much of its cell a thing fills at most. */
const cellShares: Readonly<Record<Size, number>> = { small: 0.45, medium: 0.7, large: 0.88 };

interface Placed {
  readonly item: SceneItem;
  readonly thing: Thing;
  readonly spot: Spot;
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export function layOut(scene: Scene, area: { width: number; height: number }, random: Random): Placed[] {
  const { width, height } = area;
  const usable: Box = { left: 0, top: 0, width, height: height * floorAt };
  if (scene.backdrop !== 'landscape') return inCells(scene.items, usable, random);
  const of = (place: Place): SceneItem[] => scene.items.filter((item) => item.place === place);
  const horizon = height * horizonAt;
  const high = (['mountains', 'forest', 'city'] as const).some((terrain) => scene.terrain.has(terrain));
  const sea = scene.terrain.has('sea');
  const waterFloor = sea && of('ground').length > 0 ? height * shoreAt : usable.height;
  const groundTop = sea ? height * (shoreAt + 0.05) : horizon + height * 0.1;
  const box = (top: number, bottom: number): Box => ({ left: 0, top, width, height: bottom - top });
  return [
    ...inCells(of('sky'), box(0, horizon * (high ? 0.55 : 0.72)), random),
    ...onRows(of('water'), box(horizon + 0.05, waterFloor - 0.03), random),
    ...onRows(of('ground'), box(groundTop, usable.height), random),
    ...inCells(of('free'), usable, random),
  ];
}

/** One entry for each single thing, the left ones first. */
function singles(items: readonly SceneItem[]): SceneItem[] {
  return [...items]
    .sort((one, other) => one.column - other.column)
    .flatMap((item) => Array.from({ length: item.count }, () => item));
}

/** Items that are placed left, right, above or below share the box by that. */
function inCells(items: readonly SceneItem[], box: Box, random: Random): Placed[] {
  const columns = strips(items.map((item) => item.column));
  const rows = strips(items.map((item) => item.row));
  const groups = Map.groupBy(items, ({ column, row }) => `${column} ${row}`);
  return [...groups.values()].flatMap((group) => {
    const across = columns(group[0]?.column ?? 0);
    const down = rows(group[0]?.row ?? 0);
    const part = {
      left: box.left + across.from * box.width,
      top: box.top + down.from * box.height,
      width: across.share * box.width,
      height: down.share * box.height,
    };
    return inGrid(singles(group), part, random);
  });
}

/** Cuts a length into as many parts as there are different values; a single value on one side gets that half. */
function strips(values: readonly number[]): (value: number) => { readonly from: number; readonly share: number } {
  const sorted = [...new Set(values)].sort((one, other) => one - other);
  if (sorted.length === 1 && sorted[0] !== 0) return (value) => ({ from: value < 0 ? 0 : 0.5, share: 0.5 });
  return (value) => ({ from: sorted.indexOf(value) / sorted.length, share: 1 / sorted.length });
}

function inGrid(items: readonly SceneItem[], box: Box, random: Random): Placed[] {
  const inSky = items[0]?.place === 'sky' && items.length <= skyRowMax;
  const columns = inSky ? items.length : bestColumns(items, box);
  const rows = Math.ceil(items.length / columns);
  return items.map((item, index): Placed => {
    const row = Math.floor(index / columns);
    const inRow = Math.min(columns, items.length - row * columns);
    const cell = { width: box.width / inRow, height: box.height / rows };
    const thing = things[item.thing];
    const room = Math.min(cell.height, cell.width / thing.breadth) * cellShares[item.size];
    const size = Math.min(thing.size * sizeFactors[item.size], room);
    const shift = (spare: number): number => random.between(-0.32, 0.32) * spare;
    const x = box.left + cell.width * ((index % columns) + 0.5) + shift(cell.width - size * thing.breadth);
    const y = box.top + cell.height * (row + 0.5) + shift(cell.height - size);
    const standing = item.place === 'ground' || item.place === 'water';
    return { item, thing, spot: { x, y: standing ? y + size / 2 : y, size } };
  });
}

/** The number of columns at which the things are largest. */
function bestColumns(items: readonly SceneItem[], box: Box): number {
  const breadth = Math.max(1, ...items.map((item) => things[item.thing].breadth));
  let best = 1;
  let largest = 0;
  for (let columns = 1; columns <= items.length; columns += 1) {
    const height = Math.min(box.height / Math.ceil(items.length / columns), box.width / columns / breadth);
    if (height > largest + 1e-9) [best, largest] = [columns, height];
  }
  return best;
}

/** Side by side, many of them in rows, the nearer ones lower and larger. */
function onRows(items: readonly SceneItem[], box: Box, random: Random): Placed[] {
  const all = singles(items);
  const rows = Math.max(1, Math.ceil(all.length / perRowMax));
  const perRow = Math.ceil(all.length / rows);
  const zoom = all.length === 1 ? 1.5 : all.length <= 3 ? 1.2 : 1;
  return Array.from({ length: rows }, (_, row) => row).flatMap((row) => {
    const standing = all.slice(row * perRow, (row + 1) * perRow).map((item): Placed => {
      const depth = rows === 1 ? random.between(0.35, 0.85) : (row + random.between(0.4, 0.7)) / rows;
      const y = box.top + depth * box.height;
      const thing = things[item.thing];
      const size = Math.min(thing.size * sizeFactors[item.size] * zoom * (0.85 + 0.3 * depth), y * 0.95);
      return { item, thing, spot: { x: 0, y, size } };
    });
    return sideBySide(standing, box, random).sort((one, other) => one.spot.y - other.spot.y);
  });
}

/** Each gets width by its breadth; all shrink alike where the row is too short. */
function sideBySide(row: readonly Placed[], box: Box, random: Random): Placed[] {
  const breadthOf = ({ thing, spot }: Placed): number => spot.size * thing.breadth;
  const total = row.reduce((sum, placed) => sum + breadthOf(placed), 0);
  const scale = Math.min(1, (box.width * 0.9) / total);
  const gap = (box.width - total * scale) / row.length;
  let left = box.left;
  return row.map((placed): Placed => {
    const slot = breadthOf(placed) * scale + gap;
    const x = left + slot / 2 + random.between(-0.4, 0.4) * gap;
    left += slot;
    return { ...placed, spot: { x, y: placed.spot.y, size: placed.spot.size * scale } };
  });
}
