import { basename } from "node:path";
import {
  type Comparison,
  type Lift,
  liftOf,
  type MetricComparison,
  qualityOf,
  type RunComparison,
  type RunName,
  type TestName,
} from "../metrics/compare/index.js";
import { CHANGE_WORDS, differenceCell, metricName, metricValue, pValue, taskNamer } from "./compare-cells.js";
import type { GateWords } from "./compare-gate.js";
import { formatNumber, formatShare, plural } from "./format.js";
import { type Column, markdownTable, oneLine } from "./markdown.js";

type ListStyle = (list: TaskList) => string;

/** Renders the comparison of two runs for a terminal. */
export function compareText(compared: RunComparison): string {
  return rendered(compared, plainList);
}

/** For a comment on a pull request: long lists are folded, and the results of gates come first. */
export function compareMarkdown(compared: RunComparison, gates: readonly GateWords[] = []): string {
  const warnings = gates.flatMap(({ warning }) => (warning === null ? [] : [`**⚠ ${oneLine(warning)}**\n\n`]));
  const failures = gates.flatMap((gate) => gate.failures.map((failure) => `**✕ ${oneLine(failure)}**\n\n`));
  return `${[...warnings, ...failures].join("")}${rendered(compared, foldedList)}`;
}

function rendered({ a, b, comparisons, notes }: RunComparison, listed: ListStyle): string {
  const title = `# ${runTitle(a)} → ${runTitle(b)}`;
  const sections = comparisons.map((comparison) => section(comparison, listed));
  const remarks = notes.length === 0 ? [] : [bullets(notes)];
  return `${[title, ...sections, ...remarks].join("\n\n")}\n`;
}

function section(comparison: Comparison, listed: ListStyle): string {
  const { systemA, systemB } = comparison;
  const parts = [
    `## A: ${oneLine(systemA)}, B: ${oneLine(systemB)}`,
    headline(comparison),
    metricTable(comparison),
    bullets(comparisonFacts(comparison)),
    ...taskLists(comparison).map(listed),
  ];
  return parts.join("\n\n");
}

function runTitle({ run, title }: RunName): string {
  return oneLine(run === null ? title : basename(run));
}

function bullets(lines: readonly string[]): string {
  return lines.map((line) => `- ${oneLine(line)}`).join("\n");
}

function plainList({ title, entries, more }: TaskList): string {
  return `${title}\n\n${bullets(withRest(entries, more))}`;
}

function foldedList({ title, entries, more }: TaskList): string {
  const lines = withRest(entries, more).map((entry) => entry.replaceAll("&", "&amp;").replaceAll("<", "&lt;"));
  return `<details>\n<summary>${title}</summary>\n\n${bullets(lines)}\n\n</details>`;
}

function withRest(entries: readonly string[], more: number): string[] {
  return more === 0 ? [...entries] : [...entries, `and ${more} more, all listed by --output json`];
}

/** A list of tasks under its title, shortened for people. */
interface TaskList {
  title: string;
  entries: readonly string[];
  /** Number of entries left out. */
  more: number;
}

const MOST_LISTED = 10;

const LIFT_WORDS: Readonly<Record<Lift, string>> = {
  better: "B is better than A.",
  worse: "B is worse than A.",
  same_but_cheaper: "B is as good as A and costs less.",
  same_but_dearer: "B is no better than A and costs more.",
  inconclusive: "No significant difference in quality between A and B.",
};

function headline(comparison: Comparison): string {
  if (comparison.tasks.paired === 0) return "Nothing to compare: no task was scored in both.";
  if (qualityOf(comparison) === undefined) return "Quality was not compared.";
  return LIFT_WORDS[liftOf(comparison)];
}

function metricTable({ metrics, level }: Comparison): string {
  const right = (title: string, cell: (metric: MetricComparison) => string): Column<MetricComparison> => ({
    title,
    align: "right",
    cell,
  });
  const columns: Column<MetricComparison>[] = [
    { title: "metric", cell: metricName },
    right("A", (metric) => metricValue(metric, metric.a)),
    right("B", (metric) => metricValue(metric, metric.b)),
    right(`B - A [${formatShare(level)}]`, differenceCell),
    right("p", ({ p }) => pValue(p)),
    right("adjusted p", ({ adjustedP }) => pValue(adjustedP)),
    { title: "B is", cell: ({ change, n, reason }) => (n === 0 ? (reason ?? "–") : CHANGE_WORDS[change]) },
    right("tasks", ({ n }) => String(n)),
  ];
  return markdownTable(columns, metrics);
}

function comparisonFacts(comparison: Comparison): string[] {
  const { tasks, trials, metrics, notes } = comparison;
  const neither = tasks.neither === 0 ? [] : [`${tasks.neither} scored in neither`];
  const counts = [
    `${plural(tasks.paired, "task")} paired (${plural(trials.a, "trial")} of A, ${trials.b} of B)`,
    `${tasks.aOnly} only in A`,
    `${tasks.bOnly} only in B`,
    ...neither,
  ];
  const groups = metrics.find((metric) => metric.groups !== null)?.groups;
  const grouped =
    groups == null ? [] : [`tasks belong to ${plural(groups, "group")}, and groups are the independent units`];
  return [counts.join(", "), ...grouped, ...testFacts(metrics), ...metrics.flatMap(detectableFact), ...notes];
}

const TEST_WORDS: Readonly<Record<TestName, string>> = {
  mcnemar: "McNemar's exact test (counts the tasks whose verdict changed)",
  "sign-flip": "exact sign-flip permutation test (tries all signs of the paired differences)",
  "sign-flip-sampled": "sampled sign-flip permutation test (tries random signs of the paired differences)",
};

function testFacts(metrics: readonly MetricComparison[]): string[] {
  const used = (Object.keys(TEST_WORDS) as TestName[]).filter((name) => metrics.some(({ test }) => test === name));
  if (used.length === 0) return [];
  const ways = used.map((name) => {
    const by = metrics.filter(({ test }) => test === name).map(metricName);
    return used.length === 1 ? TEST_WORDS[name] : `${TEST_WORDS[name]} for ${by.join(", ")}`;
  });
  const hypotheses = Math.max(...metrics.map((metric) => metric.hypotheses));
  const adjusted =
    hypotheses > 1
      ? `, with Holm correction for ${hypotheses} comparisons (limits the chance of any false positive)`
      : "";
  return [`p-values: ${ways.join(" and ")}${adjusted}`];
}

function detectableFact(metric: MetricComparison): string[] {
  const { detectable, n } = metric;
  if (detectable === null || n === 0) return [];
  const { difference, power, spread, reason } = detectable;
  if (difference === null) return [`${metricName(metric)}: no difference is detectable with this design: ${reason}`];
  const assumed = spread === "assumed" ? ", assuming the usual spread between tasks" : "";
  return [
    `${metricName(metric)}: minimum detectable difference ${formatNumber(difference)} at ${formatShare(power)} power${assumed}`,
  ];
}

function taskLists(comparison: Comparison): TaskList[] {
  const { flips, unmatched } = comparison;
  const name = taskNamer(comparison);
  const passes = (task: (typeof flips.toFail)[number]) =>
    `${name(task)}: ${task.passesA}/${task.trialsA} → ${task.passesB}/${task.trialsB}${task.isFlaky ? ", flaky" : ""}`;
  return [
    listOf("Passed in A, fails in B", flips.toFail, passes),
    listOf("Failed in A, passes in B", flips.toPass, passes),
    listOf("Flaky, without a change of verdict", flips.flaky, passes),
    listOf("Not paired", unmatched, (task) => `${name(task)}: ${task.reason}`),
  ].filter(({ entries }) => entries.length > 0);
}

function listOf<T>(what: string, items: readonly T[], entry: (item: T) => string): TaskList {
  const entries = items.slice(0, MOST_LISTED).map(entry);
  return { title: `${what}: ${items.length}`, entries, more: items.length - entries.length };
}
