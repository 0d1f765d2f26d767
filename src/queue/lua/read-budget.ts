import { RESERVATIONS } from "./reservations.js";
import { LuaScript } from "./script.js";

/** Reads a budget after freeing expired reservations: max, spent, reserved, refusing, unknown, lost trials, lost. */
export const READ_BUDGET = new LuaScript(/* lua */ `
${RESERVATIONS}
free_the_dead("")
budget.save()
return redis.call("HMGET", budget_key, "max", "spent", "reserved", "refusing", "unknown", "lost_trials", "lost")
`);
