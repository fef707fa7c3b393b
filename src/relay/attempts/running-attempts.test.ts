/** Proves that a shutdown waits for what runs, ends it when it has waited enough, and that all attempts share one entry with the ticker. */

import { describe, expect, test } from 'bun:test';
import { Deadlines, type Watched } from '../../http/deadlines.ts';
import type { Verdict } from '../../upstream/faults/verdict.ts';
import { type Running, RunningAttempts } from './running-attempts.ts';

/** Records what is watched, and ticks on demand. */
class ManualDeadlines extends Deadlines {
  readonly entries = new Set<Watched>();

  constructor() {
    super(() => 0);
  }

  override add(watched: Watched): void {
    this.entries.add(watched);
  }

  override delete(watched: Watched): void {
    this.entries.delete(watched);
  }

  tickAll(nowMs: number): void {
    for (const entry of this.entries) entry.tick(nowMs);
  }
}

class ScriptedAttempt implements Running {
  readonly ticks: number[] = [];
  readonly verdicts: Verdict[] = [];
  onAbandon: () => void = () => undefined;

  tick(nowMs: number): void {
    this.ticks.push(nowMs);
  }

  abandon(verdict: Verdict): void {
    this.verdicts.push(verdict);
    this.onAbandon();
  }
}

const longMs = 60_000;

function setUp(count: number) {
  const deadlines = new ManualDeadlines();
  const running = new RunningAttempts(deadlines, { limits: { readOnAttemptsMax: 0 }, clocks: { readOnMs: 0 } });
  const attempts = Array.from({ length: count }, () => new ScriptedAttempt());
  for (const attempt of attempts) running.add(attempt);
  return { deadlines, running, attempts };
}

describe('drain', () => {
  test('resolves at once where nothing runs', async () => {
    await setUp(0).running.drain(longMs);
  });

  test('resolves with the last attempt, and abandons none that finishes in time', async () => {
    const { running, attempts } = setUp(2);
    let drained = false;
    const draining = running.drain(longMs).then(() => {
      drained = true;
    });
    const [first, second] = attempts;
    if (first === undefined || second === undefined) throw new Error('Two attempts were made.');
    running.delete(first);
    await Promise.resolve();
    await Promise.resolve();
    expect(drained).toBe(false);
    running.delete(second);
    await draining;
    expect(attempts.flatMap(({ verdicts }) => verdicts)).toEqual([]);
  });

  test('abandons each attempt once when its patience ends, and waits until they have settled', async () => {
    const { running, attempts } = setUp(3);
    for (const attempt of attempts) attempt.onAbandon = () => queueMicrotask(() => running.delete(attempt));
    await running.drain(1);
    expect(running.size).toBe(0);
    for (const { verdicts } of attempts) {
      expect(verdicts).toMatchObject([{ kind: 'limit', error: { code: 'shutting_down' } }]);
    }
  });
});

describe('ticks', () => {
  test('reach every attempt through one entry, and none that has ended', () => {
    const { deadlines, running, attempts } = setUp(2);
    expect([...deadlines.entries]).toEqual([running]);
    deadlines.tickAll(250);
    const [first, second] = attempts;
    if (first === undefined || second === undefined) throw new Error('Two attempts were made.');
    running.delete(first);
    deadlines.tickAll(500);
    expect(first.ticks).toEqual([250]);
    expect(second.ticks).toEqual([250, 500]);
  });

  test('stop while nothing runs, and begin again with the next attempt', () => {
    const { deadlines, running, attempts } = setUp(1);
    for (const attempt of attempts) running.delete(attempt);
    deadlines.tickAll(250);
    expect(deadlines.entries.size).toBe(0);
    const next = new ScriptedAttempt();
    running.add(next);
    deadlines.tickAll(500);
    expect(next.ticks).toEqual([500]);
  });
});
