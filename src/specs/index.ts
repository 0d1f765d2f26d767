export {
  checkEvalsConfig,
  type EvalSuite,
  type EvalsConfig,
  type EvalsConfigProblem,
  evalsConfigProblems,
  sharedEnvironments,
} from "./evals-config.js";
export { findSpecs } from "./find-specs.js";
export { defaultGate } from "./gates.js";
export { mergeEnvironments } from "./merge-environment.js";
export { type LoadSpecOptions, loadSpec, type ReadSpec, readSpec } from "./read-spec.js";
export type { EvalSpec, SkillUnderTest, SpecDefaults, Stimulus } from "./spec.js";
export { datasetOf } from "./spec-dataset.js";
export type { SharedEnvironment } from "./spec-environment.js";
export { SpecError } from "./spec-error.js";
export { matchesTags } from "./tags.js";
