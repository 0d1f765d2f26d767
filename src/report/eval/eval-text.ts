import {
  type EffortCurve,
  type EvalResult,
  EXIT,
  type FrontierReport,
  type GateVerdict,
  type ReportOptions,
  type RunVerdict,
} from "../../core/index.js";
import { escapeMarkdown, formatCommentMarker, formatHeadline } from "../comment.js";
import { renderEffortCurves } from "../effort-curves.js";
import { formatDollars, formatNumber, formatPlural, formatSeconds } from "../format.js";
import { renderFrontier } from "../frontier.js";
import { createLayout, type Layout } from "../layout.js";
import { renderMarkdownTable, type TableColumn, toOneLine } from "../markdown.js";
import type { EvalPart, GateResult, StimulusLine } from "./eval-part.js";
import { type EvalReport, evalReport } from "./eval-report.js";

/** For people: a table of test cases for each eval and system, the skill, triggers and gates. */
export function renderEvalText(result: EvalResult, options: ReportOptions = {}): string {
  const report = evalReport(result);
  const layout = createLayout(options);
  const [only, ...others] = report.parts;
  const isTitled = others.length === 0 && only !== undefined && formatPartHeading(only) === report.title;
  const parts = report.parts.map((part) => renderEvalPart(part, isTitled, layout));
  const notes = layout.bullets(report.notes);
  return `${[layout.heading(report.title), ...parts, notes].filter((text) => text !== "").join("\n\n")}\n`;
}

function formatPartHeading(part: EvalPart): string {
  return `${part.eval}: ${part.system}`;
}

function renderEvalPart(part: EvalPart, isTitled: boolean, layout: Layout): string {
  const k = part.stimuli[0]?.k ?? 1;
  return [
    ...(isTitled ? [] : [layout.heading(formatPartHeading(part), 2)]),
    layout.table(createStimulusColumns(k, part.unit), part.stimuli),
    layout.bullets(describePart(part)),
  ].join("\n\n");
}

function createStimulusColumns(k: number, unit: EvalPart["unit"]): TableColumn<StimulusLine>[] {
  return [
    { title: unit === "stimulus" ? "test case" : unit, cell: ({ stimulus }) => stimulus },
    { title: "pass rate [95 %]", align: "right", cell: formatStimulusPassRate },
    { title: `pass@${k}`, align: "right", cell: (line) => formatNumber(line.passAtK) },
    { title: `pass^${k}`, align: "right", cell: (line) => formatNumber(line.passHatK) },
    { title: "flaky", align: "right", cell: ({ flakyPercent }) => formatPercent(flakyPercent) },
    { title: "score", align: "right", cell: ({ meanScore }) => formatNumber(meanScore) },
    { title: "cost", align: "right", cell: ({ meanCostUsd }) => formatDollars(meanCostUsd) },
    { title: "time", align: "right", cell: ({ meanSeconds }) => formatSeconds(meanSeconds) },
    { title: "trials", align: "right", cell: formatOutcomes },
  ];
}

function formatStimulusPassRate({ passRate: rate, passRateInterval: interval }: StimulusLine): string {
  if (rate === null || interval === null) return "–";
  return `${formatNumber(rate)} [${formatNumber(interval[0])}, ${formatNumber(interval[1])}]`;
}

function formatPercent(percent: number | null): string {
  return percent === null ? "–" : `${formatNumber(percent, 0)} %`;
}

/** `5`, or with trials without a verdict: `5 (1 error, 1 unscored)`. */
function formatOutcomes({ trials, outcomes }: StimulusLine): string {
  const others = (["error", "unscored", "skipped"] as const).filter((outcome) => outcomes[outcome] > 0);
  if (others.length === 0) return String(trials);
  return `${trials} (${others.map((outcome) => `${outcomes[outcome]} ${outcome}`).join(", ")})`;
}

/** The lines below the table of test cases. */
export function describePart({ skill, triggers, gates, stimuli, ...part }: EvalPart): string[] {
  const interval = part.passRateInterval;
  const within = interval === null ? "" : ` [${formatNumber(interval[0])}, ${formatNumber(interval[1])}]`;
  const reasons = stimuli.flatMap(({ stimulus, why, failed }) =>
    [failed, why].flatMap((reason) => (reason === null ? [] : `${toOneLine(stimulus)}: ${toOneLine(reason)}`)),
  );
  return [
    `${part.passed} of ${formatPlural(part.planned, "trial")} passed: pass rate ${formatNumber(part.passRate)}${within} over ${formatUnitCount(skill.scored, part)}${part.scored < part.planned ? `; ${part.planned - part.scored} without a verdict` : ""}`,
    `${skill.skill === null ? "" : `skill ${toOneLine(skill.skill)}: `}score ${formatNumber(skill.score)} over ${skill.scored} of ${formatUnitCount(skill.stimuli, part)}${part.costUsd === null ? "" : `; ${formatDollars(part.costUsd)} in all`}`,
    ...(triggers === null
      ? []
      : [
          `activation: precision ${formatNumber(triggers.precision)}, recall ${formatNumber(triggers.recall)}, F1 ${formatNumber(triggers.f1)} (${formatPlural(triggers.truePositives, "true positive")}, ${formatPlural(triggers.falsePositives, "false positive")}, ${formatPlural(triggers.falseNegatives, "false negative")}, ${formatPlural(triggers.trueNegatives, "true negative")})`,
        ]),
    ...gates.map((gate) => `gate ${formatGateResult(gate)}`),
    ...reasons,
  ];
}

/** `1 test case`, `3 examples`. */
function formatUnitCount(count: number, { unit }: Pick<EvalPart, "unit">): string {
  return formatPlural(count, unit === "stimulus" ? "test case" : unit);
}

/** `pass_hat_3 >= 0.8: 0.75, failed`. */
export function formatGateResult({ metric, op, value, actual, passed }: GateResult): string {
  const found = actual === null ? "not measured" : formatNumber(actual);
  return `${metric} ${op} ${value}: ${found}, ${passed ? "passed" : "failed"}`;
}

/** What the systems of a run cost together, and by effort. */
type CostFigures = Pick<EvalResult, "frontier" | "effortCurves">;

/** For a comment on a pull request: verdicts first, tables folded. */
export function renderEvalMarkdown(report: EvalReport, { frontier, effortCurves }: CostFigures): string {
  const layout = createLayout();
  const details = report.parts.map((part) => renderFoldedPart(part));
  const notes = report.notes.map((note) => `- ${escapeMarkdown(note)}`).join("\n");
  const gates = report.gates.map(formatGateLine).join("\n");
  const parts = [
    formatCommentMarker(report.title),
    formatEvalHeadline(report),
    gates,
    renderMarkdownTable(PART_COLUMNS, report.parts),
    ...renderEffortCurves(effortCurves.map(escapeCurve), layout),
    ...renderFrontier(frontier === null ? null : escapeFrontier(frontier), layout),
    report.reliability ?? "",
    ...details,
    notes,
  ];
  return `${parts.filter((text) => text !== "").join("\n\n")}\n`;
}

function escapeCurve(curve: EffortCurve): EffortCurve {
  return { ...curve, name: escapeMarkdown(curve.name) };
}

function escapeFrontier(frontier: FrontierReport): FrontierReport {
  const { reason, expertCostUsd, systems } = frontier;
  return {
    ...frontier,
    reason: reason === null ? null : escapeMarkdown(reason),
    expertCostUsd: Object.fromEntries(
      Object.entries(expertCostUsd).map(([name, cost]) => [escapeMarkdown(name), cost]),
    ),
    systems: systems.map((line) => ({ ...line, system: escapeMarkdown(line.system) })),
  };
}

function formatEvalHeadline(report: EvalReport): string {
  const gates = [...report.gates, ...report.parts.flatMap((part) => part.gates)];
  return formatHeadline(report.title, report.verdict ?? judgeStoredEval(report, gates), gates.length);
}

/** For a report without a command: what its gates say. Trials without a verdict prove nothing. */
function judgeStoredEval({ parts }: EvalReport, gates: readonly { passed: boolean }[]): RunVerdict {
  const failed = gates.filter(({ passed }) => !passed).length;
  if (parts.every(({ scored }) => scored === 0))
    return { exitCode: EXIT.infrastructure, words: "no trial has a verdict" };
  if (gates.length === 0) return { exitCode: EXIT.fine, words: "no gates" };
  return failed === 0
    ? { exitCode: EXIT.fine, words: "all gates passed" }
    : { exitCode: EXIT.gateFailed, words: `${failed} of ${formatPlural(gates.length, "gate")} failed` };
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
