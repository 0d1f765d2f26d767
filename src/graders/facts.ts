import type { GraderSpec } from "../core/index.js";
import { getOwn } from "../core/index.js";

/**
 * The part of a trial that a grader looks at: the answer, the transcript, files of the workspace, changes in it, figures
 * of the trial, or activated skills; `composed` for graders made of other graders, `judge` for those that ask a model.
 */
export type GraderInput = "output" | "transcript" | "workspace" | "diff" | "figures" | "skills" | "composed" | "judge";

/** What is known about all graders of a type. */
export interface GraderFacts {
  readonly sees: GraderInput;
}

const OUTPUT: GraderFacts = { sees: "output" };
const TRANSCRIPT: GraderFacts = { sees: "transcript" };
const WORKSPACE: GraderFacts = { sees: "workspace" };
const DIFF: GraderFacts = { sees: "diff" };
const FIGURES: GraderFacts = { sees: "figures" };
const COMPOSED: GraderFacts = { sees: "composed" };
const JUDGE: GraderFacts = { sees: "judge" };

/**
 * The facts of each built-in type. If the config of a type can change them, these are the defaults; see `findGraderInput`.
 * @example
 * graderFacts["file-exists"]?.sees; // "workspace"
 */
export const graderFacts: Readonly<Record<string, GraderFacts>> = {
  completed: OUTPUT,
  "exit-success": OUTPUT,
  "output-contains": OUTPUT,
  "output-not-contains": OUTPUT,
  "output-matches": OUTPUT,
  "output-not-matches": OUTPUT,
  "transcript-contains": TRANSCRIPT,
  "transcript-not-contains": TRANSCRIPT,
  "tool-calls": TRANSCRIPT,
  "max-repeat": TRANSCRIPT,
  "file-exists": WORKSPACE,
  "file-not-exists": WORKSPACE,
  "file-contains": WORKSPACE,
  "file-not-contains": WORKSPACE,
  "file-matches": WORKSPACE,
  "file-not-matches": WORKSPACE,
  "run-command": WORKSPACE,
  program: WORKSPACE,
  "custom-metrics": WORKSPACE,
  "json-schema": WORKSPACE,
  "diff-contains": DIFF,
  "diff-not-contains": DIFF,
  "diff-empty": DIFF,
  "tool-call-count": FIGURES,
  "turn-count": FIGURES,
  "step-count": FIGURES,
  "error-count": FIGURES,
  "token-budget": FIGURES,
  "cost-budget": FIGURES,
  "wall-time": FIGURES,
  "skill-invocation": { sees: "skills" },
  "all-of": COMPOSED,
  "any-of": COMPOSED,
  not: COMPOSED,
  prompt: JUDGE,
  panel: JUDGE,
};

/**
 * Finds what the grader of a spec looks at, including its config; null for an unknown type.
 * @example
 * findGraderInput({ type: "json-schema", config: { output: true, schema: {} } }); // "output"
 */
export function findGraderInput({ type, config }: GraderSpec): GraderInput | null {
  const facts = getOwn(graderFacts, type);
  if (facts === undefined) return null;
  const readsAnswer = (type === "json-schema" || type === "custom-metrics") && config?.output === true;
  return readsAnswer ? "output" : facts.sees;
}
