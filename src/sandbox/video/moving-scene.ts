/** Draws the frames of a film: what stays is drawn once, what moves is drawn anew where it is at that moment. */

import { drawBackdrop } from '../pictures/draw.ts';
import { type Canvas, createCanvas } from '../pictures/raster/canvas.ts';
import { writeCaption } from '../pictures/raster/letters.ts';
import { emptyPicture, type Picture } from '../pictures/raster/picture.ts';
import { randomFrom } from '../pictures/raster/random.ts';
import { layOut, type Placed } from '../pictures/scene/layout.ts';
import { readScene } from '../pictures/scene/read-scene.ts';
import type { Scene, Weather } from '../pictures/scene/scene.ts';
import { drawLightning, drawWeather } from '../pictures/scene/sky.ts';
import { drawTerrain } from '../pictures/scene/terrain.ts';
import type { FilmPlan } from './film.ts';
import { cutOut, fadeTo, type Layer, layerOf, layOver, layOverShifted } from './layer.ts';
import { type Moment, type Motion, motionOf } from './motion.ts';

/** More would be drawn too slowly; the others stand still. */
const moversMax = 40;
/** Of all moving things together, in squares of the picture's shorter side. */
const movedAreaMax = 1.2;
/** How much wider than the picture a backdrop is that passes by. */
const passingWidth = 1.2;
const flashEverySeconds = 1.7;
const flashSeconds = 0.22;
/** Falling takes so long from the top to the foot. */
const fallSeconds: Partial<Readonly<Record<Weather, number>>> = { rain: 0.9, storm: 0.7, snow: 7 };

export interface GivenPictures {
  /** Of the film's own size. */
  readonly first: Picture | undefined;
  readonly last: Picture | undefined;
}

type DrawPart = (frame: Picture, moment: Moment) => void;

/** Returns the pixels of one frame after the other; they are valid until the next is drawn. */
export function movingScene(plan: FilmPlan, given: GivenPictures): (index: number) => Uint8Array {
  const scene = readScene(plan.prompt, { negativePrompt: plan.negativePrompt });
  const parts = partsOf(scene, plan);
  const frame = emptyPicture(plan.width, plan.height);
  return (index) => {
    const share = plan.frames === 1 ? 0 : index / (plan.frames - 1);
    const moment = { seconds: index / plan.fps, share };
    for (const draw of parts) draw(frame, moment);
    if (given.first !== undefined) fadeTo(frame.pixels, given.first.pixels, 1 - ramp(share, 0.1, 0.45));
    if (given.last !== undefined) fadeTo(frame.pixels, given.last.pixels, ramp(share, 0.6, 0.95));
    return frame.pixels;
  };
}

/** From 0 to 1 between two points of the film. */
function ramp(share: number, from: number, to: number): number {
  const part = Math.min(1, Math.max(0, (share - from) / (to - from)));
  return part * part * (3 - 2 * part);
}

interface Moving {
  readonly placed: Placed;
  readonly motion: Motion;
  readonly index: number;
}

function partsOf(scene: Scene, plan: FilmPlan): DrawPart[] {
  const seed = `${plan.seed} ${scene.prompt}`;
  const ground = emptyPicture(plan.width, plan.height);
  const canvas = createCanvas(ground);
  const placed = layOut(scene, canvas, randomFrom(`layout ${seed}`));
  const moving = moversOf(scene, placed, canvas, seed);
  const standing = placed.map((each, index) => ({ placed: each, index })).filter(({ index }) => !moving.has(index));
  const inSky = ({ placed: { item } }: { readonly placed: Placed }): boolean => item.place === 'sky';
  if (scene.backdrop === 'landscape') drawTerrain(canvas, scene, randomFrom(`terrain ${seed}`), false);
  for (const { placed: each, index } of standing.filter((one) => !inSky(one)))
    drawAt(canvas, each, each.spot, index, seed);
  const behind = (onto: Canvas): void => {
    for (const { placed: each, index } of standing.filter(inSky)) drawAt(onto, each, each.spot, index, seed);
  };
  const movers = [...moving.values()];
  return [
    backdropPart(scene, plan, seed, behind),
    movingPart(movers.filter(inSky), seed),
    layerPart(layerOf(ground)),
    movingPart(
      movers.filter((one) => !inSky(one)),
      seed,
    ),
    ...weatherParts(scene, plan, seed),
    captionPart(plan),
  ];
}

function captionPart({ prompt, width, height }: FilmPlan): DrawPart {
  const caption = emptyPicture(width, height);
  writeCaption(caption, prompt);
  return layerPart(layerOf(caption));
}

/** The same thing looks the same in every frame, because its chance begins anew each time. */
function drawAt(canvas: Canvas, { item, thing }: Placed, spot: Placed['spot'], index: number, seed: string): void {
  thing.draw(canvas, spot, item.colour?.colour, randomFrom(`${index} ${item.thing} ${seed}`));
}

function moversOf(scene: Scene, placed: readonly Placed[], canvas: Canvas, seed: string): Map<number, Moving> {
  const movers = new Map<number, Moving>();
  const stage = { width: canvas.width, height: canvas.height, time: scene.time };
  let area = 0;
  for (const [index, each] of placed.entries()) {
    const motion = motionOf(each, stage, `${index} ${seed}`);
    const needs = each.spot.size ** 2 * each.thing.breadth;
    if (motion === undefined || movers.size >= moversMax || area + needs > movedAreaMax) continue;
    area += needs;
    movers.set(index, { placed: each, motion, index });
  }
  return movers;
}

function movingPart(movers: readonly Moving[], seed: string): DrawPart {
  return (frame, moment) => {
    const canvas = createCanvas(frame);
    for (const { placed, motion, index } of movers) drawAt(canvas, placed, motion(moment), index, seed);
  };
}

/** Patterns and open space pass by; a sky and a plain wall stay where they are. */
function backdropPart(scene: Scene, plan: FilmPlan, seed: string, behind: (onto: Canvas) => void): DrawPart {
  const passes = scene.backdrop === 'pattern' || scene.backdrop === 'space';
  const width = passes ? Math.ceil(plan.width * passingWidth) + 1 : plan.width;
  const backdrop = emptyPicture(width, plan.height);
  const canvas = createCanvas(backdrop);
  drawBackdrop(canvas, scene, seed, false);
  if (!passes) {
    behind(canvas);
    return (frame) => frame.pixels.set(backdrop.pixels);
  }
  const standing = emptyPicture(plan.width, plan.height);
  behind(createCanvas(standing));
  const still = layerOf(standing);
  const way = width - plan.width - 1;
  return (frame, { share }) => {
    cutOut(frame, backdrop, share * way);
    layOver(frame.pixels, still);
  };
}

function layerPart(layer: Layer): DrawPart {
  return (frame) => layOver(frame.pixels, layer);
}

function weatherParts(scene: Scene, plan: FilmPlan, seed: string): DrawPart[] {
  const parts: DrawPart[] = [];
  const drawn = (draw: (canvas: Canvas) => void): Layer => {
    const picture = emptyPicture(plan.width, plan.height);
    draw(createCanvas(picture));
    return layerOf(picture);
  };
  const only = (kind: Weather): Scene => ({ ...scene, weather: new Set([kind]) });
  const random = (): ReturnType<typeof randomFrom> => randomFrom(`weather ${seed}`);
  if (scene.weather.has('storm')) {
    const flash = drawn((canvas) => drawLightning(canvas, random()));
    parts.push((frame, { seconds }) => {
      if (seconds % flashEverySeconds < flashSeconds) layOver(frame.pixels, flash);
    });
  }
  if (scene.weather.has('fog')) parts.push(layerPart(drawn((canvas) => drawWeather(canvas, only('fog'), random()))));
  for (const kind of ['rain', 'snow'] as const) {
    const falls = scene.weather.has(kind) || (kind === 'rain' && scene.weather.has('storm'));
    if (!falls) continue;
    const layer = drawn((canvas) => drawWeather(canvas, only(kind), random()));
    parts.push((frame, { seconds }) => {
      const rows = Math.floor(((seconds / (fallSeconds[kind] ?? 1)) % 1) * plan.height);
      layOverShifted(frame.pixels, layer, rows * plan.width * 4);
    });
  }
  return parts;
}
