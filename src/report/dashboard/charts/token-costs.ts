import type { EvalRow } from "../../../core/row.js";
import { hasOutput } from "../../../core/row.js";
import type { TokenCost } from "../contract.js";
import type { ChartSystem } from "./chart-system.js";
import { tokenClasses } from "./class-totals.js";

/** What the tokens of each class came to, system by system. */
export function tokenCosts(systems: readonly ChartSystem[]): TokenCost[] {
  return systems.map((system) => ({
    system: system.name,
    classes: tokenClasses(system.rows, system.price),
    costUsd: billedOf(system.rows),
  }));
}

/** A total of which a part is not known is not known. */
function billedOf(rows: readonly EvalRow[]): number | null {
  let total: number | null = null;
  for (const row of rows) {
    if (row.costUsd != null) total = (total ?? 0) + row.costUsd;
    else if (hasOutput(row)) return null;
  }
  return total;
}
