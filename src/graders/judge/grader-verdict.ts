import type { Grade, Verdict } from "../../core/grader.js";
import { cannotTell } from "../own-grader.js";
import { type GraderSettings, PROMPT_CRITERION } from "./grader-config.js";
import type { Judgement } from "./judgement.js";
import { fieldOf, SCORE_FIELD } from "./score-form.js";

/** Means of thirds are not exact: a score that is the threshold must reach it. */
const ROUNDING = 1e-12;

/** What a judgement means for a grader: a judge that gave no score leaves the question open. */
export function verdictFrom(judgement: Judgement, settings: GraderSettings): Verdict {
  const { scores, unscored = {} } = judgement;
  const score = scores[SCORE_FIELD];
  const details = detailsOf(judgement, settings);
  if (score === undefined) return cannotTell(silence(details) || (unscored[SCORE_FIELD] ?? "the judge gave no score"));
  return {
    passed: reaches(score, settings),
    score,
    evidence: details.length === 0 ? (judgement.evidence?.[SCORE_FIELD] ?? "") : told(details),
    ...(details.length === 0 ? {} : { details }),
  };
}

function reaches(score: number, { threshold }: GraderSettings): boolean {
  return score >= threshold - ROUNDING;
}

/** A grade for each line of a rubric, and for the prompt beside it; none without one. */
function detailsOf({ scores, evidence, unscored }: Judgement, settings: GraderSettings): Grade[] {
  return settings.rules.criteria.map(([criterion, text]) => {
    const field = fieldOf(criterion);
    const score = scores[field];
    const name = criterion === PROMPT_CRITERION ? criterion : text;
    const grade = { name, type: settings.type, kind: "llm" } as const;
    return score === undefined
      ? { ...grade, passed: false, score: 0, evidence: unscored?.[field] ?? "", status: "error" }
      : { ...grade, passed: reaches(score, settings), score, evidence: evidence?.[field] ?? "", status: "ok" };
  });
}

function silence(details: readonly Grade[]): string {
  return told(details.filter(({ status }) => status === "error"));
}

function told(details: readonly Grade[]): string {
  return details.map(({ name, evidence }) => `${name}: ${evidence}`).join("; ");
}
