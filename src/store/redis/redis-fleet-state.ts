/** The state that replicas share, in Redis: it ends each entry by its own clock. */

import {
  type FleetEntry,
  type FleetReading,
  type FleetState,
  fleetEntriesMax,
} from '../../routing/fleet/fleet-state.ts';
import { RedisConnection, type RedisConnectionOptions } from './redis-connection.ts';
import { fleetKeys } from './redis-keys.ts';
import { redisScript } from './redis-script.ts';

interface RedisFleetState extends FleetState {
  /** Resolves when the first attempt to connect ended, well or not. */
  readonly tried: Promise<void>;
  close(): void;
}

/**
 * KEYS: ends of entries (sorted set), their values (hash), the revision. ARGV: changes as JSON, the known revision.
 * Returns the revision, the keys that were claimed, and, where the revision is another one, key, value and time left of
 * each entry. A revision is a time, so that one from before a restart of Redis never comes back.
 */
const exchangeScript = redisScript(`
local ends, values, most = KEYS[1], KEYS[2], ${fleetEntriesMax}
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local changes = cjson.decode(ARGV[1])
local drop = function(key) redis.call('ZREM', ends, key) redis.call('HDEL', values, key) end
local set = function(key, value, untilMs) redis.call('ZADD', ends, untilMs, key) redis.call('HSET', values, key, value) end
for _, key in ipairs(redis.call('ZRANGEBYSCORE', ends, '-inf', now)) do drop(key) end
for _, entry in ipairs(changes.remove) do
  if not entry.value or redis.call('HGET', values, entry.key) == entry.value then drop(entry.key) end
end
for _, entry in ipairs(changes.put) do
  local known = tonumber(redis.call('ZSCORE', ends, entry.key) or 0)
  if redis.call('ZCARD', ends) < most then set(entry.key, entry.value, math.max(known, now + entry.leftMs)) end
end
local claimed = {}
for _, entry in ipairs(changes.claim) do
  local holder = redis.call('HGET', values, entry.key)
  if not holder or holder == entry.value then
    set(entry.key, entry.value, now + entry.leftMs)
    claimed[#claimed + 1] = entry.key
  end
end
local revision = redis.call('GET', KEYS[3])
if not revision or #changes.remove + #changes.put + #changes.claim > 0 then
  local next = tonumber(time[1]) * 1000000 + tonumber(time[2])
  revision = string.format('%.0f', math.max(next, tonumber(revision or 0) + 1))
  redis.call('SET', KEYS[3], revision)
end
if revision == ARGV[2] then return { revision, claimed } end
local found, entries = redis.call('ZREVRANGE', ends, 0, -1, 'WITHSCORES'), {}
for index = 1, #found, 2 do
  entries[#entries + 1] = found[index]
  entries[#entries + 1] = redis.call('HGET', values, found[index]) or ''
  entries[#entries + 1] = tonumber(found[index + 1]) - now
end
if #found > 0 then
  for index = 1, 2 do redis.call('PEXPIRE', KEYS[index], math.max(1, tonumber(found[2]) - now)) end
end
return { revision, claimed, entries }
`);

export function createRedisFleetState(options: RedisConnectionOptions): RedisFleetState {
  const connection = new RedisConnection({ ...options, scripts: [exchangeScript] });
  return {
    tried: connection.tried,
    async exchange({ remove, put, claim }, knownRevision = '') {
      const changes = JSON.stringify({ remove, put: put.map(whole), claim: claim.map(whole) });
      return readReply(await connection.run(exchangeScript, fleetKeys, [changes, knownRevision]));
    },
    close: () => connection.close(),
  };
}

function whole(entry: FleetEntry): FleetEntry {
  return { ...entry, leftMs: Math.ceil(entry.leftMs) };
}

function readReply(reply: unknown): FleetReading {
  const [revision, claimed, found] = Array.isArray(reply) ? (reply as unknown[]) : [];
  const read = { revision: String(revision), claimed: Array.isArray(claimed) ? claimed.map(String) : [] };
  if (!Array.isArray(found)) return read;
  const entries: FleetEntry[] = [];
  for (let index = 0; index + 2 < found.length; index += 3)
    entries.push({
      key: String(found[index]),
      value: String(found[index + 1]),
      leftMs: Number(found[index + 2]),
    });
  return { ...read, entries };
}
