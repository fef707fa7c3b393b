/** The two ends of a task as what is written: state, charge and the row of the usage list. */

import { describe, expect, test } from 'bun:test';
import { writePrice } from '../../prices/price-text.ts';
import type { Task } from '../task.ts';
import type { Failure } from './next-step.ts';
import { completedEnding, failedEnding } from './task-ending.ts';
import { type TaskErrorName, taskErrors } from './task-errors.ts';

const rate = { nanoPerMillion: 0n, tiers: [] };
const price = writePrice({
  version: 'operator',
  input: rate,
  output: rate,
  cacheRead: undefined,
  cacheWrite: undefined,
  inputAudio: undefined,
  outputAudio: undefined,
  units: { videoSeconds: 1_000_000n * 10n },
});

const task: Task = {
  id: 'video_1',
  tokenId: 'token-1',
  requestId: 'req-1',
  attemptId: 'req-1.2',
  state: 'in_progress',
  guessed: false,
  provider: 'up',
  keyId: 'k',
  model: 'film',
  upstreamModel: 'film-2',
  percent: 40,
  ticket: { id: 't' },
  requested: { count: 1 },
  facts: {},
  results: [],
  error: undefined,
  terms: {
    endpoint: 'videos',
    bytesIn: 9,
    attempts: 2,
    priceVersion: 'operator',
    price,
    most: { videos: 1, videoSeconds: 5 },
    seconds: 5,
  },
  createdAtMs: 1_000,
  endedAtMs: undefined,
  deadlineAtMs: 9_000,
  expiresAtMs: undefined,
  deletedAtMs: undefined,
  callbackUrl: undefined,
  asked: 3,
  faults: 0,
  version: 4,
};

const policy = { unknownOutcome: 'charge', resultLifetimeMs: 500, lookAgainMs: 70 } as const;
const failure = (name: TaskErrorName, more: Partial<Failure> = {}): Failure => ({
  kind: 'failure',
  name,
  message: 'so it is',
  consumption: undefined,
  guessed: taskErrors[name].charge === 'estimate',
  ...more,
});

test('a completed task has its results for a while, and is paid for', () => {
  const result = { kind: 'kept', name: 'video_1-0.mp4', mediaType: 'video/mp4', bytes: 3 } as const;
  const made = { results: [result], videos: 1, facts: { seconds: 4 }, consumption: { videos: 1 } };
  const { end, closing } = completedEnding(task, made, policy, 6_000);
  expect(end).toMatchObject({
    state: 'completed',
    percent: 100,
    results: [result],
    expiresAtMs: 6_500,
    guessed: false,
  });
  expect(end.dueAtMs).toBeUndefined();
  expect(closing).toMatchObject({ attemptId: 'req-1.2', costNano: 40n, estimated: false, atMs: 6_000, verdict: '' });
  expect(closing.row).toMatchObject({
    requestId: 'req-1',
    attempts: 2,
    status: 200,
    code: '',
    totalMs: 5_000,
    atMs: 1_000,
  });
});

describe('a failed task', () => {
  test('is charged as the table says, under every number', () => {
    const charges = { reported: 0n, made: 50n, estimate: 50n };
    for (const name of Object.keys(taskErrors) as TaskErrorName[]) {
      const { end, closing } = failedEnding(task, failure(name), policy, 6_000);
      const { charge, code } = taskErrors[name];
      expect([name, end.error?.code, closing.costNano, closing.estimated]).toEqual([
        name,
        code,
        charges[charge],
        charge === 'estimate',
      ]);
      expect(closing.row).toMatchObject({ code: `video_${name}`, costNano: closing.costNano });
      expect([end.state, end.results, end.percent]).toEqual(['failed', [], 40]);
    }
  });

  test('costs nothing where usage is unknown and the operator set that', () => {
    const { closing } = failedEnding(task, failure('timed-out'), { ...policy, unknownOutcome: 'free' }, 6_000);
    expect(closing).toMatchObject({ costNano: 0n, estimated: false });
  });

  test('costs what the provider reports for a failure', () => {
    const used = failure('failed', { consumption: { videoSeconds: 2 } });
    expect(failedEnding(task, used, policy, 6_000).closing.costNano).toBe(20n);
  });

  test('is polled again only where it is guessed and the provider can be asked', () => {
    expect(failedEnding(task, failure('timed-out'), policy, 6_000).end.dueAtMs).toBe(6_070);
    expect(failedEnding(task, failure('failed'), policy, 6_000).end.dueAtMs).toBeUndefined();
    const unsent = failedEnding({ ...task, ticket: undefined }, failure('unsent'), policy, 6_000);
    expect([unsent.end.dueAtMs, unsent.end.guessed]).toEqual([undefined, true]);
  });

  test('has the verdict of the attempt in the trail', () => {
    const verdictOf = (name: TaskErrorName) => failedEnding(task, failure(name), policy, 0).closing.verdict;
    const said = (['refused', 'cancelled', 'key-refused', 'timed-out', 'unsent'] as const).map(verdictOf);
    expect(said).toEqual(['content', 'limit', 'key-dead', 'uncertain', 'uncertain']);
  });

  test('has the status that it would have had as a reply', () => {
    const statusOf = (name: TaskErrorName) => failedEnding(task, failure(name), policy, 0).closing.row?.status;
    expect([statusOf('refused'), statusOf('cancelled'), statusOf('timed-out'), statusOf('lost')]).toEqual([
      400, 499, 504, 502,
    ]);
  });
});

test('the row of a video without a price names none and says what was used; one that failed for nothing used nothing', () => {
  const made = { results: [], videos: 1, facts: { seconds: 4 }, consumption: { videos: 1 } };
  const { price: _, ...terms } = { ...task.terms, priceVersion: '' };
  const unpriced = completedEnding({ ...task, terms }, made, policy, 6_000).closing.row;
  expect(unpriced).toMatchObject({ priceVersion: '', costNano: 0n, units: { videos: 1, videoSeconds: 4 } });
  const byImage = writePrice({ version: 'operator', input: rate, output: rate, units: { images: 5n } });
  const other = completedEnding({ ...task, terms: { ...task.terms, price: byImage } }, made, policy, 6_000).closing.row;
  expect(other?.priceVersion).toBe('');
  expect(failedEnding({ ...task, terms }, failure('refused'), policy, 6_000).closing.row?.units).toEqual({});
});
