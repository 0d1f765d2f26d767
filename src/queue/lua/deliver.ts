import { COST_ESTIMATES, RESERVATIONS } from "./budget.js";
import { LuaScript } from "./script.js";

const DAY_SECONDS = 86_400;

/**
 * Atomically settles trials, marks them as delivered and adds a batch.
 * Keys: those of the budget, the bitmap of delivered trials, the stream of batches, the hash of outputs.
 * Arguments: the batch ("" for none), the number of trials and their indexes; the number of outputs, and for each its
 * trial and content; then for each settlement its token, its trial, "1" if its cost is known, its cost with judging, the
 * cost of judging (both in pico-dollars), "1" if it is typical, and "0" while it is being graded.
 */
export const DELIVER_RESULTS = new LuaScript(/* lua */ `
${RESERVATIONS}
${COST_ESTIMATES}
local delivered_key, results_key, outputs_key = KEYS[6], KEYS[7], KEYS[8]

local function take_out(token, reservation)
  redis.call("HDEL", reservations_key, token)
  if reservation.is_lost then count_lost(reservation, -1) else count_held(reservation, -1) end
end

-- The cost of a trial replaces its reservation, or what was counted for it when it was lost.
local function book(reservation, settlement)
  if settlement.judging > 0 then observe(JUDGING, settlement.judging) end
  if reservation.is_free then return budget.add("spent", settlement.judging) end
  local cost, paid = settlement.cost, tonumber(reservation.paid)
  if not settlement.is_known then
    budget.add("spent", settlement.judging)
    if not paid then budget.add("unknown", 1) end
    -- Counted as seen; otherwise trials with unknown cost would run one by one to the end.
    cost = paid or tonumber(reservation.pico)
  end
  budget.add("spent", cost - (paid or 0))
  if settlement.is_typical then observe(reservation.kind, cost) end
end

-- What may still be spent on judging after the system is settled.
local function left_for_judging(reservation, left)
  if not reservation.is_judged or left <= 0 then return 0 end
  local usual = usual_of(JUDGING)
  return usual > 0 and math.min(usual, left) or left
end

-- The output is stored and graded by the worker that has the trial: if it dies, only judging is lost.
local function pay_system(token, reservation, settlement)
  if reservation.is_free or reservation.paid then return end
  local count = reservation.is_lost and count_lost or count_held
  local set_aside = tonumber(reservation.pico)
  local cost = settlement.is_known and settlement.cost or set_aside
  if not settlement.is_known then budget.add("unknown", 1) end
  count(reservation, -1)
  reservation.paid = as_text(cost)
  reservation.pico = as_text(left_for_judging(reservation, set_aside - cost))
  count(reservation, 1)
  budget.add("spent", cost)
  keep(token, reservation)
end

-- Trials that were not delivered before.
local is_new = {}

local function settle(first)
  local token, trial, cost = ARGV[first], ARGV[first + 1], tonumber(ARGV[first + 3])
  local reservation, is_graded = reservation_at(token), ARGV[first + 6] == "1"
  if not reservation then
    -- Redis has lost its reservation; or it was already settled, and is repeated because the answer was lost.
    if is_graded and is_new[trial] then budget.add("spent", cost) end
    return
  end
  budget.load({ "spent", "reserved", "held", "holder:" .. reservation.worker })
  local settlement = {
    is_known = ARGV[first + 2] == "1",
    cost = cost,
    judging = tonumber(ARGV[first + 4]),
    is_typical = ARGV[first + 5] == "1"
  }
  if not is_graded then return pay_system(token, reservation, settlement) end
  take_out(token, reservation)
  book(reservation, settlement)
end

-- If another worker has delivered it meanwhile, it is graded.
local function store_output(trial, output)
  if redis.call("GETBIT", delivered_key, trial) == 0 then redis.call("HSET", outputs_key, trial, output) end
end

local last_trial = 2 + tonumber(ARGV[2])
for i = 3, last_trial do
  if redis.call("SETBIT", delivered_key, ARGV[i], 1) == 0 then is_new[ARGV[i]] = true end
  redis.call("HDEL", outputs_key, ARGV[i])
end
local last_output = last_trial + 1 + 2 * tonumber(ARGV[last_trial + 1])
for i = last_trial + 2, last_output, 2 do store_output(ARGV[i], ARGV[i + 1]) end
for first = last_output + 1, #ARGV, 7 do settle(first) end
budget.save()
if ARGV[1] ~= "" then redis.call("XADD", results_key, "*", "z", ARGV[1]) end
-- The run is over: what a disconnected worker still delivers expires.
if redis.call("EXISTS", run_key) == 0 then
  for _, key in ipairs({ budget_key, reservations_key, delivered_key, results_key, outputs_key }) do
    redis.call("EXPIRE", key, ${DAY_SECONDS})
  end
end
return 1
`);
