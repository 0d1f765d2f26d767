import { RESERVATIONS } from "./reservations.js";
import { LuaScript } from "./script.js";

/** Opens the budget of a run. Arguments: its limit, and the spending in its journal, in pico-dollars. */
export const OPEN_BUDGET = new LuaScript(/* lua */ `
${RESERVATIONS}
budget.set("max", tonumber(ARGV[1]))
budget.set("refusing", 0)
-- The journal may lack what is still on its way, and Redis what it has lost.
budget.set("spent", math.max(budget.get("spent"), tonumber(ARGV[2])))
budget.save()
-- What was settled while Redis knew of no such run would go by itself.
redis.call("PERSIST", budget_key)
redis.call("PERSIST", reservations_key)
return 1
`);
