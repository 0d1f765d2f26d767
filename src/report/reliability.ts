import type { EvalResult } from "../core/index.js";
import { computeReliability } from "../metrics/index.js";
import type { Layout } from "./layout.js";
import type { TableColumn } from "./markdown.js";
import {
  describeReliabilityCounts,
  formatReliabilityInterval,
  listReliabilityLines,
  type ReliabilityLine,
} from "./reliability-lines.js";

const COLUMNS: readonly TableColumn<ReliabilityLine>[] = [
  { title: "reliability", cell: ({ name }) => name },
  {
    title: "value",
    align: "right",
    cell: ({ figure, format }) => (figure.value === null ? "–" : format(figure.value)),
  },
  { title: "95 % interval", align: "right", cell: formatReliabilityInterval },
  { title: "tasks", align: "right", cell: ({ figure }) => String(figure.tasks) },
];

const EXPLANATION =
  "Robustness: pass rate under stress ÷ pass rate without, on the same tasks. A figure that has no interval is not given.";

/** The parts of a report on a stress test; empty for other runs. */
export function renderReliability({ rows, config }: Pick<EvalResult, "rows" | "config">, layout: Layout): string[] {
  const profiles = computeReliability(rows, config) ?? [];
  return profiles.flatMap((profile) => [
    layout.heading(`Reliability of ${profile.system}`, 2),
    layout.text(EXPLANATION),
    layout.table(COLUMNS, listReliabilityLines(profile)),
    ...describeReliabilityCounts(profile).map((line) => layout.text(line)),
  ]);
}
