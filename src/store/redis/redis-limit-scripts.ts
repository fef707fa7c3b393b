/** The limits' decisions as Redis makes them: each script is atomic, whichever replica calls it. */

import { sliceCount, sliceMs } from '../../access/limits.ts';
import { redisScript } from './redis-script.ts';

/** Clocks of replicas differ, so the server's clock counts; a test passes its own. */
const now = `
local function clock(given)
  if given ~= '0' then return tonumber(given) end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
`;

/**
 * Entries and ends of many requests: the ends first, then the others in order. Each level's windows are read once, and what they
 * change by is written once; so are its slots.
 *
 * KEYS: of each level its window (hash: r<slice> requests, t<slice> tokens, c<slice> requests of a class, and those of r and t
 * that were counted ahead for some replica: a<slice>, b<slice>) and its slots (sorted set: slot by end of lease), each once.
 * ARGV: now, lease, slice length, slice count, then three lists in JSON:
 * 1. The number of a key, in the order in which ends and operations use them: of each level its window and, unless it is of a
 *    class, its slots.
 * 2. Ends. Of each: slot ('' for none), slice of the reservation, difference to its tokens, difference to its requests.
 * 3. Operations:
 * `enter`, number of levels, tokens to reserve, then of each level rpm, tpm, concurrency (-1 where there is no such limit) and
 * slot. Without limits of requests and concurrency it only reserves tokens. Gives for each level: denied (0, or the number of the
 * limit), wait, requests used, tokens used, newest request slice, newest token slice. Nothing is counted where one level denies.
 * Where it would fit if other replicas returned what they have ahead, denied is 3 more, and the wait lasts until they do: then it
 * is to be repeated with \`enter-again\`.
 * \`ahead\`, rpm, tpm, concurrency, requests, tokens: counts them for requests to come, unless the level is near a limit. Gives: 1
 * where it did, requests used, tokens used.
 * `class`, number of levels, then the limit of each. Gives for each how long to wait, 0 everywhere where it was counted.
 * `peek`. Gives: requests used, tokens used, slots taken.
 *
 * The reply is one list: now, the slice of now, and what the operations give.
 */
export const batchScript = redisScript(`${now}
local at = clock(ARGV[1])
local lease_ms, slice_ms, slice_count = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local key_numbers, ends, values = cjson.decode(ARGV[5]), cjson.decode(ARGV[6]), cjson.decode(ARGV[7])
local current = math.floor(at / slice_ms)
local oldest = current - slice_count + 1
local windows, slots = {}, {}
local results, result_count = { at, current }, 2
local key_at, value_at = 0, 0

local function next_key()
  key_at = key_at + 1
  return KEYS[key_numbers[key_at]]
end

local function next_value()
  value_at = value_at + 1
  return values[value_at]
end

local function give(number)
  result_count = result_count + 1
  results[result_count] = number
end

local function window_of(key)
  local window = windows[key]
  if window then return window end
  window = { counted = {}, used = { r = 0, t = 0, c = 0, a = 0, b = 0 }, newest = { r = 0, t = 0, c = 0, a = 0, b = 0 }, stale = {}, set = {} }
  windows[key] = window
  local fields = redis.call('HGETALL', key)
  for index = 1, #fields, 2 do
    local field, amount = fields[index], tonumber(fields[index + 1])
    local kind, slice = string.sub(field, 1, 1), tonumber(string.sub(field, 2))
    -- An earlier version had other fields for classes.
    if not window.used[kind] or slice < oldest or slice > current + slice_count then
      window.stale[#window.stale + 1] = field
    else
      window.counted[field] = amount
      window.used[kind] = window.used[kind] + amount
      if amount > 0 then window.newest[kind] = math.max(window.newest[kind], slice) end
    end
  end
  return window
end

local function count(window, kind, amount)
  local field = kind .. current
  window.counted[field] = (window.counted[field] or 0) + amount
  window.used[kind] = window.used[kind] + amount
  window.set[field] = true
  window.grew = true
  if amount > 0 then window.newest[kind] = math.max(window.newest[kind], current) end
end

local function wait(window, kind, amount, limit)
  local left = window.used[kind]
  for slice = oldest, current do
    left = left - (window.counted[kind .. slice] or 0)
    if left + amount <= limit then return (slice + slice_count) * slice_ms - at end
  end
  return slice_count * slice_ms
end

local function slots_of(key)
  local own = slots[key]
  if own then return own end
  redis.call('ZREMRANGEBYSCORE', key, '-inf', at)
  own = { count = redis.call('ZCARD', key), taken = {} }
  slots[key] = own
  return own
end

local function ahead_of(window, kind)
  return window.counted[kind .. current] or 0
end

local function verdict_of(level, tokens)
  local window = level.window
  if level.rpm >= 0 and window.used.r + 1 > level.rpm then
    return 1, wait(window, 'r', 1, level.rpm), window.used.r + 1 - ahead_of(window, 'a') <= level.rpm
  end
  if level.tpm >= 0 and window.used.t + tokens > level.tpm then
    return 2, wait(window, 't', tokens, level.tpm), window.used.t + tokens - ahead_of(window, 'b') <= level.tpm
  end
  if level.concurrency >= 0 and slots_of(level.slots_key).count >= level.concurrency then
    return 3, 0, ahead_of(window, 'a') > 0
  end
  return 0, 0, false
end

-- No more requests wait for what others have ahead than could use it.
local function await_return(level, tokens)
  local window = level.window
  level.denied = level.denied + 3
  level.wait_ms = (current + 1) * slice_ms - at
  count(window, 'a', -math.min(1, ahead_of(window, 'a')))
  count(window, 'b', -math.min(tokens, ahead_of(window, 'b')))
end

local function ahead()
  local window, slots_key = window_of(next_key()), next_key()
  local rpm, tpm, concurrency = next_value(), next_value(), next_value()
  local requests, tokens = next_value(), next_value()
  local used = window.used
  local fits = (rpm < 0 or requests * 16 <= rpm - used.r) and (tpm < 0 or tokens * 16 <= tpm - used.t)
    and (concurrency < 0 or slots_of(slots_key).count * 4 <= concurrency * 3)
  if fits then
    if rpm >= 0 then count(window, 'r', requests) end
    if tpm >= 0 then count(window, 't', tokens) end
    count(window, 'a', requests)
    count(window, 'b', tokens)
  end
  give(fits and 1 or 0)
  give(used.r)
  give(used.t)
end

local function enter(is_last)
  local levels, granted = {}, true
  local level_count, tokens = next_value(), next_value()
  for index = 1, level_count do
    local level = { window = window_of(next_key()), slots_key = next_key() }
    level.rpm, level.tpm, level.concurrency, level.slot = next_value(), next_value(), next_value(), next_value()
    level.denied, level.wait_ms, level.may_return = verdict_of(level, tokens)
    granted = granted and level.denied == 0
    levels[index] = level
  end
  local may_return = not granted and not is_last
  for _, level in ipairs(levels) do may_return = may_return and (level.denied == 0 or level.may_return) end
  if may_return then
    for _, level in ipairs(levels) do
      if level.denied > 0 then await_return(level, tokens) end
    end
  end
  for _, level in ipairs(levels) do
    local window = level.window
    if granted then
      if level.concurrency >= 0 then
        local own = slots_of(level.slots_key)
        own.count = own.count + 1
        own.taken[#own.taken + 1] = at + lease_ms
        own.taken[#own.taken + 1] = level.slot
      end
      -- Tokens also where nothing is reserved: what is used in the end is counted in this slice.
      if level.rpm >= 0 then count(window, 'r', 1) end
      if level.tpm >= 0 then count(window, 't', tokens) end
    end
    local used, newest = window.used, window.newest
    give(level.denied)
    give(level.wait_ms)
    give(used.r)
    give(used.t)
    give(newest.r)
    give(newest.t)
  end
end

local function enter_class()
  local levels, waits, granted = {}, {}, true
  for index = 1, next_value() do
    local window, limit = window_of(next_key()), next_value()
    levels[index] = window
    waits[index] = 0
    if window.used.c + 1 > limit then
      waits[index] = wait(window, 'c', 1, limit)
      granted = false
    end
  end
  for index, window in ipairs(levels) do
    if granted then count(window, 'c', 1) end
    give(waits[index])
  end
end

local function peek(window, slots_key)
  give(window.used.r)
  give(window.used.t)
  give(slots_of(slots_key).count)
end

local left = {}
local function correct(window, kind, slice, difference)
  local field = kind .. string.format('%d', slice)
  local before = window.counted[field]
  if difference ~= 0 and before then
    local after = math.max(0, before + difference)
    window.counted[field] = after
    window.used[kind] = window.used[kind] + after - before
    window.set[field] = true
  end
end

for index = 1, #ends, 4 do
  local window, slots_key = window_of(next_key()), next_key()
  local slot, slice = ends[index], ends[index + 1]
  if slot ~= '' then
    left[slots_key] = left[slots_key] or {}
    table.insert(left[slots_key], slot)
  end
  correct(window, 't', slice, ends[index + 2])
  correct(window, 'r', slice, ends[index + 3])
end
for key, all in pairs(left) do redis.call('ZREM', key, unpack(all)) end

while value_at < #values do
  local what = next_value()
  if what == 'enter' then enter(false)
  elseif what == 'enter-again' then enter(true)
  elseif what == 'ahead' then ahead()
  elseif what == 'peek' then peek(window_of(next_key()), next_key())
  else enter_class() end
end

for key, window in pairs(windows) do
  local changed = {}
  for field in pairs(window.set) do
    changed[#changed + 1] = field
    changed[#changed + 1] = string.format('%d', window.counted[field])
  end
  if #changed > 0 then redis.call('HSET', key, unpack(changed)) end
  if #window.stale > 0 then redis.call('HDEL', key, unpack(window.stale)) end
  if window.grew then redis.call('PEXPIRE', key, slice_ms * slice_count) end
end
for key, own in pairs(slots) do
  if #own.taken > 0 then
    redis.call('ZADD', key, unpack(own.taken))
    redis.call('PEXPIRE', key, lease_ms)
  end
end
return results
`);

const unlimited = 1_000_000_000;
const checkLeaseMs = 60_000;

/**
 * The batches of a check, at `checkKeys`: what requests without and with a limit of concurrency write. A Redis whose memory is
 * full takes the second alone.
 */
export const checkBatches: readonly (readonly string[])[] = [-1, unlimited].map((concurrency) => [
  ...['0', String(checkLeaseMs), String(sliceMs), String(sliceCount)],
  ...[[1, 2], [], ['enter', 1, 1, unlimited, unlimited, concurrency, 'check']].map((list) => JSON.stringify(list)),
]);

/** KEYS: slots. ARGV: lease, now, the slots that are still in use. A server that restarted empty gets them again. */
export const renewScript = redisScript(`${now}
local ends_at = clock(ARGV[2]) + tonumber(ARGV[1])
for index = 3, #ARGV do redis.call('ZADD', KEYS[1], ends_at, ARGV[index]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 0
`);
