import type { EvalResult, EvalRow, JsonReport, JsonSummary, Reporter, ReportOptions, Summary } from "../core/index.js";
import { getOwn } from "../core/index.js";
import { EFFICIENCY_KEYS } from "../metrics/index.js";

/** The report for programs. Rows are written one by one, so that a large run needs no huge string. */
export const jsonReporter = {
  name: "json",
  render: async (result, options?: ReportOptions) =>
    serializeChunks(
      { ...buildFullHead(result), ...(await addReliability(result)), ...pickAdded(options) },
      result.rows,
    ),
} satisfies Reporter;

/** JSON has no Infinity. */
function pickAdded({ labels, history, strata }: ReportOptions = {}): Pick<JsonReport, "labels" | "history" | "strata"> {
  const added = { ...(history === undefined ? {} : { history }), ...(strata === undefined ? {} : { strata }) };
  if (labels === undefined) return added;
  const systems = labels.systems.map((each) => ({
    ...each,
    neededLabels: each.neededLabels === Number.POSITIVE_INFINITY ? null : each.neededLabels,
  }));
  return { ...added, labels: { ...labels, systems } };
}

/** Loaded on demand: few runs are stress tests. */
async function addReliability({ rows, config }: EvalResult): Promise<Pick<JsonReport, "reliability">> {
  if (config.arms === undefined) return {};
  const { computeReliability } = await import("../metrics/reliability.js");
  return { reliability: computeReliability(rows, config) ?? [] };
}

/** Converts a result to plain JSON data: undefined and infinite values are null, with a reason next to them. */
export function toJsonReport(result: EvalResult): JsonReport {
  return { ...buildFullHead(result), rows: [...result.rows] };
}

function buildFullHead(result: EvalResult): Omit<JsonReport, "rows"> {
  const { recommendation, frontier, effortCurves } = result;
  return { ...buildReportHead(result), recommendation, frontier, effortCurves };
}

/** Without rows, of which there may be very many, and without what takes time to compute. */
export function buildReportHead(
  result: EvalResult,
): Omit<JsonReport, "rows" | "recommendation" | "frontier" | "effortCurves" | "reliability"> {
  const systems = Object.entries(result.summary);
  return {
    schema: "assay.report/1",
    run: result.runDir,
    config: result.config,
    timing: result.timing,
    summary: Object.fromEntries(
      systems.map(([system, summary]) => [
        system,
        // A metric's own key is not overwritten by a label of the same name.
        { ...result.labels, ...nestEfficiency(replaceNonFinite(summary, getOwn(result.reasons, system) ?? {})) },
      ]),
    ),
    across: replaceNonFinite(result.across, result.acrossReasons),
    ...(result.budget !== undefined && { budget: result.budget }),
    ...(result.sequential !== null && { sequential: result.sequential }),
    notes: result.notes,
  };
}

/** Groups speed and efficiency in one object. */
function nestEfficiency(summary: Record<string, number | string | null>): JsonSummary {
  const entries = Object.entries(summary);
  const efficiency = entries.flatMap(([key, value]) => (isEfficiencyKey(key) ? [[key, value] as const] : []));
  if (efficiency.length === 0) return summary;
  const others = Object.fromEntries(entries.filter(([key]) => !isEfficiencyKey(key)));
  return { ...others, efficiency: Object.fromEntries(efficiency) as Record<string, number | null> };
}

function isEfficiencyKey(key: string): boolean {
  return (EFFICIENCY_KEYS as readonly string[]).includes(key);
}

function replaceNonFinite(
  summary: Summary,
  reasons: Readonly<Record<string, string>>,
): Record<string, number | string | null> {
  const entries = new Map<string, number | string | null>();
  for (const [key, value] of Object.entries(summary)) {
    const usable = value !== null && Number.isFinite(value);
    entries.set(key, usable ? value : null);
    // A metric may use this key itself.
    if (usable || Object.hasOwn(summary, `${key}_reason`)) continue;
    const usual = value === Number.POSITIVE_INFINITY ? "no passes" : "not measured";
    entries.set(`${key}_reason`, getOwn(reasons, key) ?? usual);
  }
  return Object.fromEntries(entries);
}

function* serializeChunks(head: Omit<JsonReport, "rows">, rows: readonly EvalRow[]): Generator<string> {
  yield `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "rows": [`;
  let separator = "\n    ";
  for (const row of rows) {
    yield separator + JSON.stringify(row);
    separator = ",\n    ";
  }
  yield `${rows.length === 0 ? "" : "\n  "}]\n}\n`;
}
