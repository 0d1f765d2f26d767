/** Runs trials: plan, admit, attempt, classify, score, record. */
export { findTrial, formatEndpointName, type Trial, TrialQueue } from "./admit.js";
export { computePromptSize, toReservationRequest } from "./budget-gate.js";
export {
  type AttemptResult,
  type AttemptSuccess,
  computeStoredCost,
  toStoredCall,
  type UngradedOutput,
} from "./call.js";
export { computeTrialSpend } from "./cost.js";
export {
  type CallEnd,
  DEFAULT_OUTAGE,
  describeStoppedSystems,
  EndpointGate,
  OutageGate,
  type OutagePolicy,
  readNotRun,
  type TrialGate,
} from "./gate.js";
export { type ExampleGroups, groupExamples, orderTasks, type TaskUnits } from "./order.js";
export {
  countTrialsPerSystem,
  describePlanDatasets,
  getExampleTerms,
  getRowIndex,
  isPlanned,
  listPlanTerms,
  makePlan,
  type Plan,
  requirePositiveInteger,
} from "./plan.js";
export type {
  BudgetPort,
  CachedOutput,
  CanaryResult,
  ChainPorts,
  EncodedTrial,
  FinishedTrial,
  MoneyEntry,
  OutputCache,
  Progress,
  RowSink,
  RunBudgetPort,
  RunPorts,
  StopRule,
  TrialReservation,
} from "./ports.js";
export { countInputTokens, TokenCounter, toNotRunRow } from "./record.js";
export { Regrading } from "./regrading.js";
export { type EarlierResults, NO_EARLIER_RESULTS, RowCollector, type UnreportedSpend } from "./row-collector.js";
export { runPlan } from "./run.js";
export { buildTiming, SystemTimer } from "./system-timer.js";
export { countTasksAhead } from "./task-progress.js";
export { createTrialRunner, type TrialRecorder, type TrialRunner, type TrialSettler } from "./trial.js";
