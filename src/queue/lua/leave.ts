import { GATE_SLOTS } from "./places.js";
import { LuaScript } from "./script.js";

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
