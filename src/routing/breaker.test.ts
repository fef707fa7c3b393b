import { describe, expect, test } from 'bun:test';
import { Breaker, type BreakerRules, strayTurn } from './breaker.ts';

const rules: BreakerRules = {
  windowMs: 1_000,
  failuresMin: 4,
  failureShare: 0.5,
  failuresInRow: 12,
  openMs: 100,
  openMsMax: 400,
};
/** A request that begins and ends in one moment. */
const fails = (breaker: Breaker, nowMs: number): void => breaker.failed(breaker.enter(nowMs), nowMs);
const succeeds = (breaker: Breaker, nowMs: number): void => breaker.succeeded(breaker.enter(nowMs), nowMs);
const opened = (nowMs = 0): Breaker => {
  const breaker = new Breaker(rules);
  for (let count = 0; count < 4; count++) fails(breaker, nowMs);
  return breaker;
};

test('one failure, or a few, leave it closed', () => {
  const breaker = new Breaker(rules);
  for (let count = 0; count < 3; count++) fails(breaker, 0);
  expect(breaker.state(0)).toBe('closed');
  expect(breaker.admits(0)).toBe(true);
  expect(breaker.enter(0)).not.toBe(strayTurn);
});

test('many failures among more successes leave it closed, half of all open it', () => {
  const breaker = new Breaker(rules);
  for (let count = 0; count < 10; count++) succeeds(breaker, 0);
  for (let count = 0; count < 9; count++) fails(breaker, 0);
  expect(breaker.state(0)).toBe('closed');
  fails(breaker, 0);
  expect(breaker.state(0)).toBe('open');
});

test('a row of failures opens it however much went well before, and a success between breaks the row', () => {
  const breaker = new Breaker(rules);
  for (let count = 0; count < 1_000; count++) succeeds(breaker, 0);
  for (let count = 0; count < 11; count++) fails(breaker, 0);
  succeeds(breaker, 0);
  for (let count = 0; count < 11; count++) fails(breaker, 0);
  expect(breaker.state(0)).toBe('closed');
  fails(breaker, 0);
  expect(breaker.state(0)).toBe('open');
});

test('failures are forgotten after the window, a slice at a time', () => {
  const breaker = new Breaker(rules);
  for (let count = 0; count < 3; count++) fails(breaker, 50);
  fails(breaker, 1_060);
  expect(breaker.state(1_060)).toBe('closed');
  for (const atMs of [1_960, 1_990]) fails(breaker, atMs);
  expect(breaker.state(1_990)).toBe('closed');
  fails(breaker, 1_999);
  expect(breaker.state(1_999)).toBe('open');
});

test('a long silence forgets everything', () => {
  const breaker = new Breaker(rules);
  for (let count = 0; count < 3; count++) fails(breaker, 0);
  fails(breaker, 1_000_000);
  expect(breaker.state(1_000_000)).toBe('closed');
});

describe('open', () => {
  test('admits no request until its time is up, then one probe', () => {
    const breaker = opened();
    expect([breaker.admits(0), breaker.admits(99)]).toEqual([false, false]);
    expect(breaker.state(100)).toBe('half-open');
    expect(breaker.admits(100)).toBe(true);
    expect(breaker.enter(100)).not.toBe(strayTurn);
    expect(breaker.admits(100)).toBe(false);
    expect(breaker.enter(101)).toBe(strayTurn);
  });

  test('a probe that succeeds closes it and forgets the failures', () => {
    const breaker = opened();
    const probe = breaker.enter(100);
    breaker.succeeded(probe, 120);
    expect(breaker.state(120)).toBe('closed');
    for (let count = 0; count < 3; count++) fails(breaker, 130);
    expect(breaker.state(130)).toBe('closed');
  });

  test('a probe that begins to answer closes it, and counts against it where it breaks off', () => {
    const breaker = opened();
    const probe = breaker.enter(100);
    breaker.answered(probe);
    expect(breaker.state(120)).toBe('closed');
    for (let count = 0; count < 3; count++) fails(breaker, 130);
    breaker.failed(probe, 140);
    expect(breaker.state(140)).toBe('open');
  });

  test('each probe that fails keeps it open for twice as long, up to the most', () => {
    const breaker = opened();
    let nowMs = 0;
    for (const waitMs of [100, 200, 400, 400]) {
      expect(breaker.openUntilMs).toBe(nowMs + waitMs);
      nowMs += waitMs;
      const probe = breaker.enter(nowMs);
      expect(probe).not.toBe(strayTurn);
      breaker.failed(probe, nowMs);
    }
  });

  test('an abandoned probe leaves room for another', () => {
    const breaker = opened();
    breaker.abandoned(breaker.enter(100));
    expect(breaker.admits(100)).toBe(true);
  });
});

describe('a request in flight when it opened', () => {
  test('changes nothing, however it ends', () => {
    const breaker = new Breaker(rules);
    const earlier = breaker.enter(0);
    for (let count = 0; count < 4; count++) fails(breaker, 0);
    for (const end of ['failed', 'succeeded', 'trip'] as const) breaker[end](earlier, 50);
    breaker.answered(earlier);
    breaker.abandoned(earlier);
    expect([breaker.state(60), breaker.openUntilMs]).toEqual(['open', 100]);
  });

  test('neither speaks for the probe nor makes room for a second one', () => {
    const breaker = new Breaker(rules);
    const earlier = breaker.enter(0);
    for (let count = 0; count < 4; count++) fails(breaker, 0);
    breaker.enter(100);
    for (const end of ['failed', 'succeeded', 'trip'] as const) breaker[end](earlier, 110);
    breaker.abandoned(earlier);
    breaker.abandoned(strayTurn);
    expect([breaker.state(120), breaker.openUntilMs, breaker.admits(120)]).toEqual(['half-open', 100, false]);
  });

  test('does not count once the probe has closed it', () => {
    const breaker = new Breaker(rules);
    const earlier = Array.from({ length: 20 }, () => breaker.enter(0));
    for (let count = 0; count < 4; count++) fails(breaker, 0);
    breaker.succeeded(breaker.enter(100), 110);
    for (const turn of earlier) breaker.failed(turn, 120);
    expect(breaker.state(120)).toBe('closed');
  });

  test('nor does the probe, where another replica has seen it fail since', () => {
    const breaker = opened();
    const probe = breaker.enter(100);
    breaker.openUntil(500);
    breaker.succeeded(probe, 110);
    expect(breaker.admits(499)).toBe(false);
  });
});

test('another replica can open it, and not shorten it', () => {
  const breaker = new Breaker(rules);
  const earlier = breaker.enter(0);
  breaker.openUntil(500);
  breaker.succeeded(earlier, 10);
  expect(breaker.admits(499)).toBe(false);
  breaker.openUntil(300);
  expect(breaker.openUntilMs).toBe(500);
  expect(breaker.enter(500)).not.toBe(strayTurn);
});
