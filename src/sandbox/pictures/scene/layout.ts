/** Gives every thing of a scene its place, so that no two of the same row touch: what was asked for can be counted. */

import type { Random } from '../raster/random.ts';
import { waterThings } from '../things/creatures.ts';
import { groundThings } from '../things/ground-things.ts';
import { shapes } from '../things/shapes.ts';
import { skyThings } from '../things/sky-things.ts';
import type { Spot, Thing } from '../things/thing.ts';
import type { Place, Scene, SceneItem, Size, ThingName } from './scene.ts';
import { horizonAt, shoreAt } from './terrain.ts';

export interface Placed {
  readonly item: SceneItem;
  readonly thing: Thing;
  readonly spot: Spot;
}

const everyThing: Readonly<Record<ThingName, Thing>> = { ...shapes, ...skyThings, ...groundThings, ...waterThings };

const sizeFactors: Readonly<Record<Size, number>> = { small: 0.55, medium: 1, large: 1.5 };
/** How much of the room that one thing has it fills at most. */
const cellShares: Readonly<Record<Size, number>> = { small: 0.45, medium: 0.7, large: 0.88 };

/** Nothing is put where the caption goes. */
const floorAt = 0.92;

interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

interface Area {
  readonly width: number;
  readonly height: number;
}

export function layOut(scene: Scene, area: Area, random: Random): Placed[] {
  const of = (place: Place): SceneItem[] => scene.items.filter((item) => item.place === place);
  const usable: Box = { left: 0, top: 0, width: area.width, height: area.height * floorAt };
  if (scene.backdrop !== 'landscape') return inCells(scene.items, usable, random);
  const horizon = area.height * horizonAt;
  const high = scene.terrain.has('mountains') || scene.terrain.has('forest') || scene.terrain.has('city');
  const sea = scene.terrain.has('ocean');
  const land = of('ground').length > 0 || scene.terrain.has('beach');
  const waterFloor = sea && land ? area.height * shoreAt : usable.height;
  const groundTop = sea ? area.height * (shoreAt + 0.05) : horizon + area.height * 0.1;
  const arches = scene.items.filter((item) => item.thing === 'rainbow');
  const flying = of('sky').filter((item) => item.thing !== 'rainbow');
  return [
    ...arches.map((item): Placed => arch(item, area, horizon)),
    ...inCells(flying, { left: 0, top: 0, width: area.width, height: horizon * (high ? 0.55 : 0.72) }, random),
    ...onRows(
      of('water'),
      { left: 0, top: horizon + 0.05, width: area.width, height: waterFloor - horizon - 0.08 },
      random,
    ),
    ...onRows(of('ground'), { left: 0, top: groundTop, width: area.width, height: usable.height - groundTop }, random),
    ...inCells(of('free'), usable, random),
  ];
}

/** A rainbow is as large as the sky. */
function arch(item: SceneItem, area: Area, horizon: number): Placed {
  const size = Math.min(horizon, area.width * 0.46);
  return { item, thing: everyThing[item.thing], spot: { x: area.width / 2, y: horizon - size / 2, size } };
}

/** One entry for each single thing, the left ones first. */
function singles(items: readonly SceneItem[]): SceneItem[] {
  return [...items]
    .sort((one, other) => one.column - other.column)
    .flatMap((item) => Array.from({ length: item.count }, () => item));
}

/** Where items say left or above, those have a part of the box for themselves. */
function inCells(items: readonly SceneItem[], box: Box, random: Random): Placed[] {
  const columns = strips(items.map((item) => item.column));
  const rows = strips(items.map((item) => item.row));
  const groups = new Map<string, SceneItem[]>();
  for (const item of items) {
    const key = `${item.column} ${item.row}`;
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const across = columns(first.column);
    const down = rows(first.row);
    return inGrid(
      singles(group),
      {
        left: box.left + across.from * box.width,
        top: box.top + down.from * box.height,
        width: across.share * box.width,
        height: down.share * box.height,
      },
      random,
    );
  });
}

type Strips = (value: number) => { readonly from: number; readonly share: number };

/** Cuts a length into as many parts as there are different wishes; a single wish for one side gets that half. */
function strips(values: readonly number[]): Strips {
  const sorted = [...new Set(values)].sort((one, other) => one - other);
  if (sorted.length === 1 && sorted[0] !== 0) return (value) => ({ from: value < 0 ? 0 : 0.5, share: 0.5 });
  return (value) => ({ from: sorted.indexOf(value) / sorted.length, share: 1 / sorted.length });
}

/** A few things in the sky hang side by side: one below the other they would look like a list. */
const skyRowMax = 5;

function inGrid(things: readonly SceneItem[], box: Box, random: Random): Placed[] {
  const inSky = things[0]?.place === 'sky' && things.length <= skyRowMax;
  const columns = inSky ? things.length : bestColumns(things, box);
  const rows = Math.ceil(things.length / columns);
  const order = things[0]?.place === 'sky' ? shuffled(things, random) : things;
  return order.map((item, index): Placed => {
    const row = Math.floor(index / columns);
    const inRow = Math.min(columns, things.length - row * columns);
    const cell = { width: box.width / inRow, height: box.height / rows };
    const thing = everyThing[item.thing];
    const room = Math.min(cell.height, cell.width / thing.breadth) * cellShares[item.size];
    const size = Math.min(thing.size * sizeFactors[item.size], room);
    const [spareX, spareY] = [cell.width - size * thing.breadth, cell.height - size];
    const x = box.left + cell.width * ((index % columns) + 0.5) + random.between(-0.32, 0.32) * spareX;
    const y = box.top + cell.height * (row + 0.5) + random.between(-0.32, 0.32) * spareY;
    // What flies is drawn around its middle, what stands from its foot upwards.
    const standing = item.place === 'ground' || item.place === 'water';
    return { item, thing, spot: { x, y: standing ? y + size / 2 : y, size } };
  });
}

/** As many columns as let the things be largest. */
function bestColumns(things: readonly SceneItem[], box: Box): number {
  const breadth = Math.max(1, ...things.map((item) => everyThing[item.thing].breadth));
  let best = 1;
  let largest = 0;
  for (let columns = 1; columns <= things.length; columns += 1) {
    const height = Math.min(box.height / Math.ceil(things.length / columns), box.width / columns / breadth);
    if (height > largest + 1e-9) [best, largest] = [columns, height];
  }
  return best;
}

function shuffled(things: readonly SceneItem[], random: Random): SceneItem[] {
  return things
    .map((item) => ({ item, rank: item.column * 10 + random.next() }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ item }) => item);
}

const perRowMax = 9;

/** Things on the ground stand side by side; many of them in rows, the nearer ones lower and larger. */
function onRows(items: readonly SceneItem[], box: Box, random: Random): Placed[] {
  const things = singles(items);
  const rows = Math.max(1, Math.ceil(things.length / perRowMax));
  const perRow = Math.ceil(things.length / rows);
  const zoom = things.length === 1 ? 1.5 : things.length <= 3 ? 1.2 : 1;
  return Array.from({ length: rows }, (_, row) => row).flatMap((row) => {
    const inRow = things.slice(row * perRow, (row + 1) * perRow).map((item) => {
      const depth = rows === 1 ? random.between(0.35, 0.85) : (row + random.between(0.4, 0.7)) / rows;
      const y = box.top + depth * box.height;
      const thing = everyThing[item.thing];
      const size = Math.min(thing.size * sizeFactors[item.size] * zoom * (0.85 + 0.3 * depth), y * 0.95);
      return { item, thing, y, size };
    });
    return sideBySide(inRow, box, random).sort((one, other) => one.spot.y - other.spot.y);
  });
}

interface Standing {
  readonly item: SceneItem;
  readonly thing: Thing;
  readonly y: number;
  readonly size: number;
}

/** Gives each as much of the row as it is broad, and shrinks all of them alike where the row is too short. */
function sideBySide(things: readonly Standing[], box: Box, random: Random): Placed[] {
  const breadths = things.map(({ thing, size }) => size * thing.breadth);
  const total = breadths.reduce((sum, breadth) => sum + breadth, 0);
  const scale = Math.min(1, (box.width * 0.9) / total);
  const gap = (box.width - total * scale) / things.length;
  let left = box.left;
  return things.map(({ item, thing, y, size }, index): Placed => {
    const slot = (breadths[index] ?? 0) * scale + gap;
    const x = left + slot / 2 + random.between(-0.4, 0.4) * gap;
    left += slot;
    return { item, thing, spot: { x, y, size: size * scale } };
  });
}
