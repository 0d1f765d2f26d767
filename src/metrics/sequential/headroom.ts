import type { UntilConfig } from "../../core/index.js";
import { ConfidenceSequence, detectableDifference, requiredTasks } from "../../stats/index.js";
import { toSequentialQuestion } from "./question.js";

/** How much a run may do at most. */
interface LargestRun {
  tasks: number;
  trials: number;
}

/**
 * Says if even all tasks cannot show what is asked for: a margin, or a precision. Nothing for a verdict about the dataset
 * itself, of which all tasks leave nothing open.
 * @example
 * describeUntilHeadroom(until, { tasks: 100, trials: 1 }); // ["all 100 tasks can tell a loss of 0.187 …"]
 */
export function describeUntilHeadroom(until: UntilConfig, run: LargestRun): string[] {
  if (run.tasks < 2 || until.population === "dataset") return [];
  // Half of the error is for looking early, so the test of all tasks is one-sided at the other half.
  if (until.margin !== undefined) return describeMarginHeadroom(until.margin, { ...run, alpha: until.alpha });
  const question = toSequentialQuestion(until);
  if (question === "race" || question.kind !== "precision") return [];
  const { halfWidth } = question;
  const least = findHalfWidth(run.tasks, until.alpha);
  if (least <= halfWidth) return [];
  const enough = Math.ceil(run.tasks * (least / halfWidth) ** 2);
  return [
    `all ${run.tasks} tasks tell a pass rate of one half to about ±${least.toFixed(3)} at any time, not to the ±${halfWidth} that is asked for: about ${enough} tasks could`,
  ];
}

/** The same for a margin; `alpha` is the two-sided level of the test of all tasks. */
export function describeMarginHeadroom(
  margin: number,
  { tasks, trials, alpha }: LargestRun & { alpha: number },
): string[] {
  const design = { trialsA: trials, alpha };
  const least = detectableDifference({ n: tasks, ...design });
  if (least <= margin) return [];
  return [
    `all ${tasks} tasks can tell a loss of ${least.toFixed(3)} at 80 % power, not the margin of ${margin} that is asked for: about ${requiredTasks({ difference: margin, ...design })} tasks could, or more trials of each`,
  ];
}

/** Of the interval that holds at any time, if every second of all tasks passes. */
function findHalfWidth(tasks: number, alpha: number): number {
  const sequence = new ConfidenceSequence({ alpha, horizon: tasks });
  for (let task = 0; task < tasks; task++) sequence.add(task % 2);
  const { low, high } = sequence.interval;
  return (high - low) / 2;
}
