/** How each thing of a scene moves: what drives goes its way, what hangs in the air sways, what stands stays. */

import { type Random, randomFrom } from '../pictures/raster/random.ts';
import type { Placed } from '../pictures/scene/layout.ts';
import type { ThingName, TimeOfDay } from '../pictures/scene/scene.ts';
import type { Spot } from '../pictures/things/thing.ts';

export interface Moment {
  readonly seconds: number;
  /** From 0 at the film's beginning up to 1. */
  readonly share: number;
}

/** Where a thing is at a moment. */
export type Motion = (moment: Moment) => Spot;

export interface Stage {
  readonly width: number;
  readonly height: number;
  readonly time: TimeOfDay;
}

type Mover = (placed: Placed, stage: Stage, random: Random) => Motion;

/** To the right, and in again from the left; `bob` is how far it goes up and down meanwhile. */
function drifting(slowest: number, fastest: number, bob = 0, periodSeconds = 2): Mover {
  return ({ spot, thing }, stage, random) => {
    const speed = random.between(slowest, fastest);
    const phase = random.between(0, 2 * Math.PI);
    const half = (spot.size * thing.breadth) / 2 + 0.02;
    const way = stage.width + 2 * half;
    return ({ seconds }) => ({
      ...spot,
      x: ((spot.x + half + speed * seconds) % way) - half,
      y: spot.y + bob * Math.sin(phase + (seconds / periodSeconds) * 2 * Math.PI),
    });
  };
}

/** Upwards, and in again from below. */
function climbing(speed: number): Mover {
  return ({ spot }, stage) => {
    const way = stage.height + 2 * spot.size;
    return ({ seconds }) => {
      const from = spot.y + spot.size - speed * seconds;
      return { ...spot, y: (((from % way) + way) % way) - spot.size };
    };
  };
}

function swaying(reach: number, periodSeconds: number): Mover {
  return ({ spot }, _stage, random) => {
    const [across, down] = [random.between(0, 2 * Math.PI), random.between(0, 2 * Math.PI)];
    const [wide, high] = [reach * random.between(0.6, 1), reach * random.between(0.6, 1)];
    return ({ seconds }) => {
      const turn = (seconds / periodSeconds) * 2 * Math.PI;
      return {
        ...spot,
        x: spot.x + wide * (Math.sin(across + turn) - Math.sin(across)),
        y: spot.y + high * (Math.sin(down + turn * 0.8) - Math.sin(down)),
      };
    };
  };
}

/** The sun needs the whole film for its way, however long that is: up in the morning, down in the evening. */
const crossing: Mover = ({ spot }, stage) => {
  const rise = { dawn: -0.14, day: -0.04, sunset: 0.16, night: -0.05 }[stage.time] * stage.height;
  return ({ share }) => ({ ...spot, x: spot.x + 0.1 * stage.width * share, y: spot.y + rise * share });
};

const skyMovers: Partial<Readonly<Record<ThingName, Mover>>> = {
  sun: crossing,
  moon: crossing,
  cloud: drifting(0.02, 0.05),
  bird: drifting(0.08, 0.14, 0.012, 1.4),
  balloon: swaying(0.03, 6),
  plane: drifting(0.16, 0.22),
  rocket: climbing(0.14),
  planet: swaying(0.012, 9),
};

const otherMovers: Partial<Readonly<Record<ThingName, Mover>>> = {
  person: drifting(0.03, 0.05, 0.003, 0.6),
  robot: drifting(0.03, 0.04),
  cat: drifting(0.04, 0.07, 0.003, 0.5),
  dog: drifting(0.06, 0.09, 0.004, 0.5),
  car: drifting(0.12, 0.2),
  boat: drifting(0.02, 0.045, 0.006, 2.6),
  fish: drifting(0.04, 0.08, 0.006, 1.2),
};

/** Things that float free of any ground, whatever they are. */
const floating = swaying(0.022, 5);

/** Undefined where it stays. */
export function motionOf(placed: Placed, stage: Stage, seed: string): Motion | undefined {
  const { item } = placed;
  const mover = item.place === 'free' ? floating : (skyMovers[item.thing] ?? otherMovers[item.thing]);
  return mover?.(placed, stage, randomFrom(`motion ${seed}`));
}
