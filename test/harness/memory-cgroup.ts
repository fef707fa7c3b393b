/** A control group with a limit of memory, as a container has one: a process in it that takes more is killed by the kernel. */

import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface MemoryGroup {
  add(pid: number): void;
  /** The most that its processes took together, in bytes. */
  peakBytes(): number;
  /** How often the kernel killed one of them. */
  kills(): number;
  /** After its processes ended. */
  remove(): void;
}

const root = '/sys/fs/cgroup';
const files = {
  first: {
    parent: join(root, 'memory'),
    limit: 'memory.limit_in_bytes',
    peak: 'memory.max_usage_in_bytes',
    events: 'memory.oom_control',
  },
  second: { parent: root, limit: 'memory.max', peak: 'memory.peak', events: 'memory.events' },
} as const;

/** Undefined where this machine does not allow one. */
export function memoryGroup(limitBytes: number): MemoryGroup | undefined {
  const version = existsSync(join(root, 'cgroup.controllers')) ? files.second : files.first;
  const folder = join(version.parent, `weir-test-${process.pid}-${crypto.randomUUID().slice(0, 8)}`);
  try {
    mkdirSync(folder);
    writeFileSync(join(folder, version.limit), `${limitBytes}`);
  } catch {
    return undefined;
  }
  return {
    add: (pid) => writeFileSync(join(folder, 'cgroup.procs'), `${pid}`),
    peakBytes: () => Number(readFileSync(join(folder, version.peak), 'utf8')),
    kills: () => Number(/oom_kill (\d+)/.exec(readFileSync(join(folder, version.events), 'utf8'))?.[1] ?? 0),
    remove: () => rmdirSync(folder),
  };
}
