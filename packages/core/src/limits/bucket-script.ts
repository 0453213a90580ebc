import { unitsPerRequest } from './gcra.ts'

/**
 * The arithmetic of `gcra.ts` inside Redis, for many buckets at once. Each is stored as `<microseconds> <units used>`
 * until nothing of it is used. Arguments: the time in microseconds, then for each key requests a minute, burst, how many
 * requests ask, and the units to charge without asking. An empty time means Redis's own clock; a time that a test
 * gives does not affect how long a bucket is kept. Answers for each key how many of the requests pass, and the units used.
 *
 * Others may write to Redis too: a value is never more than a full bucket of now, and one that is no bucket is empty.
 */
export const bucketScript = `local now, keepMs = tonumber(ARGV[1]), 600000
if not now then
  local time = redis.call('TIME')
  now, keepMs = time[1] * 1000000 + time[2], nil
end
local answers = {}
for i, key in ipairs(KEYS) do
  local rate, room = tonumber(ARGV[4 * i - 2]), ARGV[4 * i - 1] * ${unitsPerRequest}
  local asking, charge = tonumber(ARGV[4 * i]), tonumber(ARGV[4 * i + 1])
  local stored = redis.pcall('GET', key)
  local at, used = string.match(type(stored) == 'string' and stored or '0 0', '^(%d+) (%d+)$')
  at, used = tonumber(at) or 0, math.min(room, tonumber(used) or 0)
  local isForged = at > now
  if isForged then at = now end
  used = math.max(0, used - (now - at) * rate)
  used = math.min(room, used + charge)
  local passing = math.min(asking, math.floor((room - used) / ${unitsPerRequest}))
  used = used + passing * ${unitsPerRequest}
  if passing > 0 or charge > 0 or isForged then
    redis.call('SET', key, string.format('%.0f %.0f', now, used), 'PX', keepMs or math.ceil(used / rate / 1000) + 1)
  end
  answers[2 * i - 1], answers[2 * i] = passing, used
end
return answers`

/** The arguments for one key. */
export const bucketArguments = (
  { requestsPerMinute, burst }: { requestsPerMinute: number; burst: number },
  { asking, units }: { asking: number; units: number },
): string[] => [String(requestsPerMinute), String(burst), String(asking), String(units)]
