/** Metrics of this process and of what it depends on: memory, processor time, start, version, database and Redis. */

import type { Family } from './routing-metrics.ts';

export interface Dependencies {
  readonly databaseUp: boolean;
  /** Absent where none is configured. */
  readonly redisUp?: boolean | undefined;
}

/** Known when the process starts. */
export interface ProcessFacts {
  readonly version: string;
  readonly startedAtMs: number;
}

export function dependencyFamilies({ databaseUp, redisUp }: Dependencies): readonly Family[] {
  const up = (name: string, help: string, isUp: boolean | undefined): Family => {
    return { name, kind: 'gauge', help, rows: isUp === undefined ? new Map() : single(Number(isUp)) };
  };
  return [
    up('weir_database_up', 'Whether the database answers and can write (1) or not (0).', databaseUp),
    up(
      'weir_redis_up',
      'Whether Redis takes what limits write (1) or not (0); absent where none is configured.',
      redisUp,
    ),
  ];
}

export function processFamilies({ version, startedAtMs }: ProcessFacts): readonly Family[] {
  const { user, system } = process.cpuUsage();
  const gauge = (name: string, help: string, value: number): Family => {
    return { name, kind: 'gauge', help, rows: single(value) };
  };
  return [
    {
      name: 'weir_build_info',
      kind: 'gauge',
      help: 'Always 1; the label is the version that runs.',
      rows: new Map([[`version="${version}"`, 1]]),
    },
    gauge('process_resident_memory_bytes', 'Resident memory.', process.memoryUsage().rss),
    gauge(
      'process_start_time_seconds',
      'When the process started, of several workers the youngest: seconds since 1970.',
      startedAtMs / 1000,
    ),
    {
      name: 'process_cpu_seconds_total',
      kind: 'counter',
      help: 'Processor time.',
      rows: single((user + system) / 1e6),
    },
  ];
}

export const single = (value: number): ReadonlyMap<string, number> => new Map([['', value]]);
