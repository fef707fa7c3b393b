/** How each thing of a scene moves: boats and clouds drift, the sun and the moon cross the sky, shapes sway, the rest stays. */

import { type Random, randomFrom } from '../images/raster/random.ts';
import type { Placed } from '../images/scene/layout.ts';
import type { TimeOfDay } from '../images/scene/scene.ts';
import type { Spot } from '../images/scene/things.ts';

export interface Moment {
  readonly seconds: number;
  /** From 0 at the start of the video to 1. */
  readonly share: number;
}

/** Where a thing is at a moment. */
export type Motion = (moment: Moment) => Spot;

export interface Stage {
  readonly width: number;
  readonly height: number;
  readonly time: TimeOfDay;
}

/** To the right, and in again from the left; `bob` is the vertical amplitude. */
function drifting({ spot, thing }: Placed, stage: Stage, random: Random, bob: number): Motion {
  const speed = random.between(0.02, 0.05);
  const phase = random.between(0, 2 * Math.PI);
  const half = (spot.size * thing.breadth) / 2 + 0.02;
  const length = stage.width + 2 * half;
  return ({ seconds }) => ({
    ...spot,
    x: ((spot.x + half + speed * seconds) % length) - half,
    y: spot.y + bob * Math.sin(phase + seconds * 2.4),
  });
}

function swaying({ spot }: Placed, random: Random): Motion {
  const [across, down] = [random.between(0, 2 * Math.PI), random.between(0, 2 * Math.PI)];
  const [wide, high] = [random.between(0.013, 0.022), random.between(0.013, 0.022)];
  return ({ seconds }) => ({
    ...spot,
    x: spot.x + wide * (Math.sin(across + seconds * 1.26) - Math.sin(across)),
    y: spot.y + high * (Math.sin(down + seconds) - Math.sin(down)),
  });
}

const rises: Readonly<Record<TimeOfDay, number>> = { dawn: -0.14, day: -0.04, sunset: 0.16, night: -0.05 };

/** Takes the whole video, whatever its length: up in the morning, down in the evening. */
function crossing({ spot }: Placed, stage: Stage): Motion {
  const rise = rises[stage.time] * stage.height;
  return ({ share }) => ({ ...spot, x: spot.x + 0.1 * stage.width * share, y: spot.y + rise * share });
}

/** Undefined where the thing does not move. */
export function motionOf(placed: Placed, stage: Stage, seed: string): Motion | undefined {
  const random = randomFrom(`motion ${seed}`);
  const { thing, place } = placed.item;
  if (place === 'free') return swaying(placed, random);
  if (place === 'ground') return undefined;
  if (thing === 'sun' || thing === 'moon') return crossing(placed, stage);
  return drifting(placed, stage, random, thing === 'boat' ? 0.006 : 0);
}
