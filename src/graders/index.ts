import type { GraderFactory } from "../core/grader.js";
import { registry } from "../core/registry.js";
import { createBuiltInFactories } from "./make-grader.js";

export { findGraderInput, type GraderFacts, type GraderInput, graderFacts } from "./facts.js";
export { GraderError } from "./grader-error.js";
export { GraderEvaluator, type GraderEvaluatorOptions } from "./grader-evaluator.js";
export { checkGraders } from "./make-grader.js";
export { computeTrialVerdict, type TrialVerdict, type WeightedGrade } from "./verdict.js";

/**
 * The built-in graders by type. `GraderEvaluator` finds them without registration.
 * @example
 * graderFactories["file-exists"]?.({ path: "add.js" });
 */
export const graderFactories: Readonly<Record<string, GraderFactory>> = createBuiltInFactories(registry);
