/** Draws the frames of a video: what stays is drawn once, what moves is drawn in every frame. */

import { drawBackdrop } from '../images/draw.ts';
import { type Bitmap, emptyBitmap } from '../images/raster/bitmap.ts';
import { type Canvas, createCanvas } from '../images/raster/canvas.ts';
import { writeCaption } from '../images/raster/letters.ts';
import { randomFrom } from '../images/raster/random.ts';
import { drawTerrain, drawWeather } from '../images/scene/landscape.ts';
import { layOut, type Placed } from '../images/scene/layout.ts';
import { readScene } from '../images/scene/read-scene.ts';
import type { Scene } from '../images/scene/scene.ts';
import { cutOut, fadeTo, type Layer, layerOf, layOver, layOverShifted } from './layer.ts';
import { type Moment, type Motion, motionOf } from './motion.ts';
import type { VideoPlan } from './video-plan.ts';

/** More would take too long; the others stay in place. */
const moversMax = 40;
/** Of all moving things together, in squares of the shorter side. */
const movedAreaMax = 1.2;
/** How much wider than the frame a backdrop is that scrolls. */
const scrollWidth = 1.2;
/** How long rain and snow take from top to bottom. */
const fallSeconds = { rain: 0.9, snow: 7 } as const;

export interface GivenFrames {
  /** Of the video's own size. */
  readonly first: Bitmap | undefined;
  readonly last: Bitmap | undefined;
}

type DrawPart = (frame: Bitmap, moment: Moment) => void;

/** Returns the pixels of one frame after the other. They are valid until the next frame is drawn. */
export function movingScene(plan: VideoPlan, given: GivenFrames): (index: number) => Uint8Array {
  const scene = readScene(plan.prompt, { negativePrompt: plan.negativePrompt });
  const parts = partsOf(scene, plan);
  const frame = emptyBitmap(plan.width, plan.height);
  return (index) => {
    const share = plan.frames === 1 ? 0 : index / (plan.frames - 1);
    const moment = { seconds: index / plan.fps, share };
    for (const draw of parts) draw(frame, moment);
    if (given.first !== undefined) fadeTo(frame.pixels, given.first.pixels, 1 - ramp(share, 0.1, 0.45));
    if (given.last !== undefined) fadeTo(frame.pixels, given.last.pixels, ramp(share, 0.6, 0.95));
    return frame.pixels;
  };
}

/** From 0 to 1 between two points of the video. */
function ramp(share: number, from: number, to: number): number {
  const part = Math.min(1, Math.max(0, (share - from) / (to - from)));
  return part * part * (3 - 2 * part);
}

interface Numbered {
  readonly placed: Placed;
  readonly index: number;
  readonly motion: Motion | undefined;
}

function partsOf(scene: Scene, plan: VideoPlan): DrawPart[] {
  const seed = `${plan.seed} ${scene.prompt}`;
  const ground = emptyBitmap(plan.width, plan.height);
  const canvas = createCanvas(ground);
  const all = withMotions(scene, layOut(scene, canvas, randomFrom(`layout ${seed}`)), canvas, seed);
  const some = (inSky: boolean, moves: boolean): Numbered[] =>
    all.filter(({ placed, motion }) => (placed.item.place === 'sky') === inSky && (motion !== undefined) === moves);
  if (scene.backdrop === 'landscape') drawTerrain(canvas, scene, randomFrom(`terrain ${seed}`), false);
  for (const each of some(false, false)) drawAt(canvas, each, each.placed.spot, seed);
  const still = (onto: Canvas): void => {
    for (const each of some(true, false)) drawAt(onto, each, each.placed.spot, seed);
  };
  const caption = emptyBitmap(plan.width, plan.height);
  writeCaption(caption, plan.prompt);
  return [
    backdropPart(scene, plan, seed, still),
    movingPart(some(true, true), seed),
    layerPart(layerOf(ground)),
    movingPart(some(false, true), seed),
    ...weatherParts(scene, plan, seed),
    layerPart(layerOf(caption)),
  ];
}

/** A thing looks the same in every frame, because its random numbers start anew each time. */
function drawAt(canvas: Canvas, { placed, index }: Numbered, spot: Placed['spot'], seed: string): void {
  const { item, thing } = placed;
  thing.draw(canvas, spot, item.color?.color, randomFrom(`${index} ${item.thing} ${seed}`));
}

function withMotions(scene: Scene, all: readonly Placed[], canvas: Canvas, seed: string): Numbered[] {
  const stage = { width: canvas.width, height: canvas.height, time: scene.time };
  let [area, movers] = [0, 0];
  return all.map((placed, index) => {
    const motion = motionOf(placed, stage, `${index} ${seed}`);
    const needs = placed.spot.size ** 2 * placed.thing.breadth;
    if (motion === undefined || movers >= moversMax || area + needs > movedAreaMax) {
      return { placed, index, motion: undefined };
    }
    area += needs;
    movers += 1;
    return { placed, index, motion };
  });
}

function movingPart(movers: readonly Numbered[], seed: string): DrawPart {
  return (frame, moment) => {
    const canvas = createCanvas(frame);
    for (const each of movers) drawAt(canvas, each, each.motion?.(moment) ?? each.placed.spot, seed);
  };
}

/** Patterns and open space scroll; a sky and a plain background stay in place. */
function backdropPart(scene: Scene, plan: VideoPlan, seed: string, still: (onto: Canvas) => void): DrawPart {
  const scrolls = scene.backdrop === 'pattern' || scene.backdrop === 'space';
  const width = scrolls ? Math.ceil(plan.width * scrollWidth) + 1 : plan.width;
  const backdrop = emptyBitmap(width, plan.height);
  const canvas = createCanvas(backdrop);
  drawBackdrop(canvas, scene, seed, false);
  if (!scrolls) {
    still(canvas);
    return (frame) => frame.pixels.set(backdrop.pixels);
  }
  const things = emptyBitmap(plan.width, plan.height);
  still(createCanvas(things));
  const layer = layerOf(things);
  const length = width - plan.width - 1;
  return (frame, { share }) => {
    cutOut(frame, backdrop, share * length);
    layOver(frame.pixels, layer);
  };
}

function layerPart(layer: Layer): DrawPart {
  return (frame) => layOver(frame.pixels, layer);
}

function weatherParts(scene: Scene, plan: VideoPlan, seed: string): DrawPart[] {
  const { weather } = scene;
  if (weather === undefined) return [];
  const drops = emptyBitmap(plan.width, plan.height);
  drawWeather(createCanvas(drops), scene, randomFrom(`weather ${seed}`));
  const layer = layerOf(drops);
  return [
    (frame, { seconds }) => {
      const rows = Math.floor(((seconds / fallSeconds[weather]) % 1) * plan.height);
      layOverShifted(frame.pixels, layer, rows * plan.width * 4);
    },
  ];
}
