import { KEYS } from "../keys.js";
import { LEASE } from "./lease.js";
import { STATE } from "./state.js";

/** The keys passed to the scripts of a run's budget, in this order. Other keys of the budget begin with the first. */
export function getBudgetKeys(key: string): string[] {
  const budget = KEYS.budget(key);
  return [budget, `${budget}:reservations`, KEYS.workers, KEYS.pulse, KEYS.run(key)];
}

/**
 * Lua: reservations of trials. Amounts are whole pico-dollars in doubles: exact up to $9,007, and to one part in 10¹⁵
 * above, where 64-bit counters would overflow half-way through a script at $9 million.
 */
export const RESERVATIONS = /* lua */ `
${LEASE}
${STATE}
-- budget: max, spent, reserved, held (number), refusing, unknown, lost_trials, lost, holder:<worker> (its number),
--         and the cost of trials of each kind
-- reservations: token -> JSON. They stay until they are settled; those of expired workers are marked as lost. Once the
--         output of a trial is stored, paid is the cost of its system, and pico what is still reserved
local budget_key, reservations_key, workers_key, pulse_key, run_key = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local budget = open_state(budget_key)

-- Numbers in JSON lose digits here.
local function as_text(pico)
  return string.format("%.17g", pico)
end

-- How a reservation changes the reserved amount; count is 1 or -1. A free one exists only to be settled once.
local function count_held(reservation, count)
  budget.add("holder:" .. reservation.worker, count)
  if reservation.is_free then return end
  budget.add("held", count)
  budget.add("reserved", count * tonumber(reservation.pico))
  -- Beyond exact doubles, a rounding remainder would stay.
  if budget.get("held") == 0 then budget.set("reserved", 0) end
  if reservation.is_probe then budget.add("probes:" .. reservation.kind, count) end
end

-- The cost of a lost trial is unknown, so it counts with its full reservation.
local function count_lost(reservation, count)
  if reservation.is_free then return end
  -- Its output is paid for, and judging is free.
  if reservation.paid and tonumber(reservation.pico) == 0 then return end
  budget.add("lost_trials", count)
  budget.add("lost", count * tonumber(reservation.pico))
  budget.add("spent", count * tonumber(reservation.pico))
end

local function keep(token, reservation)
  redis.call("HSET", reservations_key, token, cjson.encode(reservation))
end

-- Nil if there is none, for example after it was settled.
local function reservation_at(token)
  local text = redis.call("HGET", reservations_key, token)
  return text and cjson.decode(text) or nil
end

local function hold(token, reservation)
  keep(token, reservation)
  count_held(reservation, 1)
end

local function lose(token, reservation)
  count_held(reservation, -1)
  count_lost(reservation, 1)
  reservation.is_lost = true
  keep(token, reservation)
end

local function free_the_dead(asking)
  local leases = { workers_key = workers_key, pulse_key = pulse_key, now = time_now() }
  local dead, is_any = dead_holders(budget_key, leases, asking)
  if not is_any then return end
  local all = redis.call("HGETALL", reservations_key)
  for i = 1, #all, 2 do
    local reservation = cjson.decode(all[i + 1])
    if dead[reservation.worker] and not reservation.is_lost then lose(all[i], reservation) end
  end
  for worker in pairs(dead) do
    budget.forget("holder:" .. worker)
  end
end
`;
