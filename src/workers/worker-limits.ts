/** A worker's limits: the supervisor's table decides, and busy levels are counted ahead there. */

import { AheadTable, type Sleep } from '../access/ahead-table.ts';
import type { MachineGrant, MachineVerdict, WorkerLimits } from '../access/limit-table.ts';
import type { Limiter } from '../access/limits.ts';
import { UpperClock } from '../access/limits-ahead.ts';
import { createSharedLimiter } from '../access/table-limiter.ts';

type Ask = <Name extends keyof WorkerLimits>(
  name: Name,
  ...values: Parameters<WorkerLimits[Name]>
) => Promise<ReturnType<WorkerLimits[Name]>>;

interface WorkerLimiter extends Limiter {
  /** Returns what no request uses. */
  finish(): void;
}

/** `ask` calls the table over the socket. */
export function createWorkerLimiter(ask: Ask, nowMs: () => number, sleep?: Sleep): WorkerLimiter {
  const clock = new UpperClock(nowMs);
  const timed = async <Answer extends MachineVerdict | MachineGrant>(asking: Promise<Answer>): Promise<Answer> => {
    const sentMs = nowMs();
    const answer = await asking;
    clock.was(answer.atMs, sentMs);
    return answer;
  };
  const ahead = new AheadTable({
    available: true,
    nowMs: () => clock.nowMs(),
    enter: (...values) => timed(ask('enter', ...values)),
    countAhead: async (wanted) => (await timed(ask('countAhead', wanted))).grant,
    leave: (ends) => ask('leave', ends),
    sleep,
  });
  const table = {
    available: true,
    enter: ahead.enter.bind(ahead),
    leave: ahead.leave.bind(ahead),
    enterClass: (...values: Parameters<WorkerLimits['enterClass']>) => ask('enterClass', ...values),
    peek: (keys: readonly string[]) => ask('peek', keys),
  };
  return { ...createSharedLimiter({ table, nowMs }), finish: () => ahead.finish() };
}
