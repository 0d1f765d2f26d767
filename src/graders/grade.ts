import type { Grade, Graded, Grader, GraderSpec, Verdict } from "../core/grader.js";
import { describe } from "../core/shape.js";
import { cannotTell, verdictOf } from "./own-grader.js";

/** Runs a grader and checks its verdict, because custom graders may return anything. */
export async function gradeOf(grader: Grader, spec: GraderSpec, graded: Graded): Promise<Grade> {
  const said: unknown = await withinLimit(verdictOf((each) => grader.grade(each), graded));
  const problem = problemWith(said);
  return complete(grader, spec, problem === null ? (said as Verdict) : cannotTell(problem));
}

/** No built-in grader takes this long; a custom grader may never answer, and must not block the run. */
const LIMIT_MS = 600_000;

async function withinLimit(verdict: Promise<unknown>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Verdict>((resolve) => {
    timer = setTimeout(() => resolve(cannotTell(`it gave no answer within ${LIMIT_MS / 60_000} minutes`)), LIMIT_MS);
  });
  try {
    return await Promise.race([verdict, late]);
  } finally {
    clearTimeout(timer);
  }
}

function complete(grader: Grader, { name, type }: GraderSpec, verdict: Verdict): Grade {
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

function problemWith(said: unknown): string | null {
  if (typeof said !== "object" || said === null) return `it returned ${describe(said)} instead of a verdict`;
  const { passed, evidence, score = 0, status = "ok" } = said as Partial<Verdict>;
  if (typeof passed !== "boolean") return `it returned passed = ${describe(passed)}, not true or false`;
  if (typeof evidence !== "string") return `it returned ${describe(evidence)} as evidence, not a string`;
  if (status !== "ok" && status !== "error") return `it returned the status ${describe(status)}, not ok or error`;
  const isScore = typeof score === "number" && score >= 0 && score <= 1;
  return isScore ? null : `it returned the score ${describe(score)}, not a number from 0 to 1`;
}
