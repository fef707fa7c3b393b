/** One poll of one task by the worker that holds its lease: ask the provider, decide the next step, fetch results, store the change. */

import type { ProviderKey } from '../../settings/config.ts';
import {
  type Answer,
  type AskParts,
  askProvider,
  askTimeoutMs,
  fault,
  type VideoHost,
} from '../provider/ask-provider.ts';
import { UnfetchableError } from '../provider/result-source.ts';
import { isOpen, type Task } from '../task.ts';
import type { NewCallback, TaskStore } from '../task-store.ts';
import { type KeepParts, keepVideos } from './keep-videos.ts';
import { type Failure, type NextStep, nextStep, nextStepUnfetched } from './next-step.ts';
import type { Pace } from './pace.ts';
import { completedEnding, type Ending, type EndingPolicy, failedEnding } from './task-ending.ts';

export interface FollowParts extends AskParts, KeepParts {
  readonly store: TaskStore;
  readonly policy: EndingPolicy;
  readonly leaseMs: number;
  /** For how long a guessed end may still be corrected. */
  readonly correctionMs: number;
  /** In the place of the wire's own interval. */
  readonly askEveryMs: number | undefined;
  hostOf(task: Task): VideoHost | undefined;
  random(): number;
  /** The webhook about an end, where the caller wants one. */
  callbackFor(task: Task): NewCallback | undefined;
  ended(task: Task, ending: Ending): void;
  warn(message: string, details: Readonly<Record<string, unknown>>): void;
}

/** How often fetching a finished video is tried. */
const fetchTriesMax = 5;
const unknownHostPaceMs = 10_000;

type Made = Extract<NextStep, { kind: 'made' }>;

export async function followTask(parts: FollowParts, task: Task, signal: AbortSignal): Promise<void> {
  const host = parts.hostOf(task);
  const answer = await answerFor(parts, task, host, signal);
  // Stopped while it was asking: the answer says nothing about the task.
  if (signal.aborted) return;
  const pace = paceOf(parts, host);
  const decision = nextStep(task, answer, parts.wallMs(), pace);
  if (!isOpen(task)) return followGuess(parts, task, host, decision, answer, signal);
  if (decision.kind === 'made' && host !== undefined && answer.kind === 'progress') {
    return fetchResults(parts, task, host, answer.key, decision, pace, signal);
  }
  return write(parts, task, decision);
}

function paceOf({ askEveryMs, random }: FollowParts, host: VideoHost | undefined): Pace {
  return { everyMs: askEveryMs ?? host?.wire.askEveryMs ?? unknownHostPaceMs, random };
}

async function answerFor(
  parts: FollowParts,
  task: Task,
  host: VideoHost | undefined,
  signal: AbortSignal,
): Promise<Answer> {
  const { ticket } = task;
  if (ticket === undefined) return fault('unsent', '');
  if (host === undefined) return fault('provider-removed', '');
  return askProvider(parts, task, ticket, host, AbortSignal.any([signal, AbortSignal.timeout(askTimeoutMs)]));
}

async function fetchResults(
  parts: FollowParts,
  task: Task,
  host: VideoHost,
  key: ProviderKey,
  made: Made,
  pace: Pace,
  signal: AbortSignal,
): Promise<void> {
  const results = await fetched(parts, task, host, key, made, signal);
  if (signal.aborted) return;
  if (results instanceof UnfetchableError) {
    return write(parts, task, nextStepUnfetched(task, results.message, fetchTriesMax, parts.wallMs(), pace), made);
  }
  const { facts, consumption, videos } = made;
  const whole = { results, videos: videos.length, facts, consumption };
  return finish(parts, task, completedEnding(task, whole, parts.policy, parts.wallMs()));
}

/** The lease is renewed while the video is fetched. */
async function fetched(
  parts: FollowParts,
  task: Task,
  host: VideoHost,
  key: ProviderKey,
  { videos }: Made,
  signal: AbortSignal,
): Promise<Task['results'] | UnfetchableError> {
  // The task was deleted.
  if (task.deletedAtMs !== undefined) return [];
  const renewal = setInterval(() => {
    parts.store
      .renew(task.id, task.version, parts.wallMs() + parts.leaseMs)
      .catch((cause: unknown) => parts.warn('A lease could not be renewed.', { task: task.id, cause }));
  }, parts.leaseMs / 3);
  try {
    return await keepVideos(parts, task, host, key, videos, signal);
  } catch (cause) {
    if (!signal.aborted) parts.warn('A video could not be fetched.', { task: task.id, provider: task.provider, cause });
    return cause instanceof UnfetchableError ? cause : new UnfetchableError('it broke off on its way');
  } finally {
    clearInterval(renewal);
  }
}

async function write(parts: FollowParts, task: Task, decision: NextStep, made?: Made): Promise<void> {
  if (decision.kind === 'made') return;
  if (decision.kind === 'step') {
    await parts.store.step(task.id, task.version, decision.step);
    return;
  }
  const failure: Failure =
    made === undefined ? decision : { ...decision, consumption: decision.consumption ?? made.consumption };
  return finish(parts, task, failedEnding(task, failure, parts.policy, parts.wallMs()));
}

async function finish(parts: FollowParts, task: Task, ending: Ending): Promise<void> {
  const { store } = parts;
  const callback = parts.callbackFor(endedTask(task, ending));
  const done = await store.end(task.id, task.version, ending.end, ending.closing, callback);
  if (done) parts.ended(task, ending);
  else await removeUnused(parts, ending);
}

/** Another worker ended it meanwhile and may keep the same file under the same name: only an unreferenced file is removed. */
async function removeUnused({ store, keeper }: FollowParts, { end }: Ending): Promise<void> {
  for (const result of end.results) {
    if (result.kind !== 'kept') continue;
    const id = result.name.slice(0, result.name.lastIndexOf('-'));
    const now = await store.find(id);
    if (now?.results.some((one) => one.kind === 'kept' && one.name === result.name) !== true) {
      await keeper.remove(result.name);
    }
  }
}

/** After its deadline a task is polled now and then: the provider's own end corrects the guessed one. */
async function followGuess(
  parts: FollowParts,
  task: Task,
  host: VideoHost | undefined,
  decision: NextStep,
  answer: Answer,
  signal: AbortSignal,
): Promise<void> {
  const { store, policy } = parts;
  const nowMs = parts.wallMs();
  const ending = await correction(parts, task, host, decision, answer, signal);
  if (signal.aborted) return;
  if (ending !== undefined) {
    const corrected = await store.correct(
      task.id,
      task.version,
      ending.end,
      ending.closing,
      parts.callbackFor(endedTask(task, ending)),
    );
    if (!corrected) await removeUnused(parts, ending);
    return;
  }
  if (nowMs - task.deadlineAtMs > parts.correctionMs) await store.settleGuess(task.id, task.version);
  else await store.renew(task.id, task.version, nowMs + policy.lookAgainMs);
}

async function correction(
  parts: FollowParts,
  task: Task,
  host: VideoHost | undefined,
  decision: NextStep,
  answer: Answer,
  signal: AbortSignal,
): Promise<Ending | undefined> {
  if (decision.kind === 'failure' && !decision.guessed && answer.kind === 'progress') {
    return failedEnding(task, decision, parts.policy, parts.wallMs());
  }
  if (decision.kind !== 'made' || host === undefined || answer.kind !== 'progress') return undefined;
  const results = await fetched(parts, task, host, answer.key, decision, signal);
  if (results instanceof UnfetchableError) return undefined;
  const { facts, consumption, videos } = decision;
  return completedEnding(task, { results, videos: videos.length, facts, consumption }, parts.policy, parts.wallMs());
}

function endedTask(task: Task, { end }: Ending): Task {
  return {
    ...task,
    state: end.state,
    percent: end.percent,
    facts: end.facts,
    results: end.results,
    error: end.error,
    endedAtMs: end.atMs,
    expiresAtMs: end.expiresAtMs,
  };
}
