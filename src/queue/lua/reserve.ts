import { MIN_TRIALS } from "../../budget/run-budget.js";
import { COST_ESTIMATES } from "./experience.js";
import { RESERVATIONS } from "./reservations.js";
import { LuaScript } from "./script.js";

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
