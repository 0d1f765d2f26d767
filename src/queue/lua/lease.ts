/** Lua: what the time is, and who is dead. */
export const LEASE = /* lua */ `
-- Milliseconds by the clock of Redis, which is the one that all machines share.
local function time_now()
  local time = redis.call("TIME")
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

-- Those whose lease has ended, or who have none, among the fields holder:WORKER of a hash. Whoever asks is not dead.
local function dead_holders(key, workers_key, asking, now)
  local dead, is_any = {}, false
  for _, field in ipairs(redis.call("HKEYS", key)) do
    local worker = string.match(field, "^holder:(.*)$")
    if worker and worker ~= asking then
      local lease = tonumber(redis.call("ZSCORE", workers_key, worker))
      if lease == nil or lease < now then dead[worker], is_any = true, true end
    end
  end
  return dead, is_any
end
`;
