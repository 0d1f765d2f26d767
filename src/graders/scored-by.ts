import type { ScoredWithEvidence } from "../core/evaluator.js";
import type { Grade } from "../core/grader.js";
import { type ExampleGraders, type MadeGrader, VERDICT, WEIGHTED_SCORE } from "./graders-of.js";
import { type TrialVerdict, verdictOn } from "./verdict.js";

/** A grader and what it said. */
interface Answer extends MadeGrader {
  readonly grade: Grade;
}

const NO_GRADERS = "there are no graders";

/** The scores of a trial, from what each of its graders said. */
export function scoredBy({ graders, threshold }: ExampleGraders, grades: readonly Grade[]): ScoredWithEvidence {
  if (graders.length === 0) return { scores: {}, unscored: { [VERDICT]: NO_GRADERS } };
  const answers = graders.flatMap((one, index) => {
    const grade = grades[index];
    return grade === undefined ? [] : [{ ...one, grade }];
  });
  const verdict = verdictOn(
    answers.map(({ grade, weight, required }) => ({ ...grade, weight, required })),
    threshold,
  );
  const said = answers.map(({ grade, field }) => ({ ...grade, name: field }));
  const scored = { scores: {}, evidence: {}, unscored: {}, grades: said };
  addVerdict(scored, verdict, { answers, threshold });
  for (const { field, grade } of answers) addGrade(scored, field, grade);
  return scored;
}

type Sheet = Required<Omit<ScoredWithEvidence, "measures">>;

interface Said {
  answers: readonly Answer[];
  threshold: number | null;
}

function addVerdict({ scores, evidence, unscored }: Sheet, { passed, score }: TrialVerdict, said: Said): void {
  const silent = said.answers.filter(({ grade }) => grade.status === "error").map(({ field }) => field);
  if (passed === null) unscored[VERDICT] = `it depends on what could not be told: ${silent.join(", ")}`;
  else {
    scores[VERDICT] = passed ? 1 : 0;
    evidence[VERDICT] = inWords(passed, score, said);
  }
  if (score === null) unscored[WEIGHTED_SCORE] = `no grader that counts could tell: ${silent.join(", ")}`;
  else scores[WEIGHTED_SCORE] = score;
}

function inWords(passed: boolean, score: number | null, { answers, threshold }: Said): string {
  const failed = answers.filter(({ grade }) => grade.status === "ok" && !grade.passed);
  const names = failed.map(({ field, required }) => `${field}${required ? " (required)" : ""}`);
  const reached = threshold === null ? [] : [`score ${Number((score ?? 0).toFixed(3))} of ${threshold}`];
  const parts = [...reached, ...(names.length === 0 ? [] : [`failed: ${names.join(", ")}`])];
  return [passed ? "passed" : "not passed", ...parts].join("; ");
}

function addGrade({ scores, evidence, unscored }: Sheet, field: string, grade: Grade): void {
  if (grade.status === "error") unscored[field] = grade.evidence;
  else {
    scores[field] = grade.score;
    evidence[field] = grade.evidence;
  }
}
