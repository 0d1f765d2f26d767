/** Running evaluations: systems, datasets, evaluators, stored runs and their shared types. */
import "./builtins.js";
import { registerJudgeGraders } from "./graders/judge/register-judge-graders.js";

// Registered for programs that import the package. The command line loads graders only if they are needed.
registerJudgeGraders();

export { AGENT_NAMES, type AgentName, AgentSystem, type AgentSystemOptions } from "./agents/index.js";
export { type AgentOptions, openAgent } from "./agents/open-agent.js";
export { defineConfig, type JudgeConfig, type ModelConfig, type RunConfig } from "./cli/run-config.js";
export {
  type Dataset,
  type DatasetDefinition,
  type DatasetGate,
  type DatasetJudging,
  type DatasetOrigin,
  type DatasetOverrides,
  type DownloadProgress,
  type LoadedExamples,
  type LoadOptions,
  makeDataset,
} from "./core/dataset.js";
export type {
  Environment,
  EnvironmentFile,
  FileChange,
  McpServer,
  OfferedSkill,
  WorkspaceChanges,
  WorkspaceState,
} from "./core/environment.js";
export {
  AssayError,
  EXIT,
  type InfrastructureCategory,
  isTrialError,
  type Outlook,
  type Retry,
  type Spent,
  TrialError,
  TrialStopped,
} from "./core/errors.js";
export type {
  Evaluator,
  ScoreContext,
  Scored,
  ScoredWithEvidence,
  ScoreMeter,
  Scores,
  ScoringCost,
} from "./core/evaluator.js";
export type { Example, ExampleSource, Turn } from "./core/example.js";
export { canonicalJson, computeFingerprint, digest } from "./core/fingerprint.js";
export type { Grade, Graded, Grader, GraderFactory, GraderSpec, Verdict } from "./core/grader.js";
export type { Comparison, Estimate, Metric, MetricContext, MetricRun } from "./core/metric.js";
export type { Limits, Price, PriceTier, TokenPrices } from "./core/price.js";
export {
  type Factory,
  type Permissions,
  type RegisteredDataset,
  Registry,
  type RegistryKind,
  type RegistryKinds,
  type Reporter,
  type ReportOptions,
  registerDataset,
  registry,
} from "./core/registry.js";
export type {
  DatasetConfig,
  EvalConfig,
  EvalResult,
  JsonReport,
  JsonSummary,
  RowFilter,
  Summary,
  Timing,
} from "./core/result.js";
export {
  type Attempt,
  type CostSource,
  ERROR_CATEGORIES,
  type ErrorCategory,
  type EvalRow,
  type Facets,
  type FacetValue,
  getScore,
  hasOutput,
  isScored,
  OUTCOMES,
  type Outcome,
} from "./core/row.js";
export type {
  Bill,
  MeteredTotal,
  Output,
  StopReason,
  System,
  Tokenizer,
  TrialBudget,
  TrialContext,
  Usage,
} from "./core/system.js";
export type { AgentEvent, AgentEventBody, Trajectory, TrajectoryEvent } from "./core/trajectory.js";
export { VERSION } from "./core/version.js";
export type { HubOptions } from "./datasets/hub/hub.js";
export { type LoadFilesOptions, loadFile, loadFiles, type NamedFiles } from "./datasets/index.js";
export { type LoadDatasetOptions, loadDataset } from "./datasets/load-dataset.js";
export { type EvaluateOptions, evaluate } from "./evaluate.js";
export * from "./evaluators/index.js";
export { GraderEvaluator, type GraderEvaluatorOptions } from "./graders/index.js";
export {
  type JudgeAnswer,
  type JudgeModel,
  type JudgeModelSource,
  type Judgement,
  type JudgeRequest,
  type JudgeScale,
  type JudgeVote,
  LLMJudge,
  type LLMJudgeOptions,
  type PanelRule,
} from "./graders/judge/index.js";
export type { DialectName, Message } from "./models/dialects/index.js";
export type { Announcement, PlanSource, QueueState, WorkerState } from "./queue/contract.js";

export type { Progress } from "./runner/ports.js";
export type { RetryPolicy } from "./runner/retry.js";
export type { BudgetOptions } from "./runs/budgets.js";
export {
  EXPORT_FORMATS,
  type ExportedRun,
  type ExportFormat,
  type ExportOptions,
  type ExportRunOptions,
  exportRun,
} from "./runs/export-run.js";
export { type GradeOptions, gradeRun } from "./runs/grade-run.js";
export { type ImportedRun, type ImportProgress, type ImportRunOptions, importRun } from "./runs/import-run.js";
export { type LoadRunOptions, loadRun } from "./runs/load-run.js";
export type { QueueOptions } from "./runs/queue-run.js";
export { runWorker, type WorkerOptions } from "./runs/worker.js";
export type { JsonValue, QueryColumn, QueryOptions, QueryResult, QueryRow } from "./store/history/index.js";
export { queryRuns } from "./store/history/query-runs.js";
export { QueryStopped } from "./store/history/query-stopped.js";
export { FORMAT_NAMES, type FormatName } from "./store/import/format.js";
export * from "./systems/index.js";
