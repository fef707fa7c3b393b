/**
 * Readers, writers, fits, repairs, meters and the sandbox take steps in proportion to their input, or bounded ones, for every
 * place of every format that can be made long. Steps are counted and no time is measured.
 */

import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { sized } from '../harness/size.ts';
import type { Verdict } from './judge.ts';

const rowsMin = sized(800, 950);
const timeoutMs = 300_000;

test(
  'no input takes more than its share of steps',
  async () => {
    const walk = Bun.spawn([process.execPath, join(import.meta.dir, 'walk.ts')], { stdout: 'pipe', stderr: 'inherit' });
    const { rows, verdicts } = (await new Response(walk.stdout).json()) as { rows: number; verdicts: Verdict[] };
    expect(verdicts).toEqual([]);
    expect(rows).toBeGreaterThan(rowsMin);
    expect(await walk.exited).toBe(0);
  },
  timeoutMs,
);
