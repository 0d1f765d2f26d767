/** Lua: the current time, and which workers' leases have expired. */
export const LEASE = /* lua */ `
-- Workers show themselves every second: where nobody was heard for so long, Redis was away.
local AWAY_MS = 3000
-- The pulse need not be written down at every look.
local PULSE_MS = 250

-- Milliseconds by the clock of Redis, which is the one that all machines share.
local function time_now()
  local time = redis.call("TIME")
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

-- The time in which Redis could hear nobody is added to the leases that held at its beginning. Else all that live would
-- count as dead at its end.
local function make_good(workers_key, since, away)
  local leases = redis.call("ZRANGEBYSCORE", workers_key, since, "+inf", "WITHSCORES")
  for i = 1, #leases, 2 do redis.call("ZADD", workers_key, tonumber(leases[i + 1]) + away, leases[i]) end
end

local function feel_pulse(pulse_key, workers_key, now)
  local last = tonumber(redis.call("GET", pulse_key))
  local pause = now - (last or 0)
  if pause < PULSE_MS then return end
  redis.call("SET", pulse_key, now)
  if last and pause > AWAY_MS then make_good(workers_key, last, pause) end
end

-- Those whose lease has ended, or who have none, among the fields holder:WORKER of a hash. Whoever asks is not dead.
local function dead_holders(key, leases, asking)
  local dead, is_any = {}, false
  feel_pulse(leases.pulse_key, leases.workers_key, leases.now)
  for _, field in ipairs(redis.call("HKEYS", key)) do
    local worker = string.match(field, "^holder:(.*)$")
    if worker and worker ~= asking then
      local lease = tonumber(redis.call("ZSCORE", leases.workers_key, worker))
      if lease == nil or lease < leases.now then dead[worker], is_any = true, true end
    end
  end
  return dead, is_any
end
`;
