export { adjustTogether } from "./adjust.js";
export { compareRows } from "./compare-rows.js";
export {
  type ComparedRun,
  type CompareRunsOptions,
  compareRuns,
  type RunComparison,
  type RunName,
} from "./compare-runs.js";
export {
  type Better,
  type Change,
  type CompareOptions,
  type Comparison,
  DEFAULT_LEVEL,
  type Detectable,
  type Flips,
  type MetricComparison,
  type MetricKind,
  metricIn,
  type TaskName,
  type TaskPasses,
  type TestName,
  type UnmatchedTask,
} from "./comparison.js";
export { type Lift, type LiftOptions, liftOf, qualityOf } from "./lift.js";
export {
  fewestTasks,
  findDrops,
  type RegressionOptions,
  type Regressions,
  regressionsIn,
  regressionsOf,
} from "./regressions.js";
