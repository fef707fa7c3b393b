import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import type { VideoProgress } from '../../operations/video.ts';
import { type Answer, fault } from '../provider/ask-provider.ts';
import { lostAfterFaults, nextStep, nextStepUnfetched } from './next-step.ts';
import { faultWaitMs, waitMs } from './pace.ts';
import { type TaskErrorName, taskErrors } from './task-errors.ts';

const nowMs = 1_000_000;
const pace = { everyMs: 1_000, random: () => 0 };
const task = { state: 'queued', percent: 0, asked: 0, faults: 0, deadlineAtMs: nowMs + 60_000 } as const;
const late = { ...task, deadlineAtMs: nowMs } as const;
const answerOf = (progress: VideoProgress): Answer => ({ kind: 'progress', progress, key: { id: 'k', value: 'v' } });
const made = { state: 'completed', videos: [{ kind: 'url', url: 'https://v.example/1', needsKey: false }] } as const;

describe('what continues', () => {
  test('is polled again after the interval, with the new state', () => {
    const answer = answerOf({ state: 'in_progress', percent: 40, ticket: { id: 'b' } });
    expect(nextStep(task, answer, nowMs, pace)).toEqual({
      kind: 'step',
      step: { state: 'in_progress', percent: 40, ticket: { id: 'b' }, faults: 0, dueAtMs: nowMs + 1_000 },
    });
  });

  test('never shows less than before, nor all before the end', () => {
    for (const [before, said, shown] of [
      [60, 20, 60],
      [60, undefined, 60],
      [0, 100, 99],
      [0, 41.6, 42],
    ] as const) {
      const next = nextStep(
        { ...task, percent: before },
        answerOf({ state: 'queued', percent: said as number }),
        nowMs,
        pace,
      );
      expect(next).toMatchObject({ kind: 'step', step: { percent: shown } });
    }
  });

  test('is asked for the last time at its deadline, and then ends for want of an answer', () => {
    const near = { ...task, deadlineAtMs: nowMs + 10 };
    expect(nextStep(near, answerOf({ state: 'queued' }), nowMs, pace)).toMatchObject({ step: { dueAtMs: nowMs + 10 } });
    expect(nextStep(late, answerOf({ state: 'in_progress' }), nowMs, pace)).toMatchObject({
      kind: 'failure',
      name: 'timed-out',
      guessed: true,
    });
  });
});

describe('an end that the provider reports', () => {
  test('counts whenever it comes', () => {
    for (const each of [task, late]) {
      expect(nextStep(each, answerOf({ ...made, facts: {}, consumption: {} }), nowMs, pace).kind).toBe('made');
      for (const reason of ['failed', 'refused', 'cancelled'] as const) {
        const next = nextStep(each, answerOf({ state: 'failed', reason, message: 'No.' }), nowMs, pace);
        expect(next).toMatchObject({ kind: 'failure', name: reason, guessed: false });
        expect(next.kind === 'failure' && next.message).toBe(`${taskErrors[reason].meaning} No.`);
      }
    }
  });

  test('without a video is a failure that is paid for', () => {
    const next = nextStep(
      task,
      answerOf({ state: 'completed', videos: [], facts: {}, consumption: { videos: 1 } }),
      nowMs,
      pace,
    );
    expect(next).toMatchObject({ kind: 'failure', name: 'no-video', guessed: false, consumption: { videos: 1 } });
    expect(taskErrors['no-video'].charge).toBe('made');
  });
});

describe('a fault', () => {
  const names = ['lost', 'unreadable', 'unreachable', 'key-refused', 'provider-removed', 'unsent'] as const;

  test.each(names)('%s: polled again, each time later, until the deadline', (name) => {
    let before = 0;
    for (let faults = 0; faults < 5; faults++) {
      const next = nextStep({ ...task, faults, percent: 30 }, fault(name, 'x'), nowMs, pace);
      if (next.kind !== 'step') throw new Error('it ended');
      expect(next.step).toMatchObject({ percent: 30, faults: faults + 1, state: 'queued', ticket: undefined });
      expect(next.step.dueAtMs).toBeGreaterThan(before);
      before = next.step.dueAtMs;
    }
    expect(nextStep(late, fault(name, ''), nowMs, pace)).toMatchObject({ kind: 'failure', name, guessed: true });
  });

  test('a task that the provider denies again and again is lost before its deadline', () => {
    const almost = { ...task, faults: lostAfterFaults - 2 };
    expect(nextStep(almost, fault('lost', ''), nowMs, pace).kind).toBe('step');
    expect(nextStep({ ...almost, faults: lostAfterFaults - 1 }, fault('lost', ''), nowMs, pace)).toMatchObject({
      name: 'lost',
      guessed: true,
    });
    expect(nextStep({ ...task, faults: 50 }, fault('unreachable', ''), nowMs, pace).kind).toBe('step');
  });

  test('of the download is tried again, then ends as made', () => {
    expect(nextStepUnfetched({ ...task, faults: 3 }, 'x', 5, nowMs, pace)).toMatchObject({
      kind: 'step',
      step: { faults: 4 },
    });
    expect(nextStepUnfetched({ ...task, faults: 4 }, 'x', 5, nowMs, pace)).toMatchObject({
      name: 'unfetchable',
      guessed: false,
    });
    expect(nextStepUnfetched(late, 'x', 5, nowMs, pace)).toMatchObject({ name: 'unfetchable', guessed: false });
  });

  test('waits as long as `retry-after` says', () => {
    const next = nextStep(task, fault('unreachable', '', 30_000), nowMs, pace);
    expect(next).toMatchObject({ step: { dueAtMs: nowMs + 30_000 } });
  });
});

describe('the pace', () => {
  test('is never sooner than the interval, whatever the jitter', () => {
    for (const random of [0, 0.5, 0.999]) {
      const diced = { everyMs: 500, random: () => random };
      for (const asked of [0, 1, 19, 20, 100, 10_000]) {
        expect(waitMs(diced, asked)).toBeGreaterThanOrEqual(500);
        expect(faultWaitMs(diced, asked, undefined)).toBeGreaterThanOrEqual(500);
        expect(waitMs(diced, asked)).toBeLessThanOrEqual(500 * 8 * 1.25);
      }
    }
  });
});

test('the codes differ, and docs/video-tasks.md shows each with its charge', () => {
  const rows = Object.entries(taskErrors) as [TaskErrorName, (typeof taskErrors)[TaskErrorName]][];
  expect(new Set(rows.map(([, { code }]) => code)).size).toBe(rows.length);
  const page = readFileSync('docs/video-tasks.md', 'utf8');
  const shown = page.split('\n').filter((line) => /^\| \d{4} \|/.test(line));
  expect(shown).toEqual(
    rows.map(([name, { code, charge, meaning }]) => `| ${code} | \`${name}\` | ${charge} | ${meaning} |`),
  );
});
