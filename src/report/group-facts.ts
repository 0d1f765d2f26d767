import { ownValue } from "../core/own-value.js";
import type { EvalConfig, EvalResult, Summary } from "../core/result.js";
import { type EvalRow, isScored } from "../core/row.js";
import { groupsBeside } from "../metrics/index.js";
import { plural } from "./format.js";

/** Headlines, the first of which that a run has says how many groups its intervals stand on. */
const HEADLINES = ["mean_score", "pass_rate", "coverage"];

/** What intervals stand on where examples share a conversation or the like; nothing where each stands for itself. */
export function groupFacts({ summary, config, rows }: Pick<EvalResult, "summary" | "config" | "rows">): string[] {
  const counts = Object.values(summary).flatMap((own) => groupsOf(own) ?? []);
  if (counts.length === 0) return [];
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const of = fieldsOf(config);
  if (most === 1) return [`no intervals: all examples are of one group${of}`];
  const others = rows.some(isAlone) ? ", examples without one counted singly" : "";
  return [`intervals by ${least === most ? "" : `${least} to `}${plural(most, "group")}${of}${others}`];
}

function groupsOf(summary: Summary): number | undefined {
  const known = HEADLINES.map((key) => ownValue(summary, groupsBeside(key)));
  return known.find((count) => count != null) ?? undefined;
}

function fieldsOf({ datasets }: EvalConfig): string {
  const fields = new Set(datasets.flatMap(({ groupBy }) => groupBy ?? []));
  return fields.size === 0 ? "" : ` of ${[...fields].join(" or ")}`;
}

/** Rows made by older versions have no group either. */
function isAlone(row: EvalRow): boolean {
  return isScored(row) && row.group == null;
}
