import * as z from "zod";
import type { Grade, Graded, Grader, GraderFactory, GraderSpec, Verdict } from "../core/index.js";
import { findMaxFolderUse, makeBuiltInGrader } from "./built-in-grader.js";
import { nonEmptyText, readConfig } from "./config.js";
import { buildLifecycle, runGrader } from "./grader-lifecycle.js";

/** Weights and `required` belong to the graders of an example, not to the parts of a grader. */
const partSchema = z.strictObject(
  { type: nonEmptyText, name: nonEmptyText.optional(), config: z.record(z.string(), z.unknown()).optional() },
  "must be a grader: { type, config }",
);
const severalConfig = z.strictObject({
  graders: z.array(partSchema, "must be a list of graders").min(1, "must not be empty"),
});
const oneConfig = z.strictObject({ grader: partSchema });

interface ComposedPart {
  readonly spec: GraderSpec;
  readonly grader: Grader;
}

/** Creates the graders that combine other graders; `make` makes their parts. */
export function createComposedGraders(make: (spec: GraderSpec) => Grader): Record<string, GraderFactory> {
  const partOf = ({ type, name, config }: z.output<typeof partSchema>): ComposedPart => {
    const spec = { type, ...(name === undefined ? {} : { name }), ...(config === undefined ? {} : { config }) };
    return { spec, grader: make(spec) };
  };
  return {
    "all-of": (config) =>
      composeGrader("all-of", readConfig(severalConfig, config).graders.map(partOf), combineAllGrades),
    "any-of": (config) =>
      composeGrader("any-of", readConfig(severalConfig, config).graders.map(partOf), combineAnyGrades),
    not: (config) => composeGrader("not", [partOf(readConfig(oneConfig, config).grader)], invertGrade),
  };
}

function composeGrader(name: string, parts: readonly ComposedPart[], join: (grades: readonly Grade[]) => Verdict) {
  const graders = parts.map(({ grader }) => grader);
  const own = makeBuiltInGrader({
    name,
    folderUse: findMaxFolderUse(graders),
    kind: parts.some(({ grader }) => grader.kind === "llm") ? "llm" : "code",
    seesWorkspaceOnly: parts.every(({ grader }) => grader.seesWorkspaceOnly === true),
    grade: async (graded) => {
      const details = await gradeParts(parts, graded);
      return { ...join(details), details };
    },
  });
  return { ...own, ...buildLifecycle(graders) };
}

async function gradeParts(parts: readonly ComposedPart[], graded: Graded): Promise<Grade[]> {
  const grades: Grade[] = [];
  for (const { spec, grader } of parts) grades.push(await runGrader(grader, spec, graded));
  return grades;
}

/** Passes if all parts pass. One failed part decides, even if others are in error. The score is the mean of the parts that answered. */
function combineAllGrades(grades: readonly Grade[]): Verdict {
  const answered = grades.filter(({ status }) => status === "ok");
  const failed = answered.filter(({ passed }) => !passed);
  if (failed.length === 0 && answered.length < grades.length) return combineGradeErrors(grades);
  const score = answered.reduce((sum, grade) => sum + grade.score, 0) / answered.length;
  return { passed: failed.length === 0, score, evidence: joinEvidence(failed.length === 0 ? grades : failed) };
}

/** Passes if one part passes, even if others are in error. The score is the best one. */
function combineAnyGrades(grades: readonly Grade[]): Verdict {
  const answered = grades.filter(({ status }) => status === "ok");
  const passing = answered.filter(({ passed }) => passed);
  if (passing.length === 0 && answered.length < grades.length) return combineGradeErrors(grades);
  const score = Math.max(...answered.map((grade) => grade.score));
  return { passed: passing.length > 0, score, evidence: joinEvidence(passing.length > 0 ? passing : grades) };
}

function invertGrade(grades: readonly Grade[]): Verdict {
  const [grade] = grades;
  if (grade === undefined || grade.status === "error") return combineGradeErrors(grades);
  return { passed: !grade.passed, score: grade.passed ? 0 : 1, evidence: joinEvidence(grades) };
}

function combineGradeErrors(grades: readonly Grade[]): Verdict {
  return {
    passed: false,
    score: 0,
    status: "error",
    evidence: joinEvidence(grades.filter(({ status }) => status === "error")),
  };
}

function joinEvidence(grades: readonly Grade[]): string {
  return grades.map(({ name, evidence }) => `${name}: ${evidence}`).join("; ");
}
