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
const none = (): number => 0;

function setUp(count: number) {
  const deadlines = new ManualDeadlines();
  const running = new RunningAttempts(deadlines, { limits: { readOnAttemptsMax: 0 }, clocks: { readOnMs: 0 } });
  const attempts = Array.from({ length: count }, () => new ScriptedAttempt());
  for (const attempt of attempts) running.add(attempt);
  return { deadlines, running, attempts };
}

describe('drain', () => {
  test('resolves at once where nothing runs', async () => {
    await setUp(0).running.drain(longMs, none);
  });

  test('resolves with the last attempt, and abandons none that finishes in time', async () => {
    const { running, attempts } = setUp(2);
    let drained = false;
    const draining = running.drain(longMs, none).then(() => {
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
    await running.drain(1, none);
    expect(running.size).toBe(0);
    for (const { verdicts } of attempts) {
      expect(verdicts).toMatchObject([{ kind: 'limit', error: { code: 'shutting_down' } }]);
    }
  });
});

describe('drain with accepted requests', () => {
  test('waits for a request that has no attempt yet, and then for its attempt', async () => {
    const { running } = setUp(0);
    let accepted = 1;
    let asked = 0;
    let drained = false;
    const polled = Promise.withResolvers<void>();
    const draining = running
      .drain(longMs, () => {
        if (++asked === 2) polled.resolve();
        return accepted;
      })
      .then(() => {
        drained = true;
      });
    await polled.promise;
    expect(drained).toBe(false);
    const attempt = new ScriptedAttempt();
    running.add(attempt);
    accepted = 0;
    await Bun.sleep(0);
    expect(drained).toBe(false);
    running.delete(attempt);
    await draining;
    expect(attempt.verdicts).toEqual([]);
  });

  test('waits between an attempt that failed and its fallback', async () => {
    const { running, attempts } = setUp(1);
    let accepted = 1;
    let drained = false;
    const draining = running
      .drain(longMs, () => accepted)
      .then(() => {
        drained = true;
      });
    const [first] = attempts;
    if (first === undefined) throw new Error('An attempt was made.');
    running.delete(first);
    const fallback = new ScriptedAttempt();
    await Bun.sleep(0);
    expect(drained).toBe(false);
    running.add(fallback);
    accepted = 0;
    running.delete(fallback);
    await draining;
  });

  test('does not wait longer than its patience, for a request without an attempt', async () => {
    await setUp(0).running.drain(1, () => 1);
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
