import { KEYS } from "../keys.js";
import { LEASE, LuaScript, STATE } from "./script.js";

/** The keys passed to the scripts of an endpoint's gate, in this order. */
export function getGateKeys(endpoint: string): string[] {
  const gate = KEYS.gate(endpoint);
  return [gate, `${gate}:waiting`, KEYS.workers, KEYS.pulse];
}

/** Lua: the slots at an endpoint. */
const GATE_SLOTS = /* lua */ `
${LEASE}
${STATE}
-- gate: limit, grows_slowly, sent (calls so far), cut (calls sent at the last cut), paused (until when),
--       active (slots taken), kept (since when it is kept for another hour), run:<run> and holder:<worker> (slots of
--       each), place:<name> (which call it was). The name of a slot is NUMBER:RUN:WORKER
-- waiting: CAUSE:WORKER -> when it was last rejected. The cause is the endpoint, or the name of the run
local gate_key, waiting_key, workers_key, pulse_key = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local START = 16
-- Run names never contain this character.
local ENDPOINT = "@"
-- A waiting worker asks every 100 ms, unless its machine is very busy.
local LATELY_MS = 300
local HOUR_MS = 3600000
local MINUTE_MS = 60000
local now = time_now()
local gate = open_state(gate_key)

local function limit_now()
  local limit = gate.get("limit")
  return limit == 0 and START or limit
end

local function parts_of(name)
  return string.match(name, "^[^:]*:([^:]*):(.*)$")
end

local function count_places(name, count)
  local run, worker = parts_of(name)
  gate.add("active", count)
  gate.add("run:" .. run, count)
  gate.add("holder:" .. worker, count)
end

local function take_place(name)
  gate.add("sent", 1)
  gate.set("place:" .. name, gate.get("sent"))
  count_places(name, 1)
end

local function give_place(name)
  gate.forget("place:" .. name)
  count_places(name, -1)
end

-- By cause: the workers that were rejected recently.
local function waiting_lately()
  local waiting = {}
  for _, member in ipairs(redis.call("ZRANGEBYSCORE", waiting_key, now - LATELY_MS, "+inf")) do
    local cause, worker = string.match(member, "^([^:]*):(.*)$")
    waiting[cause] = waiting[cause] or {}
    table.insert(waiting[cause], worker)
  end
  return waiting
end

-- The state of an endpoint expires after an hour without calls.
local function save()
  local is_due = now - gate.get("kept") > MINUTE_MS
  if is_due then gate.set("kept", now) end
  gate.save()
  if is_due then redis.call("PEXPIRE", gate_key, HOUR_MS + MINUTE_MS) end
end
`;

/**
 * Takes slots at an endpoint, as many as are free and requested.
 * Arguments: worker, run, the maximum slots of the run, then the names of the requested slots.
 * Returns the limit, how long the endpoint asked callers to wait (ms), then the names of the slots taken.
 */
export const ENTER_GATE = new LuaScript(/* lua */ `
${GATE_SLOTS}
local worker, run, run_max = ARGV[1], ARGV[2], tonumber(ARGV[3])

-- How many of the free slots this worker may take, so that all workers waiting for them get the same number.
-- Otherwise the first workers would pass their slots on to their own next calls without end. A slot that one worker
-- may not take goes to the waiting worker with the fewest.
local function fair_share(free, most, waiting)
  if most <= 0 then return 0 end
  local mine = gate.get("holder:" .. worker)
  for share = 1, most do
    local needed = share
    for _, other in ipairs(waiting or {}) do
      if other ~= worker then needed = needed + math.max(0, mine + share - 1 - gate.get("holder:" .. other)) end
    end
    if needed > free then return share - 1 end
  end
  return most
end

-- How many slots this worker may take, and how many its run allows.
local function room(wanted, waiting)
  local of_run = run_max - gate.get("run:" .. run)
  local most = fair_share(of_run, math.min(of_run, wanted), waiting[run])
  local free = math.floor(limit_now()) - gate.get("active")
  return fair_share(free, math.min(free, most), waiting[ENDPOINT]), most
end

local function free_the_dead()
  local dead, is_any = dead_holders(gate_key, { workers_key = workers_key, pulse_key = pulse_key, now = now }, worker)
  if not is_any then return end
  for _, field in ipairs(redis.call("HKEYS", gate_key)) do
    local name = string.match(field, "^place:(.*)$")
    local _, holder = parts_of(name or "")
    if holder and dead[holder] then give_place(name) end
  end
  for holder in pairs(dead) do gate.forget("holder:" .. holder) end
end

local function note_waiting(cause)
  redis.call("ZREM", waiting_key, ENDPOINT .. ":" .. worker, run .. ":" .. worker)
  if cause == nil then return end
  redis.call("ZADD", waiting_key, now, cause .. ":" .. worker)
  redis.call("PEXPIRE", waiting_key, LATELY_MS)
end

local function take(wanted, taken)
  local waiting = waiting_lately()
  local free, most = room(#wanted, waiting)
  if free < #wanted then
    free_the_dead()
    free, most = room(#wanted, waiting)
  end
  for i = 1, free do
    take_place(wanted[i])
    taken[#taken + 1] = wanted[i]
  end
  if free < most then note_waiting(ENDPOINT)
  elseif most < #wanted then note_waiting(run)
  elseif next(waiting) then note_waiting(nil) end
end

local function places_named()
  local fields = { "limit", "paused", "active", "sent", "kept", "run:" .. run, "holder:" .. worker }
  for i = 4, #ARGV do fields[#fields + 1] = "place:" .. ARGV[i] end
  gate.load(fields)
  local taken, wanted = {}, {}
  for i = 4, #ARGV do
    -- A slot that is already taken was taken by the same call, whose answer was lost.
    local list = gate.get("place:" .. ARGV[i]) > 0 and taken or wanted
    list[#list + 1] = ARGV[i]
  end
  return taken, wanted
end

local taken, wanted = places_named()
local pause = math.max(0, gate.get("paused") - now)
if pause == 0 and #wanted > 0 then take(wanted, taken) end
save()

local answer = { math.floor(limit_now()), pause }
for _, name in ipairs(taken) do answer[#answer + 1] = name end
return answer
`);

/**
 * Frees a slot, and adapts the limit of the endpoint to how the call ended.
 * Arguments: the name of the slot, the maximum slots of its run, how the call ended, how long the endpoint asked callers to
 * wait (ms).
 */
export const LEAVE_GATE = new LuaScript(/* lua */ `
${GATE_SLOTS}
local name, run_max, ending, pause = ARGV[1], tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
local run, worker = parts_of(name)
local CUT = 0.5

-- The limit for this run if no other run calls the endpoint.
local function limit_felt()
  local is_alone = gate.get("run:" .. run) == gate.get("active")
  return is_alone and math.min(limit_now(), run_max) or limit_now()
end

-- Cuts once per round: calls already sent when the limit was cut fail for the same reason.
local function cut(call)
  gate.set("grows_slowly", 1)
  if call <= gate.get("cut") then return end
  gate.set("limit", math.max(1, limit_felt() * CUT))
  gate.set("cut", gate.get("sent"))
end

-- Only while the limit is fully used: few calls show nothing about the capacity of the endpoint.
local function grow()
  local limit = limit_now()
  if limit >= run_max then return end
  local is_used = gate.get("active") >= math.floor(limit) or waiting_lately()[ENDPOINT] ~= nil
  if not is_used then return end
  local step = gate.get("grows_slowly") == 1 and 1 / limit or 1
  gate.set("limit", math.min(run_max, limit + step))
end

gate.load({
  "place:" .. name, "run:" .. run, "holder:" .. worker,
  "limit", "grows_slowly", "sent", "cut", "paused", "active", "kept"
})
local call = gate.get("place:" .. name)
-- Already freed: by this call, whose answer was lost, or because its worker was silent for too long.
if call == 0 then return 0 end
if ending == "rate_limited" then cut(call) elseif ending == "fine" then grow() end
give_place(name)
if pause > 0 then gate.set("paused", math.max(gate.get("paused"), now + pause)) end
save()
return 1
`);
