/** Whole runs, from options to results; stored runs loaded, graded again, imported and exported. */
export { describeBatchedTrials } from "./batched-trials.js";
export {
  type BudgetOptions,
  createBudgets,
  createReceipt,
  describeCanaries,
  describePrices,
  formatBudgetNotes,
  type RunBudgets,
} from "./budgets.js";
export {
  EXPORT_FORMATS,
  type ExportedRun,
  type ExportFormat,
  type ExportOptions,
  type ExportRunOptions,
  exportRun,
  openExport,
} from "./export-run.js";
export { type GradeOptions, gradeRun } from "./grade-run.js";
export { type ImportedRun, type ImportProgress, type ImportRunOptions, importRun } from "./import-run.js";
export {
  createNothingCountedError,
  describeQuarantine,
  type LoadRunOptions,
  loadRun,
  readCountedRows,
  readSequentialReport,
  readStoredRows,
  resolveRunMetrics,
} from "./load-run.js";
export type { EvaluateOptions } from "./options.js";
export {
  createProgressCallback,
  DEFAULT_MAX_WORKERS,
  type PreparedRun,
  prepareEvaluators,
  prepareRun,
  resolveRunUntil,
} from "./prepare-run.js";
export { type QueueOptions, QueueRun } from "./queue-run.js";
export { loadRunCost } from "./run-cost.js";
export { storeResult } from "./store-result.js";
export { requireWholeSample } from "./stored-baseline.js";
export { runWorker, type WorkerOptions } from "./worker.js";
