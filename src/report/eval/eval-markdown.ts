import type { GateVerdict, Reporter, ReportOptions } from "../../core/registry.js";
import type { EvalResult } from "../../core/result.js";
import { formatDollars, formatNumber } from "../format.js";
import { type Column, markdownTable, oneLine } from "../markdown.js";
import { type EvalPart, type EvalReport, evalReport } from "./eval-report.js";
import { factsOf, stimulusColumns } from "./eval-text.js";

/** The report of an eval as a comment on a pull request: verdicts first, tables folded. */
export const markdownReporter = {
  name: "markdown",
  render: (result: EvalResult, { gates }: ReportOptions = {}) => renderMarkdown(evalReport(result, gates)),
} satisfies Reporter;

/** A program finds its earlier comment by this marker, to update it. */
const MARK = "<!-- assay-eval -->";

export function renderMarkdown(report: EvalReport): string {
  const details = report.parts.map((part) => folded(part));
  const notes = report.notes.map((note) => `- ${safe(note)}`).join("\n");
  const gates = report.gates.map(gateLine).join("\n");
  const parts = [MARK, headline(report), gates, markdownTable(COLUMNS, report.parts), ...details, notes];
  return `${parts.filter((text) => text !== "").join("\n\n")}\n`;
}

/** Green only if gates were passed: trials without a verdict prove nothing. */
function headline({ title, parts, gates: ofCommand }: EvalReport): string {
  const gates = [...ofCommand, ...parts.flatMap((part) => part.gates)];
  const failed = gates.filter(({ passed }) => !passed).length;
  const [sign, verdict] = parts.every(({ scored }) => scored === 0)
    ? ["❌", "no trial has a verdict"]
    : gates.length === 0
      ? ["⚪", "no gates"]
      : failed === 0
        ? ["✅", "all gates passed"]
        : ["❌", `${failed} of ${gates.length} gates failed`];
  return `### ${sign} ${safe(title)}: ${verdict}`;
}

function gateLine({ gate, passed, words }: GateVerdict): string {
  return `- ${passed ? "✅" : "❌"} ${safe(words.includes(gate) ? words : `${words} (${gate})`)}`;
}

const COLUMNS: Column<EvalPart>[] = [
  { title: "eval", cell: (part) => safe(part.eval) },
  { title: "system", cell: (part) => safe(part.system) },
  { title: "pass rate [95 %]", align: "right", cell: passRate },
  { title: "score", align: "right", cell: ({ skill }) => formatNumber(skill.score) },
  { title: "flaky", align: "right", cell: ({ stimuli }) => String(stimuli.filter(isFlaky).length) },
  { title: "cost", align: "right", cell: ({ costUsd }) => formatDollars(costUsd) },
  {
    title: "gates",
    cell: ({ gates }) => gates.map(({ passed, metric }) => `${passed ? "✅" : "❌"} ${safe(metric)}`).join(" "),
  },
];

function passRate({ passRate: rate, passRateInterval: interval }: EvalPart): string {
  if (rate === null || interval === null) return formatNumber(rate);
  return `${formatNumber(rate)} [${formatNumber(interval[0])}, ${formatNumber(interval[1])}]`;
}

function isFlaky({ flakyPercent }: EvalPart["stimuli"][number]): boolean {
  return (flakyPercent ?? 0) > 0;
}

function folded(part: EvalPart): string {
  const k = part.stimuli[0]?.k ?? 1;
  const columns = stimulusColumns(k, part.unit).map((column) => ({
    ...column,
    cell: (line: EvalPart["stimuli"][number]) => safe(column.cell(line)),
  }));
  return [
    `<details><summary>${safe(part.eval)}: ${safe(part.system)}</summary>`,
    markdownTable(columns, part.stimuli),
    factsOf(part)
      .map((line) => `- ${safe(line)}`)
      .join("\n"),
    "</details>",
  ].join("\n\n");
}

/**
 * Names and messages come from files and programs: in a pull request they must be text, not markup or mentions. A bar
 * after a backslash would still end a cell, so it is written as a character reference.
 */
function safe(text: string): string {
  return oneLine(text)
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/[`|]/g, (sign) => `&#${sign.charCodeAt(0)};`)
    .replace(/\](?=[([:])/g, "&#93;")
    .replace(/@(?=\w)/g, "@\u200b");
}
