/** What an answer means for a task: continue, retry, or end. Pure, so that every case can be tested by data alone. */

import type { Consumption } from '../../operations/consumption.ts';
import type { MadeVideo, VideoFacts, VideoProgress } from '../../operations/video.ts';
import type { Fault, Progress } from '../provider/ask-provider.ts';
import type { Task } from '../task.ts';
import type { TaskStep } from '../task-store.ts';
import { faultWaitMs, type Pace, waitMs } from './pace.ts';
import { type TaskErrorName, taskErrors } from './task-errors.ts';

export type NextStep =
  | { readonly kind: 'step'; readonly step: TaskStep }
  | {
      readonly kind: 'made';
      readonly videos: readonly MadeVideo[];
      readonly facts: VideoFacts;
      readonly consumption: Consumption;
    }
  | Failure;

export interface Failure {
  readonly kind: 'failure';
  readonly name: TaskErrorName;
  readonly message: string;
  readonly consumption: Consumption | undefined;
  /** Not reported by the provider: the deadline passed, or the provider does not know the task any more. */
  readonly guessed: boolean;
}

/** A provider may be late to know its own task; one that denies it so often has lost it. */
export const lostAfterFaults = 8;

type FollowedTask = Pick<Task, 'state' | 'percent' | 'asked' | 'faults' | 'deadlineAtMs'>;

export function nextStep(task: FollowedTask, answer: Progress | Fault, nowMs: number, pace: Pace): NextStep {
  if (answer.kind === 'fault') return nextStepAfterFault(task, answer, nowMs, pace);
  const { progress } = answer;
  switch (progress.state) {
    case 'completed':
      if (progress.videos.length === 0) return failure('no-video', '', progress.consumption);
      return { kind: 'made', videos: progress.videos, facts: progress.facts, consumption: progress.consumption };
    case 'failed':
      return failure(progress.reason, progress.message, progress.consumption);
    default:
      if (nowMs >= task.deadlineAtMs) return { ...failure('timed-out', '', undefined), guessed: true };
      return { kind: 'step', step: advanced(task, progress, nowMs, pace) };
  }
}

/** The video was made and could not be fetched: retried for a while, since the next answer may have another URL. */
export function nextStepUnfetched(
  task: FollowedTask,
  detail: string,
  triesMax: number,
  nowMs: number,
  pace: Pace,
): NextStep {
  const faults = task.faults + 1;
  if (faults >= triesMax || nowMs >= task.deadlineAtMs) return failure('unfetchable', detail, undefined);
  return { kind: 'step', step: waiting(task, faults, nowMs + faultWaitMs(pace, faults, undefined)) };
}

function nextStepAfterFault(
  task: FollowedTask,
  { name, message, retryAfterMs }: Fault,
  nowMs: number,
  pace: Pace,
): NextStep {
  const faults = task.faults + 1;
  const isOver = nowMs >= task.deadlineAtMs || (name === 'lost' && faults >= lostAfterFaults);
  if (isOver) return { ...failure(name, message, undefined), guessed: taskErrors[name].charge === 'estimate' };
  const dueAtMs = nowMs + faultWaitMs(pace, faults, retryAfterMs);
  // Not past the deadline, at which it is polled for the last time.
  return { kind: 'step', step: waiting(task, faults, Math.min(dueAtMs, task.deadlineAtMs)) };
}

function advanced(
  task: FollowedTask,
  progress: Extract<VideoProgress, { state: 'queued' | 'in_progress' }>,
  nowMs: number,
  pace: Pace,
): TaskStep {
  const percent = Math.min(99, Math.max(task.percent, Math.round(progress.percent ?? 0)));
  const dueAtMs = Math.min(nowMs + waitMs(pace, task.asked), task.deadlineAtMs);
  return { state: progress.state, percent, ticket: progress.ticket, faults: 0, dueAtMs };
}

function waiting(task: FollowedTask, faults: number, dueAtMs: number): TaskStep {
  // Its progress is unknown: the last known state stays.
  const state = task.state === 'queued' ? 'queued' : 'in_progress';
  return { state, percent: task.percent, ticket: undefined, faults, dueAtMs };
}

function failure(name: TaskErrorName, detail: string, consumption: Consumption | undefined): Failure {
  const { meaning } = taskErrors[name];
  const message = detail === '' ? meaning : `${meaning} ${detail}`;
  return { kind: 'failure', name, message, consumption, guessed: false };
}
