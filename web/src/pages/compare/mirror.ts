import type {
  Change,
  MetricComparison,
  PairedComparison,
  TaskPasses,
  UnmatchedTask,
} from "../../../../src/metrics/compare/index.js";
import type { CompareView } from "../../../../src/report/dashboard/contract.js";

const OTHER_WAY: Readonly<Record<Change, Change>> = {
  better: "worse",
  worse: "better",
  same: "same",
  unclear: "unclear",
};

/** The same comparison with A and B exchanged: a file holds each pair once. */
export function mirrored({ a, b, comparison }: CompareView): CompareView {
  const comparisons = comparison.comparisons.map(mirroredComparison);
  const notes = comparison.notes.map(mirroredWords);
  return { a: b, b: a, comparison: { ...comparison, a: comparison.b, b: comparison.a, comparisons, notes } };
}

function mirroredComparison(comparison: PairedComparison): PairedComparison {
  const { systemA, systemB, tasks, trials, flips } = comparison;
  return {
    ...comparison,
    systemA: systemB,
    systemB: systemA,
    tasks: { ...tasks, aOnly: tasks.bOnly, bOnly: tasks.aOnly },
    trials: { a: trials.b, b: trials.a },
    metrics: comparison.metrics.map(mirroredMetric),
    flips: {
      toFail: flips.toPass.map(mirroredTask),
      toPass: flips.toFail.map(mirroredTask),
      flaky: flips.flaky.map(mirroredTask),
    },
    unmatched: comparison.unmatched.map(mirroredUnmatched),
    notes: comparison.notes.map(mirroredWords),
  };
}

function mirroredMetric(metric: MetricComparison): MetricComparison {
  const { a, b, difference, low, high, change, reason } = metric;
  return {
    ...metric,
    a: b,
    b: a,
    difference: negative(difference),
    low: negative(high),
    high: negative(low),
    change: OTHER_WAY[change],
    ...(reason === undefined ? {} : { reason: mirroredWords(reason) }),
  };
}

function mirroredTask(task: TaskPasses): TaskPasses {
  const { passesA, trialsA, passesB, trialsB } = task;
  return { ...task, passesA: passesB, trialsA: trialsB, passesB: passesA, trialsB: trialsA };
}

function mirroredUnmatched(task: UnmatchedTask): UnmatchedTask {
  const reason = mirroredWords(task.reason);
  if (task.scoredIn === "neither") return { ...task, reason };
  return { ...task, reason, scoredIn: task.scoredIn === "a" ? "b" : "a" };
}

/** Sentences name the sides too, such as `not in B`. */
function mirroredWords(text: string): string {
  return text.replace(/\b(in|of) ([AB])\b/g, (_, word: string, side: string) => `${word} ${side === "A" ? "B" : "A"}`);
}

/** Nothing is −0. */
function negative(value: number | null): number | null {
  return value === null ? null : 0 - value;
}
