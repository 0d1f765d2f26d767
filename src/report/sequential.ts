import {
  asksForReaching,
  isAboutGroups,
  type QualityKey,
  type SequentialArm,
  type SequentialFinding,
  type SequentialReport,
  type Summary,
} from "../core/index.js";
import { formatDollars, formatNumber, formatPlural, formatShare } from "./format.js";
import type { Layout } from "./layout.js";
import { toOneLine } from "./markdown.js";

const BOUND_KEY = /^(.*)_ci_(low|high)$/;

/** Why a run that may stop early has no other intervals. */
export const NO_FIXED_INTERVAL = "a fixed-sample interval does not hold for a run that may stop early";
/** Why a run with groups of different sizes has no intervals of its systems. */
export const ABOUT_GROUPS =
  "the interval that holds at any time is about the mean over groups, which is not this mean over tasks";

/**
 * Replaces the intervals of quality by those that hold at any time, and removes all others: fixed-sample intervals do not
 * hold for a run that may stop early.
 */
export function useAnytimeIntervals(
  summary: Readonly<Record<string, Summary>>,
  sequential: SequentialReport | null,
): Record<string, Summary> {
  return Object.fromEntries(
    Object.entries(summary).map(([system, own]) => {
      const isKnown = sequential !== null && !isAboutGroups(sequential);
      const arm = isKnown ? sequential.arms.find((one) => one.system === system) : undefined;
      const entries = Object.entries(own).map(([key, value]) => [key, replaceBound(own, { key, value, arm })] as const);
      return [system, Object.fromEntries(entries)];
    }),
  );
}

function replaceBound(
  summary: Summary,
  { key, value, arm }: { key: string; value: number | null; arm: SequentialArm | undefined },
): number | null {
  const [, metric = "", side] = BOUND_KEY.exec(key) ?? [];
  if (side === undefined) return value;
  const interval = metric === "pass_rate" || metric === "mean_score" ? arm?.intervals[metric] : undefined;
  if (interval === undefined) return null;
  // Trials that were under way when the run was decided count in the figure, but not in its interval.
  const figure = summary[metric] ?? null;
  if (figure === null) return null;
  return side === "low" ? Math.min(interval.low, figure) : Math.max(interval.high, figure);
}

/** The reasons why bounds are missing. */
export function explainMissingBounds(summary: Summary, sequential: SequentialReport | null): Record<string, string> {
  const missing = Object.entries(summary).filter(([key, value]) => BOUND_KEY.test(key) && value === null);
  const isByGroup = sequential !== null && isAboutGroups(sequential);
  return Object.fromEntries(
    missing.map(([key]) => [key, isByGroup && isQualityKey(key) ? ABOUT_GROUPS : NO_FIXED_INTERVAL]),
  );
}

function isQualityKey(bound: string): boolean {
  const [, metric] = BOUND_KEY.exec(bound) ?? [];
  return metric === "pass_rate" || metric === "mean_score";
}

/** The verdict of a run that may stop early, for the top of its report. Empty for other runs. */
export function renderSequential(sequential: SequentialReport | null, layout: Layout): string[] {
  if (sequential === null) return [];
  return [layout.heading("Verdict", 2), layout.bullets(describeSequential(sequential))];
}

/** The verdict in sentences, then what it cost. */
export function describeSequential(report: SequentialReport): string[] {
  const findings = orderFindings(report).map((finding) => describeFinding(finding, report));
  return [...findings, ...describeTasks(report), describeCost(report), describeLevels(report)].map(toOneLine);
}

/** The whole verdict as one sentence, for exit codes and lists. */
export function summarizeSequential(report: SequentialReport): string {
  if (!report.isDecided) {
    const open = report.findings.filter(({ answer }) => answer === null || answer === "best").length;
    const which =
      report.findings.length > 1 ? ` (${open} of ${formatPlural(report.findings.length, "system")} left)` : "";
    return `undecided after ${formatTasks(report, report.tasks.seen)}${which}`;
  }
  return `decided after ${formatTasks(report, report.tasks.seen)}`;
}

/** The best first, then what is decided, then what is not. */
function orderFindings({ findings }: SequentialReport): SequentialFinding[] {
  const rank = ({ answer }: SequentialFinding) => (answer === "best" ? 0 : answer === null ? 1 : 2);
  return [...findings].sort((a, b) => rank(a) - rank(b) || (b.decidedAfter ?? 0) - (a.decidedAfter ?? 0));
}

const QUALITY_WORDS: Readonly<Record<QualityKey, string>> = { pass_rate: "pass rate", mean_score: "mean score" };

function describeFinding(finding: SequentialFinding, report: SequentialReport): string {
  const words = describeAnswer(finding, report);
  if (finding.answer === null) return `${words}; undecided after ${formatTasks(report, report.tasks.seen)}.`;
  const after = formatTasks(report, finding.decidedAfter ?? report.tasks.seen);
  if (finding.isFinal)
    return `${words}; decided by the fixed-sample test of all ${formatAllTasks(report)}, which is sharper than the interval that holds at any time.`;
  return finding.answer === "not best" ? `${words}; dropped after ${after}.` : `${words}; decided after ${after}.`;
}

function describeAnswer(finding: SequentialFinding, report: SequentialReport): string {
  const { system, baseline, answer, value } = finding;
  const quality = QUALITY_WORDS[report.quality];
  const range = `[${formatNumber(finding.low)}, ${formatNumber(finding.high)}]`;
  if (value === null) return `${system}: no task with a score`;
  if (baseline !== null) {
    if (answer === "better") return `${system} is better than ${baseline} by ${formatNumber(value)} ${range}`;
    if (answer === "worse")
      return `${system} is worse than ${baseline} by ${formatNumber(-value)} [${formatNumber(-finding.high)}, ${formatNumber(-finding.low)}]`;
    const difference = `difference in ${quality} ${formatNumber(value)} ${range}`;
    return answer === null
      ? `${system} against ${baseline}: ${difference}`
      : `${system} is ${answer} to ${baseline} with a margin of ${report.margin}: ${difference}`;
  }
  const figure = `${quality} ${formatNumber(value)} ${range}`;
  if (answer === "best") return `${system} is the best of ${report.findings.length}: ${figure}`;
  if (answer === "not best") return `${system} is not the best: ${figure}`;
  if (answer === "precise")
    return `${system}: ${quality} ${formatNumber(value)} ± ${formatNumber((finding.high - finding.low) / 2)} ${range}`;
  if (answer === null) return `${system}: ${figure}`;
  const isYes = (answer === "reached") === asksForReaching(report);
  return `${system}: ${report.question.replace(report.quality, quality).replace(">=", " ≥ ").replace("<", " < ")} ${isYes ? "holds" : "does not hold"}: ${figure}`;
}

function formatTasks({ tasks, groups }: SequentialReport, seen: number): string {
  return `${seen.toLocaleString("en-US")} of ${tasks.planned.toLocaleString("en-US")} tasks${formatGroups(groups)}`;
}

function formatAllTasks({ tasks, groups }: SequentialReport): string {
  return `${formatPlural(tasks.planned, "task")}${formatGroups(groups)}`;
}

function formatGroups(groups: SequentialReport["groups"]): string {
  return groups === null ? "" : ` in ${formatPlural(groups.planned, "group")}`;
}

export function describeTasks(report: SequentialReport): string[] {
  const { tasks, population, groups } = report;
  const passedOver = `${formatPlural(tasks.passedOver, "task")} passed over: not every system had a score in ${tasks.passedOver === 1 ? "it" : "them"}.`;
  return [
    ...(tasks.passedOver === 0 ? [] : [passedOver]),
    ...(groups !== null && isAboutGroups(report)
      ? [
          `Groups of ${groups.smallest} to ${groups.largest} tasks count once each: the verdict is about the mean over groups, and figures of systems are means over tasks, without an interval here.`,
        ]
      : []),
    ...(population === "dataset"
      ? ["The verdict is about the tasks of this dataset, not about others like them."]
      : []),
  ];
}

export function describeCost({ arms, spentUsd, notSpentUsd, fixedUsd }: SequentialReport): string {
  const notRun = arms.reduce((sum, arm) => sum + arm.notRun, 0);
  const spent = spentUsd === null ? "" : `${formatDollars(spentUsd)} spent, `;
  if (notRun === 0)
    return spentUsd === null ? "No trial was left out." : `${formatDollars(spentUsd)} spent; no trial was left out.`;
  const trials = `${formatPlural(notRun, "trial")} ${notRun === 1 ? "was" : "were"} not needed`;
  if (notSpentUsd === null) return `${trials}.`;
  return `${spent}${formatDollars(notSpentUsd)} not spent: ${trials}. All planned trials would have cost ${formatDollars(fixedUsd)}.`;
}

export function describeLevels(report: SequentialReport): string {
  const { level, armLevel, alpha } = report;
  const others =
    level === armLevel || isAboutGroups(report)
      ? ""
      : `, those of the systems in the table at ${formatShare(armLevel)}`;
  return `Sequential run: the verdict is wrong with a chance of at most ${formatShare(alpha)}. Intervals hold at any time, here at a level of ${formatShare(level)}${others}. Fixed-sample intervals and p-values are left out, because they do not hold for a run that may stop early.`;
}
