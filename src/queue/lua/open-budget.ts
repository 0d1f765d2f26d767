import { RESERVATIONS } from "./reservations.js";
import { LuaScript } from "./script.js";

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
