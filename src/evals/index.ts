/** Skill evals: eval files, experiments, lint and oracle. */
export { ExperimentError } from "./experiment/experiment-error.js";
export {
  buildExperimentJsonSchema,
  type Experiment,
  loadExperiment,
  type Setting,
  type Variant,
} from "./experiment/load-experiment.js";
export { type ExperimentPlan, type PlanExperimentOptions, planExperiment } from "./experiment/plan-experiment.js";
export {
  type ExperimentRecord,
  formatShard,
  mergeShards,
  type PlannedTrials,
  parseShard,
  type RecordedVariant,
  readExperimentRecord,
  type Shard,
  type StimulusName,
} from "./experiment/record.js";
export type { SpecReader } from "./experiment/spec-reader.js";
export type { EvalLimits, PlannedEval, PlannedSystem, VariantPlan } from "./experiment/variant-plan.js";
export type { Finding, LintRule } from "./lint/finding.js";
export { LINT_RULES, type LintCode, type LintOptions, type LintReport, lint } from "./lint/lint.js";
export {
  countFindings,
  formatAnnotations,
  formatFindings,
  formatRules,
  serializeFindings,
  serializeRules,
  summarizeFindings,
} from "./lint/render.js";
export type { OracleTask } from "./oracle/check-stimulus.js";
export { oracleTasks, runOracle } from "./oracle/oracle.js";
export {
  type CheckedStimulus,
  isSurvivor,
  type LeftOut,
  listCommands,
  type OracleProgress,
  type StateVerdict,
  type StimulusCheck,
  type StimulusPlace,
  type TriedOmission,
} from "./oracle/result.js";
export type { ConvertedProject } from "./promptfoo/convert.js";
export { type EvalSuite, type EvalsConfig, resolveSharedEnvironments } from "./spec/evals-config.js";
export { evalsSchema } from "./spec/evals-schema.js";
export { findSpecs, listExperimentFiles } from "./spec/find-specs.js";
export { buildEvalJsonSchema } from "./spec/json-schema.js";
export { SpecError } from "./spec/problems.js";
export { type LoadSpecOptions, loadSpec } from "./spec/read-spec.js";
export type { EvalSpec, SkillUnderTest, SpecDefaults, Stimulus } from "./spec/spec.js";
export { toDataset } from "./spec/spec-dataset.js";
export type { SharedEnvironment } from "./spec/spec-environment.js";
export { matchesTags } from "./spec/tags.js";
