/** What this process may use of the machine's memory: bounds of bodies and replies, and the guard that measures the rest. */

import { MemoryGuard, type MemoryLimits, memoryLimits } from '../http/memory/memory-guard.ts';
import type { Config } from '../settings/config.ts';
import { ReplyRoom } from '../upstream/reply-room.ts';

interface ProcessMemory extends MemoryLimits {
  readonly guard: MemoryGuard;
  readonly replyRoom: ReplyRoom;
}

export function memoryOf({ limits }: Config, processes: number, nowMs: () => number): ProcessMemory {
  const memory = memoryLimits(limits, processes);
  const guard = new MemoryGuard({ ...memory, nowMs });
  guard.start();
  return { ...memory, guard, replyRoom: new ReplyRoom(memory.bodyBytesMax) };
}
