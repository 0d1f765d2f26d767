import { MIN_TRIALS, RESERVE_MARGIN } from "../../budget/index.js";
import { KEYS } from "../keys.js";
import { LEASE, LuaScript, STATE } from "./script.js";

/**
 * Lua: the costs of trials of one kind, and their 95th percentile. Costs are counted in buckets, 64 per doubling, so that
 * the percentile is at most 1.1 % too high and never too low, and memory is bounded. Up to twenty trials it is exactly
 * the largest cost.
 */
export const COST_ESTIMATES = /* lua */ `
-- In the budget, for each kind: count, largest, probes (running trials that will show their cost),
--   at (the bucket of the percentile), above (the number of costs in higher buckets)
-- costs:<kind>: bucket -> count; filled:<kind>: the non-empty buckets, in order
local PER_DOUBLING = 64
local USUAL_MARGIN = ${RESERVE_MARGIN}
local JUDGING = "judging"

local function kind_of(system)
  return "system:" .. system
end

local function bucket_of(pico)
  if pico <= 0 then return 0 end
  return 1 + math.ceil(math.log(pico) / math.log(2) * PER_DOUBLING)
end

local function upper_edge_of(bucket)
  if bucket == 0 then return 0 end
  return math.ceil(2 ^ ((bucket - 1) / PER_DOUBLING))
end

-- 0 if there are none.
local function p95_of(kind)
  return math.min(upper_edge_of(budget.get("at:" .. kind)), budget.get("largest:" .. kind))
end

-- 1.5 times what nearly all have cost; 0 if there are none.
local function usual_of(kind)
  return math.ceil(p95_of(kind) * USUAL_MARGIN)
end

local function costs_in(kind, bucket)
  return tonumber(redis.call("HGET", budget_key .. ":costs:" .. kind, bucket)) or 0
end

local function next_filled(kind, command, from, to)
  return tonumber(redis.call(command, budget_key .. ":filled:" .. kind, from, to, "LIMIT", 0, 1)[1])
end

-- Moves the percentile to its bucket, which is always near the previous one.
local function move_p95(kind, most_above)
  local at, above = budget.get("at:" .. kind), budget.get("above:" .. kind)
  while above > most_above do
    at = next_filled(kind, "ZRANGEBYSCORE", "(" .. at, "+inf")
    above = above - costs_in(kind, at)
  end
  local inside = costs_in(kind, at)
  while above + inside <= most_above do
    above = above + inside
    at = next_filled(kind, "ZREVRANGEBYSCORE", "(" .. at, "-inf")
    inside = costs_in(kind, at)
  end
  budget.set("at:" .. kind, at)
  budget.set("above:" .. kind, above)
end

local function observe(kind, pico)
  budget.load({ "count:" .. kind, "largest:" .. kind, "at:" .. kind, "above:" .. kind })
  local bucket = bucket_of(pico)
  if redis.call("HINCRBY", budget_key .. ":costs:" .. kind, bucket, 1) == 1 then
    redis.call("ZADD", budget_key .. ":filled:" .. kind, bucket, bucket)
  end
  budget.add("count:" .. kind, 1)
  if pico > budget.get("largest:" .. kind) then budget.set("largest:" .. kind, pico) end
  if budget.get("count:" .. kind) == 1 then budget.set("at:" .. kind, bucket) end
  if bucket > budget.get("at:" .. kind) then budget.add("above:" .. kind, 1) end
  move_p95(kind, math.floor((budget.get("count:" .. kind) - 1) / 20))
end
`;

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

/**
 * Reserves budget for a trial: "held", "wait", "refuse" or "gone".
 * Arguments: token, worker, trial, system, its limit in pico-dollars (0 for none), its possible cost (0 if unknown), is
 * judged (0/1), is free (0/1), has an output that is only graded (0/1). The rule is that of `RunBudget`.
 */
export const RESERVE = new LuaScript(/* lua */ `
${RESERVATIONS}
${COST_ESTIMATES}
local FIRST_FEW = 5
local ENOUGH_TRIALS = ${MIN_TRIALS}

local token, worker, trial, kind = ARGV[1], ARGV[2], tonumber(ARGV[3]), kind_of(ARGV[4])
local most, can_cost = tonumber(ARGV[5]), tonumber(ARGV[6])
local says_judged, is_free, is_stored = ARGV[7] == "1", ARGV[8] == "1", ARGV[9] == "1"

local function hold_new(pico, marks)
  marks.trial, marks.worker, marks.kind = trial, worker, kind
  marks.pico = as_text(pico)
  hold(token, marks)
end

-- The limit of the trial, and whether it is a guess from too few trials.
local function wanted(is_judged)
  local judging = is_judged and usual_of(JUDGING) or 0
  if is_stored then return judging, false end
  local limit = most > 0 and most + judging or math.huge
  if budget.get("count:" .. kind) >= ENOUGH_TRIALS then return math.min(limit, usual_of(kind)), false end
  if can_cost > 0 then return math.min(limit, can_cost + judging), false end
  if most > 0 then return limit, false end
  -- The cost of a trial without a limit is estimated, including judging.
  return budget.get("largest:" .. kind), budget.get("count:" .. kind) < FIRST_FEW
end

-- The cost of a probe may be unknown, so at least something must be left for it.
local function fits(pico, is_probe)
  local left = budget.get("max") - budget.get("spent") - budget.get("reserved")
  if is_probe and pico == 0 then return left > 0 end
  return pico <= left
end

local function ask(is_judged)
  local pico, is_probe = wanted(is_judged)
  if is_probe and budget.get("probes:" .. kind) > 0 then return "wait" end
  if fits(pico, is_probe) then
    hold_new(pico, { is_probe = is_probe, is_judged = is_judged })
    return "held"
  end
  -- Running trials may free a part of their reservations.
  if budget.get("held") > 0 then return "wait" end
  return "refuse"
end

local function ask_and_free_the_dead(is_judged)
  local answer = ask(is_judged)
  if answer == "held" then return answer end
  -- Reservations of expired workers count as spent, so freeing them makes no room; but no trial waits for them.
  free_the_dead(worker)
  answer = ask(is_judged)
  if answer == "refuse" then budget.set("refusing", 1) end
  return answer
end

local function hold_again(reservation)
  if not reservation.is_lost then return end
  -- Its worker was silent for too long, and asks again because it never got an answer.
  count_lost(reservation, -1)
  reservation.is_lost = nil
  hold(token, reservation)
end

local function answer()
  local known = reservation_at(token)
  if known then
    hold_again(known)
    return "held"
  end
  budget.load({ "max", "spent", "reserved", "held", "refusing", "holder:" .. worker, "count:" .. JUDGING })
  -- An evaluator may spend without declaring it.
  local is_judged = says_judged or budget.get("count:" .. JUDGING) > 0
  if (is_free or is_stored) and not is_judged then
    hold_new(0, { is_free = true })
    return "held"
  end
  if budget.get("refusing") == 1 then return "refuse" end
  -- Not opened yet: its coordinator will open it. A removed one will not be opened; and a coordinator that finds that
  -- Redis has lost it dispatches its trials again.
  if budget.get("max") == 0 then return redis.call("EXISTS", run_key) == 1 and "wait" or "gone" end
  return ask_and_free_the_dead(is_judged)
end

local result = answer()
budget.save()
return result
`);

/** Opens the budget of a run. Arguments: its limit, and the spending in its journal, in pico-dollars. */
export const OPEN_BUDGET = new LuaScript(/* lua */ `
${RESERVATIONS}
budget.set("max", tonumber(ARGV[1]))
budget.set("refusing", 0)
-- The journal may lack results that are still on their way, and Redis what it has lost.
budget.set("spent", math.max(budget.get("spent"), tonumber(ARGV[2])))
budget.save()
-- What was settled before the run was known to Redis would expire.
redis.call("PERSIST", budget_key)
redis.call("PERSIST", reservations_key)
return 1
`);

/** Reads a budget after freeing expired reservations: max, spent, reserved, refusing, unknown, lost trials, lost. */
export const READ_BUDGET = new LuaScript(/* lua */ `
${RESERVATIONS}
free_the_dead("")
budget.save()
return redis.call("HMGET", budget_key, "max", "spent", "reserved", "refusing", "unknown", "lost_trials", "lost")
`);
