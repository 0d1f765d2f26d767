import type { RunView } from "../../../../src/report/dashboard/contract.js";
import { formatNumber } from "../../ui/format.js";

/**
 * What a trial must reach to pass, by the field that decides: each dataset has its own where none was asked for.
 * @example
 * formatPassRule({ scoreField: "score", threshold: 0.7, datasets: [{ primaryField: "contains" }] }); // "contains ≥ 0.7"
 */
export function formatPassRule({ scoreField, threshold, datasets }: PassRuleConfig): string {
  const fields = new Set(datasets.map(({ primaryField }) => primaryField ?? scoreField));
  const named = scoreField !== "score" || fields.size === 0 ? scoreField : [...fields].join(" or ");
  return `${named} ≥ ${formatNumber(threshold)}`;
}

type RunConfig = RunView["config"];

interface PassRuleConfig extends Pick<RunConfig, "scoreField" | "threshold"> {
  datasets: readonly Pick<RunConfig["datasets"][number], "primaryField">[];
}
