/** Lua: the current time, and which workers' leases have expired. */
export const LEASE = /* lua */ `
-- Workers send a heartbeat every second: a longer silence of all of them means that Redis was away.
local AWAY_MS = 3000
-- The pulse need not be written on every call.
local PULSE_MS = 250

-- Milliseconds on the clock of Redis, which all machines share.
local function time_now()
  local time = redis.call("TIME")
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

-- The time in which Redis was away is added to the leases that were valid when it began. Otherwise all live workers
-- would have expired at its end.
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

-- Workers with an expired or missing lease, among the fields holder:WORKER of a hash. The caller itself is alive.
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
