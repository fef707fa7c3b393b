/** The end of a task as it is stored: its state, its cost and its usage row, made together. */

import { tokensIn } from '../../conversation/usage.ts';
import type { AttemptClosing, UsageRow } from '../../ledger/ledger.ts';
import type { Consumption } from '../../operations/consumption.ts';
import type { VideoFacts } from '../../operations/video.ts';
import type { VerdictKind } from '../../upstream/faults/verdict-rules.ts';
import type { Task, TaskResult } from '../task.ts';
import type { TaskEnd } from '../task-store.ts';
import type { Failure } from './next-step.ts';
import { costOfFailure, costOfMade, estimateOf, noCost, type TaskCost } from './task-charge.ts';
import { type TaskErrorName, taskErrors } from './task-errors.ts';

export interface EndingPolicy {
  readonly unknownOutcome: 'charge' | 'free';
  readonly resultLifetimeMs: number;
  /** When a guessed end is polled again. */
  readonly lookAgainMs: number;
}

export interface Ending {
  readonly end: TaskEnd;
  readonly closing: AttemptClosing;
  /** The closing's own; empty where the video was made. */
  readonly verdict: VerdictKind | '';
}

interface Made {
  readonly results: readonly TaskResult[];
  readonly videos: number;
  readonly facts: VideoFacts;
  readonly consumption: Consumption;
}

export function completedEnding(task: Task, made: Made, policy: EndingPolicy, nowMs: number): Ending {
  const { facts, results } = made;
  const cost = costOfMade(task, made.consumption, facts, made.videos);
  return {
    end: {
      state: 'completed',
      guessed: false,
      percent: 100,
      facts,
      results,
      error: undefined,
      atMs: nowMs,
      expiresAtMs: nowMs + policy.resultLifetimeMs,
      dueAtMs: undefined,
    },
    closing: closingOf(task, cost, nowMs, { status: 200, code: '', verdict: '' }),
    verdict: '',
  };
}

/** The status that a failure would have had as a reply, for the usage list. */
const statuses: Partial<Readonly<Record<TaskErrorName, number>>> = { refused: 400, cancelled: 499, 'timed-out': 504 };

/** The attempt's verdict, as in every other request's trail; of most failures the outcome is unknown. */
const verdicts: Partial<Readonly<Record<TaskErrorName, VerdictKind>>> = {
  refused: 'content',
  cancelled: 'limit',
  'key-refused': 'key-dead',
  'provider-removed': 'limit',
};

export function failedEnding(task: Task, failure: Failure, policy: EndingPolicy, nowMs: number): Ending {
  const { name, message } = failure;
  const verdict = verdicts[name] ?? 'uncertain';
  const isAskable = failure.guessed && task.ticket !== undefined;
  return {
    end: {
      state: 'failed',
      guessed: failure.guessed,
      percent: task.percent,
      facts: {},
      results: [],
      error: { code: taskErrors[name].code, message },
      atMs: nowMs,
      expiresAtMs: undefined,
      dueAtMs: isAskable ? nowMs + policy.lookAgainMs : undefined,
    },
    closing: closingOf(task, costOf(task, failure, policy), nowMs, {
      status: statuses[name] ?? 502,
      code: `video_${name}`,
      verdict,
    }),
    verdict,
  };
}

function costOf(task: Task, { name, consumption }: Failure, policy: EndingPolicy): TaskCost {
  switch (taskErrors[name].charge) {
    case 'reported':
      return costOfFailure(task, consumption);
    case 'made':
      return costOfMade(task, consumption ?? {}, {}, task.requested.count);
    case 'estimate':
      return policy.unknownOutcome === 'free' ? noCost : estimateOf(task);
  }
}

interface Outcome extends Pick<UsageRow, 'status' | 'code'> {
  readonly verdict: VerdictKind | '';
}

export function closingOf(
  task: Task,
  cost: TaskCost,
  atMs: number,
  { status, code, verdict }: Outcome,
): AttemptClosing {
  const { terms } = task;
  const row: UsageRow = {
    requestId: task.requestId,
    atMs: task.createdAtMs,
    tokenId: task.tokenId,
    endpoint: terms.endpoint,
    model: task.model,
    provider: task.provider,
    upstreamModel: task.upstreamModel,
    stream: false,
    attempts: terms.attempts,
    status,
    code,
    usage: cost.usage,
    costNano: cost.costNano,
    estimated: cost.estimated,
    priceVersion: cost.unpriced === true ? '' : terms.priceVersion,
    ...(terms.priceName !== undefined && { priceName: terms.priceName }),
    units: cost.used,
    ...(terms.way !== undefined && { way: terms.way }),
    totalMs: Math.max(0, Math.round(atMs - task.createdAtMs)),
    bytesIn: terms.bytesIn,
    bytesOut: 0,
    endUser: terms.endUser,
    tags: terms.tags,
    keyId: task.keyId,
  };
  return {
    attemptId: task.attemptId,
    costNano: cost.costNano,
    tokens: tokensIn(cost.usage),
    estimated: cost.estimated,
    atMs,
    row,
    verdict,
  };
}
