import { basename } from "node:path";
import type { RunVerdict } from "../core/index.js";
import {
  classifyAdjustedLift,
  computeMinTasks,
  findDrops,
  findRegressionsTogether,
  type Lift,
  type MetricComparison,
  type PairedComparison,
  type Regressions,
  type RunComparison,
  type RunName,
} from "../metrics/index.js";
import { COMMENT_LAYOUT, escapeMarkdown, formatCommentMarker, formatHeadline } from "./comment.js";
import {
  CHANGE_TONES,
  CHANGE_WORDS,
  createSignedFormat,
  createTaskNamer,
  formatComparedValue,
  formatDifference,
  formatMetricName,
  formatPValue,
} from "./compare-cells.js";
import { describeCompareVerdict, describeTests } from "./compare-verdict.js";
import { escapeXml, renderGateSuite } from "./eval/junit.js";
import { formatNumber, formatPlural, formatShare } from "./format.js";
import { createLayout, type Layout } from "./layout.js";
import { type TableColumn, toOneLine } from "./markdown.js";

/** How a comparison is drawn. */
interface CompareStyle {
  layout: Layout;
  list: (list: TaskList, layout: Layout) => string;
}

/** Renders the comparison of two runs for a terminal. */
export function renderCompareText(compared: RunComparison, layout = createLayout()): string {
  const title = layout.heading(`${formatRunTitle(compared.a)} → ${formatRunTitle(compared.b)}`);
  return `${[title, ...renderComparisonParts(compared, { layout, list: renderPlainList })].join("\n\n")}\n`;
}

/** The gates of a comparison and the exit code that they lead to. */
export interface CompareOutcome {
  gates: readonly ComparisonGate[];
  verdict: RunVerdict;
}

/** For a comment on a pull request: the verdict and the results of gates come first, and long lists are folded. */
export function renderCompareMarkdown(compared: RunComparison, { gates, verdict }: CompareOutcome): string {
  const parts = [
    formatCommentMarker(compared.b.title),
    formatHeadline(compared.b.title, verdict, gates.length),
    escapeMarkdown(`A: ${formatRunTitle(compared.a)}, B: ${formatRunTitle(compared.b)}`),
    gates.map(formatGateLines).join("\n"),
    ...renderComparisonParts(compared, { layout: COMMENT_LAYOUT, list: renderFoldedList }),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function formatGateLines({ gate, system, failures, warning }: ComparisonGate): string {
  if (failures.length === 0 && warning === null) return `- ✅ ${escapeMarkdown(`${system}: ${gate}`)}`;
  const lines = [...(warning === null ? [] : [`⚠️ ${escapeMarkdown(warning)}`]), ...failures.map(escapeFailure)];
  return lines.map((line) => `- ${line}`).join("\n");
}

function escapeFailure(failure: string): string {
  return `❌ ${escapeMarkdown(failure)}`;
}

/** A suite with a case for each gate, for CI servers. A gate that could not be checked is an error. */
export function renderCompareJunit(compared: RunComparison, { gates, verdict }: CompareOutcome): string {
  const title = `${formatRunTitle(compared.a)} → ${formatRunTitle(compared.b)}`;
  const verdicts = gates.map(({ gate, system, failures, warning }) => ({
    gate: `${system}: ${gate}`,
    passed: failures.length === 0 && warning === null,
    words: [...failures, ...(warning === null ? [] : [warning])].join("; ") || "passed",
  }));
  const suite = [...renderGateSuite(verdicts, verdict)].join("");
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${escapeXml(title)}">\n${suite}</testsuites>\n`;
}

function renderComparisonParts({ comparisons, notes }: RunComparison, style: CompareStyle): string[] {
  const sections = comparisons.map((comparison) => renderSystemComparison(comparison, style));
  return [...sections, ...(notes.length === 0 ? [] : [style.layout.bullets(notes)])];
}

function renderSystemComparison(comparison: PairedComparison, { layout, list }: CompareStyle): string {
  const { systemA, systemB } = comparison;
  const parts = [
    layout.heading(`A: ${systemA}, B: ${systemB}`, 2),
    layout.text(describeCompareVerdict(comparison).sentence),
    renderMetricTable(comparison, layout),
    layout.bullets(listComparisonFacts(comparison)),
    ...buildTaskLists(comparison).map((tasks) => list(tasks, layout)),
  ];
  return parts.join("\n\n");
}

function formatRunTitle({ run, title }: RunName): string {
  return toOneLine(run === null ? title : basename(run));
}

function renderPlainList({ title, entries, more }: TaskList, layout: Layout): string {
  return `${layout.text(title)}\n\n${layout.bullets(appendRemainder(entries, more))}`;
}

function renderFoldedList({ title, entries, more }: TaskList, layout: Layout): string {
  return `<details>\n<summary>${title}</summary>\n\n${layout.bullets(appendRemainder(entries, more))}\n\n</details>`;
}

function appendRemainder(entries: readonly string[], more: number): string[] {
  return more === 0 ? [...entries] : [...entries, `and ${more} more, all listed by --output json`];
}

/** A list of tasks under its title, shortened for people. */
interface TaskList {
  title: string;
  entries: readonly string[];
  /** Number of entries left out. */
  more: number;
}

const MAX_LISTED = 10;

function renderMetricTable({ metrics, level }: PairedComparison, layout: Layout): string {
  const right = (title: string, cell: (metric: MetricComparison) => string): TableColumn<MetricComparison> => ({
    title,
    align: "right",
    cell,
  });
  const columns: TableColumn<MetricComparison>[] = [
    { title: "metric", cell: formatMetricName },
    { ...right("A", (metric) => formatComparedValue(metric, metric.a)), priority: 0 },
    { ...right("B", (metric) => formatComparedValue(metric, metric.b)), priority: 1 },
    { ...right(`B - A [${formatShare(level)}]`, formatDifference), priority: 3 },
    right("p", ({ p }) => formatPValue(p)),
    right("adjusted p", ({ adjustedP }) => formatPValue(adjustedP)),
    {
      title: "B is",
      cell: ({ change, n, reason }) => (n === 0 ? (reason ?? "–") : CHANGE_WORDS[change]),
      tone: ({ change, n }) => (n === 0 ? null : CHANGE_TONES[change]),
      priority: 2,
    },
    right("tasks", ({ n }) => String(n)),
  ];
  return layout.table(columns, metrics, { hint: "Use a wider terminal, or --output markdown." });
}

function listComparisonFacts(comparison: PairedComparison): string[] {
  const { tasks, trials, metrics, notes } = comparison;
  const neither = tasks.neither === 0 ? [] : [`${tasks.neither} scored in neither`];
  const counts = [
    `${formatPlural(tasks.paired, "task")} paired (${formatPlural(trials.a, "trial")} of A, ${trials.b} of B)`,
    `${tasks.aOnly} only in A`,
    `${tasks.bOnly} only in B`,
    ...neither,
  ];
  const groups = metrics.find((metric) => metric.groups !== null)?.groups;
  const grouped =
    groups == null ? [] : [`tasks belong to ${formatPlural(groups, "group")}, and groups are the independent units`];
  return [
    counts.join(", "),
    ...grouped,
    ...describeTests(comparison),
    ...metrics.flatMap(describeDetectableDifference),
    ...notes,
  ];
}

function describeDetectableDifference(metric: MetricComparison): string[] {
  const { detectable, n } = metric;
  if (detectable === null || n === 0) return [];
  const { difference, power, spread, reason } = detectable;
  if (difference === null)
    return [`${formatMetricName(metric)}: no difference is detectable with this design: ${reason}`];
  const assumed = spread === "assumed" ? ", assuming the usual spread between tasks" : "";
  return [
    `${formatMetricName(metric)}: minimum detectable difference ${formatNumber(difference)} at ${formatShare(power)} power${assumed}`,
  ];
}

function buildTaskLists(comparison: PairedComparison): TaskList[] {
  const { flips, unmatched } = comparison;
  const name = createTaskNamer(comparison);
  const passes = (task: (typeof flips.toFail)[number]) =>
    `${name(task)}: ${task.passesA}/${task.trialsA} → ${task.passesB}/${task.trialsB}${task.isFlaky ? ", flaky" : ""}`;
  return [
    buildTaskList("Passed in A, fails in B", flips.toFail, passes),
    buildTaskList("Failed in A, passes in B", flips.toPass, passes),
    buildTaskList("Flaky, without a change of verdict", flips.flaky, passes),
    buildTaskList("Not paired", unmatched, (task) => `${name(task)}: ${task.reason}`),
  ].filter(({ entries }) => entries.length > 0);
}

function buildTaskList<T>(what: string, items: readonly T[], entry: (item: T) => string): TaskList {
  const entries = items.slice(0, MAX_LISTED).map(entry);
  return { title: `${what}: ${items.length}`, entries, more: items.length - entries.length };
}

/** The comparison of two runs for programs: every list in full, and null with a reason for undefined values. */
interface CompareReport extends Omit<RunComparison, "comparisons"> {
  schema: "assay.comparison/1";
  comparisons: readonly ComparedSystems[];
}

interface ComparedSystems extends PairedComparison {
  lift: Lift;
  /** Names of the quality metrics that are significantly worse in B, and of those where the test had too little power. */
  regressions: {
    worse: readonly string[];
    undetectable: readonly string[];
    /** Names of the metrics that dropped by more than `maxDrop`, without a significance test; absent without a limit. */
    dropped?: readonly string[];
  };
}

interface GateLimits {
  minDifference?: number | undefined;
  maxDrop?: number | undefined;
}

export function buildCompareReport(
  compared: RunComparison,
  { minDifference = 0, maxDrop }: GateLimits = {},
): CompareReport {
  const found = findRegressionsTogether(compared.comparisons, { minDifference });
  const comparisons = compared.comparisons.map((comparison, i): ComparedSystems => {
    const { worse = [], blind = [] } = found[i] ?? {};
    const names = (metrics: readonly MetricComparison[]) => metrics.map(({ metric }) => metric);
    const regressions = {
      worse: names(worse),
      undetectable: names(blind),
      ...(maxDrop === undefined ? {} : { dropped: names(findDrops(comparison, maxDrop)) }),
    };
    return { ...comparison, lift: classifyAdjustedLift(comparison), regressions };
  });
  return { schema: "assay.comparison/1", ...compared, comparisons };
}

/** What a gate reports about one comparison. */
export interface GateMessages {
  /** Why it fails; empty if it does not. */
  failures: readonly string[];
  /** Printed first: the gate could not have failed. Null when it could. */
  warning: string | null;
  remarks: readonly string[];
}

/** The result of one gate for one pair of systems. */
export interface ComparisonGate extends GateMessages {
  /** As given on the command line. */
  gate: string;
  /** The system of run B. */
  system: string;
}

/** Reports where B is lower than A by more than `maxDrop`. */
export function describeDrops(comparisons: readonly PairedComparison[], maxDrop: number): GateMessages[] {
  return comparisons.map((comparison) => ({
    failures: findDrops(comparison, maxDrop).map(
      (metric) =>
        `${comparison.systemB}: ${formatMetricName(metric)} dropped by more than ${formatNumber(maxDrop)}: ${formatChange(metric)}`,
    ),
    warning: null,
    remarks: describeUnscoredTasks(comparison),
  }));
}

/** Reports where B is worse, where it may be worse, and where the test has too little power to tell. */
export function describeRegressions(comparisons: readonly PairedComparison[], minDifference: number): GateMessages[] {
  const found = findRegressionsTogether(comparisons, { minDifference });
  return comparisons.map((comparison, i) => describeGate(comparison, found[i] ?? NO_REGRESSIONS, minDifference));
}

const NO_REGRESSIONS: Regressions = { worse: [], unclear: [], blind: [], isFutile: false };

function describeGate(comparison: PairedComparison, found: Regressions, minDifference: number): GateMessages {
  const { systemB, tasks } = comparison;
  const remarks = [
    ...found.unclear.map(describeUnclear),
    ...(found.isFutile ? [] : describeUndetectable(found, minDifference)),
  ];
  return {
    failures: found.worse.map((metric) => `${systemB}: ${describeWorse(metric)}`),
    warning: found.isFutile && tasks.paired > 0 ? describeFutileGate(comparison, found) : null,
    remarks: [...remarks.map((remark) => `${systemB}: ${remark}`), ...describeUnscoredTasks(comparison)],
  };
}

function describeUnscoredTasks({ systemB, tasks: { aOnly } }: PairedComparison): string[] {
  if (aOnly === 0) return [];
  return [`${systemB}: ${formatPlural(aOnly, "task")} of A ${pickVerb(aOnly)} not scored in B and not counted`];
}

/** A gate that cannot fail must not look like a pass. */
function describeFutileGate({ systemB, level, tasks }: PairedComparison, { blind }: Regressions): string {
  const hypotheses = Math.max(1, ...blind.map((metric) => metric.hypotheses));
  const groups = Math.max(0, ...blind.map((metric) => metric.groups ?? 0));
  const has =
    groups === 0 ? formatPlural(tasks.paired, "paired task") : `paired tasks of ${formatPlural(groups, "group")}`;
  const fewest = computeMinTasks(level, hypotheses);
  const need = fewest === null ? "many more" : `at least ${fewest}`;
  const fewer = hypotheses < 2 ? "" : ", or compare one system and one metric with --system-a and --metric";
  return `WARNING: --fail-on-regression CHECKED NOTHING for ${systemB}: with ${has}, no loss, however large, would be significant. This is not a pass. Run ${groups === 0 ? `${need} examples` : `examples of ${need} groups`}${fewer}, or gate on the plain difference with --max-drop.`;
}

function describeWorse(metric: MetricComparison): string {
  return `${formatMetricName(metric)} is worse: ${formatChange(metric)} (${formatPValues(metric)})`;
}

function describeUnclear(metric: MetricComparison): string {
  return `${formatMetricName(metric)} is lower, but not significantly: ${formatChange(metric)} (${formatPValues(metric)})`;
}

/** The report corrects for all metrics, so its p-value may differ. */
function formatPValues({ p, adjustedP, hypotheses }: MetricComparison): string {
  const adjusted =
    adjustedP === null || hypotheses < 2
      ? ""
      : `, ${formatPValue(adjustedP)} after Holm correction for ${hypotheses} quality comparisons`;
  return `p ${formatPValue(p)}${adjusted}`;
}

function describeUndetectable({ blind }: Regressions, minDifference: number): string[] {
  return blind.map((metric) => {
    const least = metric.detectable?.difference ?? null;
    const tasks = `${formatMetricName(metric)}: with ${formatPlural(metric.n, "paired task")}`;
    if (least === null || minDifference === 0 || least <= minDifference)
      return `${tasks}${describeTooFewTasks(metric)}`;
    return `${tasks} a loss of ${formatNumber(minDifference)} may be missed: the minimum detectable difference at 80 % power is ${formatNumber(least)}`;
  });
}

function describeTooFewTasks({ hypotheses }: MetricComparison): string {
  const unfound = "few regressions could have been detected; run more examples";
  if (hypotheses < 2) return ` ${unfound}`;
  return ` and ${hypotheses} quality comparisons, ${unfound}, or compare one metric with --metric`;
}

function formatChange(metric: MetricComparison): string {
  const { a, b, difference } = metric;
  return `${formatComparedValue(metric, a)} → ${formatComparedValue(metric, b)}, ${createSignedFormat(metric)(difference)}`;
}

function pickVerb(count: number): string {
  return count === 1 ? "was" : "were";
}
