/** What this process may use of the machine's memory: bounds of bodies and replies, and the guard that measures the rest. */

import { MemoryGuard, type MemoryLimits, memoryLimits } from '../http/memory/memory-guard.ts';
import type { Logger } from '../observe/logger.ts';
import type { ClocksConfig, Config } from '../settings/config.ts';
import { ReplyRoom } from '../upstream/reply-room.ts';

interface ProcessMemory extends MemoryLimits {
  readonly guard: MemoryGuard;
  readonly replyRoom: ReplyRoom;
  /** Called with the bytes of each read from a provider. */
  readonly onRead: (bytes: number) => void;
}

export function memoryOf({ limits }: Config, processes: number, nowMs: () => number): ProcessMemory {
  const memory = memoryLimits(limits, processes);
  const guard = new MemoryGuard({ ...memory, nowMs });
  guard.start();
  return { ...memory, guard, onRead: guard.read, replyRoom: new ReplyRoom(memory.bodyBytesMax) };
}

/** While memory is short a client that does not read is waited for so long. */
const stallTimeoutShortMs = 2_000;

/**
 * The clocks of everything that holds memory for a client. While memory is short, a client that stopped reading makes room soon, and
 * the provider of one that left is not read to its end. Settings that change while Weir runs are read each time.
 */
export function clocksWithin({ guard }: Pick<ProcessMemory, 'guard'>, clocks: ClocksConfig): ClocksConfig {
  return Object.create(clocks, {
    clientStallTimeoutMs: {
      get: () =>
        guard.isShort ? Math.min(stallTimeoutShortMs, clocks.clientStallTimeoutMs) : clocks.clientStallTimeoutMs,
    },
    readOnMs: { get: () => (guard.isShort ? 0 : clocks.readOnMs) },
  }) as ClocksConfig;
}

const shedLineEveryMs = 60_000;

/** Disconnects clients that are behind, and says so now and then. */
export function sheddingOf(
  { shed }: { shed(bytes: number): number },
  warn: Logger['warn'],
  nowMs: () => number,
): (bytes: number) => void {
  let saidAtMs = Number.NEGATIVE_INFINITY;
  let ended = 0;
  return (bytes) => {
    ended += shed(bytes);
    if (ended === 0 || nowMs() - saidAtMs < shedLineEveryMs) return;
    saidAtMs = nowMs();
    warn('Memory is short: clients that do not read their replies were disconnected.', { connections: ended });
    ended = 0;
  };
}
