/** A reader of bodies with limits that a test can reach. */

import { Bodies, type BodyLimits } from '../../src/http/bodies.ts';
import { Deadlines } from '../../src/http/deadlines.ts';
import { Slices } from '../../src/http/json/in-slices.ts';
import { BodyMemory } from '../../src/http/memory/body-memory.ts';

export interface ScriptedLimits extends BodyLimits {
  readonly bodyMemoryBytesMax: number;
}

const usual: ScriptedLimits = {
  jsonBodyBytesMax: 4_000_000,
  jsonDepthMax: 64,
  jsonValuesMax: 500_000,
  jsonKeysMax: 100_000,
  bodyMemoryBytesMax: 16_000_000,
};

export function scriptedBodies(
  own: Partial<ScriptedLimits> = {},
  memory?: BodyMemory,
  deadlines?: Pick<Deadlines, 'add' | 'delete'>,
): Bodies {
  const limits = { ...usual, ...own };
  const nowMs = (): number => performance.now();
  return new Bodies({
    limits,
    timeoutMs: 5_000,
    deadlines: (deadlines as Deadlines | undefined) ?? new Deadlines(nowMs),
    memory: memory ?? new BodyMemory(limits),
    slices: new Slices({ nowMs }),
  });
}
