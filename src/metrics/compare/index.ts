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
  UnmatchedTask,
} from "./comparison.js";
