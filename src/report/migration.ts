import type { GateVerdict, RunVerdict, SequentialReport } from "../core/index.js";
import type { CandidateVerdict, DecisionCost, EarlyDecision, FigureDifference, TaskPasses } from "../metrics/index.js";
import { COMMENT_LAYOUT, escapeMarkdown, formatCommentMarker, formatHeadline } from "./comment.js";
import { formatPValue } from "./compare-cells.js";
import { describeDecisionCost } from "./decision-cost.js";
import { escapeXml, renderGateSuite } from "./eval/junit.js";
import { formatDollars, formatNumber, formatPlural, formatSeconds, formatShare } from "./format.js";
import { createLayout, type Layout } from "./layout.js";
import { type TableColumn, toOneLine } from "./markdown.js";
import { describeCost, describeLevels, describeTasks } from "./sequential.js";

/** An example whose verdict changed, with what both systems answered. */
export interface FlippedExample extends TaskPasses {
  change: "to_fail" | "to_pass";
  question: string | null;
  expected: string | null;
  /** Null if no output is stored. */
  fromOutput: string | null;
  toOutput: string | null;
}

/** A candidate for JSON: the examples that flipped have their outputs. */
interface ReportedCandidate extends Omit<CandidateVerdict, "flips"> {
  flips: readonly FlippedExample[];
}

/** The result of `assay migrate`. */
export interface MigrationReport {
  schema: "assay.migration/1";
  title: string;
  run: string | null;
  from: string;
  margin: number;
  /** One-sided level of the bounds; of a run that may stop early, the level of its intervals. */
  level: number;
  /** What a run that may stop before its last task has decided; null for any other run. */
  sequential: SequentialReport | null;
  /** What the verdicts cost; null for a run that may stop early, whose costs are in `sequential`. */
  cost: DecisionCost | null;
  verdict: RunVerdict;
  candidates: readonly ReportedCandidate[];
  notes: readonly string[];
}

const MAX_LISTED = 10;
const MAX_OUTPUT_CHARS = 120;

/** Renders the result for a terminal, or as Markdown without a layout. */
export function renderMigrationText(report: MigrationReport, layout: Layout = createLayout()): string {
  const flips = (list: FlipList) =>
    [layout.text(list.title), layout.bullets([...list.flips.map(formatFlip), ...formatRemainder(list)])].join("\n\n");
  return `${[layout.heading(formatTitle(report)), ...renderParts(report, layout, flips)].join("\n\n")}\n`;
}

/** For a comment on a pull request: the verdict comes first, and examples are folded. */
export function renderMigrationMarkdown(report: MigrationReport): string {
  const flips = (list: FlipList) =>
    `<details>\n<summary>${escapeMarkdown(list.title)}</summary>\n\n${COMMENT_LAYOUT.bullets([...list.flips.map(formatFlip), ...formatRemainder(list)])}\n\n</details>`;
  const { title, verdict, candidates } = report;
  const head = [formatCommentMarker(title), formatHeadline(title, verdict, candidates.length)];
  return `${[...head, ...renderParts(report, COMMENT_LAYOUT, flips)].join("\n\n")}\n`;
}

/** A suite with a case for each candidate, for CI servers. */
export function renderMigrationJunit({ title, candidates, verdict }: MigrationReport): string {
  const gates = candidates.map(
    (candidate): GateVerdict => ({
      gate: candidate.system,
      passed: candidate.verdict === "non-inferior",
      words: describeMigrationVerdict(candidate),
    }),
  );
  const suite = [...renderGateSuite(gates, verdict)].join("");
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${escapeXml(title)}">\n${suite}</testsuites>\n`;
}

const PAGE_STYLE = `body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#1c1c1c;background:#fff}
table{border-collapse:collapse;margin:1rem 0;display:block;overflow-x:auto}th,td{border:1px solid #ccc;padding:.3rem .6rem;text-align:left;vertical-align:top}
td.right,th.right{text-align:right}pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:0;font:13px/1.4 ui-monospace,monospace}
@media (prefers-color-scheme:dark){body{color:#e8e8e8;background:#161616}th,td{border-color:#444}}`;

/** One page without scripts. Outputs are shown in full, side by side. */
export function renderMigrationHtml(report: MigrationReport): string {
  const flips = ({ title, flips: all }: FlipList) => {
    const columns: TableColumn<FlippedExample>[] = [
      { title: "example", cell: (flip) => `${formatTaskName(flip)}\n${flip.question ?? ""}` },
      { title: "expected", cell: ({ expected }) => expected ?? "–" },
      { title: report.from, cell: ({ fromOutput }) => fromOutput ?? "–" },
      { title: "candidate", cell: ({ toOutput }) => toOutput ?? "–" },
    ];
    return `<details><summary>${escapeXml(title)}</summary>\n${HTML_LAYOUT.table(columns, all)}\n</details>`;
  };
  const parts = [HTML_LAYOUT.heading(formatTitle(report)), ...renderParts(report, HTML_LAYOUT, flips, Infinity)];
  return `<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeXml(report.title)}</title><style>${PAGE_STYLE}</style></head>\n<body>\n${parts.join("\n")}\n</body>\n</html>\n`;
}

const HTML_LAYOUT: Layout = {
  heading: (text, level = 1) => `<h${level}>${escapeXml(text)}</h${level}>`,
  text: (text) => `<p>${escapeXml(text)}</p>`,
  bullets: (lines) => `<ul>${lines.map((line) => `<li>${escapeXml(line)}</li>`).join("")}</ul>`,
  command: (label, command) => `<p>${escapeXml(label)}: <code>${escapeXml(command)}</code></p>`,
  table: (columns, items) => {
    const open = (tag: string, align: string | undefined) =>
      align === "right" ? `<${tag} class="right">` : `<${tag}>`;
    const head = columns.map(({ title, align }) => `${open("th", align)}${escapeXml(title)}</th>`).join("");
    const rows = items.map(
      (item) =>
        `<tr>${columns.map(({ cell, align }) => `${open("td", align)}<pre>${escapeXml(cell(item))}</pre></td>`).join("")}</tr>`,
    );
    return `<table><tr>${head}</tr>\n${rows.join("\n")}</table>`;
  },
};

interface FlipList {
  title: string;
  flips: readonly FlippedExample[];
  /** Number of examples left out. */
  more: number;
}

function renderParts(
  report: MigrationReport,
  layout: Layout,
  renderFlips: (list: FlipList) => string,
  maxListed = MAX_LISTED,
): string[] {
  const { candidates, notes, sequential, cost } = report;
  return [
    layout.bullets([
      ...candidates.map(describeCandidate),
      ...(sequential === null ? [] : [describeCost(sequential)]),
      ...(cost === null ? [] : describeDecisionCost(cost)),
    ]),
    renderCandidateTable(report, layout),
    renderFigureTable(report, layout),
    ...candidates.flatMap((candidate) => listFlips(candidate, maxListed).map(renderFlips)),
    layout.bullets([...describeMethod(report), ...notes]),
  ];
}

function formatTitle({ from, candidates, margin }: MigrationReport): string {
  return `Moving from ${from}: ${formatPlural(candidates.length, "candidate")}, margin ${formatNumber(margin)}`;
}

function describeCandidate(candidate: ReportedCandidate): string {
  return `${candidate.system}: ${describeMigrationVerdict(candidate)}`;
}

/** `undecided: about 120 more examples`, or `inferior after 81 of 500 tasks` */
export function describeMigrationVerdict({
  verdict,
  early,
  moreExamples,
  reason,
}: Pick<CandidateVerdict, "verdict" | "early" | "moreExamples" | "reason">): string {
  if (early?.isFinal === true)
    return `${verdict} by the fixed-sample test of all ${formatPlural(early.planned, "task")}`;
  if (early !== null) return `${verdict} after ${formatTasksSeen(early)}`;
  if (verdict !== "undecided") return verdict;
  if (moreExamples === null) return `undecided: ${reason ?? "too few examples"}`;
  return `undecided: about ${moreExamples} more examples`;
}

function formatTasksSeen({ tasks, planned }: EarlyDecision): string {
  return `${tasks.toLocaleString("en-US")} of ${planned.toLocaleString("en-US")} tasks`;
}

function renderCandidateTable({ candidates, sequential, level }: MigrationReport, layout: Layout): string {
  const right = (title: string, cell: (one: ReportedCandidate) => string): TableColumn<ReportedCandidate> => ({
    title,
    align: "right",
    cell,
  });
  const columns: TableColumn<ReportedCandidate>[] = [
    { title: "candidate", cell: ({ system }) => system },
    {
      title: "verdict",
      cell: ({ verdict }) => verdict,
      tone: ({ verdict }) => (verdict === "non-inferior" ? "good" : verdict === "inferior" ? "bad" : null),
      priority: 0,
    },
    { ...right("quality before", ({ quality }) => formatNumber(quality.from)), priority: 3 },
    { ...right("after", ({ quality }) => formatNumber(quality.to)), priority: 2 },
    {
      ...right(
        sequential === null ? "difference [one-sided 95 %]" : `difference [any time, ${formatShare(level)}]`,
        ({ quality }) => formatBounds(quality, formatNumber),
      ),
      priority: 1,
    },
    ...(sequential === null ? P_COLUMNS : []),
    right(sequential?.groups == null ? "examples" : "groups", ({ quality }) => String(quality.n)),
  ];
  return layout.table(columns, candidates, { hint: "Use a wider terminal, or --output markdown." });
}

const P_COLUMNS: readonly TableColumn<ReportedCandidate>[] = [
  { title: "p non-inferior", align: "right", cell: ({ quality }) => formatPValue(quality.adjustedPNonInferior) },
  { title: "p inferior", align: "right", cell: ({ quality }) => formatPValue(quality.adjustedPInferior) },
];

interface ReportedFigure extends FigureDifference {
  system: string;
}

function renderFigureTable({ candidates, sequential }: MigrationReport, layout: Layout): string {
  const figures = candidates.flatMap(({ system, differences }) => differences.map((one) => ({ system, ...one })));
  const columns: TableColumn<ReportedFigure>[] = [
    { title: "candidate", cell: ({ system }) => system },
    { title: "figure", cell: ({ metric }) => metric, priority: 0 },
    { title: "before", align: "right", cell: (one) => formatFigure(one)(one.from), priority: 2 },
    { title: "after", align: "right", cell: (one) => formatFigure(one)(one.to), priority: 3 },
    {
      title: sequential === null ? "difference [95 %]" : "difference",
      align: "right",
      cell: (one) => (one.difference === null ? (one.reason ?? "–") : formatBounds(one, formatFigure(one))),
      priority: 1,
    },
  ];
  return layout.table(columns, figures);
}

type NumberFormat = (value: number | null) => string;

function formatFigure({ metric }: FigureDifference): NumberFormat {
  if (metric === "cost_per_pass_usd") return formatDollars;
  return metric === "latency_p95" ? formatSeconds : formatNumber;
}

function formatBounds(
  { difference, low, high }: { difference: number | null; low: number | null; high: number | null },
  format: NumberFormat,
): string {
  const signed = (value: number | null) =>
    value === null || value === 0 ? format(value) : `${value > 0 ? "+" : "-"}${format(Math.abs(value))}`;
  return low === null || high === null ? signed(difference) : `${signed(difference)} [${signed(low)}, ${signed(high)}]`;
}

function listFlips({ system, flips }: ReportedCandidate, maxListed: number): FlipList[] {
  const list = (title: string, change: FlippedExample["change"]): FlipList => {
    const all = flips.filter((flip) => flip.change === change);
    return {
      title: `${system}: ${title}: ${all.length}`,
      flips: all.slice(0, maxListed),
      more: all.length - maxListed,
    };
  };
  return [list("passed before, fails now", "to_fail"), list("failed before, passes now", "to_pass")].filter(
    (one) => one.flips.length > 0,
  );
}

function formatRemainder({ more }: FlipList): string[] {
  return more > 0 ? [`and ${more} more, all listed by --output json and --html`] : [];
}

function formatFlip(flip: FlippedExample): string {
  const cut = (text: string | null) => {
    const line = toOneLine(text ?? "no stored output");
    return line.length > MAX_OUTPUT_CHARS ? `${line.slice(0, MAX_OUTPUT_CHARS)}…` : line;
  };
  const { passesA, trialsA, passesB, trialsB } = flip;
  const trials = trialsA + trialsB > 2 ? ` (${passesA}/${trialsA} → ${passesB}/${trialsB})` : "";
  return `${formatTaskName(flip)}${trials}: before: ${cut(flip.fromOutput)} | now: ${cut(flip.toOutput)}`;
}

function formatTaskName({ dataset, exampleId }: FlippedExample): string {
  return dataset === "" ? String(exampleId) : `${dataset} ${exampleId}`;
}

function describeMethod(report: MigrationReport): string[] {
  const { candidates, sequential } = report;
  const unpaired = candidates.filter((one) => one.unpaired > 0);
  return [
    ...(sequential === null ? describeFixedMethod(report) : describeSequentialMethod(report, sequential)),
    ...unpaired.map(
      ({ system, unpaired: count }) => `${system}: ${formatPlural(count, "example")} not scored with both`,
    ),
    ...new Set(candidates.flatMap(({ notes }) => notes)),
  ];
}

function describeSequentialMethod({ from, margin, candidates }: MigrationReport, sequential: SequentialReport) {
  return [
    `non-inferior: the whole interval of the difference to ${from} is above -${formatNumber(margin)}; inferior: it is below; when all tasks are done, a fixed-sample test decides with half of the error`,
    ...(candidates.length > 1
      ? [`the verdicts are corrected for ${candidates.length} candidates (e-Holm); the intervals are not`]
      : []),
    ...describeTasks(sequential),
    describeLevels(sequential),
  ];
}

function describeFixedMethod({ from, margin, level, candidates }: MigrationReport): string[] {
  const percent = Math.round(level * 100);
  const methods = new Set(candidates.map(({ quality }) => quality.method));
  const names = [
    ...(methods.has("tango") ? ["Tango's score interval"] : []),
    ...(methods.has("t") ? ["paired t over tasks"] : []),
  ];
  return [
    `non-inferior: the lower ${percent} % bound of the difference to ${from} is above -${formatNumber(margin)}; inferior: the upper one is below it (${names.join(", ")})`,
    ...(candidates.length > 1
      ? [`p-values are Holm-corrected over ${candidates.length} candidates; the bounds are not`]
      : []),
  ];
}
