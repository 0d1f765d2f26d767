import type { Grade } from "../../core/grader.js";
import { flagOf, isObject, type JsonObject, listOf, measureOf, objectOf, shortName, textOf } from "./fields.js";

/** What each assertion said. Names are told apart by number, since one test may have the same assertion twice. */
export function promptfooGrades(record: JsonObject): Grade[] {
  const grading = objectOf(record, "gradingResult");
  const parts = listOf(grading, "componentResults").filter(isObject);
  const alone = isObject(grading.assertion) ? [grading] : [];
  const grades = (parts.length > 0 ? parts : alone).map(gradeOf);
  const met = new Map<string, number>();
  return grades.map((grade) => {
    const times = (met.get(grade.name) ?? 0) + 1;
    met.set(grade.name, times);
    return times === 1 ? grade : { ...grade, name: `${grade.name} #${times}` };
  });
}

function gradeOf(part: JsonObject): Grade {
  const assertion = objectOf(part, "assertion");
  const type = shortName(textOf(assertion, "type")) || "assertion";
  const passed = flagOf(part, "pass") ?? false;
  const isJudged = (measureOf(objectOf(part, "tokensUsed"), "total") ?? 0) > 0;
  return {
    name: shortName(textOf(assertion, "metric")) || type,
    type,
    kind: isJudged ? "llm" : "code",
    passed,
    score: Math.min(1, measureOf(part, "score") ?? Number(passed)),
    evidence: textOf(part, "reason", "comment") ?? "",
    status: "ok",
  };
}
