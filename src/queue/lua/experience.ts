import { RESERVE_MARGIN } from "../../budget/run-budget.js";

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
