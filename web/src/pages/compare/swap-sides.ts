import type {
  Change,
  MetricComparison,
  PairedComparison,
  TaskPasses,
  UnmatchedTask,
} from "../../../../src/metrics/compare/index.js";
import { describeCompareVerdict } from "../../../../src/report/compare-verdict.js";
import type { CompareView } from "../../../../src/report/dashboard/contract.js";

const SWAPPED_CHANGES: Readonly<Record<Change, Change>> = {
  better: "worse",
  worse: "better",
  different: "different",
  same: "same",
  unclear: "unclear",
};

/** A file has each pair in one direction; this gives the other. */
export function swapSides({ a, b, comparison }: CompareView): CompareView {
  const comparisons = comparison.comparisons.map(swapComparison);
  const notes = comparison.notes.map(swapSideNames);
  return {
    a: b,
    b: a,
    comparison: { ...comparison, a: comparison.b, b: comparison.a, comparisons, notes },
    verdicts: comparisons.map(describeCompareVerdict),
  };
}

function swapComparison(comparison: PairedComparison): PairedComparison {
  const { systemA, systemB, tasks, trials, flips } = comparison;
  return {
    ...comparison,
    systemA: systemB,
    systemB: systemA,
    tasks: { ...tasks, aOnly: tasks.bOnly, bOnly: tasks.aOnly },
    trials: { a: trials.b, b: trials.a },
    metrics: comparison.metrics.map(swapMetric),
    flips: {
      toFail: flips.toPass.map(swapTask),
      toPass: flips.toFail.map(swapTask),
      flaky: flips.flaky.map(swapTask),
    },
    unmatched: comparison.unmatched.map(swapUnmatchedTask),
    notes: comparison.notes.map(swapSideNames),
  };
}

function swapMetric(metric: MetricComparison): MetricComparison {
  const { a, b, difference, low, high, change, reason } = metric;
  return {
    ...metric,
    a: b,
    b: a,
    difference: negate(difference),
    low: negate(high),
    high: negate(low),
    change: SWAPPED_CHANGES[change],
    ...(reason === undefined ? {} : { reason: swapSideNames(reason) }),
  };
}

function swapTask(task: TaskPasses): TaskPasses {
  const { passesA, trialsA, passesB, trialsB } = task;
  return { ...task, passesA: passesB, trialsA: trialsB, passesB: passesA, trialsB: trialsA };
}

function swapUnmatchedTask(task: UnmatchedTask): UnmatchedTask {
  const reason = swapSideNames(task.reason);
  if (task.scoredIn === "neither") return { ...task, reason };
  return { ...task, reason, scoredIn: task.scoredIn === "a" ? "b" : "a" };
}

/** Sentences name the sides too, such as `not in B`. */
function swapSideNames(text: string): string {
  return text.replace(/\b(in|of) ([AB])\b/g, (_, word: string, side: string) => `${word} ${side === "A" ? "B" : "A"}`);
}

/** Avoids −0. */
function negate(value: number | null): number | null {
  return value === null ? null : 0 - value;
}
