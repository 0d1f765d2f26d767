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
  describeRunDifferences,
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
export {
  computeComparisonCost,
  computeDecisionCost,
  type DecisionCost,
} from "./compare/decision-cost.js";
export { describeHeadroom, describeRunHeadroom } from "./compare/headroom.js";
export { classifyAdjustedLift, classifyLift, findQualityMetric, type Lift, type LiftOptions } from "./compare/lift.js";
export {
  type CandidateVerdict,
  type EarlyDecision,
  type FigureDifference,
  judgeCandidates,
  type MigrationPair,
  type MigrationQuality,
} from "./compare/migration.js";
export { recommendSystem } from "./compare/recommend.js";
export {
  computeMinTasks,
  findDrops,
  findRegressions,
  findRegressionsTogether,
  type RegressionOptions,
  type Regressions,
} from "./compare/regressions.js";
export { describeSequentialCandidates } from "./compare/sequential-candidates.js";
export { CompressionRatio } from "./compression-ratio.js";
export { CostOfPass } from "./cost-of-pass.js";
export { EFFICIENCY_KEYS } from "./efficiency.js";
export { estimateAmount, estimateScore } from "./estimates.js";
export { CELL_FACETS, FacetBreakdown, type FacetGroup, groupByFacet } from "./facet-breakdown.js";
export {
  analyzeFrontier,
  type FrontierAnalysis,
  type FrontierOptions,
  frontierCostOfPass,
  listTaskCosts,
  type TaskCost,
} from "./frontier.js";
export {
  type AdjustedPair,
  type AdjustedRun,
  adjustDifference,
  adjustRun,
  stratifyDifference,
  stratifyRun,
} from "./history-figures.js";
export {
  correctByOtherLabels,
  correctDifference,
  correctPassRates,
  DEFAULT_HALF_WIDTH,
  type JudgedLabel,
  type PlannedLabel,
  planLabels,
  type RandomLabel,
} from "./label-correction.js";
export { Latency } from "./latency.js";
export { LOW_COVERAGE } from "./low-coverage.js";
export { MeanScore } from "./mean-score.js";
export { MemoryEfficiency } from "./memory-efficiency.js";
export { findOddTasks, type OddTask, type OddTasks, type SystemTrials, TASK_FLAGS } from "./odd-tasks.js";
export { type ParetoOptions, ParetoRank } from "./pareto-rank.js";
export { PassRate } from "./pass-rate.js";
export { PerDatasetBreakdown } from "./per-dataset-breakdown.js";
export { computeReliability } from "./reliability.js";
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
export { describeMarginHeadroom, describeUntilHeadroom } from "./sequential/headroom.js";
export { nameTaskOfRow, SequentialJudge } from "./sequential/judge.js";
export { recallUntil, type UntilOptions } from "./sequential/question.js";
export type { PassOptions, ScoreOptions } from "./settings.js";
export { listStrata, readStrata } from "./strata.js";
export { type Summaries, summarize } from "./summarize.js";
export type { StandardSummary, SummaryKey } from "./summary-keys.js";
export { formatGroupsKey, listIntervalKeys } from "./summary-table.js";
export { filterPresent, getTaskIndex, type RowValueReader, readColumn, sumByTask } from "./tasks.js";
