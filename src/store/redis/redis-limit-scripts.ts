/** The limits' decisions as Redis makes them: each script is atomic over one token, whichever replica calls it. */

import { redisScript } from './redis-connection.ts';

/** Clocks of replicas differ, so the server's clock counts; a test passes its own. */
const now = `
local function clock(given)
  if given ~= '0' then return tonumber(given) end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
`;

/**
 * KEYS: windows (hash: r<slice> requests, t<slice> tokens), slots (sorted set: slot by end of lease).
 * ARGV: rpm, tpm, concurrency (-1 where there is no such limit), tokens to reserve, slot, lease, now, slice length, slice count.
 * Without limits of requests and concurrency it only reserves tokens.
 * Gives: denied ('' or a limit's name), wait, requests used, tokens used, now, newest request slice, newest token slice, slice.
 */
export const enterScript = redisScript(`${now}
local limits = { r = tonumber(ARGV[1]), t = tonumber(ARGV[2]) }
local concurrency = tonumber(ARGV[3])
local amounts = { r = 1, t = tonumber(ARGV[4]) }
local at = clock(ARGV[7])
local slice_ms, slice_count = tonumber(ARGV[8]), tonumber(ARGV[9])
local current = math.floor(at / slice_ms)
local oldest = current - slice_count + 1
local counted, used, newest, stale = {}, { r = 0, t = 0 }, { r = 0, t = 0 }, {}

if limits.r >= 0 or limits.t >= 0 then
  local fields = redis.call('HGETALL', KEYS[1])
  for index = 1, #fields, 2 do
    local field, amount = fields[index], tonumber(fields[index + 1])
    local kind, slice = string.sub(field, 1, 1), tonumber(string.sub(field, 2))
    if slice < oldest or slice > current + slice_count then
      stale[#stale + 1] = field
    else
      counted[field] = amount
      used[kind] = used[kind] + amount
      if amount > 0 then newest[kind] = math.max(newest[kind], slice) end
    end
  end
end

local function wait(kind)
  local left = used[kind]
  for slice = oldest, current do
    left = left - (counted[kind .. slice] or 0)
    if left + amounts[kind] <= limits[kind] then return (slice + slice_count) * slice_ms - at end
  end
  return slice_count * slice_ms
end

local function answer(denied, wait_ms)
  return { denied, wait_ms, used.r, used.t, at, newest.r, newest.t, current }
end

if limits.r >= 0 and used.r + 1 > limits.r then return answer('requests', wait('r')) end
if limits.t >= 0 and used.t + amounts.t > limits.t then return answer('tokens', wait('t')) end
if concurrency >= 0 then
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', at)
  if redis.call('ZCARD', KEYS[2]) >= concurrency then return answer('concurrency', 0) end
  redis.call('ZADD', KEYS[2], at + tonumber(ARGV[6]), ARGV[5])
  redis.call('PEXPIRE', KEYS[2], ARGV[6])
end
if #stale > 0 then redis.call('HDEL', KEYS[1], unpack(stale)) end
for _, kind in ipairs({ 'r', 't' }) do
  if limits[kind] >= 0 then
    -- Also where nothing is reserved: what is used in the end is counted in this slice.
    redis.call('HINCRBY', KEYS[1], kind .. current, kind == 'r' and 1 or ARGV[4])
    used[kind] = used[kind] + amounts[kind]
    if amounts[kind] > 0 then newest[kind] = math.max(newest[kind], current) end
    redis.call('PEXPIRE', KEYS[1], slice_ms * slice_count)
  end
end
return answer('', 0)
`);

/**
 * A class of requests with a window of its own. KEYS: its window (hash: slice, requests). ARGV: limit, now, slice length, slice
 * count. Gives how long to wait, 0 where the request was counted.
 */
export const classScript = redisScript(`${now}
local limit, slice_ms, slice_count = tonumber(ARGV[1]), tonumber(ARGV[3]), tonumber(ARGV[4])
local at = clock(ARGV[2])
local current = math.floor(at / slice_ms)
local oldest = current - slice_count + 1
local counted, used, stale = {}, 0, {}
local fields = redis.call('HGETALL', KEYS[1])
for index = 1, #fields, 2 do
  local slice, amount = tonumber(fields[index]), tonumber(fields[index + 1])
  if slice < oldest or slice > current + slice_count then
    stale[#stale + 1] = fields[index]
  else
    counted[slice] = amount
    used = used + amount
  end
end
if used + 1 > limit then
  for slice = oldest, current do
    used = used - (counted[slice] or 0)
    if used + 1 <= limit then return (slice + slice_count) * slice_ms - at end
  end
  return slice_count * slice_ms
end
if #stale > 0 then redis.call('HDEL', KEYS[1], unpack(stale)) end
redis.call('HINCRBY', KEYS[1], current, 1)
redis.call('PEXPIRE', KEYS[1], slice_ms * slice_count)
return 0
`);

/** KEYS as those of entering, read and never written. ARGV: now, slice length, slice count. Gives: requests used, tokens used, slots taken. */
export const peekScript = redisScript(`${now}
local at = clock(ARGV[1])
local slice_count = tonumber(ARGV[3])
local current = math.floor(at / tonumber(ARGV[2]))
local used = { r = 0, t = 0 }
local fields = redis.call('HGETALL', KEYS[1])
for index = 1, #fields, 2 do
  local kind, slice = string.sub(fields[index], 1, 1), tonumber(string.sub(fields[index], 2))
  if slice > current - slice_count and slice <= current + slice_count then
    used[kind] = used[kind] + tonumber(fields[index + 1])
  end
end
return { used.r, used.t, redis.call('ZCOUNT', KEYS[2], '(' .. at, '+inf') }
`);

/** KEYS as those of entering. ARGV: slot ('' for none), slice of the reservation, difference to its tokens ('0' for none). */
export const leaveScript = redisScript(`
if ARGV[1] ~= '' then redis.call('ZREM', KEYS[2], ARGV[1]) end
local field = 't' .. ARGV[2]
if ARGV[3] ~= '0' and redis.call('HEXISTS', KEYS[1], field) == 1 then
  if redis.call('HINCRBY', KEYS[1], field, ARGV[3]) < 0 then redis.call('HSET', KEYS[1], field, 0) end
end
return 0
`);

/** KEYS: slots. ARGV: lease, now, the slots that are still in use. A server that restarted empty gets them again. */
export const renewScript = redisScript(`${now}
local ends_at = clock(ARGV[2]) + tonumber(ARGV[1])
for index = 3, #ARGV do redis.call('ZADD', KEYS[1], ends_at, ARGV[index]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 0
`);
