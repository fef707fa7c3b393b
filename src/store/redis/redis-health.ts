/** Notices of provider health that replicas share: Redis expires each one is valid, by its own clock alone. */

import { createRedisConnection, type RedisConnectionOptions, redisScript } from './redis-connection.ts';

interface RedisNotices {
  /** Resolves when the first attempt to connect ended, well or not. */
  readonly tried: Promise<void>;
  /** Rejects at once while Redis is away, and soon where it goes away. */
  exchange(put: ReadonlyMap<string, number>, taken: readonly string[]): Promise<ReadonlyMap<string, number>>;
  close(): void;
}

const boardKey = 'weir:health';
/** More are not read: they would be a mistake, and every replica reads them twice a second. */
const noticesMax = 2_000;

/**
 * KEYS: the notices (sorted set: notice by its end). ARGV: how many are removed, those, then each one that is added and its time left.
 * Returns: notice, time left, notice, time left … A notice that two replicas added is valid for the longer time.
 */
const exchangeScript = redisScript(`
local board, most = KEYS[1], ${noticesMax}
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local taken = tonumber(ARGV[1])
for index = 2, taken + 1 do redis.call('ZREM', board, ARGV[index]) end
redis.call('ZREMRANGEBYSCORE', board, '-inf', now)
for index = taken + 2, #ARGV, 2 do
  local ends = now + tonumber(ARGV[index + 1])
  local known = redis.call('ZSCORE', board, ARGV[index])
  if not known or tonumber(known) < ends then redis.call('ZADD', board, ends, ARGV[index]) end
end
local standing = redis.call('ZREVRANGE', board, 0, most - 1, 'WITHSCORES')
if #standing > 0 then redis.call('PEXPIRE', board, math.max(1, tonumber(standing[2]) - now)) end
for index = 2, #standing, 2 do standing[index] = tonumber(standing[index]) - now end
return standing
`);

export function createRedisNotices(options: RedisConnectionOptions): RedisNotices {
  const connection = createRedisConnection({ ...options, scripts: [exchangeScript] });
  return {
    tried: connection.tried,
    async exchange(put, taken) {
      const values = [String(taken.length), ...taken];
      for (const [notice, leftMs] of put) values.push(notice, String(Math.ceil(leftMs)));
      return readStanding(await connection.run(exchangeScript, [boardKey], values));
    },
    close: () => connection.close(),
  };
}

function readStanding(reply: unknown): ReadonlyMap<string, number> {
  const values: readonly unknown[] = Array.isArray(reply) ? reply : [];
  const standing = new Map<string, number>();
  for (let index = 0; index + 1 < values.length; index += 2) {
    const leftMs = Number(values[index + 1]);
    if (leftMs > 0) standing.set(String(values[index]), leftMs);
  }
  return standing;
}
