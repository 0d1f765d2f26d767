import type { EvalRow } from "../../core/row.js";
import { hasOutput } from "../../core/row.js";
import type { TokenClass, TokenCost } from "../contract.js";
import type { ChartSystem } from "./chart-system.js";
import { addUsage, type ClassTotals, noTotals } from "./class-totals.js";

const CLASSES: readonly TokenClass[] = ["input", "cacheRead", "cacheWrite", "output", "reasoning"];

/** Dollars are kept in whole pico-dollars. */
const PICO = 1e12;

/** What the tokens of each class came to, system by system. */
export function tokenCosts(systems: readonly ChartSystem[]): TokenCost[] {
  return systems.map((system) => ({
    system: system.name,
    classes: classesOf(system),
    costUsd: billedOf(system.rows),
  }));
}

/** Empty when nobody reported what was used. */
function classesOf({ rows, price }: ChartSystem): TokenCost["classes"] {
  const totals: ClassTotals = noTotals();
  let isReported = false;
  for (const row of rows) {
    if (row.usage == null) continue;
    isReported = true;
    addUsage(totals, row, price);
  }
  if (!isReported) return [];
  return CLASSES.map((name) => ({
    name,
    tokens: totals.tokens[name],
    costUsd: price === null ? null : totals.pico[name] / PICO,
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
