/** One outage of Redis is one condition, however often the connection comes and goes meanwhile. */

import { expect, test } from 'bun:test';
import { Conditions } from './conditions.ts';
import { RedisAvailability } from './redis-availability.ts';

function watched() {
  const lines: string[] = [];
  const conditions = new Conditions();
  const log = (level: string) => (message: string) => void lines.push(`${level} ${message.split(/[:.;]/, 1)[0]}`);
  const logger = { info: log('info'), warn: log('warn') };
  conditions.tell(logger);
  let nowMs = 0;
  const timers = new Map<() => void, number>();
  const redis = new RedisAvailability({
    conditions,
    logger,
    later(work, afterMs) {
      timers.set(work, nowMs + afterMs);
      return () => timers.delete(work);
    },
  });
  const pass = (ms: number): void => {
    const untilMs = nowMs + ms;
    for (;;) {
      const [next] = [...timers].filter(([, atMs]) => atMs <= untilMs).sort(([, a], [, b]) => a - b);
      if (next === undefined) break;
      timers.delete(next[0]);
      nowMs = next[1];
      next[0]();
    }
    nowMs = untilMs;
  };
  return { redis, conditions, lines, pass, texts: () => conditions.all.map(({ text }) => text) };
}

test('a Redis that answers at the start is up; one that does not is a condition at once, in its own words', () => {
  const good = watched();
  good.redis.changed(true);
  expect([good.redis.up, good.texts(), good.lines]).toEqual([true, [], ['info Redis answers']]);
  const bad = watched();
  bad.redis.changed(false, 'cache:6379: NOAUTH Authentication required.');
  expect(bad.redis.up).toBe(false);
  expect(bad.texts()).toEqual([expect.stringContaining('NOAUTH Authentication required. Each replica counts')]);
});

test('a lost connection is one line and no condition', () => {
  const { redis, lines, pass, texts } = watched();
  redis.changed(true);
  redis.changed(false, 'the connection was closed');
  expect(redis.up).toBe(false);
  pass(500);
  redis.changed(true);
  expect(redis.up).toBe(false);
  pass(10_000);
  expect([redis.up, texts()]).toEqual([true, []]);
  expect(lines).toEqual(['info Redis answers', 'info Redis could not be used for a moment']);
});

test('a failure that repeats between connections is one outage: one pair of lines, never up in between', () => {
  const { redis, lines, pass, texts } = watched();
  redis.changed(true);
  for (let nth = 0; nth < 40; nth += 1) {
    redis.changed(false, 'OOM command not allowed');
    pass(125);
    redis.changed(true);
    pass(125);
    expect(redis.up).toBe(false);
  }
  expect(texts()).toHaveLength(1);
  pass(2_000);
  expect([redis.up, texts()]).toEqual([true, []]);
  pass(60_000);
  redis.changed(false, 'the connection was closed');
  pass(3_000);
  expect(texts()).toHaveLength(1);
  const pair = ['warn Redis cannot be used', 'info This is over'];
  expect(lines).toEqual(['info Redis answers', ...pair, 'warn Redis cannot be used']);
});
