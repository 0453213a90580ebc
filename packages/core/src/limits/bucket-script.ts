import { unitsPerRequest } from './gcra.ts'

/**
 * The arithmetic of `gcra.ts` inside Redis, for many buckets at once. Each is stored as `<microseconds> <units used>`
 * until nothing of it is used. Arguments: the time in microseconds, then for each key requests a minute, burst, and
 * the units to charge without asking (0: a request asks). An empty time means Redis's own clock; a time that a test
 * gives does not affect how long a bucket is kept. Answers for each key 1 or 0, and the units used.
 */
export const bucketScript = `local now, keepMs = tonumber(ARGV[1]), 600000
if not now then
  local time = redis.call('TIME')
  now, keepMs = time[1] * 1000000 + time[2], nil
end
local answers = {}
for i, key in ipairs(KEYS) do
  local rate, room, charge = tonumber(ARGV[3 * i - 1]), ARGV[3 * i] * ${unitsPerRequest}, tonumber(ARGV[3 * i + 1])
  local at, used = string.match(redis.call('GET', key) or '0 0', '(%d+) (%d+)')
  used = math.max(0, used - math.max(0, now - at) * rate)
  local allowed = charge > 0 or used + ${unitsPerRequest} <= room
  if allowed then
    used = charge > 0 and math.min(room, used + charge) or used + ${unitsPerRequest}
    redis.call('SET', key, string.format('%.0f %.0f', now, used), 'PX', keepMs or math.ceil(used / rate / 1000) + 1)
  end
  answers[2 * i - 1], answers[2 * i] = allowed and 1 or 0, used
end
return answers`

/** The arguments for one key. */
export const bucketArguments = (
  { requestsPerMinute, burst }: { requestsPerMinute: number; burst: number },
  chargeUnits: number,
): string[] => [String(requestsPerMinute), String(burst), String(chargeUnits)]
