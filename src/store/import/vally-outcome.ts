import { ERROR_CATEGORIES, type ErrorCategory, OUTCOMES } from "../../core/row.js";
import { categoryOfError } from "./error-words.js";
import { asText, fieldOf, isObject, type JsonObject, objectOf, textOf } from "./fields.js";
import type { RowFields } from "./format.js";
import type { VallyGrading } from "./vally-grades.js";
import { graded, scoresOfGrades, ungraded } from "./verdict.js";

type Outcome = Pick<RowFields, "outcome" | "errorCategory" | "scores" | "primaryField" | "passed">;

/** What became of a trial, by the words of Vally or by our own. */
export function vallyOutcome(record: JsonObject, grading: VallyGrading): Outcome {
  const { passed, score, grades } = grading;
  const end = endOf(record);
  if (end !== null) return end;
  if (passed === null) return ungraded("unscored", grades.some(isError) ? "grader_error" : "none");
  const stopped = stoppedBy(record);
  const others = scoresOfGrades(grades.filter((grade) => !isError(grade)));
  return graded({ passed, score, others, ...(stopped === undefined ? {} : { stopped }) });
}

function isError({ status }: VallyGrading["grades"][number]): boolean {
  return status === "error";
}

/** How a trial ended that was not graded; null when it was. */
function endOf(record: JsonObject): Outcome | null {
  const said = textOf(record, "outcome");
  const outcome = OUTCOMES.find((name) => name === said);
  const category = ownCategory(record);
  if (outcome === "error" || outcome === "unscored" || outcome === "skipped")
    return ungraded(outcome, category ?? (outcome === "skipped" ? "skipped" : "none"));
  const status = textOf(record, "status");
  if (status === "skipped") return ungraded("skipped", "skipped");
  if (status !== "error" && status !== "failed") return null;
  return ungraded("error", categoryOfError(errorText(record)));
}

/** The error category of one of our own files. */
export function ownCategory(record: JsonObject): ErrorCategory | undefined {
  const said = textOf(record, "errorCategory");
  return ERROR_CATEGORIES.find((name) => name === said);
}

const STOPS = ["cost_killed", "time_killed", "refused", "truncated"] as const;

/** Work that its own limit ended is graded on what it left behind. */
function stoppedBy(record: JsonObject): ErrorCategory | undefined {
  const category = ownCategory(record);
  const known = STOPS.find((name) => name === category);
  const endReason = textOf(objectOf(record, "trajectory"), "endReason") ?? "";
  return known ?? (/timeout|time_limit/.test(endReason) ? "time_killed" : undefined);
}

/** The message of a trial that failed; an empty text when there is none. */
export function errorText(record: JsonObject): string {
  const error = fieldOf(record, "error", "errorMessage");
  return isObject(error) ? (textOf(error, "message") ?? asText(error)) : asText(error);
}
