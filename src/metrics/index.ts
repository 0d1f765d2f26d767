/** Metrics: rows to summary; comparisons of two sets of rows. */
export {
  listNamedMetrics,
  listSummaryKeys,
  type StandardMetrics,
  selectMetrics,
  standardMetrics,
} from "./built-in.js";
export { compareRows } from "./compare/compare-rows.js";
export {
  type ComparedRun,
  type CompareRunsOptions,
  compareRuns,
  type RunComparison,
  type RunName,
} from "./compare/compare-runs.js";
export {
  adjustTogether,
  type Better,
  type Change,
  type CompareOptions,
  DEFAULT_LEVEL,
  type Detectable,
  type Flips,
  findMetricComparison,
  type MetricComparison,
  type MetricKind,
  type PairedComparison,
  type TaskName,
  type TaskPasses,
  type TestName,
  type UnmatchedTask,
} from "./compare/comparison.js";
export { classifyAdjustedLift, classifyLift, type Lift, type LiftOptions } from "./compare/lift.js";
export { recommendSystem } from "./compare/recommend.js";
export {
  computeMinTasks,
  findDrops,
  findRegressions,
  findRegressionsTogether,
  type RegressionOptions,
  type Regressions,
} from "./compare/regressions.js";
export { CompressionRatio } from "./compression-ratio.js";
export { CostOfPass } from "./cost-of-pass.js";
export { EFFICIENCY_KEYS } from "./efficiency.js";
export { estimateAmount, estimateScore } from "./estimates.js";
export { CELL_FACETS, FacetBreakdown, type FacetGroup, groupByFacet } from "./facet-breakdown.js";
export { type FrontierOptions, frontierCostOfPass } from "./frontier.js";
export { Latency } from "./latency.js";
export { LOW_COVERAGE } from "./low-coverage.js";
export { MeanScore } from "./mean-score.js";
export { MemoryEfficiency } from "./memory-efficiency.js";
export { type ParetoOptions, ParetoRank } from "./pareto-rank.js";
export { PassRate } from "./pass-rate.js";
export { PerDatasetBreakdown } from "./per-dataset-breakdown.js";
export {
  budgetScore,
  computeMultiTrialMetrics,
  computeSkillScore,
  computeStimulusScore,
  type GraderResult,
  type MultiTrialMetrics,
  NO_TRIALS,
  normalizeJudgeScore,
  type ScoreScale,
  type SkillScore,
  type StimulusScore,
  type TrialGrade,
  weightedScore,
} from "./scoring.js";
export type { PassOptions, ScoreOptions } from "./settings.js";
export { type Summaries, summarize } from "./summarize.js";
export type { StandardSummary, SummaryKey } from "./summary-keys.js";
export { formatGroupsKey, listIntervalKeys } from "./summary-table.js";
export { filterPresent, getTaskIndex, type RowValueReader, readColumn, sumByTask } from "./tasks.js";
