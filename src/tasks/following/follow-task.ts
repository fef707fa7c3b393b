/** One look after one task by the worker that holds its lease: ask, judge, fetch what was made, write down what changed. */

import type { ProviderKey } from '../../settings/config.ts';
import { type Answer, type AskParts, askProvider, askTimeoutMs, fault, type Home } from '../provider/ask-provider.ts';
import { UnfetchableError } from '../provider/result-source.ts';
import { isOpen, type Task } from '../task.ts';
import type { NewCallback, TaskStore } from '../task-store.ts';
import { type KeepParts, keepVideos } from './keep-videos.ts';
import { type Failure, type Judgement, judge, judgeUnfetched } from './next-step.ts';
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
  homeOf(task: Task): Home | undefined;
  random(): number;
  /** What a caller's own address is told about an end, where the caller wants to be told. */
  callbackFor(task: Task): NewCallback | undefined;
  ended(task: Task, ending: Ending): void;
  warn(message: string, details: Readonly<Record<string, unknown>>): void;
}

/** A made video is fetched so often before it is given up. */
const fetchTriesMax = 5;
const unknownHomePaceMs = 10_000;

type Made = Extract<Judgement, { kind: 'made' }>;

export async function followTask(parts: FollowParts, task: Task, signal: AbortSignal): Promise<void> {
  const home = parts.homeOf(task);
  const answer = await answerFor(parts, task, home, signal);
  // Stopped while it was asking: the answer says nothing about the task.
  if (signal.aborted) return;
  const pace = paceOf(parts, home);
  const judgement = judge(task, answer, parts.wallMs(), pace);
  if (!isOpen(task)) return followGuess(parts, task, home, judgement, answer, signal);
  if (judgement.kind === 'made' && home !== undefined && answer.kind === 'progress') {
    return bringHome(parts, task, home, answer.key, judgement, pace, signal);
  }
  return write(parts, task, judgement);
}

function paceOf({ askEveryMs, random }: FollowParts, home: Home | undefined): Pace {
  return { everyMs: askEveryMs ?? home?.wire.askEveryMs ?? unknownHomePaceMs, random };
}

async function answerFor(parts: FollowParts, task: Task, home: Home | undefined, signal: AbortSignal): Promise<Answer> {
  const { ticket } = task;
  if (ticket === undefined) return fault('unsent', '');
  if (home === undefined) return fault('provider-removed', '');
  return askProvider(parts, task, ticket, home, AbortSignal.any([signal, AbortSignal.timeout(askTimeoutMs)]));
}

async function bringHome(
  parts: FollowParts,
  task: Task,
  home: Home,
  key: ProviderKey,
  made: Made,
  pace: Pace,
  signal: AbortSignal,
): Promise<void> {
  const results = await fetched(parts, task, home, key, made, signal);
  if (signal.aborted) return;
  if (results instanceof UnfetchableError) {
    return write(parts, task, judgeUnfetched(task, results.message, fetchTriesMax, parts.wallMs(), pace), made);
  }
  const { facts, consumption, videos } = made;
  const whole = { results, videos: videos.length, facts, consumption };
  return finish(parts, task, completedEnding(task, whole, parts.policy, parts.wallMs()));
}

/** The lease is kept up while the video is on its way. */
async function fetched(
  parts: FollowParts,
  task: Task,
  home: Home,
  key: ProviderKey,
  { videos }: Made,
  signal: AbortSignal,
): Promise<Task['results'] | UnfetchableError> {
  // Nobody will ever ask for it.
  if (task.deletedAtMs !== undefined) return [];
  const renewal = setInterval(() => {
    parts.store
      .renew(task.id, task.version, parts.wallMs() + parts.leaseMs)
      .catch((cause: unknown) => parts.warn('A lease could not be renewed.', { task: task.id, cause }));
  }, parts.leaseMs / 3);
  try {
    return await keepVideos(parts, task, home, key, videos, signal);
  } catch (cause) {
    if (!signal.aborted) parts.warn('A video could not be fetched.', { task: task.id, provider: task.provider, cause });
    return cause instanceof UnfetchableError ? cause : new UnfetchableError('it broke off on its way');
  } finally {
    clearInterval(renewal);
  }
}

async function write(parts: FollowParts, task: Task, judgement: Judgement, made?: Made): Promise<void> {
  if (judgement.kind === 'made') return;
  if (judgement.kind === 'step') {
    await parts.store.step(task.id, task.version, judgement.step);
    return;
  }
  const failure: Failure =
    made === undefined ? judgement : { ...judgement, consumption: judgement.consumption ?? made.consumption };
  return finish(parts, task, failedEnding(task, failure, parts.policy, parts.wallMs()));
}

async function finish(parts: FollowParts, task: Task, ending: Ending): Promise<void> {
  const { store } = parts;
  const callback = parts.callbackFor(endedTask(task, ending));
  const done = await store.end(task.id, task.version, ending.end, ending.closing, callback);
  if (done) parts.ended(task, ending);
  else await letGo(parts, ending);
}

/** Somebody else ended it meanwhile and keeps the same file under the same name: only what nobody refers to may go. */
async function letGo({ store, keeper }: FollowParts, { end }: Ending): Promise<void> {
  for (const result of end.results) {
    if (result.kind !== 'kept') continue;
    const id = result.name.slice(0, result.name.lastIndexOf('-'));
    const now = await store.find(id);
    if (now?.results.some((one) => one.kind === 'kept' && one.name === result.name) !== true) {
      await keeper.remove(result.name);
    }
  }
}

/** After its deadline a task is asked for now and then: what the provider says at last is what counts. */
async function followGuess(
  parts: FollowParts,
  task: Task,
  home: Home | undefined,
  judgement: Judgement,
  answer: Answer,
  signal: AbortSignal,
): Promise<void> {
  const { store, policy } = parts;
  const nowMs = parts.wallMs();
  const ending = await correction(parts, task, home, judgement, answer, signal);
  if (signal.aborted) return;
  if (ending !== undefined) {
    const corrected = await store.correct(
      task.id,
      task.version,
      ending.end,
      ending.closing,
      parts.callbackFor(endedTask(task, ending)),
    );
    if (!corrected) await letGo(parts, ending);
    return;
  }
  if (nowMs - task.deadlineAtMs > parts.correctionMs) await store.settleGuess(task.id, task.version);
  else await store.renew(task.id, task.version, nowMs + policy.lookAgainMs);
}

async function correction(
  parts: FollowParts,
  task: Task,
  home: Home | undefined,
  judgement: Judgement,
  answer: Answer,
  signal: AbortSignal,
): Promise<Ending | undefined> {
  if (judgement.kind === 'failure' && !judgement.guessed && answer.kind === 'progress') {
    return failedEnding(task, judgement, parts.policy, parts.wallMs());
  }
  if (judgement.kind !== 'made' || home === undefined || answer.kind !== 'progress') return undefined;
  const results = await fetched(parts, task, home, answer.key, judgement, signal);
  if (results instanceof UnfetchableError) return undefined;
  const { facts, consumption, videos } = judgement;
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
