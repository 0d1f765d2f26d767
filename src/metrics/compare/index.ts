export { compareRows } from "./compare-rows.js";
export {
  type ComparedRun,
  type CompareRunsOptions,
  compareRuns,
  type RunComparison,
  type RunName,
} from "./compare-runs.js";
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
} from "./comparison.js";
export { classifyLift, findQualityMetric, type Lift, type LiftOptions } from "./lift.js";
export {
  computeMinTasks,
  findDrops,
  findRegressions,
  findRegressionsTogether,
  type RegressionOptions,
  type Regressions,
} from "./regressions.js";
