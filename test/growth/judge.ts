/** Whether steps grow no faster than their input, or stop growing: measured with inputs that double until that shows. */

import { sized } from '../harness/size.ts';
import { valuesIn } from './grow.ts';
import type { Row } from './row.ts';
import type { Stages } from './stages.ts';

export interface Verdict {
  readonly row: string;
  readonly stage: string;
  readonly why: string;
}

interface Measured {
  readonly values: number;
  readonly stages: Stages;
}

const countsFirst = sized([16, 32, 64], [32, 64, 128]);
/** A row that looks steeper is doubled until it is linear, as where its work is bounded, or up to this. */
const countMax = 2_048;
/** Steps of a further value, compared with those of the values before: sorting and the edges of bounds are within. */
const factorMax = 1.4;
/** Fewer are the edge of a bound, or of what is done at once. */
const stepsMin = 2_500;
/** Besides, no input takes more steps than these: work that is linear and bounded, and multiplies all the same. */
const stepsPerValueMax = 250;
const stepsAllowed = 1_500_000;

export function judged(row: Row): Verdict[] {
  const measured = countsFirst.map((count) => measure(row, count));
  let steep = steepIn(measured);
  for (let count = 2 * (countsFirst.at(-1) ?? 0); steep.length > 0 && count <= countMax; count *= 2) {
    measured.push(measure(row, count));
    steep = steepIn(measured);
  }
  const names = new Set([...steep, ...expensiveIn(measured)]);
  return [...names].map((stage) => ({ row: row.name, stage, why: shown(measured, stage) }));
}

function measure(row: Row, count: number): Measured {
  const input = row.inputOf(count);
  const stages: Stages = {};
  row.run(input, stages);
  return { values: valuesIn(input), stages };
}

function steepIn(measured: readonly Measured[]): string[] {
  const [first, second, third] = measured.slice(-3);
  if (first === undefined || second === undefined || third === undefined) return [];
  return Object.keys(third.stages).filter((stage) => {
    const [x, y, z] = [first, second, third].map(({ stages }) => stages[stage] ?? 0) as [number, number, number];
    if (z - y < stepsMin) return false;
    const before = Math.max(y - x, 1) / Math.max(second.values - first.values, 1);
    return (z - y) / Math.max(third.values - second.values, 1) > factorMax * before;
  });
}

function expensiveIn(measured: readonly Measured[]): string[] {
  const last = measured.at(-1);
  if (last === undefined) return [];
  const most = stepsAllowed + stepsPerValueMax * last.values;
  return Object.keys(last.stages).filter((stage) => (last.stages[stage] ?? 0) > most);
}

function shown(measured: readonly Measured[], stage: string): string {
  return measured
    .map(({ values, stages }) => `${Math.round(stages[stage] ?? 0)} steps for ${Math.round(values)}`)
    .join(', ');
}
