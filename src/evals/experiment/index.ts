export type { Experiment, Setting, Variant } from "./experiment.js";
export { ExperimentError } from "./experiment-error.js";
export { loadExperiment } from "./load-experiment.js";
export { formatShard, mergeShards, parseShard, type Shard } from "./merge-shards.js";
export { type ExperimentPlan, type PlanExperimentOptions, planExperiment } from "./plan-experiment.js";
export {
  type ExperimentRecord,
  type PlannedTrials,
  type RecordedVariant,
  readExperimentRecord,
  type StimulusName,
} from "./record.js";

export type { SpecReader } from "./spec-reader.js";
export type { EvalLimits, PlannedEval, PlannedSystem, VariantPlan } from "./variant-plan.js";
