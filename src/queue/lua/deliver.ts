import { EXPERIENCE } from "./experience.js";
import { RESERVATIONS } from "./reservations.js";
import { Script } from "./script.js";

const DAY_SECONDS = 86_400;

/**
 * Settles trials, marks them as delivered and leaves a parcel, all at one moment.
 * Keys: those of the budget, the bitmap of delivered trials, the stream of parcels.
 * Arguments: the parcel ("" for none), how many trials, their numbers; then for each settlement its token, its
 * trial, "1" when its cost is known, what it cost with judging, what judging cost (both in pico-dollars) and "1" when it
 * is typical.
 */
export const DELIVER = new Script(/* lua */ `
${RESERVATIONS}
${EXPERIENCE}
local delivered_key, results_key = KEYS[6], KEYS[7]

local function take_out(token, reservation)
  redis.call("HDEL", reservations_key, token)
  if reservation.is_lost then count_lost(reservation, -1) else count_held(reservation, -1) end
end

-- What a trial has cost takes the place of what was set aside for it, or was counted for it when it was lost.
local function book(reservation, settlement)
  if settlement.judging > 0 then observe(JUDGING, settlement.judging) end
  if reservation.is_free then return budget.add("spent", settlement.judging) end
  local cost = settlement.cost
  if not settlement.is_known then
    budget.add("spent", settlement.judging)
    budget.add("unknown", 1)
    -- Counted as seen, or trials whose cost nobody ever tells would run one by one to the end.
    cost = tonumber(reservation.pico)
  end
  budget.add("spent", cost)
  if settlement.is_typical then observe(reservation.kind, cost) end
end

-- Trials that were not delivered before.
local is_new = {}

local function settle(first)
  local token, trial, cost = ARGV[first], ARGV[first + 1], tonumber(ARGV[first + 3])
  local reservation = reservation_at(token)
  if not reservation then
    -- Redis has lost what was set aside for it; or it was settled before, and is again because the answer was lost.
    if is_new[trial] then budget.add("spent", cost) end
    return
  end
  budget.load({ "spent", "reserved", "held", "holder:" .. reservation.worker })
  take_out(token, reservation)
  book(reservation, {
    is_known = ARGV[first + 2] == "1",
    cost = cost,
    judging = tonumber(ARGV[first + 4]),
    is_typical = ARGV[first + 5] == "1"
  })
end

local last_trial = 2 + tonumber(ARGV[2])
for i = 3, last_trial do
  if redis.call("SETBIT", delivered_key, ARGV[i], 1) == 0 then is_new[ARGV[i]] = true end
end
for first = last_trial + 1, #ARGV, 6 do settle(first) end
budget.save()
if ARGV[1] ~= "" then redis.call("XADD", results_key, "*", "z", ARGV[1]) end
-- Nobody is there any more: what a worker that was cut off delivers to a run that is over goes by itself.
if redis.call("EXISTS", run_key) == 0 then
  for _, key in ipairs({ budget_key, reservations_key, delivered_key, results_key }) do
    redis.call("EXPIRE", key, ${DAY_SECONDS})
  end
end
return 1
`);
