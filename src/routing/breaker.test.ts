import { describe, expect, test } from 'bun:test';
import { Breaker, type BreakerRules } from './breaker.ts';

const rules: BreakerRules = {
  windowMs: 1_000,
  failuresMin: 4,
  failureShare: 0.5,
  failuresInRow: 12,
  openMs: 100,
  openMsMax: 400,
};
const opened = (nowMs = 0): Breaker => {
  const breaker = new Breaker(rules);
  for (let count = 0; count < 4; count++) breaker.failed(nowMs);
  return breaker;
};

test('one failure, or a few, leave it closed', () => {
  const breaker = new Breaker(rules);
  for (let count = 0; count < 3; count++) breaker.failed(0);
  expect(breaker.state(0)).toBe('closed');
  expect(breaker.admits(0)).toBe(true);
  expect(breaker.begin(0)).toBe(false);
});

test('many failures among more successes leave it closed, half of all open it', () => {
  const breaker = new Breaker(rules);
  for (let count = 0; count < 10; count++) breaker.succeeded(0);
  for (let count = 0; count < 9; count++) breaker.failed(0);
  expect(breaker.state(0)).toBe('closed');
  breaker.failed(0);
  expect(breaker.state(0)).toBe('open');
});

test('a row of failures opens it however much went well before, and a success between breaks the row', () => {
  const breaker = new Breaker(rules);
  for (let count = 0; count < 1_000; count++) breaker.succeeded(0);
  for (let count = 0; count < 11; count++) breaker.failed(0);
  breaker.succeeded(0);
  for (let count = 0; count < 11; count++) breaker.failed(0);
  expect(breaker.state(0)).toBe('closed');
  breaker.failed(0);
  expect(breaker.state(0)).toBe('open');
});

test('failures are forgotten after the window, a slice at a time', () => {
  const breaker = new Breaker(rules);
  for (let count = 0; count < 3; count++) breaker.failed(50);
  breaker.failed(1_060);
  expect(breaker.state(1_060)).toBe('closed');
  for (const atMs of [1_960, 1_990]) breaker.failed(atMs);
  expect(breaker.state(1_990)).toBe('closed');
  breaker.failed(1_999);
  expect(breaker.state(1_999)).toBe('open');
});

test('a long silence forgets everything', () => {
  const breaker = new Breaker(rules);
  for (let count = 0; count < 3; count++) breaker.failed(0);
  breaker.failed(1_000_000);
  expect(breaker.state(1_000_000)).toBe('closed');
});

describe('open', () => {
  test('admits nobody until its time is up, then one probe', () => {
    const breaker = opened();
    expect([breaker.admits(0), breaker.admits(99)]).toEqual([false, false]);
    expect(breaker.state(100)).toBe('half-open');
    expect(breaker.admits(100)).toBe(true);
    expect(breaker.begin(100)).toBe(true);
    expect(breaker.admits(100)).toBe(false);
    expect(breaker.begin(101)).toBe(false);
  });

  test('a probe that succeeds closes it and forgets the failures', () => {
    const breaker = opened();
    breaker.begin(100);
    breaker.succeeded(120);
    expect(breaker.state(120)).toBe('closed');
    for (let count = 0; count < 3; count++) breaker.failed(130);
    expect(breaker.state(130)).toBe('closed');
  });

  test('each probe that fails keeps it open for twice as long, up to the most', () => {
    const breaker = opened();
    let nowMs = 0;
    for (const waitMs of [100, 200, 400, 400]) {
      expect(breaker.openUntilMs).toBe(nowMs + waitMs);
      nowMs += waitMs;
      expect(breaker.begin(nowMs)).toBe(true);
      breaker.failed(nowMs);
    }
  });

  test('a probe that nobody ended well or badly leaves room for another', () => {
    const breaker = opened();
    breaker.begin(100);
    breaker.abandoned();
    expect(breaker.admits(100)).toBe(true);
  });

  test('what was under way when it opened changes nothing by failing, and closes it by succeeding', () => {
    const breaker = opened();
    breaker.failed(50);
    expect(breaker.openUntilMs).toBe(100);
    breaker.succeeded(60);
    expect(breaker.state(60)).toBe('closed');
  });
});

test('another replica can open it, and not shorten it', () => {
  const breaker = new Breaker(rules);
  breaker.openUntil(500);
  expect(breaker.admits(499)).toBe(false);
  breaker.openUntil(300);
  expect(breaker.openUntilMs).toBe(500);
  expect(breaker.begin(500)).toBe(true);
});
