import type { Grade } from "../../core/grader.js";
import {
  fieldOf,
  flagOf,
  isObject,
  type JsonObject,
  listOf,
  measureOf,
  objectOf,
  shortName,
  textOf,
} from "./fields.js";

/** What the graders of a record say together; nulls where it does not tell. */
export interface VallyGrading {
  readonly passed: boolean | null;
  readonly score: number | null;
  readonly evidence: string | undefined;
  readonly grades: readonly Grade[];
}

/** Reads `gradeResult` with its details, or a list of grades as `assay eval` writes it. */
export function vallyGrading(record: JsonObject): VallyGrading {
  const whole = objectOf(record, "gradeResult");
  const parts = [listOf(whole, "details"), listOf(record, "grades", "graders", "gradeResults")];
  const listed = parts.find((list) => list.length > 0) ?? [];
  // Without a name it is no grader of its own: its score and its verdict are those of the trial.
  const isGrade = textOf(whole, "name") !== undefined;
  const grades = (listed.length > 0 ? listed : isGrade ? [whole] : []).filter(isObject).map(gradeOf);
  return {
    passed: flagOf(record, "passed") ?? flagOf(whole, "passed") ?? all(grades),
    score: measureOf(whole, "score") ?? measureOf(record, "score"),
    evidence: textOf(whole, "evidence"),
    grades,
  };
}

/** With grades alone, a trial passes when each of them does. */
function all(grades: readonly Grade[]): boolean | null {
  return grades.length === 0 ? null : grades.every(({ passed }) => passed);
}

function gradeOf(grade: JsonObject): Grade {
  const passed = flagOf(grade, "passed") ?? false;
  const type = shortName(fieldOf(grade, "type", "graderType", "name")) || "grader";
  const details = listOf(grade, "details").filter(isObject).map(gradeOf);
  return {
    name: shortName(fieldOf(grade, "name")) || type,
    type,
    kind: isJudge(grade) ? "llm" : "code",
    passed,
    score: Math.min(1, measureOf(grade, "score") ?? Number(passed)),
    evidence: textOf(grade, "evidence", "reason", "message") ?? "",
    status: textOf(grade, "status") === "error" ? "error" : "ok",
    ...(details.length === 0 ? {} : { details }),
  };
}

function isJudge(grade: JsonObject): boolean {
  return textOf(grade, "kind") === "llm" || textOf(grade, "judgeModel") !== undefined;
}
