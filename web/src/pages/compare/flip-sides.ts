import type { PairedComparison, TaskName, TaskPasses } from "../../../../src/metrics/compare/index.js";

/** How a trial of each side should have ended to show what flipped. */
export interface FlipOutcomes {
  readonly a: "pass" | "fail";
  readonly b: "pass" | "fail";
}

/** The two endings that differ the way the task does; null when no two trials of it differ. */
export function chooseFlipOutcomes({ passesA, trialsA, passesB, trialsB }: TaskPasses): FlipOutcomes | null {
  const isToFail = passesA > 0 && passesB < trialsB;
  const isToPass = passesA < trialsA && passesB > 0;
  const hasMoreInB = passesB * trialsA > passesA * trialsB;
  if (isToPass && (hasMoreInB || !isToFail)) return { a: "fail", b: "pass" };
  return isToFail ? { a: "pass", b: "fail" } : null;
}

/** The same for any task of a comparison. */
export function findFlipOutcomes(
  { flips }: Pick<PairedComparison, "flips">,
  { dataset, exampleId }: TaskName,
): FlipOutcomes | null {
  const task = [...flips.toFail, ...flips.toPass, ...flips.flaky].find(
    (candidate) => candidate.exampleId === exampleId && candidate.dataset === dataset,
  );
  return task === undefined ? null : chooseFlipOutcomes(task);
}
