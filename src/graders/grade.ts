import type { Grade, Graded, Grader, GraderSpec, Verdict } from "../core/grader.js";
import { describeValue } from "../core/shape.js";
import { makeErrorVerdict, tryGrade } from "./own-grader.js";

/** Runs a grader and checks its verdict, because custom graders may return anything. */
export async function runGrader(grader: Grader, spec: GraderSpec, graded: Graded): Promise<Grade> {
  const said: unknown = await withGradingTimeout(tryGrade((each) => grader.grade(each), graded));
  const problem = findVerdictProblem(said);
  return completeGrade(grader, spec, problem === null ? (said as Verdict) : makeErrorVerdict(problem));
}

/** No built-in grader takes this long; a custom grader may never answer, and must not block the run. */
const MAX_GRADING_MS = 600_000;

async function withGradingTimeout(verdict: Promise<unknown>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Verdict>((resolve) => {
    timer = setTimeout(
      () => resolve(makeErrorVerdict(`it gave no answer within ${MAX_GRADING_MS / 60_000} minutes`)),
      MAX_GRADING_MS,
    );
  });
  try {
    return await Promise.race([verdict, late]);
  } finally {
    clearTimeout(timer);
  }
}

function completeGrade(grader: Grader, { name, type }: GraderSpec, verdict: Verdict): Grade {
  const { passed, evidence, score = passed ? 1 : 0, status = "ok", details } = verdict;
  return {
    name: name ?? type,
    type,
    kind: grader.kind ?? "code",
    passed,
    score,
    evidence,
    status,
    ...(details === undefined ? {} : { details }),
  };
}

function findVerdictProblem(said: unknown): string | null {
  if (typeof said !== "object" || said === null) return `it returned ${describeValue(said)} instead of a verdict`;
  const { passed, evidence, score = 0, status = "ok" } = said as Partial<Verdict>;
  if (typeof passed !== "boolean") return `it returned passed = ${describeValue(passed)}, not true or false`;
  if (typeof evidence !== "string") return `it returned ${describeValue(evidence)} as evidence, not a string`;
  if (status !== "ok" && status !== "error") return `it returned the status ${describeValue(status)}, not ok or error`;
  const isScore = typeof score === "number" && score >= 0 && score <= 1;
  return isScore ? null : `it returned the score ${describeValue(score)}, not a number from 0 to 1`;
}
