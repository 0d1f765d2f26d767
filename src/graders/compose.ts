import * as z from "zod";
import type { Grade, Graded, Grader, GraderFactory, GraderSpec, Verdict } from "../core/grader.js";
import { filled, readConfig } from "./config.js";
import { gradeOf } from "./grade.js";
import { careOf } from "./grader-care.js";
import { mostUseOf, ownGrader } from "./own-grader.js";

/** Weights and `required` belong to the graders of an example, not to the parts of a grader. */
const part = z.strictObject(
  { type: filled, name: filled.optional(), config: z.record(z.string(), z.unknown()).optional() },
  "must be a grader: { type, config }",
);
const severalConfig = z.strictObject({
  graders: z.array(part, "must be a list of graders").min(1, "must not be empty"),
});
const oneConfig = z.strictObject({ grader: part });

interface Part {
  readonly spec: GraderSpec;
  readonly grader: Grader;
}

/** Creates the graders that combine other graders; `make` makes their parts. */
export function compositions(make: (spec: GraderSpec) => Grader): Record<string, GraderFactory> {
  const partOf = ({ type, name, config }: z.output<typeof part>): Part => {
    const spec = { type, ...(name === undefined ? {} : { name }), ...(config === undefined ? {} : { config }) };
    return { spec, grader: make(spec) };
  };
  return {
    "all-of": (config) => composed("all-of", readConfig(severalConfig, config).graders.map(partOf), allOf),
    "any-of": (config) => composed("any-of", readConfig(severalConfig, config).graders.map(partOf), anyOf),
    not: (config) => composed("not", [partOf(readConfig(oneConfig, config).grader)], notOf),
  };
}

function composed(name: string, parts: readonly Part[], join: (grades: readonly Grade[]) => Verdict) {
  const graders = parts.map(({ grader }) => grader);
  const own = ownGrader({
    name,
    folderUse: mostUseOf(graders),
    kind: parts.some(({ grader }) => grader.kind === "llm") ? "llm" : "code",
    seesWorkspaceOnly: parts.every(({ grader }) => grader.seesWorkspaceOnly === true),
    grade: async (graded) => {
      const details = await gradesOf(parts, graded);
      return { ...join(details), details };
    },
  });
  return { ...own, ...careOf(graders) };
}

async function gradesOf(parts: readonly Part[], graded: Graded): Promise<Grade[]> {
  const grades: Grade[] = [];
  for (const { spec, grader } of parts) grades.push(await gradeOf(grader, spec, graded));
  return grades;
}

/** Passes if all parts pass. One failed part decides, even if others are in error. The score is the mean of the parts that answered. */
function allOf(grades: readonly Grade[]): Verdict {
  const answered = grades.filter(({ status }) => status === "ok");
  const failed = answered.filter(({ passed }) => !passed);
  if (failed.length === 0 && answered.length < grades.length) return unknown(grades);
  const score = answered.reduce((sum, grade) => sum + grade.score, 0) / answered.length;
  return { passed: failed.length === 0, score, evidence: told(failed.length === 0 ? grades : failed) };
}

/** Passes if one part passes, even if others are in error. The score is the best one. */
function anyOf(grades: readonly Grade[]): Verdict {
  const answered = grades.filter(({ status }) => status === "ok");
  const passing = answered.filter(({ passed }) => passed);
  if (passing.length === 0 && answered.length < grades.length) return unknown(grades);
  const score = Math.max(...answered.map((grade) => grade.score));
  return { passed: passing.length > 0, score, evidence: told(passing.length > 0 ? passing : grades) };
}

function notOf(grades: readonly Grade[]): Verdict {
  const [grade] = grades;
  if (grade === undefined || grade.status === "error") return unknown(grades);
  return { passed: !grade.passed, score: grade.passed ? 0 : 1, evidence: told(grades) };
}

function unknown(grades: readonly Grade[]): Verdict {
  return {
    passed: false,
    score: 0,
    status: "error",
    evidence: told(grades.filter(({ status }) => status === "error")),
  };
}

function told(grades: readonly Grade[]): string {
  return grades.map(({ name, evidence }) => `${name}: ${evidence}`).join("; ");
}
