import { GATE_SLOTS } from "./places.js";
import { LuaScript } from "./script.js";

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
