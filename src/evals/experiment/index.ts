export { ExperimentError } from "./experiment-error.js";
export type { Experiment, Setting, Variant } from "./load-experiment.js";
export { loadExperiment } from "./load-experiment.js";
export { type ExperimentPlan, type PlanExperimentOptions, planExperiment } from "./plan-experiment.js";
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
} from "./record.js";

export type { SpecReader } from "./spec-reader.js";
export type { EvalLimits, PlannedEval, PlannedSystem, VariantPlan } from "./variant-plan.js";
