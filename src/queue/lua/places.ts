import { KEYS } from "../keys.js";
import { LEASE } from "./lease.js";
import { STATE } from "./state.js";

/** The keys passed to the scripts of an endpoint's gate, in this order. */
export function getGateKeys(endpoint: string): string[] {
  const gate = KEYS.gate(endpoint);
  return [gate, `${gate}:waiting`, KEYS.workers, KEYS.pulse];
}

/** Lua: the slots at an endpoint. */
export const GATE_SLOTS = /* lua */ `
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
