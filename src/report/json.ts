import type { Reporter } from "../core/registry.js";
import type { EvalResult, JsonReport, Summary } from "../core/result.js";

/** The report programs read. Rows are written one by one, so that no run is too large for a string. */
export const jsonReporter: Reporter = { name: "json", render: (result) => jsonChunks(toJsonReport(result)) };

const UNPASSED = "a task was passed by no system";

/** A result as a plain object that JSON can hold: what is undefined or infinite is null, with its reason beside it. */
export function toJsonReport(result: EvalResult): JsonReport {
  const systems = Object.entries(result.summary);
  return {
    schema: "assay.report/1",
    run: result.runDir,
    config: result.config,
    timing: result.timing,
    summary: Object.fromEntries(
      systems.map(([system, summary]) => [system, finite(summary, result.reasons[system] ?? {})]),
    ),
    across: finite(result.across, { frontier_cost_of_pass: UNPASSED, frontier_cost_of_pass_usd: UNPASSED }),
    notes: result.notes,
    rows: result.rows,
  };
}

function finite(summary: Summary, reasons: Readonly<Record<string, string>>): Record<string, number | string | null> {
  const mapped: Record<string, number | string | null> = {};
  for (const [key, value] of Object.entries(summary)) {
    const usable = value !== null && Number.isFinite(value);
    mapped[key] = usable ? value : null;
    if (!usable)
      mapped[`${key}_reason`] = reasons[key] ?? (value === Number.POSITIVE_INFINITY ? "no passes" : "not measured");
  }
  return mapped;
}

function* jsonChunks({ rows, ...head }: JsonReport): Generator<string> {
  yield `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "rows": [`;
  let separator = "\n    ";
  for (const row of rows) {
    yield separator + JSON.stringify(row);
    separator = ",\n    ";
  }
  yield `${rows.length === 0 ? "" : "\n  "}]\n}\n`;
}
