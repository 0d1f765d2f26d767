import { createHash } from "node:crypto";
import type { Redis } from "ioredis";

/**
 * A script that Redis runs atomically. It is sent once and then called by its digest. A call whose answer was lost is sent
 * again after a reconnect, so every script must be safe to repeat.
 * @example
 * const script = new LuaScript("return ARGV[1]");
 * await script.run(redis, [], ["hello"]); // "hello"
 */
export class LuaScript {
  readonly #lua: string;
  readonly #digest: string;

  constructor(lua: string) {
    this.#lua = lua;
    this.#digest = createHash("sha1").update(lua).digest("hex");
  }

  async run(redis: Redis, keys: readonly string[], args: readonly (string | number | Buffer)[]): Promise<unknown> {
    try {
      return await redis.evalsha(this.#digest, keys.length, ...keys, ...args);
    } catch (error) {
      if (!isUnknownScript(error)) throw error;
      return redis.eval(this.#lua, keys.length, ...keys, ...args);
    }
  }
}

/** A restarted Redis has lost its scripts. */
function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("NOSCRIPT");
}

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

/** Lua: the numbers of one hash, read and written together, because that is most of the cost of a script. */
export const STATE = /* lua */ `
local function open_state(key)
  local values, is_changed, state = {}, {}, {}

  function state.load(fields)
    local missing = {}
    for _, field in ipairs(fields) do
      if values[field] == nil then missing[#missing + 1] = field end
    end
    if #missing == 0 then return end
    for i, text in ipairs(redis.call("HMGET", key, unpack(missing))) do values[missing[i]] = tonumber(text) or 0 end
  end

  -- 0 if there is none.
  function state.get(field)
    if values[field] == nil then state.load({ field }) end
    return values[field]
  end

  function state.set(field, value)
    values[field], is_changed[field] = value, true
  end

  function state.add(field, amount)
    state.set(field, state.get(field) + amount)
  end

  function state.forget(field)
    redis.call("HDEL", key, field)
    values[field], is_changed[field] = 0, nil
  end

  function state.save()
    local fields = {}
    for field in pairs(is_changed) do
      fields[#fields + 1] = field
      fields[#fields + 1] = string.format("%.17g", values[field])
    end
    if #fields > 0 then redis.call("HSET", key, unpack(fields)) end
  end

  return state
end
`;
