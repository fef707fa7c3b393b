/** What a session allows: the larger of what the provider said and what the client sent since, and turns by the audio that is ahead. */

import { expect, test } from 'bun:test';
import { covers, ResponseBounds } from './response-bounds.ts';

const second = 48_000;

test('a limit counts when it is named, and shrinks only when the provider says so', () => {
  const bounds = new ResponseBounds();
  expect(bounds.outputLimit).toBe('inf');
  bounds.reported({ outputLimit: 100 });
  bounds.named(200, false);
  expect(bounds.outputLimit).toBe(200);
  bounds.named(50, false);
  expect(bounds.outputLimit).toBe(200);
  bounds.reported({ outputLimit: 200 });
  bounds.reported({ outputLimit: 50 });
  expect(bounds.outputLimit).toBe(50);
  bounds.named('inf', false);
  expect(bounds.outputLimit).toBe('inf');
});

test('a provider detects turns unless it says otherwise, and when the client asks for it', () => {
  const bounds = new ResponseBounds();
  expect(bounds.detectsTurns).toBe(true);
  bounds.reported({ detectsTurns: false });
  expect([bounds.detectsTurns, bounds.turnsOf(10 * second, 0)]).toEqual([false, 0]);
  bounds.named(undefined, true);
  bounds.reported({ detectsTurns: false });
  expect(bounds.detectsTurns).toBe(true);
  bounds.reported({ detectsTurns: true });
  bounds.reported({ detectsTurns: false });
  expect(bounds.detectsTurns).toBe(false);
});

test('audio as fast as it is spoken is one turn, audio ahead of it one for each second', () => {
  const bounds = new ResponseBounds();
  for (let atMs = 0; atMs < 60_000; atMs += 100) {
    expect(bounds.turnsOf(second / 10, atMs)).toBe(1);
    bounds.sent(second / 10, atMs);
  }
  expect(bounds.turnsOf(5 * second, 60_000)).toBe(5);
  bounds.sent(5 * second, 60_000);
  expect([bounds.turnsDue(60_000), bounds.turnsDue(72_000), bounds.turnsDue(75_000)]).toEqual([5, 3, 1]);
  for (let begun = 0; begun < 5; begun++) bounds.answered();
  expect(bounds.turnsDue(60_000)).toBe(0);
});

test('silence that is answered is always due', () => {
  const bounds = new ResponseBounds();
  bounds.reported({ detectsTurns: true, startsWhenIdle: true });
  expect([bounds.startsWhenIdle, bounds.turnsDue(0)]).toEqual([true, 1]);
});

test('a reservation covers what is as short', () => {
  expect([covers('inf', 'inf'), covers('inf', 9), covers(9, 9), covers(8, 9), covers(9, 'inf')]).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});
