export { compareRows } from "./compare-rows.js";
export type {
  ComparedRun,
  RunComparison,
} from "./compare-runs.js";
export type {
  Change,
  MetricComparison,
  PairedComparison,
  TaskName,
  TaskPasses,
  TestName,
  UnmatchedTask,
} from "./comparison.js";
export type { DecisionCost } from "./decision-cost.js";
export { classifyAdjustedLift, classifyLift, findQualityMetric, type Lift } from "./lift.js";
