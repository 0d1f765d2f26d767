export {
  type EvalSuite,
  type EvalsConfig,
  resolveSharedEnvironments,
} from "./evals-config.js";
export { findSpecs, isForeignYaml, isSearchedFolder } from "./find-specs.js";
export { SpecError } from "./problems.js";
export { type LoadSpecOptions, loadSpec } from "./read-spec.js";
export type { EvalSpec, SkillUnderTest, SpecDefaults, Stimulus } from "./spec.js";
export { datasetOf } from "./spec-dataset.js";
export type { SharedEnvironment } from "./spec-environment.js";
export { matchesTags } from "./tags.js";
