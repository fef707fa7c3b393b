/** The limits of callers: shared through Redis or the table of a machine's workers, or of this process alone. */

import type { Limiter } from '../access/limits.ts';
import { createMemoryLimiter } from '../access/memory-limiter.ts';
import type { Conditions } from '../observe/conditions.ts';
import type { Logger } from '../observe/logger.ts';
import { RedisAvailability } from '../observe/redis-availability.ts';
import type { Config } from '../settings/config.ts';
import { RedisFault } from '../store/redis/redis-address.ts';
import { createRedisLimiter } from '../store/redis/redis-limits.ts';
import type { WorkerLink } from '../workers/worker-link.ts';

interface ChosenLimiter extends Limiter {
  /** Where Redis is configured: whether it decides, and is not about to fail again. */
  readonly redisUp?: boolean;
  /** Returns what this replica counted ahead. */
  finish?(): Promise<void>;
}

interface LimitParts {
  readonly config: Config;
  readonly conditions: Conditions;
  readonly logger: Logger;
  /** Monotonic: if a wall clock were set back, it would block tokens until the old time is reached again. */
  readonly nowMs: () => number;
  readonly link: WorkerLink | undefined;
}

/** Rejects where what `redis_url` names can never serve: nothing but a change of it would help. */
export async function limiterOf({ config, conditions, logger, nowMs, link }: LimitParts): Promise<ChosenLimiter> {
  const { redisUrl: url, clocks } = config;
  if (url === undefined) return link?.limiter(nowMs) ?? createMemoryLimiter({ nowMs });
  const redis = new RedisAvailability({ conditions, logger });
  const limiter = createRedisLimiter({ url, timeoutMs: clocks.redisTimeoutMs, nowMs, onChange: redis.changed });
  await limiter.tried;
  const { fault } = limiter;
  if (fault?.isMistake) {
    limiter.close();
    throw new RedisFault(`redis_url cannot be used: ${fault.message}`, { isMistake: true });
  }
  return {
    ...limiter,
    get redisUp() {
      return redis.up;
    },
  };
}
