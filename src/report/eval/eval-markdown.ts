import type { GateVerdict, Reporter, ReportOptions } from "../../core/registry.js";
import type { EvalResult } from "../../core/result.js";
import { formatDollars, formatNumber } from "../format.js";
import { renderMarkdownTable, type TableColumn, toOneLine } from "../markdown.js";
import { type EvalPart, type EvalReport, evalReport } from "./eval-report.js";
import { createStimulusColumns, describePart } from "./eval-text.js";

/** The report of an eval as a comment on a pull request: verdicts first, tables folded. */
export const markdownReporter = {
  name: "markdown",
  render: (result: EvalResult, { gates }: ReportOptions = {}) => renderEvalMarkdown(evalReport(result, gates)),
} satisfies Reporter;

/** A program finds its earlier comment by this marker, to update it. */
const COMMENT_MARKER = "<!-- assay-eval -->";

export function renderEvalMarkdown(report: EvalReport): string {
  const details = report.parts.map((part) => renderFoldedPart(part));
  const notes = report.notes.map((note) => `- ${escapeMarkdown(note)}`).join("\n");
  const gates = report.gates.map(formatGateLine).join("\n");
  const parts = [
    COMMENT_MARKER,
    formatEvalHeadline(report),
    gates,
    renderMarkdownTable(PART_COLUMNS, report.parts),
    ...details,
    notes,
  ];
  return `${parts.filter((text) => text !== "").join("\n\n")}\n`;
}

/** Green only if gates were passed: trials without a verdict prove nothing. */
function formatEvalHeadline({ title, parts, gates: ofCommand }: EvalReport): string {
  const gates = [...ofCommand, ...parts.flatMap((part) => part.gates)];
  const failed = gates.filter(({ passed }) => !passed).length;
  const [sign, verdict] = parts.every(({ scored }) => scored === 0)
    ? ["❌", "no trial has a verdict"]
    : gates.length === 0
      ? ["⚪", "no gates"]
      : failed === 0
        ? ["✅", "all gates passed"]
        : ["❌", `${failed} of ${gates.length} gates failed`];
  return `### ${sign} ${escapeMarkdown(title)}: ${verdict}`;
}

function formatGateLine({ gate, passed, words }: GateVerdict): string {
  return `- ${passed ? "✅" : "❌"} ${escapeMarkdown(words.includes(gate) ? words : `${words} (${gate})`)}`;
}

const PART_COLUMNS: TableColumn<EvalPart>[] = [
  { title: "eval", cell: (part) => escapeMarkdown(part.eval) },
  { title: "system", cell: (part) => escapeMarkdown(part.system) },
  { title: "pass rate [95 %]", align: "right", cell: formatPartPassRate },
  { title: "score", align: "right", cell: ({ skill }) => formatNumber(skill.score) },
  { title: "flaky", align: "right", cell: ({ stimuli }) => String(stimuli.filter(isFlakyStimulus).length) },
  { title: "cost", align: "right", cell: ({ costUsd }) => formatDollars(costUsd) },
  {
    title: "gates",
    cell: ({ gates }) =>
      gates.map(({ passed, metric }) => `${passed ? "✅" : "❌"} ${escapeMarkdown(metric)}`).join(" "),
  },
];

function formatPartPassRate({ passRate: rate, passRateInterval: interval }: EvalPart): string {
  if (rate === null || interval === null) return formatNumber(rate);
  return `${formatNumber(rate)} [${formatNumber(interval[0])}, ${formatNumber(interval[1])}]`;
}

function isFlakyStimulus({ flakyPercent }: EvalPart["stimuli"][number]): boolean {
  return (flakyPercent ?? 0) > 0;
}

function renderFoldedPart(part: EvalPart): string {
  const k = part.stimuli[0]?.k ?? 1;
  const columns = createStimulusColumns(k, part.unit).map((column) => ({
    ...column,
    cell: (line: EvalPart["stimuli"][number]) => escapeMarkdown(column.cell(line)),
  }));
  return [
    `<details><summary>${escapeMarkdown(part.eval)}: ${escapeMarkdown(part.system)}</summary>`,
    renderMarkdownTable(columns, part.stimuli),
    describePart(part)
      .map((line) => `- ${escapeMarkdown(line)}`)
      .join("\n"),
    "</details>",
  ].join("\n\n");
}

/**
 * Names and messages come from files and programs: in a pull request they must be text, not markup or mentions. A bar
 * after a backslash would still end a cell, so it is written as a character reference.
 */
function escapeMarkdown(text: string): string {
  return toOneLine(text)
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/[`|]/g, (sign) => `&#${sign.charCodeAt(0)};`)
    .replace(/\](?=[([:])/g, "&#93;")
    .replace(/@(?=\w)/g, "@\u200b");
}
