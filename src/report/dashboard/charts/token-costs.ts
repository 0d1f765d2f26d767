import type { EvalRow } from "../../../core/row.js";
import { hasOutput } from "../../../core/row.js";
import type { TokenCost } from "../contract.js";
import type { ChartSystem } from "./chart-system.js";
import { sumTokenClasses } from "./class-totals.js";

export function buildTokenCosts(systems: readonly ChartSystem[]): TokenCost[] {
  return systems.map((system) => ({
    system: system.name,
    classes: sumTokenClasses(system.rows, system.price),
    costUsd: sumBilledCost(system.rows),
  }));
}

/** A total is unknown if a part of it is. */
function sumBilledCost(rows: readonly EvalRow[]): number | null {
  let total: number | null = null;
  for (const row of rows) {
    if (row.costUsd != null) total = (total ?? 0) + row.costUsd;
    else if (hasOutput(row)) return null;
  }
  return total;
}
